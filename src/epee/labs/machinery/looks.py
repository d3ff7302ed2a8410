"""The look of the labs: one style sheet for the marimo pages, the home page and the still pages. No font, no file, no network."""

from __future__ import annotations

CSS = """
:root { --lab-ink: #1d2430; --lab-quiet: #5b6573; --lab-line: #dfe4ea; --lab-paper: #ffffff; --lab-wash: #f4f7fa;
  --lab-blue: #0072B2; --lab-good: #00734f; --lab-bad: #b34700; }
.lab-head, .lab-play, .lab-formula, .lab-cards, .lab-h2 { color: var(--lab-ink);
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.lab-bar { display: flex; justify-content: space-between; align-items: center; flex-wrap: wrap; gap: .5rem; font-size: .9rem;
  border-bottom: 1px solid var(--lab-line); padding-bottom: .4rem; }
.lab-bar a { color: var(--lab-blue); text-decoration: none; }
.lab-bar a:hover { text-decoration: underline; }
.lab-head h1 { font-size: 1.9rem; font-weight: 700; line-height: 1.2; margin: .7rem 0 .2rem; }
.lab-question { font-size: 1.25rem; line-height: 1.4; color: var(--lab-blue); margin: 0 0 .5rem; font-weight: 500; }
.lab-story { color: var(--lab-quiet); max-width: 62rem; line-height: 1.5; }
.lab-play { display: grid; grid-template-columns: minmax(15rem, 19rem) minmax(0, 1fr); gap: 1.2rem; align-items: start; }
.lab-knobs { background: var(--lab-wash); border: 1px solid var(--lab-line); border-radius: 10px; padding: .8rem 1rem; }
.lab-knob { margin-bottom: .75rem; }
.lab-answer { border-top: 1px solid var(--lab-line); padding-top: .6rem; line-height: 1.45; }
.lab-answer p, .lab-verdict p, .lab-prompt p, .lab-story p { margin: 0; }
.lab-pictures { columns: 20rem 2; column-gap: .8rem; }
.lab-pictures .picture, .lab-pictures svg { width: 100%; height: auto; margin: 0 auto .6rem; background: #fff; border-radius: 8px; break-inside: avoid; display: block; }
.lab-pictures > :only-child { column-span: all; max-width: 46rem; }
.lab-formula { margin-top: .8rem; padding: .5rem 1rem; background: var(--lab-wash); border-left: 4px solid var(--lab-blue);
  border-radius: 0 8px 8px 0; overflow-x: auto; line-height: 1.5; }
.lab-line { display: flex; flex-wrap: wrap; justify-content: safe center; align-items: center; gap: .35rem 2.2rem; margin: .45rem 0; max-width: 100%; overflow-x: auto; }
.lab-report { width: 100%; height: 46rem; border: 1px solid var(--lab-line); border-radius: 8px; margin-top: .8rem; }
.lab-line { display: flex; flex-wrap: wrap; justify-content: safe center; align-items: center; gap: .35rem 2.2rem; margin: .45rem 0; max-width: 100%; overflow-x: auto; }
.lab-report { width: 100%; height: 46rem; border: 1px solid var(--lab-line); border-radius: 8px; margin-top: .8rem; }
.lab-h2 { font-size: 1.2rem; font-weight: 700; margin: .6rem 0 .5rem; }
.lab-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: .9rem; }
.lab-card { border: 1px solid var(--lab-line); border-radius: 10px; padding: .8rem 1rem; background: var(--lab-paper);
  display: flex; flex-direction: column; gap: .6rem; min-width: 0; }
.lab-prompt { line-height: 1.45; }
.lab-prompt > b { float: left; margin-right: .4rem; color: var(--lab-blue); }
.lab-verdict { line-height: 1.45; border-radius: 8px; }
.lab-verdict.right, .lab-verdict.wrong { padding: .5rem .7rem; display: flex; gap: .5rem; }
.lab-verdict.right { background: #e7f6f0; color: var(--lab-good); }
.lab-verdict.wrong { background: #fdf0e6; color: var(--lab-bad); }
.lab-verdict > span { font-weight: 700; }
.lab-table { overflow-x: auto; }
.lab-table table { border-collapse: collapse; font-size: .9rem; }
.lab-table td, .lab-table th { border-bottom: 1px solid var(--lab-line); padding: .25rem .6rem; text-align: left; }
[data-testid="notebook-actions-dropdown"], .fixed[class*="top-[25vh]"] { display: none; } /* marimo's menu and outline */
#App [class*="sm:px-16"] { padding-left: clamp(.5rem, 2vw, 2rem); padding-right: clamp(.5rem, 2vw, 2rem); }
@media (max-width: 860px) {
  .lab-play { grid-template-columns: minmax(0, 1fr); }
  .lab-head h1 { font-size: 1.5rem; }
  .lab-question { font-size: 1.08rem; }
  .lab-formula { padding: .4rem .6rem; }
  .lab-line { gap: .35rem 1rem; font-size: .92em; }
}
"""

STYLE = f"<style>{CSS}</style>"

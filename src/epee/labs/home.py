"""The home page: the labs, each with its question, in both languages."""

from __future__ import annotations

import html

from epee.labs.catalogue import BEYOND, SESSIONS, lab
from epee.labs.machinery.looks import CSS
from epee.labs.machinery.phrases import say
from epee.labs.machinery.words import localise
from epee.words.catalogue import LANGUAGES

HOME_CSS = """
body { margin: 0; background: #fff; color: var(--lab-ink); }
main { max-width: 66rem; margin: 0 auto; padding: 1.2rem 1.2rem 3rem; font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.lab-list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18.5rem), 1fr)); gap: .8rem; padding: 0; list-style: none; }
.lab-list a { display: block; height: 100%; box-sizing: border-box; border: 1px solid var(--lab-line); border-radius: 10px; padding: .8rem 1rem;
  text-decoration: none; color: inherit; }
.lab-list a:hover, .lab-list a:focus { border-color: var(--lab-blue); background: var(--lab-wash); }
.lab-list b { color: var(--lab-blue); display: block; margin-bottom: .2rem; }
.lab-list span { color: var(--lab-quiet); line-height: 1.4; }
"""


def home_page(lang: str, address: str = "lab/{id}/?lang={lang}", switch: str = "?lang={lang}") -> str:
    """Return the page; ``address`` says where a lab lies, ``switch`` where this page lies in another language.

    >>> "Premiers pas" in home_page("fr")
    True
    """
    switches = " · ".join(
        f"<b>{name}</b>" if code == lang else f'<a href="{switch.format(lang=code)}" hreflang="{code}">{name}</a>'
        for code, name in LANGUAGES.items()
    )
    lists = "".join(
        f'<h2 class="lab-h2">{say(key, lang)}</h2><ul class="lab-list">{"".join(_item(name, lang, address) for name in names)}</ul>'
        for key, names in (("sessions", SESSIONS), ("beyond", BEYOND))
    )
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="épée"><title>épée · {say("labs", lang)}</title><link rel="icon" href="data:,"><style>{CSS}{HOME_CSS}</style></head><body><main>'
        f'<div class="lab-head"><div class="lab-bar"><span>épée · {say("labs", lang)}</span><span>{switches}</span></div>'
        f'<h1>{say("home", lang)}</h1><p class="lab-story">{localise(say("home_story", lang), lang)}</p></div>{lists}</main></body></html>'
    )


def _item(name: str, lang: str, address: str) -> str:
    this = lab(name)
    where = address.format(id=name, lang=lang)
    return f'<li><a href="{where}"><b>{html.escape(localise(this.title(lang), lang))}</b><span>{html.escape(localise(this.question(lang), lang))}</span></a></li>'

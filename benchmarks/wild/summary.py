"""The tables of the study: ratios of errors to ours by rival, table by table, and how often the sealed interval held."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.wild.rivals import TIMED

US = "épée"
BEHIND = {"number": 0.04, "classes": 0.08}  # the best rival of each table, chosen with hindsight


Errors = dict[str, dict[str, np.ndarray]]  # by table and player, one a split


def by_split(records: list[dict[str, Any]], what: str = "error") -> dict[str, dict[str, dict[int, float]]]:
    """Return the errors by table, player and split."""
    by: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for r in records:
        if what in r:
            by[r["table"]][r["who"]][r["split"]] = r[what]
    return by


def mean_errors(records: list[dict[str, Any]], what: str = "error") -> Errors:
    """Return the errors by table and player, over the splits that all players of the table have.

    One that takes as long as we do may have seen fewer splits than the others: then it is left out.
    """
    out = {}
    for table, players in by_split(records, what).items():
        if US not in players or len(players) < 2:
            continue
        shared = set.intersection(*(set(found) for who, found in players.items() if who not in TIMED))
        if shared:
            out[table] = {
                who: np.array([found[s] for s in sorted(shared)])
                for who, found in players.items()
                if shared <= set(found)
            }
    return out


def pairs(records: list[dict[str, Any]], who: str) -> list[float]:
    """Return the ratio of a player's error to ours on each table, over the splits that both have."""
    out = []
    for players in by_split(records).values():
        theirs, ours = players.get(who, {}), players.get(US, {})
        shared = sorted(set(theirs) & set(ours))
        if shared:
            out.append(float(np.mean([theirs[s] for s in shared]) / np.mean([ours[s] for s in shared])))
    return out


def geometric(ratios: list[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else float("nan")


def text_of(records: list[dict[str, Any]]) -> str:
    """Return all tables as Markdown."""
    lines = ["# In the wild: the chosen predictor on real tables", ""]
    for kind, title in (("number", "Numbers"), ("classes", "Classes")):
        mine = [r for r in records if r["kind"] == kind]
        errors = mean_errors(mine)
        if errors:
            lines += [
                f"**{title}: {len(errors)} tables**",
                "",
                *_ratios(errors, mine),
                "",
                *_asked(errors, kind),
                "",
                *_each(errors, mine),
                "",
            ]
    lines += _work(records)
    own = [r for r in records if r["who"] == US and "error" in r]
    if own:
        tables = sorted({r["table"] for r in own})
        strict, fair = (np.mean([r[key] for r in own]) for key in ("covers_strictly", "covers"))
        seconds = [r["cpu"] for r in own]
        lines += [
            f"The sealed 95 % interval held the error on the rest: {strict:.0%} ({len(own)} splits of {len(tables)} tables); "
            f"{fair:.0%} when the rest's own error bar is allowed for. Processor time of `learn`: median {np.median(seconds):.1f} s, "
            f"most {np.max(seconds):.1f} s.",
            "",
        ]  # fmt: skip
    return "\n".join(lines)


def _work(records: list[dict[str, Any]]) -> list[str]:
    """Return who failed, and what a study of these tables costs: seconds of the processor for one split, of each player."""
    failed = [f"{r['who']} on {r['table']}, split {r['split']}: {r['failed']}" for r in records if "failed" in r]
    lines = [f"Failed: {'; '.join(failed)}.", ""] if failed else []
    tables = {r["table"] for r in records}
    by: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for r in records:
        by[r["who"]][r["table"]].append(r["cpu"])
    if not by:
        return lines
    cost = {
        who: float(np.mean([np.median(times) for times in found.values()])) for who, found in by.items()
    }  # of a table that it has not seen, the mean of the others
    whole = len(tables) * sum(cost.values())
    each = ", ".join(f"{who} {seconds:.1f}" for who, seconds in cost.items())
    return [
        *lines,
        f"Processor seconds a table and split: {each}. One split of these {len(tables)} tables: {whole / 60:.0f} minutes of one core, "
        "between that and half of it on two that have nothing else to do.",
        "",
    ]


def _ratios(errors: Errors, records: list[dict[str, Any]]) -> list[str]:
    """Return the geometric means of the ratios of each rival's error to ours."""
    players = sorted({who for found in errors.values() for who in found if who != US})
    lines = [
        "| rival | its error / ours | tables where we are ahead | its log loss - ours | its AUC - ours |",
        "|---|---|---|---|---|",
    ]
    others = {what: mean_errors(records, what) for what in ("log_loss", "auc")}
    for who in players:
        ratios = [found[who].mean() / found[US].mean() for found in errors.values() if who in found]
        beside = [
            f"{np.mean([f[who].mean() - f[US].mean() for f in o.values() if who in f]):+.3f}"
            if any(who in f for f in o.values()) else "" for o in others.values()
        ]  # fmt: skip
        lines.append(
            f"| {who} | {geometric(ratios):.3f} | {sum(r >= 1 for r in ratios)} / {len(ratios)} | {' | '.join(beside)} |"
        )
    for who in TIMED:
        ratios = pairs(records, who)
        if len(ratios) > sum(who in found for found in errors.values()):
            ahead = f"{sum(r >= 1 for r in ratios)} / {len(ratios)}"
            lines.append(f"| {who}, on the splits that it has | {geometric(ratios):.3f} | {ahead} | | |")
    best = [min(v.mean() for who, v in found.items() if who != US) / found[US].mean() for found in errors.values()]
    lines.append(
        f"| best of each table, with hindsight | {geometric(best):.3f} | {sum(r >= 1 for r in best)} / {len(best)} | | |"
    )
    cat = [f for f in errors.values() if "CatBoost" in f]
    if cat:
        own = [min(v.mean() for w, v in f.items() if w not in (US, "CatBoost")) / f["CatBoost"].mean() for f in cat]
        lines.append(f"| (CatBoost against the best of the others) | {geometric(own):.3f} | | | |")
    return lines


def _asked(errors: Errors, kind: str) -> list[str]:
    """Return what was asked for, and whether it is so."""
    asked = BEHIND[kind]
    ratios = {
        who: geometric([found[who].mean() / found[US].mean() for found in errors.values() if who in found])
        for who in {w for found in errors.values() for w in found} - {US}
    }
    best, far = [], []
    for table, found in errors.items():
        who = min((w for w in found if w != US), key=lambda w: found[w].mean())
        best.append(found[US].mean() / found[who].mean())
        behind = found[US] / found[who] - 1
        bar = behind.std(ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else np.inf
        if behind.mean() - 2 * bar > 0.15:
            far.append(f"`{table}`")
    gap = geometric(best) - 1
    wins = [who for who, ratio in ratios.items() if ratio < 1]
    cat = ratios.get("CatBoost", np.nan)
    several = any(len(found[US]) > 1 for found in errors.values())
    none = "yes" if several else "one split does not tell"
    return [
        f"- Ahead of every single rival: {'yes' if not wins else 'no, not of ' + ', '.join(sorted(wins))}.",
        f"- Ahead of CatBoost by 2 % or more: {cat - 1:+.1%}, {'yes' if cat >= 1.02 else 'no'}.",
        f"- At most {asked:.0%} behind the best of each table: {gap:+.1%}, {'yes' if gap <= asked else 'no'}.",
        f"- No table more than 15 % behind beyond two standard errors of its splits: {', '.join(far) or none}.",
    ]


def _each(errors: Errors, records: list[dict[str, Any]]) -> list[str]:
    """Return one line a table, the largest gaps first; the bar is the spread over the splits."""
    lines = ["| table | rows | ours | best rival | its error / ours | ± | chosen |", "|---|---|---|---|---|---|---|"]
    rows = []
    for table, found in errors.items():
        who = min((w for w in found if w != US), key=lambda w: found[w].mean())
        ratio = found[who].mean() / found[US].mean()
        each = found[who] / found[US]
        bar = f"{each.std(ddof=1) / np.sqrt(len(each)):.3f}" if len(each) > 1 else ""  # one split shows no spread
        own = [r for r in records if r["table"] == table and r["who"] == US and "error" in r]
        chosen = ", ".join(sorted({f"`{r['chosen']}`" for r in own}))
        rows.append(
            (
                ratio,
                f"| `{table}` | {own[0]['n']} | {found[US].mean():.4g} | {who} | {ratio:.3f} | {bar} | {chosen} |",
            )
        )
    return [*lines, *(line for _, line in sorted(rows))]

r"""What a table holds when nothing is to be predicted: moments, holes, correlations, axes, clusters, unlikely rows.

Everything has its error bar. A mean has Student's interval; a correlation Fisher's, and its p-value is corrected for the number
of pairs (Holm). The share of an axis :math:`\lambda_j / \sum \lambda` has the asymptotic error of its eigenvalue,
:math:`\lambda_j \sqrt{2/n}`, and is compared with what columns without correlation would give. The number of clusters is chosen by
the gap statistic, which may answer one, and their stability is shown. Rows are unlikely when their density is below that of a
share ``rate`` of rows drawn from the fitted law, so that the rate of alarms is known.
"""

from __future__ import annotations

import time as clock
from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from epee import __version__
from epee.job import exploration_facts as facts
from epee.job import policy
from epee.job.card import FORMAT, plain
from epee.job.findings.evidence import Evidence
from epee.job.findings.registry import Finding, check_codes, find
from epee.job.holding import hold
from epee.job.learned import Reported
from epee.job.redo import redo
from epee.job.sealing import check_seed, fingerprints
from epee.job.survey import MOST_PAIRED, survey
from epee.job.tallies import Tallies
from epee.job.understanding import IGNORE, is_silent, open_columns, reason_to_leave
from epee.risk.intervals import check_level
from epee.settings import options, progress
from epee.table.raw import RawBlock
from epee.table.servers import without_password
from epee.words.job_words import say
from epee.words.numbers import whole

MOST_NUMBERS = 200  # columns for axes and clusters


class Explored(Reported):
    """What :func:`explore` found: ``card`` is plain data, ``findings`` what often is a mistake.

    Attributes
    ----------
    findings : list of Finding
    """

    def __init__(self, card: dict[str, Any], findings: list[Finding]) -> None:
        self.facts, self.findings = card, findings

    def __str__(self) -> str:
        text: str = import_module("epee.report.text").text_of(self.card)
        return text

    def __repr__(self) -> str:
        rows = self.card["rows"]["read"]
        return f"Explored({rows} rows, {len(self.card['columns'])} columns, {len(self.findings)} findings)"


def explore(
    table: Any, *, types: Mapping[str, str] | None = None, level: float = 0.95, mute: Collection[str] = (), lang: str | None = None,
    random_state: int = 0,
) -> Explored:  # fmt: skip
    """Look at a table that has no target.

    Parameters
    ----------
    table : array, frame, path, folder, SQL query on files, stream of frames, or "-"
    types : dict, optional
        Kinds of columns, ``{"zip": "category", "id": "ignore"}``.
    level : float, default=0.95
        Confidence level of the intervals.
    mute : codes, optional
        Findings not to look for, such as ``["E013"]``.
    lang : {"en", "fr"}, default=None
        Language of the sentences; None is that of ``epee.options``.
    random_state : int, default=0
        Seed of samples and random starts.

    Returns
    -------
    Explored
        With ``.card``, ``.findings``, ``.report(path)`` and ``.to_json()``.

    Notes
    -----
    Counts, means, correlations and axes are those of all rows, from one pass; quantiles, clusters, unlikely rows and findings look at
    40,000 rows at most, a seeded sample where there are more, and say so.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, chapter 14.

    Examples
    --------
    >>> import epee
    >>> explored = explore(epee.samples.load("faithful"))
    >>> explored.card["clusters"]["chosen"]
    2
    """
    check_level(level)
    check_seed(random_state)
    muted, types = check_codes(mute), dict(types or {})
    begin = clock.perf_counter()
    with options(language=lang or options.language), progress(say("reading"), 6) as tick:
        source, held = hold(open_columns(table, types), policy.POLICY)
        kinds = {name: str(source.kind(name)) for name in source.names if types.get(name) != IGNORE}
        found, raw, picked = survey(source, held, kinds, policy.POLICY, random_state)
        tick()
        columns = [facts.column_facts(found, raw, name, kind, types, level) for name, kind in kinds.items()]
        kinds = {c["name"]: c["kind"] for c in columns}
        left = left_out(found.tallies, kinds, types)
        for c in columns:
            c |= {"role": "left out", "note": left[c["name"]]} if c["name"] in left else {}
        spread = found.pairs.columns.variance
        places = [j for j, name in enumerate(found.numbers[: len(spread)]) if spread[j] > 0 and name not in left]
        numbers, pairs = [found.numbers[j] for j in places], found.pairs.take(np.array(places, dtype=np.intp))
        X = np.column_stack([raw.columns[name] for name in numbers]) if numbers else np.empty((len(raw), 0))
        notes = [*source.notes, *left.values()]
        if len(raw) < found.tallies.n:
            notes.append(say("explored_sample", n=whole(len(raw))))
        if len(found.numbers) > MOST_PAIRED:
            notes.append(say("explored_columns", k=whole(MOST_PAIRED)))
        card: dict[str, Any] = {
            "format": FORMAT,
            "task": "exploration",
            "settings": {
                "table": without_password(str(table)) if isinstance(table, str | Path) else None,
                "level": level,
                "lang": options.language,
                "types": types,
                "seed": int(random_state),
                "mute": muted,
            },
            "label": source.label,
            "rows": {"read": found.tallies.n},
            "columns": columns,
            "notes": notes,
            "muted": muted,
            "missing": facts.missing_facts(found, level),
        }
        card["correlations"] = facts.correlation_facts(pairs, numbers, level)
        tick()
        few = np.arange(min(len(numbers), MOST_NUMBERS))
        own, some = [numbers[j] for j in few], pairs.take(few)
        Z = facts.scaled(X[:, :MOST_NUMBERS], some)
        axes = facts.axis_facts(Z, some, found.tallies.n, picked, own, level, random_state)
        tick()
        card["clusters"] = facts.cluster_facts(Z, own, axes, random_state)
        card["axes"] = None if axes is None else {key: value for key, value in axes.items() if key != "places"}
        card["mixture"] = facts.mixture_facts(Z[~np.isnan(X[:, :MOST_NUMBERS]).any(axis=1)], own, random_state)
        tick()
        card["outliers"] = facts.outlier_facts(Z, picked, own, card["clusters"], level, random_state)
        tick()
        inputs = [name for name, kind in kinds.items() if kind != "text" and name not in left]
        looked = RawBlock({name: raw.columns[name] for name in inputs}, rows=len(raw))
        texts = [name for name, kind in kinds.items() if kind == "text"]
        beside = fingerprints(raw, texts) if texts else None
        findings = find(Evidence(inputs, kinds, looked, columns, seed=random_state, beside=beside), muted)
        tick()
        card |= {
            "epee": __version__,
            "findings": [f.to_dict() for f in findings],
            "redo": redo("explore", card["settings"]),
            "seconds": clock.perf_counter() - begin,
        }
    return Explored(plain(card), findings)


def left_out(tallies: Tallies, kinds: Mapping[str, str], types: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that say nothing beside the others, each with the reason: those that :func:`learn` would leave out as well."""
    every = {name: reason_to_leave(tallies, tallies.column(name, kind, types), types) for name, kind in kinds.items()}
    return {name: why for name, why in every.items() if is_silent(name, why)}

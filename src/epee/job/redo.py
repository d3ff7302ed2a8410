"""The lines that give a result again, on the command line and in Python: what was asked for, but for what is the default."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

DEFAULTS: dict[str, Any] = {  # in the order in which they are written
    "test_size": 0.2, "folds": 10, "weight": None, "groups": None, "time": None, "rare": "leave", "loss": None, "level": 0.95, "seed": 0,
    "reject_cost": None, "budget": None, "prefer": "balance", "lang": "en", "lags": {}, "gap": 0, "mute": [], "predictors": None,
    "costs": None, "types": {}, "refit": False,
}  # fmt: skip


def redo(verb: str, settings: Mapping[str, Any], targets: Sequence[str] = ()) -> dict[str, str]:
    """Return the command and the call that do it again.

    >>> redo("explore", {"table": "a.csv", "seed": 3, "level": 0.95, "types": {"zip": "category"}})["command"]
    'epee explore a.csv --seed 3 --type zip=category'
    """
    table = settings["table"]
    words = ["epee", verb, table or "table.csv", *(word for name in targets for word in ("--target", name))]
    python = [repr(table) if table else "table"]
    if targets:
        python.append(repr(targets[0] if len(targets) == 1 else list(targets)))
    asked = {**settings, "folds": settings.get("asked_folds", settings.get("folds"))}  # not those that the rows allowed
    for key, default in DEFAULTS.items():
        value = asked.get(key)
        if value is None or value == default:
            continue
        words += words_of(key, value, targets)
        python.append(f"{'random_state' if key == 'seed' else key}={value!r}")
    return {"command": shlex.join(words), "python": f"epee.{verb}({', '.join(python)})"}


def words_of(key: str, value: Any, targets: Sequence[str]) -> list[str]:
    """Return one setting as the command line takes it; costs that lie in no file it does not."""
    if key == "refit":
        return ["--refit"]
    if key == "costs":
        return ["--costs", value] if isinstance(value, str) else []
    option, each = f"--{key.replace('_', '-')}", [str(value)]
    if key in ("mute", "predictors"):
        option, each = option.removesuffix("s"), list(value)
    elif key == "types":
        option, each = "--type", [f"{column}={kind}" for column, kind in value.items()]
    elif key == "lags":
        each = [
            ("" if [column] == list(targets) else f"{column}=") + ",".join(map(str, own))
            for column, own in value.items()
        ]
    return [word for one in each for word in (option, one)]

"""Predictors of other libraries by name: ``sklearn.svm:SVC``, ``mine:Model(depth=3)``, or ``lightgbm`` alone.

The text names a module and a class, with parameters where one wants them; parameters are plain values, and nothing in the text is run. The
module is: it is imported, from the current folder too, as everything that is named on a command line runs as who typed it.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from importlib import import_module
from typing import Any, NamedTuple

from epee.errors import WrongUse
from epee.table.schema import suggestion

FORM = re.compile(r"(?P<module>[\w.]+)(?::(?P<name>[\w.]+))?\s*(?P<given>\(.*\))?", re.DOTALL)
QUIET: dict[str, dict[str, Any]] = {  # what keeps a library from writing to the terminal, or beside the table
    "lightgbm": {"verbose": -1},
    "catboost": {"logging_level": "Silent", "allow_writing_files": False},
}
LOUD = {"verbose", "logging_level", "silent", "verbose_eval", "metric_period", "verbosity"}


class Known(NamedTuple):
    """A library that a single word names."""

    title: str
    classifier: str
    regressor: str
    nearest: str  # to it, among ours


KNOWN = {
    "lightgbm": Known("LightGBM", "LGBMClassifier", "LGBMRegressor", "boosting"),
    "xgboost": Known("XGBoost", "XGBClassifier", "XGBRegressor", "boosting"),
    "catboost": Known("CatBoost", "CatBoostClassifier", "CatBoostRegressor", "boosting"),
    "tabpfn": Known("TabPFN", "TabPFNClassifier", "TabPFNRegressor", "combination"),
}


def is_guest(text: str) -> bool:
    """Tell whether a text names a predictor of another library.

    >>> [is_guest(text) for text in ("sklearn.svm:SVC(C=2)", "LightGBM", "lda")]
    [True, True, False]
    """
    found = FORM.fullmatch(text.strip())
    return found is not None and (found["name"] is not None or found["module"].lower() in KNOWN)


def guest_named(text: str, kind: str) -> tuple[str, Any]:
    """Return what to call the predictor that a text names, and an estimator of its class.

    >>> guest_named("sklearn.svm:SVC(C=2)", "classifier")
    ('SVC(C=2)', SVC(C=2))
    """
    found = FORM.fullmatch(text.strip())
    assert found is not None
    module, name, title = found["module"], found["name"], found["name"]
    if name is None:
        module = module.lower()
        known = KNOWN[module]
        name, title = (known.classifier if kind == "classifier" else known.regressor), known.title
    given = _parameters(found["given"] or "()", text)
    cls = _class(module, name, text)
    try:
        made = cls(**given)
    except Exception as fault:
        raise WrongUse(f"{text!r} cannot be made: {type(fault).__name__}: {fault}") from fault
    shown = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f"{title}({shown})" if shown else title, made


def _parameters(text: str, whole: str) -> dict[str, Any]:
    """Return the values between parentheses, which must have names and be plain."""
    try:
        call = ast.parse(f"f{text}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        raise WrongUse(
            f"the parameters of {whole!r} cannot be read; write them as plain values with names, like module:Class(depth=3, loss='log')."
        ) from None


def _class(module: str, name: str, text: str) -> Any:
    """Return the class that is meant."""
    see_current_folder()
    try:
        found = import_module(module)
    except ModuleNotFoundError as fault:
        if fault.name is None or not (module == fault.name or module.startswith(f"{fault.name}.")):
            raise WrongUse(f"{text!r}: the module {module!r} needs {fault.name!r}, which is not installed.") from fault
        known = KNOWN.get(module)
        if known is not None:
            raise WrongUse(
                f"{known.title} is not installed: pip install {module}. The nearest to it here is {known.nearest!r}."
            ) from None
        raise WrongUse(
            f"{text!r}: there is no module {module!r} here; install it, or write the module and the class like sklearn.svm:SVC."
        ) from None
    except Exception as fault:
        raise WrongUse(f"{text!r}: importing {module!r} failed: {type(fault).__name__}: {fault}") from fault
    for part in name.split("."):
        if not hasattr(found, part):
            near = suggestion(part, [n for n in dir(found) if isinstance(getattr(found, n, None), type)])
            raise WrongUse(f"the module {module!r} has no class {name!r}{near}")
        found = getattr(found, part)
    if not isinstance(found, type):
        raise WrongUse(f"{text!r} is no class; name a class with fit and predict.")
    return found


def see_current_folder() -> None:
    """Let modules of the current folder be imported, after all others."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)


def settled(estimator: Any, seed: int) -> Any:
    """Return an estimator whose random numbers have a seed, where none is set, and that writes nothing anywhere unless it was told to."""
    from sklearn.base import clone

    estimator = clone(estimator)
    given = estimator.get_params(deep=True)
    changes: dict[str, Any] = {
        key: seed for key, value in given.items() if key.rpartition("__")[2] == "random_state" and value is None
    }
    for key, value in QUIET.get(library_of(estimator), {}).items():
        if key not in given and not (key in LOUD and LOUD & given.keys()):
            changes[key] = value
    return estimator.set_params(**changes) if changes else estimator


def library_of(estimator: Any) -> str:
    """Return the library that a class, or one it derives from, comes from.

    >>> from sklearn.svm import SVC
    >>> library_of(SVC())
    'sklearn'
    """
    roots = [cls.__module__.partition(".")[0] for cls in type(estimator).__mro__]
    return next((root for root in roots if root in KNOWN), roots[0])

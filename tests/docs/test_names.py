"""Every public name is importable, has a page, and its docstring says what a reader needs."""

import dataclasses
import inspect
import re
import sys
from pathlib import Path

import pytest

import epee

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import generated_pages  # noqa: E402

NAMES = generated_pages.public_names()
CONTRACT = ROOT.parent / "shared" / "api.md"
# what the contract names in running text, by the submodule it is in
IN_ROOMS = {
    "risk": """Risk empirical_risk holdout_error cross_validate CrossValidation loo complexity_curve compare Comparison mcnemar
        compare_rates gcv aic aicc bic mallows_cp optimism bias_variance learning_curve roc_auc average_precision brier r2 f1
        importance conformal plot_regions""",
    "mdp": """MarkovDecisionProcess Solution QLearning DoubleQLearning Sarsa ExpectedSarsa RLearning TDLambda car_dealer
        gridworld""",
    "optimize": "gradient_descent stochastic_gradient_descent newton bfgs lbfgs line_search schedules",
    "design": "select prediction_variance",
    "samples": "load",
    "losses": "Loss",
}


def test_everything_in_all_has_a_page():
    assert set(epee.__all__) - set(generated_pages.ROOMS) <= set(NAMES)
    for room in generated_pages.ROOMS:
        assert hasattr(epee, room)


@pytest.mark.parametrize(("room", "name"), [(room, name) for room, names in IN_ROOMS.items() for name in names.split()])
def test_names_of_the_rooms(room, name):
    assert getattr(getattr(epee, room), name) is not None


@pytest.mark.skipif(not CONTRACT.exists(), reason="the contract is not beside this copy of the sources")
def test_the_contract_is_kept():
    text = CONTRACT.read_text(encoding="utf-8").split("## Estimators")[1].split("markov decision")[0]
    promised = set(re.findall(r"(?<![\w\"'.])([A-Z]\w*[a-zA-Z])\b(?!')", re.sub(r"\([^()]*\)", "()", text))) - {"None"}
    assert len(promised) > 50
    assert promised <= set(epee.__all__)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_docstrings(name):
    """The first line is a sentence; every parameter that is listed exists, and every one that exists is listed."""
    from numpydoc.docscrape import ClassDoc, FunctionDoc

    thing = generated_pages.resolve(name)
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return
    text = inspect.getdoc(thing)
    assert text and text.strip(), f"epee.{name} has no docstring"
    if name.startswith("errors.") or (inspect.isclass(thing) and issubclass(thing, tuple)):
        return
    doc = ClassDoc(thing, config={"show_class_members": False}) if inspect.isclass(thing) else FunctionDoc(thing)
    listed = {part.strip().lstrip("*") for entry in doc["Parameters"] for part in entry.name.split(",")}
    if not listed and (doc["Attributes"] or dataclasses.is_dataclass(thing)):
        return  # a result: what it holds is listed as attributes
    call = thing.__init__ if inspect.isclass(thing) else thing
    known = {p.lstrip("*") for p in inspect.signature(call).parameters if p != "self"}
    assert listed - known == set(), f"epee.{name} documents parameters that it does not have"
    assert known - listed == set(), f"epee.{name} does not document some parameters"


# numpydoc's own rules that hold here: a docstring with its sections in order, a first line that ends, no unknown parameter
RULES = {"GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10", "PR02", "PR06", "PR10", "SS01", "SS03", "SS04"}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_numpydoc_rules(name):
    from numpydoc.validate import validate

    thing = generated_pages.resolve(name)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        errors = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
        assert [error for error in errors if error[0] in RULES] == []


ESTIMATORS = sorted(
    n for n in NAMES if "." not in n and n[0].isupper() and n not in ("Learned", "Explored", "Parts", "Expected")
)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_class_page_is_whole(name):
    """A formula, in the class or above it; every parameter with a sentence; an example; a book, where there is one."""
    from numpydoc.docscrape import ClassDoc

    cls = getattr(epee, name)
    doc = ClassDoc(cls, config={"show_class_members": False})
    assert "math:" in inspect.getdoc(cls) or "math::" in sys.modules[cls.__module__].__doc__
    assert [entry.name for entry in doc["Parameters"] if not " ".join(entry.desc).strip()] == []
    assert any(line.startswith(">>>") for line in doc["Examples"])
    assert doc["References"] or name == "Moments"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("Ridge", "Ridge"), ("Ridge(2.0)", "Ridge"), ("risk.compare({...}, X, y).verdict", "risk.compare"),
        ("compare", "risk.compare"), ("Risk.stderr", "risk.Risk"), ("epee.options.threads", "options"),
        ("mcnemar.test", None), ("Power", None), ("fit(X, y)", None), ("epee learn table.csv", None),
    ],
)  # fmt: skip
def test_names_in_running_text(code, name):
    """What the pages turn into a link: our names, and not what looks like one."""
    assert generated_pages.named(code) == name

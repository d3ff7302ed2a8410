"""Pages that are made of data: the API reference, the course map, the findings, the coverage table.

They are written to ``docs/generated`` when the site is built, from the package itself and from ``course_map.csv``, so that
none of them can tell something that the code does not do.
"""

from __future__ import annotations

import csv
import inspect
import re
import shutil
from collections import Counter
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from epee.estimator.registry import METHODS

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

# name of the section: its functions, beside the methods that the registry puts there; what it is about
SECTIONS: dict[str, tuple[str, str]] = {
    "The main job": (
        "learn Learned load explore Explored split Parts", "One call from a table to a predictor with an honest figure beside it.",
    ),
    "Moments, engines, tables": ("Moments engine options", "What one pass keeps, who adds, and how a table becomes numbers."),
    "Linear discrimination": ("", "Straight frontiers, by closed forms and by descent."),
    "Generative models and decisions": ("", "A law for each class, and the decision of least cost."),
    "Neighbours and trees": ("", "Predictors without a formula."),
    "Ensembles, kernels, networks": ("", "Many trees, landmarks, layers: what wins where no formula holds."),
    "Regression": ("lasso_path", "Least squares, and what keeps it in bounds."),
    "Projections and features": ("choose_dimension", "Fewer columns, or better ones."),
    "Clusters": ("linkage strong_forms choose_clusters count_partitions", "Groups without labels."),
    "Densities and half-labelled tables": (
        "expectation_maximisation Expected choose_components unlabelled_gain", "Laws for whole tables, with missing cells.",
    ),
}  # fmt: skip


def names_in(section: str) -> list[str]:
    """Return the names of a section: methods in the order of the registry, then functions."""
    return [entry.name for entry in METHODS if entry.section == section] + SECTIONS[section][0].split()


ROOMS = {
    "risk": "How well, how sure.",
    "mdp": "Decisions in sequence.",
    "optimize": "Descents with a trace.",
    "design": "Which inputs to measure.",
    "signal": "Signals in noise: detection, operating characteristics, denoising.",
    "losses": "What an error costs.",
    "samples": "Tables that ship with the package.",
    "errors": "What is said when something is wrong.",
}
KNOWN_LAWS = ("OptimalClassifier", "OptimalRegressor", "GaussianThreshold", "edge_length")

# the gallery in the order of the course
GALLERY = """handwritten_digits decision_tree too_simple_classifier medium_classifier too_complex_classifier regression_sample
prediction_gaps polynomial_hierarchy empirical_and_expected_risk covariance_gallery rotation_to_principal_axes
widest_projection compressed_digit face_base face_query eigenfaces two_samples vertical_noise design more_data
choose_degree curse_of_dimension nested_classes bias_too_simple variance_too_complex ridge_path
line_and_half_planes grades_threshold projections_on_a_line hebb_and_pseudo_inverse error_and_perceptron_maps
three_class_regions sigmoid_surface losses_against_the_margin discriminant_axes randomised_predictor detection
without_parameters regression_variants more_features mahalanobis mean_shift kmeans_steps more_groups dendrograms
bimodal_mixture em_lower_bounds em_steps laws_at_work agent_and_environment markov_decision_process q_learning agents_compared
exercise_linear_separator exercise_centred_gram exercise_fisher exercise_least_squares_fisher
exercise_training_error exercise_error_interval exercise_lp_loss exercise_optimal_binary
exercise_nearest_neighbours exercise_two_rings exercise_tikhonov exercise_linear_bias_variance exercise_car_dealer
exercise_binarisation exercise_prior exercise_gaussian_naive_bayes exercise_gaussian_full exercise_hebb_vote
exercise_invertibility exercise_why_split exercise_law_of_rates exercise_significance
exercise_cross_entropy_gradient exercise_projected_means exercise_quadratic_coefficients exercise_worked_examples""".split()  # noqa: SIM905

FAMILIES = {
    "A": "Data and moments", "B": "Losses and risks", "C": "Linear discrimination", "D": "Generative models and Bayes' decision",
    "E": "Optimisation", "F": "Prediction without parameters", "G": "Trees", "H": "Regression and regularisation",
    "I": "Choice and assessment of models", "J": "Bias and variance", "K": "Dimension reduction", "L": "Clusters",
    "M": "Densities, mixtures, EM", "N": "Half-labelled tables", "O": "Decisions in sequence",
    "P": "Practical sessions, figures, exercises",
    "Q": "Further items",
}  # fmt: skip


class CourseOrder:
    """The key that sorts the gallery."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, name: str) -> tuple[int, str]:
        stem = name.removesuffix(".py").removeprefix("plot_")
        return (GALLERY.index(stem) if stem in GALLERY else len(GALLERY), stem)


def course_map() -> list[dict[str, str]]:
    """Return the rows of the map: id, family, title, course, names, formula, figures, lab, and the word that tells it in the lab."""
    with open(DOCS / "course_map.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def course_figures() -> list[dict[str, str]]:
    """Return which example holds which figure or exercise of the course."""
    with open(DOCS / "course_figures.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def public_names() -> dict[str, str]:
    """Return every documented name, dotted below ``epee``, with the section it is in."""
    found = {name: section for section in SECTIONS for name in names_in(section)}
    for room in ROOMS:
        module = import_module(f"epee.{room}")
        for name in getattr(module, "__all__", ()):
            if inspect.isclass(getattr(module, name)) or callable(getattr(module, name)):
                found[f"{room}.{name}"] = room
    return found | dict.fromkeys(KNOWN_LAWS, "Laws that are known")


@cache
def _short_names() -> dict[str, str]:
    """Return what running text may call a name: whole, or without its room where only one room has it."""
    names, ends = public_names(), Counter(name.rsplit(".", 1)[-1] for name in public_names())
    return {name: name for name in names} | {
        end: name for name in names if ends[end := name.rsplit(".", 1)[-1]] == 1 and len(end) > 2
    }


def named(code: str) -> str | None:
    """Return the public name that a piece of code in running text is, calls or looks into."""
    found = re.fullmatch(r"(?:epee\.)?([A-Za-z_][\w.]*)(\(.*\))?[\w.]*", code, flags=re.S)
    words = found[1] if found else ""
    head = words.rpartition(".")[0]  # of a class, what is looked into; of anything else the dot means another library
    known = _short_names()
    return known.get(words) or (known.get(head) if head == "options" or head.split(".")[-1][:1].isupper() else None)


def resolve(name: str) -> Any:
    """Return the object behind a name dotted below ``epee``."""
    *rooms, last = name.split(".")
    return getattr(import_module(".".join(["epee", *rooms])), last)


def write_all(folder: Path, lang: str = "en") -> None:
    """Write every page; the findings are told in the language of the site, the rest is translated by the catalogue."""
    _write(folder / "parts" / "course_map_table.rst", _course_page(lang))
    _write(folder / "parts" / "findings_pages.md", _findings_page(lang))
    _write(folder / "parts" / "coverage.md", _coverage_page())
    _write(folder / "api.rst", _api_page())
    for name in public_names():
        _write(folder / "api" / f"epee.{name}.rst", _name_page(name))


def own_gallery(docs: Path, lang: str) -> None:
    """Put the gallery of a language in its place: its pictures speak it, and an example that did not change is not run again."""
    here, stamp = docs / "gallery", docs / "gallery" / "language"
    said = stamp.read_text(encoding="utf-8") if stamp.exists() else "en"
    if said != lang:
        for source, target in (
            (here, docs / "_build" / f"gallery-{said}"),
            (docs / "_build" / f"gallery-{lang}", here),
        ):
            if source.exists():
                shutil.rmtree(target, ignore_errors=True)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(source, target)
    here.mkdir(exist_ok=True)
    stamp.write_text(lang, encoding="utf-8")


def _write(path: Path, text: str) -> None:
    """Write a page if it changed, so that an unchanged one is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _title(words: str, mark: str = "=") -> list[str]:
    return [words, mark * max(len(words), 3), ""]


def _api_page() -> str:
    lines = _title("API reference")
    lines += [
        "Everything is imported from ``epee`` or from the submodule that is named, and loads when it is first used.",
        "",
    ]
    listed = public_names()
    groups = [(title, about, names_in(title)) for title, (_, about) in SECTIONS.items()]
    groups += [
        (f"epee.{room}", about, [n for n, section in listed.items() if section == room])
        for room, about in ROOMS.items()
    ]
    groups += [
        (
            "Laws that are known",
            "For simulations and exercises: the best predictor of a law that is given.",
            list(KNOWN_LAWS),
        )
    ]
    for title, about, names in groups:
        lines += [*_title(title, "-"), about, "", ".. autosummary::", "   :nosignatures:", ""]
        lines += [f"   ~epee.{name}" for name in names] + [""]
        lines += [".. toctree::", "   :hidden:", "", *[f"   api/epee.{name}" for name in names], ""]
    return "\n".join(lines)


def _name_page(name: str) -> str:
    thing = resolve(name)
    lines = _title(name)
    module = import_module(getattr(thing, "__module__", "epee")) if hasattr(thing, "__module__") else None
    if inspect.isclass(thing):
        lines += [f".. autoclass:: epee.{name}", ""]
        members = shown_members(thing)
        for kind, directive in (("method", "automethod"), ("value", "autoattribute")):
            for member in sorted(m for m, k in members.items() if k == kind):
                lines += [f"   .. {directive}:: epee.{name}.{member}", ""]
    elif inspect.isroutine(thing):
        lines += [f".. autofunction:: epee.{name}", ""]
    else:
        kind = type(thing)
        lines += [
            f".. py:data:: epee.{name}",
            "",
            "   An object of the class below.",
            "",
            f".. autoclass:: {kind.__module__}.{kind.__qualname__}",
            "",
        ]
    if module is not None and ".. math::" in (module.__doc__ or "") and module.__name__.startswith("epee."):
        lines += [".. rubric:: The mathematics", "", f".. automodule:: {module.__name__}", "   :no-index:", ""]
    if not name.startswith("errors."):
        lines += [f".. minigallery:: epee.{name}", "   :add-heading: In the gallery", "   :heading-level: -", ""]
    return "\n".join(lines)


def shown_members(cls: type) -> dict[str, str]:
    """Return the documented methods and properties that our own classes define."""
    found: dict[str, str] = {}
    for base in cls.__mro__:
        if not base.__module__.startswith("epee"):
            continue
        for name, member in vars(base).items():
            if name.startswith(("_", "set_")) or name in found or name == "keeps":
                continue
            inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if inspect.isfunction(inner):
                if inspect.getdoc(inner):
                    found[name] = "method"
            elif isinstance(member, property | cached_property) and member.__doc__:
                found[name] = "value"
    return found


def _course_page(lang: str) -> str:
    lines: list[str] = []
    rows = course_map()
    twins = import_module("twins").catalogue() if lang == "fr" else {}
    between = " ; " if lang == "fr" else "; "
    titles = {stem: _example_title(stem, twins) for stem in {s for row in rows for s in row["figures"].split()}}
    for family, heading in FAMILIES.items():
        lines += [
            *_title(heading, "-"),
            ".. list-table::",
            "   :header-rows: 1",
            "   :class: course-map",
            "   :widths: 20 11 25 26 18",
            "",
        ]
        lines += ["   * - item", "     - course", "     - names", "     - formula", "     - figures, exercises; lab"]
        for row in (r for r in rows if r["family"] == family):
            names = " ".join(f":py:obj:`{n} <epee.{n}>`" for n in row["names"].split())
            formula = f":math:`{row['formula']}`" if row["formula"] else "\\ "
            pictures = ", ".join(f":doc:`{titles[s]} </gallery/{_place(s)}>`" for s in row["figures"].split())
            lab = ", ".join(f"``epee lab {name}``" for name in row["lab"].split())
            lines += [
                f"   * - {row['title']}",
                f"     - {row['course']}",
                f"     - {names or 'the gallery'}",
                f"     - {formula}",
            ]
            lines += [f"     - {between.join(part for part in (pictures, lab) if part) or chr(92) + ' '}"]
        lines.append("")
    lines += [
        *_title("Figures and exercises", "-"),
        ".. list-table::",
        "   :header-rows: 1",
        "   :class: course-map",
        "",
    ]
    lines += ["   * - course", "     - example"]
    for row in course_figures():
        lines += [f"   * - {row['place']}", f"     - :doc:`/gallery/{_place(row['example'])}`"]
    return "\n".join([*lines, ""])


def _place(stem: str) -> str:
    return f"exercises/plot_{stem}" if stem.startswith("exercise_") else f"plot_{stem}"


def _example_title(stem: str, twins: dict[str, str]) -> str:
    """Return a few words for a link to an example; in French they are its title."""
    if twins:
        head = (ROOT / "examples" / f"{_place(stem)}.py").read_text(encoding="utf-8").split('"""')[1]
        return twins[head.strip().split("\n")[0].strip()]
    return stem.removeprefix("exercise_").replace("_", " ") + (" (exercise)" if stem.startswith("exercise_") else "")


def _findings_page(lang: str) -> str:
    from epee.job.findings import codes, explain

    pages = []
    for code in sorted(codes()):
        text = explain(code, lang)
        pages.append("\n".join("#" + line if line.startswith("#") else line for line in text.splitlines()))
    return "\n\n".join(pages) + "\n"


def _coverage_page() -> str:
    measured = ROOT / "benchmarks" / "results" / "honesty.md"
    if not measured.exists():
        return "The table is written by `make honesty`, which has not been run in this copy of the sources.\n"
    claims = measured.with_name("honesty.claims.md")
    lines = [
        line
        for page in (measured, claims)
        if page.exists()
        for line in [*page.read_text(encoding="utf-8").splitlines(), ""]
    ]
    return "\n".join(line for line in lines if not line.startswith("# ")) + "\n"

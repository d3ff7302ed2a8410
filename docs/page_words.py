r"""What a French page needs besides the twins of its sentences: words inside formulas, and spaces that do not break.

A formula is no sentence of the catalogue, so the few words that stand in one, ``\text{subject to}``, have their twins here. French puts a
space before ``: ; ? !`` and a percent sign, inside « » and between thousands; there a line must not end.
"""

from __future__ import annotations

import re
from typing import Any

WORD = re.compile(r"(\\text\{)( *)([^{}]*?)( *)(\})")
TWINS = {
    "if": "si", "or": "ou", "and": "et", "with": "avec", "when": "quand", "else": "sinon", "on": "sur", "of": "de", "for": "pour",
    "before": "avant", "subject to": "sous", "level": "niveau", "false alarms": "fausses alarmes", "depth": "profondeur",
    "with weights": "de poids", "total inertia": "inertie totale", "sum:": "somme :", "max:": "max :",
    "standardised": "réduite", "squares": "carrés", "squared": "quadratique", "squared hinge": "charnière au carré", "root": "racine",
    "replacing": "remplaçante", "accumulating": "cumulée", "regression of": "régression de", "rank": "rang", "precision": "précision",
    "pairs around": "paires autour de", "optimism": "optimisme", "one-hot of every level": "une colonne par modalité",
    "of variance": "de variance", "noise": "bruit", "hinge": "charnière", "for two classes": "pour deux classes",
    "for the whole table:": "pour toute la table :", "for more.": "au-delà.", "for every pair": "pour chaque paire", "fold": "pli",
    "error": "erreur", "entropy": "entropie", "cost of deciding": "coût de décider", "cosine": "cosinus",
    "choice on sample": "choix sur l'échantillon", "bias": "biais", "a function": "une fonction", "uniform": "uniforme",
    "(uniform)": "(uniforme)", "absolute": "absolue", "constant": "constante",
    "Poisson, up to a constant.": "Poisson, à une constante près.",
    "(mean: squared loss; median: absolute loss)": "(moyenne : perte quadratique ; médiane : perte absolue)", "(Gaussian)": "(gaussienne)",
    "of them.": "d'entre eux.", "observed": "observé", "not in tree": "pas dans l'arbre", "is true.": "est vrai.",
    "is largest for": "est le plus grand pour", "degrees of freedom;": "degrés de liberté ;", "active": "actives",
    "(Newton's decrement) estimates": "(décrément de Newton) estime", ", filter": ", filtre", "-greedy": "-gloutonne",
    "always together": "toujours ensemble", "closed form, or descent": "forme close, ou descente", "degrees 2 and 11": "degrés 2 et 11",
    "depth, size, decrease": "profondeur, effectif, baisse", "forward, backward,": "ascendante, descendante,",
    "k-means": "k-moyennes", "largest gap of heights": "plus grand saut des hauteurs",
    "loss, classes, learning": "perte, classes, apprentissage",
    "merge the closest pair": "fusionner la paire la plus proche", "reject if": "rejeter si",
    "shortest paths, then MDS": "plus courts chemins, puis MDS", "split, merge, delete": "diviser, fusionner, supprimer",
    "up to a relabelling": "à un renommage près", "weights": "poids",
}  # fmt: skip
SAME = frozenset(
    "variance perceptron lift distance Welsch Tukey Huber Gini Geman-McClure Mahalanobis (Laplace) tol image corrections".split()  # noqa: SIM905
)


def formula_in_french(formula: str) -> str:
    r"""Return a formula whose words are French.

    >>> formula_in_french(r"x \text{ if } f(x) > \rho")
    'x \\text{ si } f(x) > \\rho'
    """
    return WORD.sub(lambda m: m[1] + m[2] + TWINS.get(m[3], m[3]) + m[4] + m[5], formula)


def left(text: str) -> set[str]:
    """Return the words in the formulas of a text that have no twin."""
    found = {words[2] for words in WORD.findall(text) if re.search(r"[^\W\d_]{2}", words[2])}
    return found - set(TWINS) - SAME


def tied(text: str) -> str:
    """Return a text whose lines do not end before a sign that French sets apart.

    >>> tied("Où couper ?") == "Où couper\\u00a0?", tied("1 797 images") == "1\\u00a0797 images"
    (True, True)
    """
    text = re.sub(r"(?<!\s) (?=[:;?!»%](?:\W|$))", "\u00a0", text)
    return re.sub(r"(?<=«) |(?<=\d) (?=\d{3}(?!\d))", "\u00a0", text)


def tell_page(doctree: Any) -> None:
    """Make the formulas of a page French, and tie what belongs together in its sentences."""
    from docutils import nodes
    from sphinx import addnodes

    for node in list(doctree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block))):
        said = formula_in_french(node.astext())
        node.rawsource, node.children = said, []
        node += nodes.Text(said)
    bare = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.raw, nodes.Invisible, addnodes.desc_signature)
    for text in list(doctree.findall(nodes.Text)):
        above, said = text.parent, tied(str(text))
        while above is not None and not isinstance(above, bare):
            above = above.parent
        if above is None and said != str(text):
            text.parent.replace(text, nodes.Text(said))

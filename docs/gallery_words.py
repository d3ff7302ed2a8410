"""What the figures of the gallery draw and print, in French: the French site runs the same examples and says these instead.

An example stays plain Python in English, and the French site runs a copy in which ``code_words`` put these twins in the place of whole
texts. For what is put together from parts, and for the comma of numbers, :func:`speak` stands between the example and matplotlib's texts,
and between the example and ``print``. The braces of a twin take what the braces of the sentence held; a number gets its comma.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache, wraps
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

TWINS = {
    # exercises
    "mid-range: {}": "milieu de l'étendue : {}",
    "threshold (of 16 grey levels)": "seuil (de 16 niveaux de gris)",
    "cross-validated error": "erreur de validation croisée",
    "Bernoulli naive Bayes on digits": "bayésien naïf de Bernoulli sur les chiffres",
    "order at once {}, for next week {}": "commander pour tout de suite {}, pour la semaine suivante {}",
    "stock on Monday": "stock du lundi",
    "value": "valeur",
    "what a stock is worth": "ce que vaut un stock",
    "delivered at once": "livré tout de suite",
    "delivered next Monday": "livré le lundi suivant",
    "shift 1e8: subtraction {}, moments {}": "décalage 1e8 : soustraction {}, moments {}",
    "shift of the data": "décalage des données",
    "relative error": "erreur relative",
    "a formula that is right and wrong": "une formule juste et fausse",
    "by subtraction": "par soustraction",
    "{} Newton steps: {}": "{} pas de Newton : {}",
    "mean coverage: plain {}, Wilson {}": "couverture moyenne : simple {}, Wilson {}",
    "true error": "vraie erreur",
    "coverage": "couverture",
    "intervals that claim 90 %, from 50 rows": "intervalles qui annoncent 90 %, de 50 individus",
    "estimate ± z · standard error": "estimation ± z · écart-type",
    "Wilson, as holdout_error has it": "Wilson, comme dans holdout_error",
    "J = {}, and no direction of 200 does better": "J = {}, et aucune direction sur 200 ne fait mieux",
    "gap 3.0, Fisher's criterion {}": "écart 3,0, critère de Fisher {}",
    "crossed shapes: naive": "formes croisées : naïf",
    "full": "complet",
    "naive": "naïf",
    "full covariance": "covariance complète",
    "{}: training error {}": "{} : erreur d'apprentissage {}",
    "training error {}": "erreur d'apprentissage {}",
    "log-likelihood of one feature in one class": "log-vraisemblance d'une variable dans une classe",
    "every row votes": "chaque individu vote",
    "right in the smaller class:": "justes dans la plus petite classe :",
    "rank {} of {}: {} eigenvalues are zero": "rang {} sur {} : {} valeurs propres sont nulles",
    "seven observations in twelve dimensions": "sept observations en dimension douze",
    "$\\lambda_n$ of $XX^\\top$": "$\\lambda_n$ de $XX^\\top$",
    "$\\delta_n^2$ of $X$": "$\\delta_n^2$ de $X$",
    "error {}; true error {}": "erreur {} ; vraie erreur {}",
    "rows recognised of 80": "individus reconnus sur 80",
    "share of test samples": "part des échantillons de test",
    "1,500 test samples and the binomial law": "1 500 échantillons de test et la loi binomiale",
    "drawn": "tirés",
    "binomial": "binomiale",
    "least squares with Fisher's targets": "moindres carrés aux cibles de Fisher",
    "the two rules agree on every row": "les deux règles s'accordent sur chaque individu",
    "rows n": "individus n",
    "error": "erreur",
    "training, $\\sigma^2(1 - p/n)$": "apprentissage, $\\sigma^2(1 - p/n)$",
    "expected, $\\sigma^2(1 + p/n)$": "espérée, $\\sigma^2(1 + p/n)$",
    "expected, Gaussian inputs, exactly": "espérée, entrées gaussiennes, exactement",
    "3,000 samples each": "3 000 échantillons chacun",
    "{} corrections of one row (bound {}); exclusive or is linear in (x1, x2, x1 x2)": "{} corrections d'un individu (borne {}) ; le ou exclusif est linéaire en (x1, x2, x1 x2)",
    "ten points, one diagonal": "dix points, une diagonale",
    "at 1.5: mean {}, median {}, truth {}": "en 1,5 : moyenne {}, médiane {}, vérité {}",
    "three neighbours, one outlier (out of the picture)": "trois voisins, une donnée aberrante (hors de l'image)",
    "mean": "moyenne",
    "median": "médiane",
    "the nearest neighbour is Bayes' rule with one row a ball: the same answer at 500 points": "le plus proche voisin est la règle de Bayes à un individu par boule : la même réponse en 500 points",
    "one neighbour: an island": "un voisin : une île",
    "three neighbours: gone": "trois voisins : disparue",
    "first": "premier",
    "nearest neighbour on the second sample: {}": "plus proche voisin sur le second échantillon : {}",
    "EPE of the best {}, of this nearest neighbour {}; squared {}": "EPE du meilleur {}, de ce plus proche voisin {} ; quadratique {}",
    "two samples, one nearest neighbour": "deux échantillons, un plus proche voisin",
    "nearest neighbour of the first sample": "plus proche voisin du premier échantillon",
    "second sample": "second échantillon",
    "as learned {}\nequal      {}\ndifference {}": "appris      {}\négaux       {}\ndifférence  {}",
    "digit": "chiffre",
    "times predicted": "fois prédit",
    "a third of the training rows were eights": "un tiers des individus appris étaient des huit",
    "training frequencies": "fréquences d'apprentissage",
    "equal priors": "a priori égaux",
    "position of the cut from class 1 (0) to class 2 (1):": "place de la coupe de la classe 1 (0) à la classe 2 (1) :",
    "angle of w (degrees)": "angle de w (degrés)",
    "gap between projected means": "écart des moyennes projetées",
    "longest along the difference of the means": "le plus long le long de la différence des moyennes",
    "midpoint": "milieu",
    "weighted": "pondéré",
    "cuts at {}; equal variances and priors: {}": "coupes en {} ; variances et a priori égaux : {}",
    "prior × density": "a priori × densité",
    "two cuts: one variance is smaller": "deux coupes : une variance est plus petite",
    "rates {} and {}; as if on two bases p = {}; paired p = {}": "taux {} et {} ; comme sur deux bases p = {} ; appariés p = {}",
    "share of p-values below": "part des valeurs p en dessous",
    "no difference: p-values are nearly uniform": "sans différence : les valeurs p sont presque uniformes",
    "McNemar, exact": "McNemar, exact",
    "the ridge solution is a sum of {} rows in {} dimensions": "la solution écrêtée est une somme de {} individus en dimension {}",
    "degrees of freedom": "degrés de liberté",
    "from 12 rows to nothing": "de 12 individus à rien",
    "coefficient": "coefficient",
    "what is penalised decides what is found": "ce qui est pénalisé décide de ce qui est trouvé",
    "F = identity": "F = identité",
    "F = differences": "F = différences",
    "mean training error": "erreur d'apprentissage moyenne",
    "p = {} parameters": "p = {} paramètres",
    "4,000 samples each": "4 000 échantillons chacun",
    "frontier at squared radius {}": "frontière au carré du rayon {}",
    "the circle of the formula on the regions of QDA": "le cercle de la formule sur les régions de la QDA",
    "21 rows: learned {}, new {}; 200 rows: {}, {}": "21 individus : appris {}, nouveaux {} ; 200 individus : {}, {}",
    "rows learned": "individus appris",
    "success rate": "taux de réussite",
    "learned rows and new rows, {} inputs": "individus appris et nouveaux, {} entrées",
    "{}, learned rows": "{}, individus appris",
    "{}, new rows": "{}, nouveaux individus",
    "scores": "scores",
    "the sigmoid of the example, with and without its bias": "la sigmoïde de l'exemple, avec et sans son biais",
    "with": "avec",
    "without": "sans",
    # decisions in sequence
    "the loop of decisions": "la boucle des décisions",
    "agent": "agent",
    "environment": "environnement",
    "action $a_t$": "action $a_t$",
    "state $s_{t+1}$, reward $r_t$": "état $s_{t+1}$, récompense $r_t$",
    "in stock {}, ordered {}: earned {}, next Monday {} in stock": "en stock {}, commandé {} : gagné {}, le lundi suivant {} en stock",
    "the horizon is forgotten": "l'horizon est oublié",
    "exact": "exact",
    "value of a walk": "valeur d'une marche",
    "state": "état",
    "R-learning: reward a step": "R-apprentissage : récompense par pas",
    "steps": "pas",
    "value of an empty yard": "valeur d'un parc vide",
    "horizon": "horizon",
    "two cars at most; under the best policy each next stock has chance 1/3": "deux voitures au plus ; sous la meilleure politique, chaque stock suivant a la probabilité 1/3",
    "{} in\nstock": "{} en\nstock",
    "order {}\nvalue {}": "commander {}\nvaleur {}",
    "policy {}, largest error of a value {}": "politique {}, plus grande erreur d'une valeur {}",
    # figures
    "noise {} + bias² {} + variance {} = {}": "bruit {} + biais² {} + variance {} = {}",
    "degree 2: the same mistake each time": "degré 2 : la même erreur chaque fois",
    "Bézier target, degree 6": "cible de Bézier, degré 6",
    "BIC: one {}, two {}; centres {}": "BIC : une {}, deux {} ; centres {}",
    "height (cm)": "taille (cm)",
    "density": "densité",
    "one normal law, or two?": "une loi normale, ou deux ?",
    "one Gaussian": "une gaussienne",
    "a mixture of two": "un mélange de deux",
    "degree": "degré",
    "best {}, within one standard error {}; leave-one-out at degree 3: {}": "meilleur {}, à moins d'un écart-type {} ; leave-one-out au degré 3 : {}",
    "the digit": "le chiffre",
    "{} components of 64 keep {} of the variance.": "{} composantes sur 64 conservent {} de la variance.",
    "{} of 64": "{} sur 64",
    "cov(x, x²) = 0, and x² is a function of x": "cov(x, x²) = 0, et x² est une fonction de x",
    "edge {}, share of drawn rows inside {}": "arête {}, part des individus tirés à l'intérieur {}",
    "fraction of the rows": "fraction des individus",
    "edge of the cube": "arête du cube",
    "the curse of dimensionality": "le fléau de la dimension",
    "{} merges; the jumps add up to {}": "{} fusions ; les sauts s'additionnent à {}",
    "single": "minimum",
    "complete": "maximum",
    "average": "moyen",
    "ward": "Ward",
    "D-optimal": "D-optimal",
    "evenly spread": "réparti également",
    "false alarms {} (promised 0.10), detections {} (promised {})": "fausses alarmes {} (0,10 promis), détections {} ({} promis)",
    "principal axes": "axes principaux",
    "discriminant axes": "axes discriminants",
    "{} pixels, {} images: {} x {} instead of {} x {}": "{} pixels, {} images : {} x {} au lieu de {} x {}",
    "log-likelihood": "log-vraisemblance",
    "each bound touches the curve where it was made": "chaque borne touche la courbe là où elle fut faite",
    "bound {}": "borne {}",
    "{} steps, {}": "{} pas, {}",
    "after {} step{}: {} a row": "après {0} pas : {2} par individu",
    "the best degree is {}; there the error is {}, of which {} is noise": "le meilleur degré est {} ; l'erreur y est de {}, dont {} de bruit",
    "mean squared error": "erreur quadratique moyenne",
    "training error and expected prediction error": "erreur d'apprentissage et risque espéré",
    "training error, averaged": "erreur d'apprentissage, en moyenne",
    "expected prediction error": "risque espéré",
    "noise": "bruit",
    "errors": "erreurs",
    "perceptron's criterion": "critère du perceptron",
    "at w = {}: {} errors, criterion {}": "en w = {} : {} erreurs, critère {}",
    "front": "face",
    "right": "droite",
    "{} rows, {} columns": "{} individus, {} variables",
    "{} of {} queries answered with the right person, with 8 numbers an image": "{} requêtes sur {} trouvent la bonne personne, avec 8 nombres par image",
    "who? ({})": "qui ? ({})",
    "cuts at {}; expected error {}": "coupes en {} ; erreur espérée {}",
    "grade": "note",
    "share × density": "part × densité",
    "two groups of students": "deux groupes d'étudiants",
    "{} rows, {} columns, {} labels": "{} individus, {} variables, {} étiquettes",
    "at 320 rows Hebb minus pseudo-inverse: {}, p = {}": "à 320 individus, Hebb moins pseudo-inverse : {}, p = {}",
    "error on 600 new rows": "erreur sur 600 nouveaux individus",
    "two rules with 95 % intervals": "deux règles avec des intervalles à 95 %",
    "pseudo-inverse": "pseudo-inverse",
    "step {}: J = {}": "pas {} : J = {}",
    "rates": "taux",
    "filled": "complétées",
    "missing waiting times": "attentes manquantes",
    "seen": "vus",
    "a mixture, and rows drawn from it": "un mélange, et des individus qui en sont tirés",
    "counts of two kinds": "effectifs de deux sortes",
    "scores {} and {}; a lies {} in front of the line": "scores {} et {} ; a est à {} devant la droite",
    "one line, two half-planes": "une droite, deux demi-plans",
    "{}: score {}": "{} : score {}",
    "hinge and logistic (base 2) bound the number of errors; the perceptron's criterion does not": "hinge et logistique (base 2) majorent le nombre d'erreurs ; le critère du perceptron, non",
    "|a| = |b| = {}; Mahalanobis {} and {}": "|a| = |b| = {} ; Mahalanobis {} et {}",
    "one, two, three deviations away": "à un, deux, trois écarts-types",
    "three hills, found by climbing": "trois collines, trouvées en grimpant",
    "{} clusters at bandwidth 1.2, {} at 6": "{} classes à la largeur 1,2, {} à 6",
    "about right: a parabola may appear": "à peu près juste : une parabole peut apparaître",
    "training {}, new rows {}": "apprentissage {}, nouveaux individus {}",
    "{} rows, degree 9": "{} individus, degré 9",
    "{} of 10 columns, {} axes, {} of the codes in use": "{} variables sur 10, {} axes, {} des codes employés",
    "axes; those that carry more than noise": "axes ; ceux qui portent plus que du bruit",
    "axis": "axe",
    "columns chosen forward": "variables choisies une à une",
    "atoms that each row uses": "atomes dont se sert chaque individu",
    "atom": "atome",
    "row": "individu",
    "Isodata": "Isodata",
    "dynamic clouds, axes": "nuées dynamiques, axes",
    "strong forms of six runs": "formes fortes de six essais",
    "120 points fall into 3 groups in about 10^{} ways": "120 points se répartissent en 3 groupes d'environ 10^{} façons",
    "truth": "vérité",
    "bias of the largest class": "biais de la plus grande classe",
    "bias of the smallest class": "biais de la plus petite classe",
    "dots: what other samples give, the variance": "points : ce que donnent d'autres échantillons, la variance",
    "nested classes, one truth": "classes emboîtées, une vérité",
    "degree {}: noise {} + bias² {} + variance {} = {}": "degré {} : bruit {} + biais² {} + variance {} = {}",
    "M = {}, training error {}": "M = {}, erreur d'apprentissage {}",
    "squared {}": "quadratique {}",
    "a predictor and its gaps": "un prédicteur et ses écarts",
    "gaps": "écarts",
    "predictor": "prédicteur",
    "rows": "individus",
    "absolute": "absolue",
    "criterion {} and {}; right side {} and {}": "critère {} et {} ; du bon côté {} et {}",
    "shadow on the line": "ombre sur la droite",
    "along the means": "le long des moyennes",
    "Fisher's direction": "direction de Fisher",
    "mean error {} by dice, {} without": "erreur moyenne {} aux dés, {} sans",
    "probability of an error": "probabilité d'une erreur",
    "the most probable class": "la classe la plus probable",
    "a class drawn from the posterior": "une classe tirée de la loi a posteriori",
    "mean of the noise {}, its variance {} (drawn with 0.04)": "moyenne du bruit {}, sa variance {} (tiré avec 0,04)",
    "ten rows of y = f(x) + noise": "dix individus de y = f(x) + bruit",
    "f, which is not known": "f, qui n'est pas connue",
    "what is seen": "ce qu'on voit",
    "slopes:": "pentes :",
    "outliers": "données aberrantes",
    "ordinary": "ordinaires",
    "generalised": "généralisés",
    "noise that grows": "bruit croissant",
    "posterior, 90 %": "loi a posteriori, 90 %",
    "eight points and a prior": "huit points et une loi a priori",
    "squares": "carrés",
    "chosen penalty {}; by GCV {}": "pénalité choisie {} ; par GCV {}",
    "coefficients": "coefficients",
    "shrinking": "rétrécissement",
    "the cloud and its principal axes": "le nuage et ses axes principaux",
    "the same rows on these axes": "les mêmes individus sur ces axes",
    "first component": "première composante",
    "second component": "deuxième composante",
    "on the line: {}; steepness |w| = {}": "sur la droite : {} ; raideur |w| = {}",
    "three classes, three lines": "trois classes, trois droites",
    "{} segments with ends in one region; none leaves it in the middle": "{} segments aux bouts dans une région ; aucun n'en sort au milieu",
    "too complex: one neighbour": "trop complexe : un voisin",
    "too simple: a line": "trop simple : une droite",
    "predictors of degree 6 differ by {} on average, with a noise of 0.25": "des prédicteurs de degré 6 diffèrent de {} en moyenne, pour un bruit de 0,25",
    "one curve, two samples": "une courbe, deux échantillons",
    "first sample": "premier échantillon",
    "degree 11: another curve for each sample": "degré 11 : une autre courbe pour chaque échantillon",
    "variance by maximum likelihood {}, unbiased {}, true {}": "variance par maximum de vraisemblance {}, sans biais {}, vraie {}",
    "a normal law stands on every x": "une loi normale se dresse sur chaque x",
    "least squares": "moindres carrés",
    "spread on the first axis {} of an inertia of {}": "dispersion sur le premier axe {} d'une inertie de {}",
    "points and their feet on the first axis": "les points et leurs pieds sur le premier axe",
    "spread on the line": "dispersion sur la droite",
    "squared distance to it": "carré de la distance à la droite",
    "their sum is the inertia": "leur somme est l'inertie",
    "angle of the line (degrees)": "angle de la droite (degrés)",
    "tree, four leaves": "arbre, quatre feuilles",
    "9 neighbours": "9 voisins",
    "kernel": "noyau",
    "{} values, one a leaf": "{} valeurs, une par feuille",
}
# words of the code: what options, colours, columns and tables are called, and names that are the same in French
CODE = frozenset(
    """log ignore equal uniform price purchase storage next lower right center left upper newton solid fisher identity bayes
    #BBD3E6 #EEF4F8 #DDDDDD #F6E3D8 #DCE9F2 #AAAAAA #CCCCCC #0072B2 #B5CFE0 arrowstyle color boxstyle connectionstyle alpha shrinkA shrinkB
    gray gray_r Greys auto none info math stderr sigma2 GCV AIC BIC wine cultivar os^ wide zero_one perceptron faithful diabetes progression
    forward randomized random line huber tukey Huber Tukey gaussian larger signal Hebb Moments yes s-- ij,jk,ik->i squared""".split()  # noqa: SIM905
) | {
    "lower right", "upper left", "upper right", "center left", "offset points", "round,pad=0.8", "circle,pad=0.5", "arc3,rad={}",
    "arc3,rad=-0.35", "P(Y = 1 | x)", "p = {}", "TD({})", "$\\mathcal{H}_{}$",
}  # fmt: skip


def said(path: Path) -> Iterator[str]:
    """Yield the texts of an example, what is filled in as braces; docstrings are not among them.

    >>> sorted(said(EXAMPLES / "plot_decision_tree.py"))
    []
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    inside -= {id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        else:
            continue
        if re.search(r"[^\W\d_]{3}", re.sub(r"\$[^$]*\$|\{\}", "", text)):
            yield text


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return the sentences with braces as patterns, the longest first, in both languages: a French one has its numbers to be mended."""
    filled = {english: french for english, french in TWINS.items() if "{}" in english}
    filled |= {french: french for french in filled.values()}
    longest = sorted(filled, key=len, reverse=True)
    return [(re.compile("(.*?)".join(map(re.escape, text.split("{}"))), re.S), filled[text]) for text in longest]


def in_french(text: str) -> str:
    """Return the twin of a text, its parts filled in; a text without one is returned as it is.

    >>> in_french("training 0.25, new rows 0.5"), in_french("pseudo-inverse, new rows"), in_french("0.5")
    ('apprentissage 0,25, nouveaux individus 0,5', 'pseudo-inverse, nouveaux individus', '0.5')
    >>> in_french("apprentissage 0.25, nouveaux individus 0.5")
    'apprentissage 0,25, nouveaux individus 0,5'
    """
    if text in TWINS:
        return TWINS[text]
    for pattern, french in _patterns():
        if found := pattern.fullmatch(text):
            parts = [re.sub(r"(?<=\d)\.(?=\d)", ",", in_french(part)) for part in found.groups()]
            return french.format(*parts)
    return text


def speak(conf: Any = None, name: str = "", when: str = "before") -> None:
    """Let texts and prints be French from here on; a function that the gallery calls before and after each example."""
    import matplotlib.text

    import epee

    epee.options.language = "fr" if when == "before" else "en"
    if not hasattr(speak, "plain"):
        speak.plain = (matplotlib.text.Text.set_text, builtins.print)  # type: ignore[attr-defined]
    set_text, write = speak.plain  # type: ignore[attr-defined]
    if when == "after":
        matplotlib.text.Text.set_text, builtins.print = set_text, write
        return

    @wraps(set_text)
    def french_text(self: Any, text: Any) -> Any:
        return set_text(self, in_french(text) if isinstance(text, str) else text)

    @wraps(write)  # the gallery looks up where a function comes from
    def french_print(*parts: Any, **options: Any) -> None:
        write(*(in_french(part) if isinstance(part, str) else part for part in parts), **options)

    matplotlib.text.Text.set_text, builtins.print = french_text, french_print

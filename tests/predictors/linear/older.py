"""scikit-learn's words for a penalty, as the installed version has them."""

from sklearn import __version__
from sklearn.utils.fixes import parse_version

BEFORE = parse_version(__version__) < parse_version("1.8")  # there ``penalty`` says what ``l1_ratio`` says since


def in_its_words(**options):
    """Return the parameters of their logistic regression, with ``penalty`` where it needs that."""
    ratio = options.get("l1_ratio")
    if not BEFORE or ratio is None:
        return options
    if 0 < ratio < 1:
        return {**options, "penalty": "elasticnet"}
    return {**{k: v for k, v in options.items() if k != "l1_ratio"}, "penalty": "l1" if ratio else "l2"}

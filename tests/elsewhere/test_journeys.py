"""Little travels: what can be found out where the rows lie is found out there, and is what would have been found here."""

import numpy as np
import pytest
from scipy.special import logsumexp

import epee
from epee import arrays
from epee.engines import device
from epee.risk import copies, cross_validate
from epee.structure import gaussian_steps
from epee.structure.randomised import orthonormal
from epee.table.elsewhere import ElsewhereSource
from tests.elsewhere.libraries import close


@pytest.fixture
def clouds():
    """Rows of four overlapping clouds, and weights."""
    rng = np.random.default_rng(5)
    X = (
        rng.normal(size=(600, 4)) @ rng.normal(size=(4, 4))
        + 2 * rng.normal(size=(4, 4))[rng.integers(0, 4, 600)]
        + 50.0
    )
    return X, rng.integers(0, 3, 600).astype(float)


@pytest.fixture
def journeys(monkeypatch):
    """Count the arrays that are brought here, alone or together."""
    made = []
    plain = arrays.at_home
    for where in (arrays, gaussian_steps):
        monkeypatch.setattr(where, "at_home", lambda a: (made.append(a), plain(a))[1])
    return made


def mixture(steps, form="full", noise=False):
    return epee.GaussianMixture(4, covariance_type=form, noise=noise, random_state=0, max_iter=steps, tol=0.0)


@pytest.mark.parametrize(
    ("form", "noise", "weighted", "blocks"),
    [
        ("full", False, False, 1),
        ("full", True, True, 1),
        ("tied", False, True, 3),
        ("diag", True, False, 1),
        ("spherical", False, False, 3),
    ],
)
@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
def test_a_mixture_is_multiplied_out_there(clouds, send, monkeypatch, form, noise, weighted, blocks):
    X, w = clouds
    w = w if weighted else None
    here = mixture(12, form, noise).fit(X, sample_weight=w)  # too few rows for the kernels here: component by component
    monkeypatch.setattr(gaussian_steps, "FEW", 0)
    monkeypatch.setattr(gaussian_steps.GaussianStep, "_added", None)  # nor is it done so there
    if blocks > 1:
        monkeypatch.setattr(device, "FEWEST_ROWS", 256)
        monkeypatch.setattr(device, "BLOCK_BYTES", 1)
        monkeypatch.setattr(device, "memory_of", lambda X: None)
    far = mixture(12, form, noise).fit(send(X), sample_weight=w)
    assert close(far.lower_bounds_, here.lower_bounds_)
    assert close(far.means_, here.means_) and close(far.covariances_, here.covariances_, 1e-9)
    assert np.isclose(far.noise_weight_, here.noise_weight_, rtol=1e-9)
    assert "_products" not in vars(far)  # which are as large as eleven tables


@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
def test_a_step_of_a_mixture_is_one_journey(clouds, send, monkeypatch, journeys):
    monkeypatch.setattr(gaussian_steps, "FEW", 0)
    X = send(clouds[0])
    made = []
    for steps in (3, 8):
        journeys.clear()
        mixture(steps).fit(X)
        made.append(sum(arrays.is_elsewhere(a) for a in journeys))
    assert made[1] - made[0] == 5


@pytest.mark.filterwarnings("ignore::epee.errors.SearchWarning")
def test_products_that_cost_digits_are_not_used(clouds, send, monkeypatch):
    X = clouds[0].copy()
    X[:, 3] = X[:, 0] + 1e-4 * X[:, 3]  # nearly a line
    monkeypatch.setattr(gaussian_steps, "FEW", 0)
    calls = []
    plain = gaussian_steps.GaussianStep._added
    monkeypatch.setattr(gaussian_steps.GaussianStep, "_added", lambda *a: (calls.append(1), plain(*a))[1])
    model = epee.GaussianMixture(3, random_state=0, max_iter=3, reg_covar=0.0).fit(send(X))
    assert calls
    assert np.isfinite(model.lower_bound_)


@pytest.mark.parametrize(
    "labels", [[0, 1, 2], [-3, 7, 0], [40, 41], [-5, 2000, 10**9], [7]], ids=["codes", "gaps", "high", "far", "one"]
)
@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_classes_are_counted_there(send, labels, kind):
    rng = np.random.default_rng(0)
    y = np.array(labels)[rng.integers(0, len(labels), 300)].astype(kind)
    source, classes = ElsewhereSource(send(np.zeros((300, 1))), send(y)).coded()
    known, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    assert np.array_equal(classes, known) and classes.dtype == known.dtype
    assert np.array_equal(arrays.at_home(source.group), codes)
    assert np.array_equal(source.group_sizes(len(classes)), counts)
    folds = source.having(fold=send(np.zeros(300, dtype=np.int64)))
    assert np.array_equal(folds.group_sizes(len(classes)), counts)


def test_short_codes_of_classes(send):
    y = np.arange(300, dtype=np.uint8) % 60 + 3
    source, classes = ElsewhereSource(send(np.zeros((300, 1))), send(y)).coded()
    assert np.array_equal(classes, np.arange(3, 63)) and classes.dtype == np.uint8
    assert np.array_equal(arrays.at_home(source.group), y - 3)


def copied(kind):
    """Return a table (n, p) and its codes: without copies, with many, or of few values."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    if kind == "copies":
        X[200:260], y[200:260] = X[:60], y[:60]
    elif kind == "first column of few values":
        X[:, 0] = np.round(X[:, 0])
    elif kind == "two tables alike":
        X[200:], y[200:] = X[:200], 1 - y[:200]  # but for the class
    return X, y


@pytest.mark.parametrize("kind", ["none", "copies", "first column of few values", "two tables alike"])
def test_copies_are_looked_for_there(send, monkeypatch, kind):
    X, y = copied(kind)
    here = copies.copies_of(X, y)
    assert (here is not None) == (kind == "copies")
    source = ElsewhereSource(send(X), None, group=send(y))
    if kind != "copies":  # nothing need be looked at here
        monkeypatch.setattr(copies, "take", None)
    far = copies.copies_of(source, None, 400)
    assert np.array_equal(far, here) if kind == "copies" else far is None


def test_missing_cells_may_be_copies(send):
    X = np.full((40, 2), np.nan)
    assert copies.may_be_copies(ElsewhereSource(send(X)))


@pytest.mark.parametrize("kind", ["none", "copies"])
def test_folds_of_copies_are_the_same_everywhere(send, kind):
    X, y = copied(kind)
    here = cross_validate(epee.LinearDiscriminantAnalysis(), X, y, folds=5)
    far = cross_validate(epee.LinearDiscriminantAnalysis(), send(X), send(y), folds=5)
    assert close(far.per_fold, here.per_fold) and far.how == here.how


@pytest.mark.parametrize("worst", [1.0, 1e-5, 1e-13, 0.0])
def test_columns_are_made_orthonormal_whatever_their_condition(send, worst):
    rng = np.random.default_rng(2)
    Z = np.linalg.qr(rng.normal(size=(300, 5)))[0] * np.append(np.geomspace(1.0, 1e-2, 4), worst)
    Z = Z @ np.linalg.qr(rng.normal(size=(5, 5)))[0]
    Q = arrays.at_home(orthonormal(send(Z)))
    assert np.abs(Q.T @ Q - np.eye(5)).max() < 1e-14
    assert np.abs(Q @ (Q.T @ Z) - Z).max() < 1e-14


@pytest.mark.parametrize("fall", [0.9, 0.3, 0.01])
def test_leading_axes_of_steep_and_flat_spectra(send, fall):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 30)) * fall ** np.arange(30)
    exact = epee.PCA(4).fit(X).explained_variance_
    made = epee.PCA(4, svd_solver="randomized", random_state=0).fit(send(X)).explained_variance_
    assert close(made, exact, 1e-10 if fall < 0.5 else 1e-6)


def test_a_softmax_of_columns_with_its_sum(send):
    S = np.random.default_rng(4).normal(size=(4, 50)) * 300
    S[1, 3] = -np.inf
    S[:, 7] = -np.inf
    found = arrays.at_home(arrays.softmax_of_columns(send(S)))
    possible = np.delete(np.arange(50), 7)
    known = logsumexp(S[:, possible], axis=0)
    assert close(found[-1, possible], known, 1e-14) and found[-1, 7] == -np.inf
    assert close(found[:-1, possible], np.exp(S[:, possible] - known), 1e-13)


@pytest.mark.parametrize("lines", [3, 200])
def test_each_row_less_its_own_line(send, lines):
    rng = np.random.default_rng(6)
    B, M, which = rng.normal(size=(90, 4)), rng.normal(size=(lines, 4)), rng.integers(0, lines, 90)
    E = (which[:, None] == np.arange(lines)).astype(float)
    found = arrays.less_own_line(send(B), send(M), send(which), send(E))
    assert np.array_equal(arrays.at_home(found), B - M[which])

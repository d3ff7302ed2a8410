"""Detection keeps its rates, curves stay in their bands, and projection finds what noise hid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.fft import dct
from scipy.stats import chi2, multivariate_normal, ncx2, norm
from sklearn.metrics import roc_auc_score, roc_curve

from epee import PCA
from epee.errors import DataError, SingularProblem, WrongUse
from epee.settings import options
from epee.signal import Detector, denoise, neyman_pearson, roc

RNG = np.random.default_rng(0)
T = np.arange(20)
SIGNAL = np.sin(2 * np.pi * T / 7)
COLOURED = 0.6 ** np.abs(T[:, None] - T)


@pytest.mark.parametrize("noise", [2.0, np.linspace(0.5, 2, 20), COLOURED], ids=["white", "uneven", "coloured"])
def test_a_detector_has_the_rates_it_says(noise):
    cov = noise if np.ndim(noise) == 2 else np.diag(np.broadcast_to(noise, 20))
    detector = Detector(SIGNAL, noise, false_alarm=0.1)
    b = RNG.multivariate_normal(np.zeros(20), cov, 20_000)
    assert detector.decide(b).mean() == pytest.approx(0.1, abs=0.01)
    assert detector.decide(b + SIGNAL).mean() == pytest.approx(detector.power(), abs=0.015)
    assert float(detector.false_alarm) == pytest.approx(0.1)
    d = np.sqrt(SIGNAL @ np.linalg.solve(cov, SIGNAL))
    assert detector.separation == pytest.approx(d)
    assert detector.power() == pytest.approx(norm.cdf(d - norm.ppf(0.9)))


def test_the_statistic_is_the_likelihood_ratio():
    x = RNG.standard_normal((5, 20))
    detector = Detector(SIGNAL, COLOURED)
    ratio = multivariate_normal(SIGNAL, COLOURED).logpdf(x) - multivariate_normal(np.zeros(20), COLOURED).logpdf(x)
    np.testing.assert_allclose(ratio, detector.statistic(x) - detector.separation**2 / 2)


@given(st.integers(0, 10**6), st.floats(0.01, 0.5))
@settings(max_examples=25, deadline=None)
def test_no_other_linear_statistic_is_more_powerful(seed, rate):
    w = np.random.default_rng(seed).standard_normal(20)
    sd = np.sqrt(w @ COLOURED @ w)
    other = norm.sf(norm.isf(rate) - abs(w @ SIGNAL) / sd)
    assert Detector(SIGNAL, COLOURED, false_alarm=rate).power() >= other - 1e-12


def test_a_signal_known_up_to_coefficients():
    A = np.column_stack([np.sin(2 * np.pi * T / 5), np.cos(2 * np.pi * T / 5)])
    detector = Detector(A, COLOURED, false_alarm=0.05)
    assert detector.threshold == pytest.approx(chi2.isf(0.05, 2))
    b = RNG.multivariate_normal(np.zeros(20), COLOURED, 20_000)
    assert detector.decide(b).mean() == pytest.approx(0.05, abs=0.008)
    theta = np.array([0.8, -0.4])
    size = np.sqrt(theta @ A.T @ np.linalg.solve(COLOURED, A @ theta))
    assert detector.power(size) == pytest.approx(ncx2.sf(detector.threshold, 2, size**2))
    assert detector.decide(b + A @ theta).mean() == pytest.approx(detector.power(size), abs=0.015)
    assert detector.power(0.0) == pytest.approx(0.05)


def test_thresholds_and_curves_of_a_detector():
    given_ = Detector(SIGNAL, threshold=1.5)
    assert given_.threshold == 1.5 and float(given_.false_alarm) == pytest.approx(norm.sf(1.5 / given_.separation))
    rates = np.linspace(0.01, 0.99, 30)
    power = given_.curve(rates)
    assert (np.diff(power) > 0).all() and (power >= rates).all()
    for bad in ({"signal": np.zeros(3)}, {"signal": np.ones((4, 2))}, {"signal": [np.nan]}):
        with pytest.raises(DataError):
            Detector(**bad)
    with pytest.raises(WrongUse, match="not positive"):
        Detector(SIGNAL, -1.0)
    with pytest.raises(SingularProblem):
        Detector(SIGNAL, np.ones((20, 20)))
    with pytest.raises(DataError, match="row 1"):
        given_.statistic(np.array([np.zeros(20), np.full(20, np.nan)]))


def test_thresholds_from_noise_keep_their_promise():
    rates, sure = [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        scores = rng.gamma(2.0, size=99)
        rates.append(np.exp(-(t := neyman_pearson(scores, 0.1).value)) * (1 + t))
        sure.append(np.exp(-(t := neyman_pearson(scores, 0.1, confidence=0.9).value)) * (1 + t))
    assert np.mean(rates) == pytest.approx(0.1, abs=4 * np.std(rates) / 20)
    assert np.mean(np.array(sure) > 0.1) <= 0.1 + 4 * np.sqrt(0.09 / 400)
    assert neyman_pearson(scores, 0.1).expected <= 0.1
    with pytest.raises(DataError, match="at least 19"):
        neyman_pearson(np.arange(10.0), 0.05)
    with pytest.raises(DataError, match="at least 59"):
        neyman_pearson(np.arange(50.0), 0.05, confidence=0.95)


def test_the_curve_is_scikit_learns():
    y = RNG.integers(0, 2, 300)
    s = np.round(RNG.standard_normal(300) + y, 1)
    curve = roc(s, y)
    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_alarms, fpr)
    np.testing.assert_allclose(curve.detections, tpr)
    np.testing.assert_allclose(curve.thresholds, thresholds)
    assert curve.auc == pytest.approx(roc_auc_score(y, s)) and curve.interval[0] < curve.auc < curve.interval[1]
    rho, found, rate = curve.at(0.1)
    assert rate <= 0.1 and found == (s[y == 1] >= rho).mean() and rate == (s[y == 0] >= rho).mean()
    swapped = roc(-s, y, signal=0)
    assert swapped.auc == pytest.approx(curve.auc)


def test_whole_curves_lie_in_their_bands():
    inside = 0
    grid = np.linspace(0.001, 0.999, 400)
    true = norm.sf(norm.isf(grid) - 1.0)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 60)
        curve = roc(rng.standard_normal(120) + y, y, level=0.8)
        at = np.searchsorted(curve.false_alarms, grid, side="right") - 1
        low = curve.band[at, 0]  # at the last point not right of it, which is no higher than the band there
        high = curve.band[np.minimum(at + 1, len(curve.false_alarms) - 1), 1]
        inside += bool(((true >= low) & (true <= high)).all())
    assert inside / 200 >= 0.8
    y = np.repeat([0, 1], 60)
    s = RNG.standard_normal(120) + y
    narrow, wide = roc(s, y, band="pointwise"), roc(s, y)
    assert np.mean(narrow.band[:, 1] - narrow.band[:, 0]) < np.mean(wide.band[:, 1] - wide.band[:, 0])


def test_what_a_curve_refuses():
    for bad, words in (
        ((([1.0], [1, 0])), "scores"),
        (([1.0, 2.0], [1, 1]), "labels"),
        (([np.nan, 1.0], [0, 1]), "row 0"),
    ):
        with pytest.raises(DataError, match=words):
            roc(*bad)
    with pytest.raises(WrongUse, match="'simultaneous' or 'pointwise'"):
        roc([1.0, 2.0], [0, 1], band="broad")


def test_projection_risk_is_unbiased_and_adds_up():
    n, sigma = 64, 0.7
    t = np.linspace(0, 1, n)
    s = np.cos(5 * t) + t**2
    B = dct(np.eye(n), norm="ortho", axis=0).T
    draws = np.array(
        [denoise(s + sigma * np.random.default_rng(k).standard_normal(n), noise=sigma**2).risk for k in range(600)]
    )
    c = B.T @ s
    true = np.append((c**2).sum() - np.append(0.0, np.cumsum(c**2))[:n], 0.0) + np.arange(n + 1) * sigma**2
    np.testing.assert_allclose(draws.mean(axis=0), true, atol=4 * draws.std(axis=0).max() / np.sqrt(600))


def test_denoising_finds_the_signal():
    n = 256
    t = np.linspace(0, 1, n)
    s = np.cos(3 * t) + 0.5 * np.sin(9 * t)
    seen = [s + 0.5 * np.random.default_rng(k).standard_normal(n) for k in range(60)]
    for basis in ("cosine", "polynomial"):  # on average: of one signal in fifty the choice of axes keeps far more
        assert np.mean([(denoise(x, basis, noise=0.25).signal - s) ** 2 for x in seen]) < 0.25 / 16
    noises, x = [denoise(x).noise for x in seen], seen[0]
    assert np.mean(noises) == pytest.approx(0.25, abs=4 * np.std(noises) / np.sqrt(60))
    whole = denoise(x, keep=n)
    np.testing.assert_allclose(whole.signal, x, atol=1e-10)
    twice = denoise(denoise(x, keep=9).signal, keep=9).signal
    np.testing.assert_allclose(twice, denoise(x, keep=9).signal, atol=1e-10)  # a projection


def test_axes_learned_from_other_signals():
    shapes = np.array([np.sin(k * T / 3) for k in (1, 2, 3)])
    train = RNG.standard_normal((300, 3)) @ shapes + 2.0
    pca = PCA(3).fit(train)
    clean = RNG.standard_normal((20, 3)) @ shapes + 2.0
    noisy = clean + 0.4 * RNG.standard_normal(clean.shape)
    found = denoise(noisy, pca, noise=0.16)
    assert found.kept == 3 and np.mean((found.signal - clean) ** 2) < 0.3 * 0.16


def test_what_denoising_refuses():
    for more, error in (({"keep": 99}, WrongUse), ({"noise": -1}, WrongUse), ({"basis": "wavelet"}, WrongUse),
                        ({"basis": np.ones((20, 2))}, DataError), ({"basis": np.eye(20)[:, :2]}, WrongUse)):  # fmt: skip
        with pytest.raises(error):
            denoise(SIGNAL, **more)


def test_pictures_speak_both_languages():
    with options(language="fr"):
        ax = roc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).plot()
    assert ax.get_xlabel() == "fausses alarmes"
    assert denoise(SIGNAL, noise=0.1).plot().get_ylabel() == "value"

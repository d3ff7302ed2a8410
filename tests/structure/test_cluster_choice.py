"""The number of clusters, by four criteria with error bars."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples
from sklearn.mixture import GaussianMixture

import epee
from epee import AgglomerativeClustering, KMeans, choose_clusters
from epee.figures.clusters import plot_clusters, plot_dendrogram, plot_trace
from epee.structure.cluster_choice import silhouettes, within


def clouds(k=3, n=40, seed=0, apart=9.0):
    angles = 2 * np.pi * np.arange(k) / k
    centres = apart * np.column_stack([np.cos(angles), np.sin(angles)]) if k > 1 else np.zeros((1, 2))
    return np.repeat(centres, n, axis=0) + np.random.default_rng(seed).normal(size=(k * n, 2))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_every_criterion_finds_clear_clouds(k):
    choice = choose_clusters(clouds(k), KMeans(n_init=4), range(1, 6), references=8, resamples=6, random_state=0)
    assert {name: c.chosen for name, c in choice.criteria.items()} == {"silhouette": k, "gap": k, "stability": k}
    assert choice.chosen == k and choice.best.n_clusters == k
    for criterion in choice.criteria.values():
        assert criterion.score.shape == criterion.stderr.shape == (5,)
        assert np.isfinite(criterion.score).all() and (criterion.stderr >= 0).all()
        assert f"{criterion.name}: {k}" in str(choice)


def test_gap_may_answer_one():
    choice = choose_clusters(
        clouds(1, 120), KMeans(n_init=3), range(1, 5), criteria="gap", references=10, random_state=0
    )
    assert choice.chosen == 1


def test_bic_of_any_density():
    X = clouds(3, 60, apart=6.0)
    choice = choose_clusters(X, GaussianMixture(), [1, 2, 3, 4], criteria=["bic", "silhouette"], random_state=0)
    assert choice.chosen == 3
    bic = choice.criteria["bic"]
    assert not bic.larger_is_better
    np.testing.assert_allclose(bic.score[2], choice.best.bic(X))
    assert bic.stderr[2] == 0 and (bic.stderr[[0, 1, 3]] > 0).all()


def test_same_seed_same_answer():
    runs = [choose_clusters(clouds(), KMeans(), [2, 3], references=4, resamples=3, random_state=5) for _ in range(2)]
    for name in runs[0].criteria:
        np.testing.assert_array_equal(runs[0].criteria[name].score, runs[1].criteria[name].score)


def test_silhouettes_are_scikit_learns():
    X = np.random.default_rng(0).normal(size=(300, 3))
    labels = np.random.default_rng(1).integers(0, 4, 300)
    labels[0] = 9  # alone in its cluster
    np.testing.assert_allclose(silhouettes(X, labels), silhouette_samples(X, labels), atol=1e-12)
    assert (silhouettes(X, np.zeros(300)) == 0).all()


def test_within_is_the_criterion_of_k_means():
    X = clouds()
    km = KMeans(3, random_state=0).fit(X)
    np.testing.assert_allclose(within(X, km.labels_), km.inertia_)


def test_large_tables_are_sampled():
    choice = choose_clusters(
        clouds(2, 500), AgglomerativeClustering(), [2, 3], criteria="silhouette", rows=100, random_state=0
    )
    assert len(choice.best.labels_) == 100 and choice.chosen == 2


def test_pictures():
    X = clouds()
    choice = choose_clusters(X, KMeans(), [1, 2, 3, 4], criteria=["silhouette", "gap"], references=4, random_state=0)
    axes = choice.plot()
    assert [ax.get_title() for ax in axes] == ["silhouette", "gap"]
    assert axes[0].get_legend().get_texts()[0].get_text() == "chosen: 3"
    with epee.options(language="fr"):
        assert choice.plot()[0].get_xlabel() == "nombre de classes"
    with pytest.raises(ValueError, match="2 criteria need as many axes"):
        choice.plot(axes[0])
    model = AgglomerativeClustering(3).fit(X)
    tree = plot_dendrogram(model)
    assert len(tree.lines) == 29 + 1  # the last merges and the cut
    small = plot_dendrogram(epee.linkage(X[:5], "average"), labels=list("abcde"))
    assert sorted(t.get_text() for t in small.get_xticklabels()) == list("abcde")
    heights = {float(np.max(line.get_ydata())) for line in small.lines}
    assert heights == set(epee.linkage(X[:5], "average")[:, 2])
    km = KMeans(3, random_state=0).fit(X)
    assert len(plot_clusters(km, X).lines) == 4
    assert len(plot_clusters(KMeans(2).fit(np.c_[X, X]), np.c_[X, X]).lines) == 3
    assert len(plot_clusters(KMeans(2).fit(X[:, :1]), X[:, :1]).lines) == 3
    np.testing.assert_array_equal(plot_trace(km).lines[0].get_ydata(), km.trace_)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"values": []}, "values is empty"),
        ({"values": [0, 1]}, "each of values is 0"),
        ({"values": [2, 2]}, "holds a number twice"),
        ({"values": [2, 500]}, "500 clusters of 120 rows"),
        ({"criteria": "elbow"}, "criterion 'elbow' is not one of"),
        ({"criteria": []}, "criteria is empty"),
        ({"criteria": "bic"}, "KMeans has no bic"),
        ({"parameter": "k"}, "KMeans has no parameter k"),
        ({"X": [[1.0, np.nan], [2.0, 3.0]]}, "contains NaN"),
        ({"X": [1.0, 2.0]}, "at least 2 rows of numbers"),
    ],
)
def test_bad_input(arguments, sentence):
    arguments = {"X": clouds(), "model": KMeans(), "values": [2, 3]} | arguments
    with pytest.raises(ValueError, match=sentence):
        choose_clusters(**arguments)

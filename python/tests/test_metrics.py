"""Single metrics and metrics over batches."""

import numpy as np
import pytest
from conftest import make_logits
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cubcal
from cubcal import metrics


def test_each_is_the_evaluations(logits_and_labels):
    z, y = logits_and_labels
    p = cubcal.predict(z)
    whole = cubcal.evaluate(z, y).metrics
    for name in ("accuracy", "balanced_accuracy", "nll", "brier", "ece", "uce", "bcce", "avu", "avu_auc", "delta_u",
                 "aurc"):
        assert getattr(metrics, name)(p, y) == whole[name], name
        assert getattr(metrics, name)(p.probabilities, y) == whole[name], name
    for key in whole:
        assert cubcal._core.metric(key, p._core, y, 15, 0.9, 0.325) == whole[key], key
    assert metrics.all(p, y) == whole


def test_ece_by_hand():
    q = np.array([[0.95, 0.05], [0.85, 0.15], [0.38, 0.62], [0.36, 0.64]])
    # Bins (0.9, 1], (0.8, 0.9] and (0.6, 0.7]: right, wrong, one of two right.
    expected = (abs(1 - 0.95) + abs(0 - 0.85) + abs(1 - (0.62 + 0.64))) / 4
    assert metrics.ece(q, [0, 1, 1, 0], bins=10) == pytest.approx(expected)


def test_curves_and_bins(logits_and_labels):
    z, y = logits_and_labels
    p = cubcal.predict(z)
    coverage, risk = metrics.risk_coverage(p, y)
    order = np.argsort(p.entropy, kind="stable")
    wrong = (p.predicted != y)[order]
    np.testing.assert_allclose(risk, np.cumsum(wrong) / np.arange(1, 201), rtol=1e-12)
    np.testing.assert_allclose(coverage, np.arange(1, 201) / 200)
    assert metrics.aurc(p, y) == pytest.approx(risk.mean())
    assert metrics.coverage_at_risk(p, y, 0.05) == coverage[risk <= 0.05].max()
    assert metrics.coverage_at_risk(p, (p.predicted + 1) % 3, 0.5) is None
    by_confidence = metrics.risk_coverage(p, y, by="confidence")[1]
    assert by_confidence[-1] == risk[-1]
    with pytest.raises(ValueError, match="by 'uncertainty' or by 'confidence', not by 'x'"):
        metrics.risk_coverage(p, y, by="x")
    rows = metrics.bins_of(p, y, "ece")
    gap = sum(row["count"] * abs(row["observed"] - row["target"]) for row in rows) / 200
    assert gap == pytest.approx(metrics.ece(p, y))
    with pytest.raises(ValueError, match="bins of ece, uce and bcce"):
        metrics.bins_of(p, y, "nll")
    thresholds, values = metrics.avu_curve(p, y)
    assert len(thresholds) == 21 and ((values >= 0) & (values <= 1)).all()


def test_ood_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    outlier = rng.random(300) < 0.3
    scores = np.round(rng.normal(size=300) + outlier, 1)
    found = metrics.ood(scores, outlier)
    assert found["auroc"] == pytest.approx(sklearn.roc_auc_score(outlier, scores))
    assert found["aupr"] == pytest.approx(sklearn.average_precision_score(outlier, scores))
    fpr, tpr, _ = sklearn.roc_curve(outlier, scores, drop_intermediate=False)
    assert found["fpr95"] == pytest.approx(fpr[tpr >= 0.95].min())
    assert metrics.ood([0.1, 0.2], [0, 0]) is None
    with pytest.raises(ValueError, match="1 or True for outliers"):
        metrics.ood([0.1, 0.2], [0, 2])
    with pytest.raises(ValueError, match="entries of outlier"):
        metrics.ood([0.1, 0.2], [0])
    with pytest.raises(ValueError, match="NaN|finite"):
        metrics.ood([0.1, np.nan], [0, 1])


@settings(max_examples=25)
@example([1], 3, 589)  # all in [0, 1] by chance
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(2, 6), st.integers(0, 1000))
def test_batches_equal_the_whole_to_the_bit(sizes, classes, seed):
    z, y = make_logits(3, sum(sizes), classes, seed=seed)
    z[0, 0, 0] = -1  # logits: were all in [0, 1], they would be refused as probabilities
    m = cubcal.Metrics()
    ends = np.cumsum([0, *sizes])
    for first, last in zip(ends, ends[1:]):
        m.update(z[:, first:last], y[first:last])
    assert len(m) == sum(sizes)
    assert m.compute() == metrics.all(cubcal.predict(z), y)
    assert m.compute() == m.compute()


def test_streaming_keeps_to_its_names(logits_and_labels):
    z, y = logits_and_labels
    m = cubcal.Metrics(["ece", "avu"])
    with pytest.raises(ValueError, match="no batch was given"):
        m.compute()
    m.update(z, y)
    assert list(m.compute()) == ["ece", "avu"] and repr(m) == "Metrics(['ece', 'avu'], samples=200)"
    m.reset()
    assert len(m) == 0
    m.update(cubcal.predict(z), y)
    before = m.compute()
    for bad in (dict(logits=z[..., :2], y=y % 2), dict(logits=z, y=y[:3]), dict(logits=z * np.nan, y=y)):
        with pytest.raises(ValueError):
            m.update(**bad)
    assert m.compute() == before, "a refused batch changes nothing"
    assert list(cubcal.Metrics("nll").metrics) == ["nll"]
    with pytest.raises(ValueError, match="there is no metric 'eec': there are accuracy"):
        cubcal.Metrics(["eec"])


def test_streaming_finds_probabilities_out(logits_and_labels):
    z, y = logits_and_labels
    q = cubcal.predict(z).probabilities
    m = cubcal.Metrics(["ece"])
    m.update(q[:100], y[:100])
    m.update(q[100:], y[100:])
    with pytest.raises(ValueError, match="look like probabilities"):
        m.compute()


def test_streaming_forgives_a_batch_of_small_logits(logits_and_labels):
    z, y = logits_and_labels
    m = cubcal.Metrics(["nll"])
    m.update([[0.2, 0.7, 0.5]], [1])
    m.update(z, y)
    assert m.compute()["nll"] > 0


def test_boundary_functions():
    c = np.array([[0.4, 0.9], [0.95, 1.0]])
    with np.errstate(all="ignore"):
        h = np.nan_to_num(-c * np.log(c) - (1 - c) * np.log(1 - c))
    np.testing.assert_allclose(cubcal.boundary.u_min(c, 3), h, atol=1e-15)
    np.testing.assert_allclose(cubcal.boundary.u_max(c, 3), h + (1 - c) * np.log(2), atol=1e-15)
    assert cubcal.boundary.u_ideal(0.95, 3) == cubcal.boundary.u_min(0.95, 3)
    assert cubcal.boundary.u_ideal(0.5, 3) == cubcal.boundary.u_max(0.5, 3)
    assert cubcal.boundary.thresholds(0.325, 3)[1] == pytest.approx(0.922922, abs=1e-6)
    with pytest.raises(ValueError):
        cubcal.boundary.u_min(0.1, 3)
    with pytest.raises(ValueError):
        cubcal.boundary.thresholds(0.8, 3)

"""Calibration with the manners of scikit-learn, and verdicts."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from conftest import make_logits

import cubcal


@pytest.fixture(scope="module")
def sets():
    val, val_y = make_logits(5, 400, 4, seed=1)
    test, test_y = make_logits(5, 300, 4, seed=2)
    return 2.5 * val, val_y, 2.5 * test, test_y


@pytest.mark.parametrize("method", ["ts-nll", "ts-bcce", "dts", "dts-guarded", None])
def test_is_the_programs(program, tmp_path, sets, method):
    val, val_y, test, test_y = sets
    if method is None:  # tries all of them, fold by fold
        val, val_y = val[:, :150], val_y[:150]
    np.savez(tmp_path / "val.npz", logits=val, labels=val_y)
    np.savez(tmp_path / "test.npz", logits=test)
    named = ["--method", method] if method else []
    subprocess.run([program, "calibrate", tmp_path / "val.npz", *named, "-o", tmp_path / "cal.json"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([program, "apply", tmp_path / "test.npz", "--calibration", tmp_path / "cal.json", "-o",
                    tmp_path / "p.npz"], check=True, stdout=subprocess.DEVNULL)
    c = cubcal.Calibrator(method).fit(val, val_y)
    assert c.document() == json.loads((tmp_path / "cal.json").read_text())
    with np.load(tmp_path / "p.npz") as expected:
        np.testing.assert_array_equal(c.predict_proba(test), expected["probabilities"])
        np.testing.assert_array_equal(c.predict(test), expected["predicted"])
        np.testing.assert_array_equal(c.temperatures(test), expected["temperature"])
    c.save(tmp_path / "own.json")
    assert (tmp_path / "own.json").read_bytes() == (tmp_path / "cal.json").read_bytes()
    again = cubcal.Calibrator.load(tmp_path / "cal.json")
    np.testing.assert_array_equal(again.predict_proba(test), c.predict_proba(test))
    assert again.method_ == c.method_ and again.n_classes_ == 4


def test_helps_an_overconfident_model(sets):
    val, val_y, test, test_y = sets
    c = cubcal.Calibrator("ts-nll").fit(val, val_y)
    assert c.t_high_ == c.t_low_ > 1.3
    before, after = (cubcal.evaluate(test, test_y, calibration=each).metrics for each in (None, c))
    assert after["nll"] < before["nll"] and after["ece"] < before["ece"]


def test_transformed_logits_predict_the_same(sets):
    val, val_y, test, _ = sets
    c = cubcal.Calibrator("dts").fit(val, val_y)
    z = c.transform(test)
    assert z.dtype == test.dtype and z.shape == test.shape
    np.testing.assert_allclose(cubcal.predict(z).probabilities, c.predict_proba(test), atol=1e-6)
    assert c.transform(test[0]).shape == test[0].shape
    np.testing.assert_array_equal(cubcal.Calibrator("dts").fit_transform(val, val_y), c.transform(val))


def test_scikit_learn_clones_it(sets):
    base = pytest.importorskip("sklearn.base")
    c = cubcal.Calibrator("dts", eta=0.4, box_high=(0.8, 1.0))
    twin = base.clone(c)
    assert twin is not c and twin.get_params() == c.get_params() and not hasattr(twin, "calibration_")
    assert c.set_params(method="ts-nll", box_high=None).fit(*sets[:2]).method_ == "ts-nll"
    with pytest.raises(ValueError, match="there is no parameter 'methd'"):
        c.set_params(methd="dts")
    v = base.clone(cubcal.Verdict(0.1, risk_target=0.2))
    assert v.get_params()["risk_target"] == 0.2


def test_survives_a_pickle(sets):
    val, val_y, test, _ = sets
    c = cubcal.Calibrator("dts-guarded").fit(val, val_y)
    d = pickle.loads(pickle.dumps(c))
    np.testing.assert_array_equal(d.predict_proba(test), c.predict_proba(test))
    v = cubcal.Verdict(calibration=c).fit(val, val_y)
    w = pickle.loads(pickle.dumps(v))
    np.testing.assert_array_equal(w.predict(test).decision, v.predict(test).decision)


def test_nothing_helps_a_calibrated_model():
    rng = np.random.default_rng(6)
    z = rng.normal(size=(400, 3)) * 2
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    y = (p.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    c = cubcal.Calibrator().fit(z, y)
    assert c.method_ == "none" and c.document() is None
    np.testing.assert_array_equal(c.predict_proba(z), cubcal.predict(z).probabilities)
    np.testing.assert_array_equal(c.transform(z), z)
    with pytest.raises(ValueError, match="none was found to help"):
        c.save("nowhere.json")


@pytest.mark.parametrize("make, words", [
    (lambda z, y: cubcal.Calibrator("dst").fit(z, y), "dst"),
    (lambda z, y: cubcal.Calibrator("ts-nll").fit(z), "ts-nll needs labels: give y"),
    (lambda z, y: cubcal.Calibrator().fit(z), "a choice among the methods needs labels"),
    (lambda z, y: cubcal.Calibrator("dts").fit(z, y[:7]), "there are 7 labels for 400 samples"),
    (lambda z, y: cubcal.Calibrator("dts", box=(1, 2)).fit(z, y), "two temperatures: use box_high"),
    (lambda z, y: cubcal.Calibrator("ts-nll", box_low=(1, 2)).fit(z, y), "one temperature: use box"),
    (lambda z, y: cubcal.Calibrator("ts-nll", box=(2, 1)).fit(z, y), "box takes two positive temperatures"),
    (lambda z, y: cubcal.Calibrator("dts").predict_proba(z), "not fitted yet"),
    (lambda z, y: cubcal.Calibrator("dts").fit(z, y).predict_proba(z[..., :3]), "the 4 classes of the fit, not 3"),
    (lambda z, y: cubcal.Calibrator("dts").fit(z * np.nan, y), "must be finite"),
    (lambda z, y: cubcal.Verdict(alpha=2).fit(z, y), "the share of ID images refused"),
    (lambda z, y: cubcal.Verdict(score="x").fit(z, y), "there is no output score named 'x'"),
    (lambda z, y: cubcal.Verdict(set_level=1).fit(z, y), "set_level must"),
    (lambda z, y: cubcal.Verdict(set_level=0.9, risk_target=0.1).fit(z, y), "takes no risk target"),
    (lambda z, y: cubcal.Verdict(set_level=0.9, set_score="x").fit(z, y), "lac, aps"),
    (lambda z, y: cubcal.Verdict(0.2, set_level=0.99).fit(z[:, :9], y[:9]), "takes at least 99 held-out"),
    (lambda z, y: cubcal.Verdict().fit(z[:, :5], y[:5]), "takes at least 19 held-out ID images, not 5"),
    (lambda z, y: cubcal.Verdict().predict(z), "not fitted yet"),
    (lambda z, y: cubcal.Verdict().fit(z, y, scores=[1.0]), "there are 1 scores for 400 samples"),
    (lambda z, y: cubcal.Verdict().fit(z, y, scores=y * np.nan), "scores of held-out images must be finite"),
    (lambda z, y: cubcal.Verdict().fit(z, y).predict(z, scores=y * 1.0), "fitted on the score 'energy'"),
    (lambda z, y: cubcal.Verdict().fit(z, y, scores=y * 1.0).predict(z), "give those of these samples too"),
    (lambda z, y: cubcal.Verdict().fit(cubcal.predict(z), y), "the score 'energy' needs logits"),
    (lambda z, y: cubcal.Verdict(risk_target=0.01).fit(z, cubcal.predict(z).predicted ^ 1),
     "no share of the validation images"),
])
def test_misuse_is_told_in_a_sentence(sets, make, words):
    with pytest.raises(ValueError, match=words):
        make(*sets[:2])


@pytest.mark.parametrize("make, words", [
    (lambda z, y: cubcal.Calibrator(3).fit(z, y), "method must be text, not 3"),
    (lambda z, y: cubcal.Calibrator("dts", box_high="ab").fit(z, y), "box_high takes two positive temperatures"),
    (lambda z, y: cubcal.Verdict("x").fit(z, y), "alpha must be a number, not 'x'"),
    (lambda z, y: cubcal.Verdict(score=1).fit(z, y), "score must be text, not 1"),
    (lambda z, y: cubcal.Metrics([3]), "a metric must be text, not 3"),
    (lambda z, y: cubcal.metrics.aurc(cubcal.predict(z), y, by=2), "by must be text, not 2"),
    (lambda z, y: cubcal.phantom(3), "split must be text, not 3"),
])
def test_a_wrong_type_is_told_in_a_sentence(sets, make, words):
    with pytest.raises(TypeError, match=words):
        make(*sets[:2])


def test_labels_may_be_left_out_for_bcce(sets):
    assert cubcal.Calibrator("dts").fit(sets[0]).method_ == "dts"


def test_verdicts(sets):
    val, val_y, test, test_y = sets
    c = cubcal.Calibrator("ts-nll").fit(val, val_y)
    v = cubcal.Verdict(alpha=0.05, calibration=c).fit(val, val_y)
    assert v.threshold_ == 0.325 and v.promise_["out_of_scope"] == 20
    found = v.predict(test)
    energy = -np.log(np.exp(test.astype(float)).sum(axis=2)).mean(axis=0)
    held_out = np.sort(-np.log(np.exp(val.astype(float)).sum(axis=2)).mean(axis=0))
    p = (1 + len(held_out) - np.searchsorted(held_out, energy - 1e-9)) / (len(held_out) + 1)
    np.testing.assert_allclose(found.p_value, p, atol=1 / 200)
    uncertain = c.prediction(test).entropy > 0.325
    np.testing.assert_array_equal(found.decision == "out-of-scope", found.p_value <= 0.05)
    np.testing.assert_array_equal(found.decision == "refer", (found.p_value > 0.05) & uncertain)
    assert sum(found.counts().values()) == len(found) == 300 and "accept" in repr(found)


def test_verdicts_by_sets_of_one_class(sets):
    val, val_y, test, test_y = sets
    v = cubcal.Verdict(alpha=0.05, set_level=0.8).fit(val, val_y)
    found = v.predict(test)
    # LAC by hand: the ceil(401 * 0.8) = 321st smallest of 1 - p of the true class.
    p = cubcal.predict(val).probabilities
    q = np.sort(1 - p[np.arange(400), val_y])[320]
    expected = 1 - cubcal.predict(test).probabilities <= q
    np.testing.assert_array_equal(found.sets, expected)
    np.testing.assert_array_equal(found.decision == "accept", (found.p_value > 0.05) & (expected.sum(axis=1) == 1))
    assert 0 < (found.decision == "accept").sum() < 300 and np.isinf(v.threshold_)
    assert "sets at 80%" in repr(v) and cubcal.Verdict().fit(val, val_y).predict(test).sets is None
    again = pickle.loads(pickle.dumps(v)).predict(test)
    np.testing.assert_array_equal(again.decision, found.decision)
    by_class = cubcal.Verdict(set_level=0.8, set_score="aps", set_by_class=True).fit(val, val_y).predict(test)
    alone = (by_class.sets.sum(axis=1) == 1) & (by_class.sets.argmax(axis=1) == by_class.prediction.predicted)
    np.testing.assert_array_equal(by_class.decision == "accept", alone & (by_class.p_value > 0.05))


def test_verdicts_of_given_scores_and_risk(sets):
    val, val_y, test, test_y = sets
    rng = np.random.default_rng(0)
    v = cubcal.Verdict(0.1, risk_target=0.1).fit(cubcal.predict(val), val_y, scores=rng.random(400))
    assert v.promise_["risk"] <= 0.1 and "given" in repr(v)
    found = v.predict(cubcal.predict(test), scores=rng.random(300))
    assert 0 < (found.decision == "out-of-scope").sum() < 60
    far = v.predict(cubcal.predict(test), scores=np.full(300, 9.0))
    assert far.counts() == {"accept": 0, "refer": 0, "out-of-scope": 300}
    other = cubcal.Verdict(score="mutual-information").fit(cubcal.predict(val), val_y)
    assert len(other.predict(cubcal.predict(test))) == 300

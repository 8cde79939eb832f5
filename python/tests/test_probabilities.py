"""Probabilities count as they are, in the package and in the program alike: to the bit."""

import json
import subprocess

import numpy as np
import pytest
from conftest import make_logits

import cubcal
from cubcal import metrics

SINGLE = ("accuracy", "balanced_accuracy", "nll", "brier", "ece", "uce", "bcce", "avu", "avu_auc", "delta_u", "aurc")


def run(program, *arguments):
    return json.loads(subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, check=True).stdout)


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def make_probabilities(passes, samples, classes, seed=0, dtype=np.float64):
    """Softmax outputs with labels; a tenth of the samples is sure beyond rounding, some rows are even."""
    z, y = make_logits(passes, samples, classes, seed=seed, dtype=np.float64)
    q = softmax(z)
    sure = np.arange(0, samples, 10)
    q[:, sure] = np.eye(classes)[y[sure] if seed % 2 else (y[sure] + 1) % classes]
    q[:, 5] = 1 / classes
    return q.astype(dtype), y


def check_all(document, q, y):
    """Every way from probabilities to metrics in Python against what the program says."""
    expected = document["metrics"]
    assert metrics.all(q, y) == expected
    for name in SINGLE:
        assert getattr(metrics, name)(q, y) == expected[name], name
        assert getattr(metrics, name)(cubcal.predict(probabilities=q), y) == expected[name], name
    batches = cubcal.Metrics()
    for first in range(0, len(y), 37):
        batches.update(cubcal.predict(probabilities=q[..., first:first + 37, :]), y[first:first + 37])
    assert batches.compute() == expected
    bins = metrics.bins_of(q, y, "uce")
    assert [each["target"] for each in bins if each["count"]] == [
        each["uncertainty"] for each in document["bins"]["uce"] if each["count"]]
    assert metrics.avu_curve(q, y)[1].tolist() == [each["avu"] for each in document["avu_curve"]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("passes, classes", [(1, 2), (1, 5), (7, 3), (20, 2)])
def test_metrics_are_the_programs(program, tmp_path, dtype, passes, classes):
    q, y = make_probabilities(passes, 230, classes, seed=passes, dtype=dtype)
    q = q[0] if passes == 1 else q
    np.savez(tmp_path / "q.npz", logits=q, labels=y)
    document = run(program, "evaluate", tmp_path / "q.npz", "--probabilities", "--bootstrap", 30, "--clinical",
                   "--json", "-")
    check_all(document, q, y)
    assert cubcal.evaluate(cubcal.predict(probabilities=q), y, bootstrap=30, clinical=True) == document


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("passes", [1, 6])
def test_rows_that_do_not_sum_to_one_too(program, tmp_path, dtype, passes):
    z, y = make_logits(passes, 200, 4, seed=3)
    q = (1 / (1 + np.exp(-z))).astype(dtype)
    np.savez(tmp_path / "q.npz", logits=q, labels=y)
    check_all(run(program, "evaluate", tmp_path / "q.npz", "--probabilities", "--json", "-"), q, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("passes", [1, 6])
def test_sigmoid_outputs_too(program, tmp_path, dtype, passes):
    q, y = make_probabilities(passes, 200, 2, seed=8, dtype=dtype)
    p = q[0, :, 1] if passes == 1 else q[..., 1]
    np.savez(tmp_path / "p.npz", logits=p, labels=y)
    document = run(program, "evaluate", tmp_path / "p.npz", "--probabilities", "--binary", "--json", "-")
    assert cubcal.evaluate(cubcal.predict(positive=p), y) == document
    check_all(document, np.stack([1 - p, p], axis=-1), y)


def test_they_are_not_changed():
    q, _ = make_probabilities(1, 100, 3)
    np.testing.assert_array_equal(cubcal.predict(probabilities=q).probabilities, q[0])
    narrow = q.astype(np.float32)
    np.testing.assert_array_equal(cubcal.predict(probabilities=narrow).probabilities, narrow[0])
    p = q[0, :, 1].astype(np.float32)
    np.testing.assert_array_equal(cubcal.predict(positive=p).probabilities[:, 1], p)
    scaled = cubcal.predict(probabilities=[[0.6, 0.2], [0.5, 0.5 + 9e-7]]).probabilities
    np.testing.assert_array_equal(scaled, [[0.6 / 0.8, 0.2 / 0.8], [0.5, 0.5 + 9e-7]])


def test_every_command_has_the_same_numbers(program, tmp_path):
    q, y = make_probabilities(1, 300, 3, seed=5)
    np.savez(tmp_path / "q.npz", logits=q, labels=y, column_site=np.where(np.arange(300) < 150, "a", "b"))
    np.savez(tmp_path / "other.npz", logits=q[:, ::-1], labels=y[::-1])
    given = (tmp_path / "q.npz", "--probabilities")
    expected = run(program, "evaluate", *given, "--json", "-")["metrics"]
    compared = run(program, "compare", tmp_path / "q.npz", tmp_path / "q.npz", "--probabilities", "--bootstrap", 20,
                   "--json", "-")
    assert compared["a"] == compared["b"] == expected
    assert cubcal.compare(cubcal.predict(probabilities=q), cubcal.predict(probabilities=q), y, bootstrap=20) == compared
    subprocess.run([program, "apply", *map(str, given), "-o", str(tmp_path / "p.npz")], check=True,
                   stdout=subprocess.DEVNULL)
    with np.load(tmp_path / "p.npz") as applied:
        np.testing.assert_array_equal(applied["probabilities"], q[0])
    overall = run(program, "audit", *given, "--by", "site", "--bootstrap", 20, "--permutations", 99, "--json",
                  "-")["overall"]
    assert {key: overall[key] for key in overall if key in expected} == {key: expected[key] for key in expected
                                                                         if key in overall}
    monitored = run(program, "monitor", tmp_path / "q.npz", tmp_path / "other.npz", "--probabilities", "--json", "-")
    assert monitored["reference"]["expected_accuracy"]["value"] == overall["mean_confidence"]
    sets = run(program, "conformal", *given, "--test", tmp_path / "other.npz", "--json", "-")
    assert sets["cells"][0]["threshold"] == np.sort(1 - q[0, np.arange(300), y])[270]  # ceil(301 * 0.9) = 271st
    worth = run(program, "benefit", *given, "--positive", "class 1", "--threshold", 0.2, "--json", "-")
    treated = q[0, :, 1] >= 0.2
    answered = worth["points"][0]["strategies"]["answer_all"]
    assert answered["missed"] == pytest.approx((~treated & (y == 1)).mean(), abs=1e-12)
    elsewhere = run(program, "prevalence", *given, "--to", "class 1=0.2", "--json", "-")
    here = elsewhere["here"]["metrics"]
    assert here == {key: expected[key] for key in here}


def test_passes_are_replayed_as_they_are(program, tmp_path):
    """A threshold that a prediction meets exactly is where rounding would show."""
    q = np.tile([[0.9, 0.1], [0.25, 0.75]], (12, 100, 1))
    np.savez(tmp_path / "q.npz", logits=q)
    replayed = run(program, "adaptive", tmp_path / "q.npz", "--probabilities", "--gamma", 0.75, "--error", 0.01,
                   "--json", "-")
    assert replayed["passes"]["all"] == 12 and replayed["changed"]["any"]["samples"] == 0


@pytest.mark.parametrize("method", ["ts-nll", "dts"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_calibration_scales_their_logarithms(program, tmp_path, method, dtype):
    q, y = make_probabilities(4, 300, 3, seed=1, dtype=dtype)
    np.savez(tmp_path / "q.npz", logits=q, labels=y)
    subprocess.run([program, "calibrate", str(tmp_path / "q.npz"), "--probabilities", "--method", method, "-o",
                    str(tmp_path / "cal.json")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    z = cubcal.as_logits(probabilities=q)
    c = cubcal.Calibrator(method).fit(z, y)
    assert c.document() == json.loads((tmp_path / "cal.json").read_text())
    document = run(program, "evaluate", tmp_path / "q.npz", "--probabilities", "--calibration", tmp_path / "cal.json",
                   "--json", "-")
    assert cubcal.evaluate(z, y, calibration=c) == document


def test_a_temperature_of_one_changes_nothing(program, tmp_path):
    q, y = make_probabilities(3, 200, 3, seed=2)
    np.savez(tmp_path / "q.npz", logits=q, labels=y)
    subprocess.run([program, "calibrate", str(tmp_path / "q.npz"), "--probabilities", "--method", "ts-nll", "--t",
                    "1:1", "-o", str(tmp_path / "one.json")], check=True, stdout=subprocess.DEVNULL)
    compared = run(program, "compare", tmp_path / "q.npz", tmp_path / "q.npz", "--probabilities", "--calibration-b",
                   tmp_path / "one.json", "--bootstrap", 50, "--json", "-")
    assert compared["a"] == compared["b"]


def test_a_report_of_them(tmp_path):
    q, y = make_probabilities(3, 120, 3, seed=4)
    with pytest.raises(ValueError, match="look like probabilities"):
        cubcal.report(q, y, tmp_path / "none.html", bootstrap=20)
    path = cubcal.report(q, y, tmp_path / "report.html", validation=(q[:, ::-1], y[::-1]), ood=q[:, :20], bootstrap=20,
                         probabilities=True)
    page = (tmp_path / "report.html").read_text()
    assert str(path).endswith("report.html") and f"{100 * metrics.ece(q, y):.2f}" in page

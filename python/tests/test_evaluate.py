"""Evaluation and comparison: to the bit what the program says."""

import json
import subprocess
import warnings

import numpy as np
import pytest
from conftest import REFERENCE, make_logits

import cubcal


def run(program, *arguments):
    return json.loads(subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.parametrize("name", ["float16_k3", "float32_k20", "ties_k2", "all_wrong_k4", "big_endian_k5",
                                  "fortran_order_k3", "many_classes_k50", "one_pass_two_axes_k6",
                                  "extreme_logits_k4"])
def test_every_number_is_the_programs(program, name):
    path = REFERENCE / f"{name}.npz"
    document = run(program, "evaluate", path, "--json", "-", "--bootstrap", 40, "--seed", 3, "--clinical")
    with np.load(path) as arrays:
        r = cubcal.evaluate(arrays["logits"], arrays["labels"], bootstrap=40, seed=3, clinical=True)
    assert r == document
    assert list(r) == list(document)


def test_groups_options_outliers_and_calibration_too(program, tmp_path):
    z, y = make_logits(5, 300, 4, seed=3)
    val, val_y = make_logits(5, 300, 4, seed=4)
    other, _ = make_logits(5, 80, 4, seed=5, signal=0.3)
    groups = np.arange(300) // 3
    np.savez(tmp_path / "test.npz", logits=z, labels=y, groups=groups)
    np.savez(tmp_path / "ood.npz", logits=other)
    c = cubcal.Calibrator("ts-nll").fit(val, val_y)
    c.save(tmp_path / "cal.json")
    document = run(program, "evaluate", tmp_path / "test.npz", "--ood", tmp_path / "ood.npz", "--calibration",
                   tmp_path / "cal.json", "--bins", 10, "--gamma", 0.8, "--eta", 0.5, "--bootstrap", 50, "--level",
                   0.9, "--json", "-")
    options = dict(groups=groups, bootstrap=50, bins=10, gamma=0.8, eta=0.5, level=0.9, ood=other)
    assert cubcal.evaluate(z, y, calibration=c, **options) == document
    assert cubcal.evaluate(z, y, calibration=tmp_path / "cal.json", **options) == document
    assert document["bootstrap"]["unit"] == "group"


def test_comparison_is_the_programs(program, tmp_path):
    a, y = make_logits(4, 150, 3, seed=1)
    b = a * np.float32(0.5) + make_logits(4, 150, 3, seed=9)[0] * np.float32(0.2)
    np.savez(tmp_path / "a.npz", logits=a, labels=y)
    np.savez(tmp_path / "b.npz", logits=b, labels=y)
    document = run(program, "compare", tmp_path / "a.npz", tmp_path / "b.npz", "--bootstrap", 60, "--json", "-")
    c = cubcal.compare(a, b, y, bootstrap=60)
    assert c == document
    assert c.better("accuracy") == "A"
    assert cubcal.compare(b, a, y, bootstrap=60).better("accuracy") == "B"
    assert "B - A" in str(c) and "A" in str(c).splitlines()[3]
    with pytest.raises(ValueError, match="there is no metric 'acc'"):
        c.better("acc")


def test_real_logits_of_the_retina(program):
    path = REFERENCE.parents[2].parent / "shared" / "reference" / "retina_bnn_test.npz"
    if not path.exists():
        pytest.skip("the shared data are not here")
    with np.load(path) as arrays:
        assert cubcal.evaluate(arrays["logits"], arrays["labels"]) == run(program, "evaluate", path, "--json", "-")


def test_it_prints_as_a_table_and_is_json(logits_and_labels):
    r = cubcal.evaluate(*logits_and_labels, bootstrap=20)
    assert "ECE (%)" in str(r) and "95% interval" in repr(r) and "20 bootstrap replicates by sample" in str(r)
    assert r.metrics["ece"] == r["metrics"]["ece"] and r.intervals is r["intervals"]
    assert json.loads(json.dumps(r)) == r


def test_all_right_leaves_some_metrics_undefined():
    y = np.arange(30) % 3
    r = cubcal.evaluate(5 * np.eye(3)[y], y)
    assert r.metrics["delta_u"] is None and r.metrics["accuracy"] == 1
    assert "–" in str(r)


def test_the_kind_of_labels_and_groups_does_not_matter(logits_and_labels):
    z, y = logits_and_labels
    groups = np.arange(len(y)) // 4
    expected = cubcal.evaluate(z, y, groups=groups, bootstrap=10)
    for labels in (y.tolist(), y.astype(np.uint8), y[:, None], y.astype(">i4")):
        assert cubcal.evaluate(z, labels, groups=groups, bootstrap=10) == expected
    for names in (groups.tolist(), groups.astype(str), groups.astype(str).astype(object), groups.astype("S8"),
                  groups[:, None]):
        assert cubcal.evaluate(z, y, groups=names, bootstrap=10) == expected


@pytest.mark.parametrize("change, error, words", [
    (dict(y=[0.5] * 200), TypeError, "labels must be integers, as labels.astype"),
    (dict(y=[0] * 199), ValueError, "there are 199 labels for 200 samples"),
    (dict(y=[3] * 200), ValueError, r"labels must be in 0..2, but sample 0 has 3"),
    (dict(y=[-1] * 200), ValueError, "sample 0 has -1"),
    (dict(y=np.eye(3, dtype=int)[[0] * 200]), ValueError, "one class index per sample"),
    (dict(y=["a"] * 200), TypeError, "class indices, not text"),
    (dict(y=None), TypeError, "labels must be given, not None"),
    (dict(y=np.full(200, 2**63, np.uint64)), ValueError, "class indices, but one is 9223372036854775808"),
    (dict(logits=np.ma.masked_greater(np.ones((200, 3)) * 2, 1)), ValueError, "must not have masked entries"),
    (dict(eta=np.inf), ValueError, "eta must be a finite number, not inf"),
    (dict(groups=["\ud800"] * 200), ValueError, "text that UTF-8 can hold"),
    (dict(class_names=["a", "b", "\ud800"]), ValueError, "a class name must be text that UTF-8 can hold"),
    (dict(bins=0), ValueError, "bins must be from 1 to 10000, not 0"),
    (dict(bins=10**9), ValueError, "bins must be from 1 to 10000"),
    (dict(bins=1.5), TypeError, "bins must be a whole number"),
    (dict(gamma=0.1), ValueError, "gamma"),
    (dict(gamma="x"), TypeError, "gamma must be a number"),
    (dict(eta=-1), ValueError, "uncertainty threshold"),
    (dict(bootstrap=-1), ValueError, "bootstrap"),
    (dict(bootstrap=5, level=2), ValueError, "level|coverage|interval"),
    (dict(seed=-1), ValueError, "seed"),
    (dict(groups=[1, 2]), ValueError, "one entry for each of the 200 samples"),
    (dict(groups=[None] * 200), ValueError, "one is missing"),
    (dict(groups=[0.5] * 200), TypeError, "groups must be text or integers"),
    (dict(class_names=["a"]), ValueError, "class_names has 1 names, but there are 3 classes"),
    (dict(calibration=3), TypeError, "must be a Calibrator or the path"),
    (dict(calibration="/nowhere.json"), OSError, "/nowhere.json"),
    (dict(calibration=cubcal.Calibrator()), ValueError, "not fitted yet"),
    (dict(ood=np.ones((5, 4)) * 2), ValueError, "ood must have 3 classes, not 4"),
])
def test_misuse_is_told_in_a_sentence(logits_and_labels, change, error, words):
    z, y = logits_and_labels
    arguments = dict(dict(logits=z, y=y), **change)
    with pytest.raises(error, match=words):
        cubcal.evaluate(**arguments)


def test_comparison_of_unequal_sets(logits_and_labels):
    z, y = logits_and_labels
    with pytest.raises(ValueError, match="b must have the 200 samples of a, not 100"):
        cubcal.compare(z, z[:, :100], y)
    with pytest.raises(ValueError, match="b must have 3 classes, not 2"):
        cubcal.compare(z, z[..., :2], y)
    with pytest.raises(ValueError, match="bootstrap must be at least 1"):
        cubcal.compare(z, z, y, bootstrap=0)


def test_threads_do_not_change_a_bit(logits_and_labels):
    z, y = logits_and_labels
    before = cubcal.threads()
    results = []
    try:
        for count in (1, 2, 5):
            cubcal.set_threads(count)
            results.append(cubcal.evaluate(z, y, bootstrap=30))
    finally:
        cubcal.set_threads(0)
    assert results[0] == results[1] == results[2] and cubcal.threads() == before


def test_axes_in_another_order_are_told_by_the_labels():
    z = np.random.default_rng(1).normal(size=(5, 40, 3))
    y = np.arange(40) % 3
    for turned, words in ((np.swapaxes(z, 0, 1), r"np.swapaxes\(logits, 0, 1\)"), (np.moveaxis(z, 0, 2), r"np.moveaxis\(logits, 2, 0\)"),
                          (np.swapaxes(z, 1, 2), r"np.swapaxes\(logits, 1, 2\)")):
        with pytest.raises(ValueError, match=words):
            cubcal.evaluate(turned, y)
        with pytest.raises(ValueError, match=words):
            cubcal.Calibrator("ts-nll").fit(turned, y)


def test_passes_that_are_all_the_same_are_warned_of():
    z = np.repeat(np.random.default_rng(2).normal(size=(1, 40, 3)), 4, axis=0)
    y = np.arange(40) % 3
    with pytest.warns(UserWarning, match="the 4 passes are all the same"):
        cubcal.evaluate(z, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cubcal.evaluate(z[:1], y)


def test_percentages_are_no_logits():
    p = np.random.default_rng(3).dirichlet((1, 1, 1), size=40)
    with pytest.raises(ValueError, match="look like percentages, for rows sum to 100: divided by 100"):
        cubcal.evaluate(100 * p, np.arange(40) % 3)


def test_labels_of_other_kinds_say_how_indices_are_made():
    z = np.random.default_rng(4).normal(size=(40, 3))
    one_hot = np.eye(3)[np.arange(40) % 3]
    for labels in (one_hot, one_hot.astype(np.int64)):
        with pytest.raises(ValueError, match=r"of one-hot labels labels.argmax\(1\) makes them"):
            cubcal.evaluate(z, labels)
    with pytest.raises(TypeError, match=r"not text: \[names.index\(each\) for each in labels\]"):
        cubcal.evaluate(z, np.array(["a", "b"] * 20))


def test_more_threads_than_any_machine_has_are_refused():
    before = cubcal.threads()
    with pytest.raises(ValueError, match="number of threads must be at most 1024, not 5000"):
        cubcal.set_threads(5000)
    assert cubcal.threads() == before


def test_several_models_are_those_of_the_program(program, tmp_path):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 120)
    models = [rng.normal(0, 1, (3, 120, 3)).astype(np.float32) for _ in range(3)]
    for strength, z in zip((0.5, 1.0, 2.0), models):
        z[:, np.arange(120), y] += strength
    paths = [tmp_path / f"{name}.npz" for name in "abc"]
    for path, z in zip(paths, models):
        np.savez(path, logits=z, labels=y)
    document = run(program, "compare", *paths, "--bootstrap", 80, "--json", "-")
    c = cubcal.compare(models[0], models[1], y, bootstrap=80, more=[models[2]])
    assert c.models == ["B", "C"]
    for theirs, ours in zip(document["comparisons"], c["comparisons"]):
        theirs["file"] = ours["file"]
    assert dict(c) == document
    assert c.better("nll", "C") == "C" and "p (Holm)" in str(c) and "C - A" in str(c)
    for key, p in c["comparisons"][0]["p_values"].items():
        assert p is None or c["comparisons"][0]["holm_p_values"][key] >= p
    with pytest.raises(ValueError, match="no model 'D' beside A: there are B, C"):
        c.better("nll", "D")
    with pytest.raises(ValueError, match=r"more\[0\] must have the 120 samples of a, not 60"):
        cubcal.compare(models[0], models[1], y, bootstrap=5, more=[models[2][:, :60]])
    with pytest.raises(TypeError, match="more must be a list"):
        cubcal.compare(models[0], models[1], y, bootstrap=5, more=models[2])

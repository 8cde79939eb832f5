"""What an object keeps: copies, files, fits."""

import copy
import pickle

import numpy as np
import pytest

import cubcal

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(4, 300, 3)) * 2
Y = RNG.integers(3, size=300)


def test_streamed_metrics_are_copied_whole():
    m = cubcal.Metrics(["nll", "ece"])
    m.update(Z[:, :200], Y[:200])
    for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        other.update(Z[:, 200:], Y[200:])
        assert len(m) == 200 and len(other) == 300
        whole = cubcal.evaluate(Z, Y).metrics
        assert other.compute() == {key: whole[key] for key in ("nll", "ece")}


def test_a_prediction_does_not_hide_probabilities_among_the_batches():
    p = cubcal.predict(Z).probabilities
    m = cubcal.Metrics(["nll"])
    m.update(np.clip(p[:25], 0.01, 0.99), Y[:25])
    m.update(cubcal.predict(probabilities=p[25:]), Y[25:])
    with pytest.raises(ValueError, match="look like probabilities"):
        m.compute()


def test_a_verdict_keeps_what_it_was_fitted_with():
    calibrator = cubcal.Calibrator("ts-nll").fit(Z, Y)
    verdict = cubcal.Verdict(calibration=calibrator).fit(Z, Y)
    before = verdict.predict(Z)
    calibrator.fit(Z * 5, Y)
    verdict.set_params(score="confidence")
    after = verdict.predict(Z)
    assert (before.decision == after.decision).all() and (before.p_value == after.p_value).all()


def test_a_loaded_calibrator_has_the_options_of_its_fit(tmp_path):
    fitted = cubcal.Calibrator("dts", eta=0.2, gamma=0.8, bins=10).fit(Z, Y)
    fitted.save(tmp_path / "c.json")
    found = cubcal.Calibrator.load(tmp_path / "c.json").get_params()
    assert (found["eta"], found["gamma"], found["bins"]) == (0.2, 0.8, 10)


def test_scaled_half_numbers_do_not_overflow():
    calibrator = cubcal.Calibrator("ts-nll", box=(0.1, 0.2)).fit(Z, Y)
    large = np.array([[20000, 0, -20000]], dtype=np.float16)
    assert np.isfinite(calibrator.transform(large)).all()
    assert calibrator.transform(Z.astype(np.float32)).dtype == np.float32


def test_a_zero_byte_in_a_path_is_refused(tmp_path):
    calibrator = cubcal.Calibrator("ts-nll").fit(Z, Y)
    for call in (lambda: calibrator.save(f"{tmp_path}/a\0b"), lambda: cubcal.Calibrator.load("a\0b"),
                 lambda: cubcal.report(Z, Y, f"{tmp_path}/r\0.html", bootstrap=100)):
        with pytest.raises(ValueError, match="zero byte"):
            call()
    assert not list(tmp_path.iterdir())


def test_wrong_kinds_of_arguments_are_named():
    p = cubcal.predict(Z).probabilities
    with pytest.raises(ValueError, match=r"as_logits\(probabilities"):
        cubcal.Calibrator("ts-nll").fit(p, Y)
    with pytest.raises(ValueError, match=r"as_logits\(probabilities"):
        cubcal.Verdict().fit(p, Y)
    with pytest.raises(TypeError, match="not a Prediction"):
        cubcal.Calibrator("ts-nll").fit(cubcal.predict(Z), Y)
    with pytest.raises(ValueError, match=r"may be 300 samples or as many passes"):
        cubcal.predict(positive=p[:, :1])
    with pytest.raises(ValueError, match="give those as positive="):
        cubcal.predict(positive_logits=p[:, 0])
    with pytest.raises(TypeError, match="class_names must be a list"):
        cubcal.evaluate(Z, Y, class_names="abc")
    with pytest.raises(TypeError, match="metrics must be a list"):
        cubcal.Metrics(5)
    with pytest.raises(ValueError, match="finite"):
        cubcal.evaluate(Z, Y, gamma=10**400)
    groups = np.array([np.int32(i % 7) for i in range(300)], dtype=object)
    assert cubcal.evaluate(Z, Y, groups=groups, bootstrap=20) == cubcal.evaluate(Z, Y, groups=groups.astype(int), bootstrap=20)

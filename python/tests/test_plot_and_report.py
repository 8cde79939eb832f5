"""Charts and the page."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import make_logits

import cubcal


def test_matplotlib_and_torch_are_imported_only_when_used():
    code = ("import sys, cubcal; cubcal.predict([[1.0, 2.0]]); "
            "assert not {'matplotlib', 'torch', 'sklearn', 'pandas'} & set(sys.modules), sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_charts(logits_and_labels):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    z, y = logits_and_labels
    p = cubcal.predict(z)
    for chart in (cubcal.plot.reliability, cubcal.plot.boundary, cubcal.plot.risk_coverage,
                  cubcal.plot.uncertainty_density):
        figure, ax = plt.subplots()
        assert chart(p, y, ax=ax) is ax
        assert chart(p.probabilities, y).get_xlabel()
        plt.close("all")
    ax = cubcal.plot.risk_coverage(p, y)
    coverage, risk = cubcal.metrics.risk_coverage(p, y)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), 100 * risk)
    assert f"AURC {100 * cubcal.metrics.aurc(p, y):.2f}%" in ax.get_legend().get_texts()[0].get_text()
    ax = cubcal.plot.reliability(p, y)
    assert f"{100 * cubcal.metrics.ece(p, y):.2f}%" in ax.get_title()
    right = 5 * np.eye(3)[y]
    assert len(cubcal.plot.uncertainty_density(cubcal.predict(right), y).lines) == 2, "none is wrong"
    plt.close("all")


def test_report(tmp_path):
    z, y = make_logits(5, 300, 4, seed=2)
    val = make_logits(5, 300, 4, seed=1)
    ood = make_logits(5, 60, 4, seed=3, signal=0.2)[0]
    out = tmp_path / "page.html"
    assert cubcal.report(z, y, out, validation=val, ood=ood, class_names=["a", "b", "c", "<d>"], name="mine",
                         bootstrap=30) == str(out)
    page = out.read_text(encoding="utf-8")
    assert "Uncertainty report: mine" in page and "&lt;d&gt;" in page and "<d>" not in page
    first = out.read_bytes()
    cubcal.report(z, y, out, validation=val, ood=ood, class_names=["a", "b", "c", "<d>"], name="mine", bootstrap=30)
    assert out.read_bytes() == first, "the same input gives the same bytes"
    cubcal.report(z[0], y, out=out, bootstrap=30, calibration=cubcal.Calibrator("dts").fit(*val))
    assert "dts" in out.read_text(encoding="utf-8")


def test_a_report_that_fails_writes_nothing(tmp_path):
    z, y = make_logits(2, 50, 3)
    out = tmp_path / "page.html"
    with pytest.raises(ValueError, match="validation logits.*4|do not|classes"):
        cubcal.report(z, y, out, validation=make_logits(2, 50, 4), bootstrap=5)
    with pytest.raises(ValueError, match="labels"):
        cubcal.report(z, y + 5, out, bootstrap=5)
    with pytest.raises(OSError, match="nowhere"):
        cubcal.report(z, y, tmp_path / "nowhere" / "page.html", bootstrap=5)
    with pytest.raises(TypeError, match="validation must be"):
        cubcal.report(z, y, out, validation=z)
    assert list(tmp_path.iterdir()) == []

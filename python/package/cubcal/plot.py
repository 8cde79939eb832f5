"""Charts as matplotlib Axes; matplotlib is imported when one is drawn.

Each function takes what :mod:`cubcal.metrics` takes, probabilities or a :class:`cubcal.Prediction`
and labels, draws into ``ax`` (or a new figure) and returns the Axes.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core, metrics
from ._prediction import prediction_of_probabilities
from .boundary import u_ideal, u_max, u_min

__all__ = ["boundary", "reliability", "risk_coverage", "uncertainty_density"]

RIGHT, WRONG, CURVE, QUIET = "#2a6fbb", "#c8442d", "#e08a1e", "0.6"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("charts need matplotlib (Debian: python3-matplotlib)") from error
    return plt.subplots()[1]


def reliability(probabilities: Any, y: Any, bins: int = 15, ax: Any = None) -> Any:
    """Accuracy against confidence, bin by bin; the diagonal is honest, bars below it overconfident."""
    prediction = prediction_of_probabilities(probabilities)
    rows = [row for row in metrics.bins_of(prediction, y, "ece", bins) if row["count"]]
    ax = _axes(ax)
    low = np.array([row["low"] for row in rows])
    width = np.array([row["high"] for row in rows]) - low
    share = np.array([row["count"] for row in rows]) / prediction.samples
    ax.bar(low, [row["observed"] for row in rows], width, align="edge", color=RIGHT, edgecolor="white",
           alpha=0.85, label="accuracy")
    ax.plot([row["target"] for row in rows], [row["observed"] for row in rows], "o", color=CURVE,
            markersize=4, label="mean confidence of the bin")
    ax.bar(low, share, width, align="edge", facecolor="none", edgecolor="black", linewidth=0.6,
           label="share of samples")
    ax.plot([0, 1], [0, 1], "--", color=QUIET, linewidth=1)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="accuracy",
           title=f"ECE {100 * metrics.ece(prediction, y, bins):.2f}%")
    ax.legend(loc="upper left", fontsize="small")
    return ax


def boundary(probabilities: Any, y: Any, gamma: float = 0.9, ax: Any = None) -> Any:
    """U against confidence between the curves that bound it, and the ideal curve."""
    prediction = prediction_of_probabilities(probabilities)
    correct = np.asarray(metrics.facts(prediction, y, gamma=gamma).correct()).astype(bool)
    ax = _axes(ax)
    k = prediction.classes
    c = np.linspace(1 / k, 1, 400)
    below, above = c[c <= gamma], c[c > gamma]
    ax.plot(c, u_min(c, k), color=QUIET, linewidth=1)
    ax.plot(c, u_max(c, k), color=QUIET, linewidth=1)
    ax.plot(below, u_ideal(below, k, gamma), color=CURVE, linewidth=2, label="ideal")
    ax.plot(above, u_ideal(above, k, gamma), color=CURVE, linewidth=2)
    for chosen, colour, label in ((correct, RIGHT, "right"), (~correct, WRONG, "wrong")):
        ax.scatter(prediction.confidence[chosen], prediction.entropy[chosen], s=8, alpha=0.5,
                   color=colour, linewidths=0, label=f"{label} ({int(chosen.sum())})", rasterized=True)
    ax.axvline(gamma, color=QUIET, linestyle=":", linewidth=1)
    ax.set(xlabel="confidence", ylabel="uncertainty U (nats)",
           title=f"BCCE {100 * metrics.bcce(prediction, y, gamma=gamma):.2f}%")
    ax.legend(fontsize="small")
    return ax


def risk_coverage(probabilities: Any, y: Any, by: str = "uncertainty", ax: Any = None,
                  label: Optional[str] = None) -> Any:
    """Error rate among the most certain, over the share that is answered."""
    prediction = prediction_of_probabilities(probabilities)
    coverage, risk = metrics.risk_coverage(prediction, y, by)
    aurc = metrics.aurc(prediction, y, by)
    ax = _axes(ax)
    ax.plot(100 * coverage, 100 * risk, label=f"{label or 'by ' + by}, AURC {100 * aurc:.2f}%")
    ax.set(xlabel="answered, most certain first (%)", ylabel="errors among them (%)", xlim=(0, 100))
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="small")
    return ax


def uncertainty_density(probabilities: Any, y: Any, eta: float = 0.325, ax: Any = None) -> Any:
    """How U is spread over right and over wrong answers, with the threshold of AvU."""
    prediction = prediction_of_probabilities(probabilities)
    correct = np.asarray(metrics.facts(prediction, y, eta=eta).correct()).astype(bool)
    ax = _axes(ax)
    most = float(np.log(prediction.classes))
    for chosen, colour, label in ((correct, RIGHT, "right"), (~correct, WRONG, "wrong")):
        values = np.ascontiguousarray(prediction.entropy[chosen])
        if values.size == 0:
            continue
        x, density = (np.asarray(each) for each in _core.density(values, 0.0, most))
        ax.plot(x, density, color=colour, label=f"{label} ({values.size})")
        ax.fill_between(x, density, color=colour, alpha=0.2)
    ax.axvline(eta, color=QUIET, linestyle=":", linewidth=1)
    ax.set(xlim=(0, most), xlabel="uncertainty U (nats)", ylabel="density",
           title=f"AvU {metrics.avu(prediction, y, eta):.3f}")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="small")
    return ax

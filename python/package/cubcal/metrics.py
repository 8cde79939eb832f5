"""Single metrics of probabilities and labels. docs/metrics.md defines every one.

Each function takes probabilities ``[N, K]`` or ``[S, N, K]`` (the mean over passes is theirs to
take), or a :class:`cubcal.Prediction`, and class indices ``[N]``. Probabilities count as they are;
a row whose sum differs from 1 by more than 1e-6 is divided by it. Every number is that of
``cubcal evaluate --probabilities``, to the bit. Values are fractions or nats; None where a metric
is undefined. Of many metrics at once, :func:`all` or :func:`cubcal.evaluate` is quicker.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import MOST_BINS, labels_array, logits_array, real, text, vector, whole
from ._prediction import Prediction, prediction_of_probabilities

__all__ = ["accuracy", "all", "aurc", "avu", "avu_auc", "avu_curve", "balanced_accuracy", "bcce",
           "bins_of", "brier", "coverage_at_risk", "delta_u", "ece", "nll", "ood", "risk_coverage",
           "uce"]


def facts(probabilities: Any, y: Any, bins: int = 15, gamma: float = 0.9,
          eta: float = 0.325) -> _core.Facts:
    """What the functions below are sums of."""
    return _core.facts(prediction_of_probabilities(probabilities)._core, labels_array(y),
                       whole(bins, "bins", 1, MOST_BINS), real(gamma, "gamma"), real(eta, "eta"))


def _value(key: str, probabilities: Any, y: Any, bins: int = 15, gamma: float = 0.9,
           eta: float = 0.325) -> Any:
    """One metric, without the work of the others."""
    options = whole(bins, "bins", 1, MOST_BINS), real(gamma, "gamma"), real(eta, "eta")
    if isinstance(probabilities, Prediction):
        return _core.metric(key, probabilities._core, labels_array(y), *options)
    array = logits_array(probabilities, "probabilities")
    return _core.metric_of_probabilities(key, array, labels_array(y), *options)


def all(probabilities: Any, y: Any, bins: int = 15, gamma: float = 0.9,
        eta: float = 0.325) -> Dict[str, Any]:
    """Every metric by its key, as ``cubcal.evaluate(...)["metrics"]``."""
    return facts(probabilities, y, bins, gamma, eta).values()


def accuracy(probabilities: Any, y: Any) -> float:
    """Share of right answers."""
    return _value("accuracy", probabilities, y)


def balanced_accuracy(probabilities: Any, y: Any) -> float:
    """Mean recall over the classes present in y."""
    return _value("balanced_accuracy", probabilities, y)


def nll(probabilities: Any, y: Any) -> float:
    """Negative log-likelihood, nats, p floored at 1e-12."""
    return _value("nll", probabilities, y)


def brier(probabilities: Any, y: Any) -> float:
    """Brier score: mean over samples of the sum over classes of (p - 1[y])²."""
    return _value("brier", probabilities, y)


def ece(probabilities: Any, y: Any, bins: int = 15) -> float:
    """Expected calibration error: accuracy against confidence, equal bins (lo, hi]."""
    return _value("ece", probabilities, y, bins)


def uce(probabilities: Any, y: Any, bins: int = 15) -> float:
    """Uncertainty calibration error: error rate against U / ln K."""
    return _value("uce", probabilities, y, bins)


def bcce(probabilities: Any, y: Any, bins: int = 15, gamma: float = 0.9) -> float:
    """Boundary curve calibration error: mean U against the ideal curve, nats."""
    return _value("bcce", probabilities, y, bins, gamma)


def avu(probabilities: Any, y: Any, eta: float = 0.325) -> float:
    """Share of samples that are right and certain (U ≤ eta) or wrong and uncertain."""
    return _value("avu", probabilities, y, eta=eta)


def avu_auc(probabilities: Any, y: Any) -> float:
    """Area under AvU over 21 thresholds between the smallest and the largest U."""
    return _value("avu_auc", probabilities, y)


def avu_curve(probabilities: Any, y: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Thresholds and AvU at each."""
    rows = np.array(facts(probabilities, y).avu_curve())
    return rows[:, 1], rows[:, 2]


def delta_u(probabilities: Any, y: Any) -> Optional[float]:
    """Mean U of wrong answers minus that of right ones; None where one side is empty."""
    return _value("delta_u", probabilities, y)


def bins_of(probabilities: Any, y: Any, metric: str = "ece", bins: int = 15,
            gamma: float = 0.9) -> List[Dict[str, float]]:
    """The bins behind ece, uce or bcce: low, high, count, observed and target of each."""
    keys = ("low", "high", "count", "observed", "target")
    return [dict(zip(keys, row)) for row in facts(probabilities, y, bins, gamma).bins(text(metric, "metric"))]


def risk_coverage(probabilities: Any, y: Any, by: str = "uncertainty") -> Tuple[np.ndarray, np.ndarray]:
    """Coverage and the error rate among so many of the most certain, both ``[N]``; equals in the order given.

    by: ``"uncertainty"`` (U) or ``"confidence"``.
    """
    risk = np.asarray(facts(probabilities, y).risk(text(by, "by")))
    return np.arange(1, len(risk) + 1) / len(risk), risk


def aurc(probabilities: Any, y: Any, by: str = "uncertainty") -> float:
    """Area under the risk–coverage curve: the mean risk over all coverages; equals in the order given."""
    return facts(probabilities, y).aurc(text(by, "by"))


def coverage_at_risk(probabilities: Any, y: Any, risk: float, by: str = "uncertainty") -> Optional[float]:
    """The largest coverage whose error rate is at or below ``risk``; None where there is none."""
    return facts(probabilities, y).coverage_at_risk(real(risk, "risk"), text(by, "by"))


def ood(scores: Any, outlier: Any) -> Optional[Dict[str, float]]:
    """AUROC, AUPR and FPR95 of telling outliers apart; None where either side is empty.

    scores: ``[N]``, higher = more unlike the training images. outlier: ``[N]``, 1 or True for
    outliers.
    """
    values = vector(scores, "scores")
    is_outlier = labels_array(outlier, "outlier")
    if len(values) != len(is_outlier):
        raise ValueError(f"there are {len(is_outlier)} entries of outlier for {len(values)} scores")
    if not np.isin(is_outlier, (0, 1)).all():
        raise ValueError("outlier must be 1 or True for outliers and 0 or False for the others")
    return _core.detection(values[is_outlier == 0], values[is_outlier == 1])

"""Accept, refer or out-of-scope, at rates that are stated beforehand."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from . import _core
from ._arrays import checked_logits, labels_array, real, text, vector
from ._calibrator import calibration_of
from ._parameters import Parameters
from ._prediction import Prediction
from ._table import text_table

DECISIONS = ("accept", "refer", "out-of-scope")


class Verdicts:
    """Decisions for N samples: ``decision`` (text), ``p_value`` and ``prediction``; where prediction
    sets decide also ``sets``, bool ``[N, K]``, else None."""

    def __init__(self, decision: np.ndarray, p_value: np.ndarray, prediction: Prediction,
                 sets: Optional[np.ndarray] = None):
        self.decision = decision
        self.p_value = p_value
        self.prediction = prediction
        self.sets = sets

    def counts(self) -> Dict[str, int]:
        """How many samples each decision has."""
        return {name: int((self.decision == name).sum()) for name in DECISIONS}

    def __len__(self) -> int:
        return len(self.decision)

    def __repr__(self) -> str:
        shares = ((name, str(count), f"{100 * count / len(self):.1f}") for name, count in self.counts().items())
        return text_table(["decision", "samples", "%"], shares)


class Verdict(Parameters):
    """What to do with the answer for an image; see docs/ood.md.

    An image is out of scope where its p-value among held-out images, of a score of how unlike the
    training images it is, lies at or below ``alpha``: at most that share of ordinary images is
    refused. Else it is referred where U exceeds a threshold, else accepted.

    alpha: share of ordinary images that may be refused as out of scope.
    risk_target: refer so much that the error rate among accepted images is at most this; None:
        refer where U exceeds ``eta``.
    risk_confidence: ask it of the upper bound of the error rate at this confidence.
    eta: nats.
    score: what tells outliers apart where ``fit`` gets no ``scores``: ``"energy"``,
        ``"mutual-information"``, ``"uncertainty"`` or ``"confidence"``, of the logits alone. A
        score of the network's features, given as ``scores``, often does better.
    calibration: a fitted Calibrator whose U decides, as it is when ``fit`` is called; or the path of
        its file, which scikit-learn's ``clone`` keeps, while it makes a Calibrator an unfitted one.
    set_level: accept what has a prediction set at this level, such as 0.9, that holds the answer
        alone, and refer the rest, whatever U; None: U decides. See docs/conformal.md.
    set_score: ``"lac"``, ``"aps"`` or ``"raps"``.
    set_by_class: keep the level for each class by itself.

    After ``fit``: ``threshold_`` (U above it is referred; infinite where sets decide) and
    ``promise_``, its rates on the held-out images.
    """

    def __init__(self, alpha: float = 0.05, *, risk_target: Optional[float] = None,
                 risk_confidence: Optional[float] = None, eta: float = 0.325, score: str = "energy",
                 calibration: Any = None, set_level: Optional[float] = None, set_score: str = "lac",
                 set_by_class: bool = False):
        self.alpha = alpha
        self.risk_target = risk_target
        self.risk_confidence = risk_confidence
        self.eta = eta
        self.score = score
        self.calibration = calibration
        self.set_level = set_level
        self.set_score = set_score
        self.set_by_class = set_by_class

    _PARAMETERS = ("alpha", "risk_target", "risk_confidence", "eta", "score", "calibration", "set_level",
                   "set_score", "set_by_class")

    def fit(self, logits: Any, y: Any, scores: Any = None) -> "Verdict":
        """Fits on images held out from training. ``scores`` ``[N]``: your own, higher = stranger."""
        calibration, score = calibration_of(self.calibration), text(self.score, "score")
        prediction, own = _measured(logits, scores, calibration, score)
        rule = _core.fit_verdict(
            prediction._core, own, labels_array(y), real(self.eta, "eta"), real(self.alpha, "alpha"),
            None if self.risk_target is None else real(self.risk_target, "risk_target"),
            None if self.risk_confidence is None else real(self.risk_confidence, "risk_confidence"),
            None if self.set_level is None else
            (real(self.set_level, "set_level"), text(self.set_score, "set_score"), bool(self.set_by_class)))
        self.rule_ = rule
        self.calibration_ = calibration
        self.score_ = score
        self.classes_ = np.arange(prediction.classes)
        self.given_scores_ = scores is not None
        self.threshold_ = rule.uncertainty
        self.promise_ = rule.promise()
        return self

    def predict(self, logits: Any, scores: Any = None) -> Verdicts:
        """Decisions for other images; with ``scores`` where ``fit`` had them."""
        if not hasattr(self, "rule_"):
            raise ValueError("this Verdict is not fitted yet: call fit() first")
        if self.given_scores_ != (scores is not None):
            raise ValueError("this Verdict was fitted on given scores: give those of these samples too"
                             if self.given_scores_ else
                             f"this Verdict was fitted on the score '{self.score_}': it takes no others")
        prediction, own = _measured(logits, scores, self.calibration_, self.score_)
        if prediction.classes != len(self.classes_):
            raise ValueError(f"logits must have the {len(self.classes_)} classes of the fit, not {prediction.classes}")
        decisions, p_values = self.rule_.judge(prediction._core, own)
        sets = self.rule_.sets(prediction._core)
        if sets is not None:
            sets = np.asarray(sets).reshape(-1, prediction.classes) > 0
        return Verdicts(np.array(decisions), np.asarray(p_values), prediction, sets)

    def __repr__(self) -> str:
        score = "given" if getattr(self, "given_scores_", False) else repr(self.score)
        refers = (f"U > {self.threshold_:.4g} is referred" if self.set_level is None else
                  f"sets at {100 * self.set_level:g}% of more than the answer are referred") if hasattr(self, "rule_") else ""
        fitted = f": {refers}" if refers else ""
        return f"Verdict(alpha={self.alpha:g}, score={score}{fitted})"


def _measured(logits: Any, scores: Any, calibration: Optional[_core.Calibration], score: str):
    """The prediction that decides, and the scores of the samples."""
    if isinstance(logits, Prediction):
        if calibration is not None:
            raise TypeError("logits must be logits where a calibration is applied: it scales each pass")
        plain, array = logits._core, None
    else:
        array = checked_logits(logits)
        plain = _core.predict(array, False)
    prediction = Prediction(calibration.apply(array) if calibration else plain)
    if scores is not None:
        own = vector(scores, "scores")
        if len(own) != prediction.samples:
            raise ValueError(f"there are {len(own)} scores for {prediction.samples} samples")
        return prediction, own
    return prediction, np.asarray(_core.output_scores(score, array, plain))

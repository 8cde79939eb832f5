"""Temperatures, fitted on validation logits and applied to others."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import MOST_BINS, check_passes, checked_logits, group_names, labels_array, logits_array, path_text, real, text, whole
from ._parameters import Parameters
from ._prediction import Prediction

Box = Optional[Tuple[float, float]]


def _box(box: Any, name: str) -> Box:
    """Two numbers, or None."""
    if box is None:
        return None
    if isinstance(box, str) or not hasattr(box, "__len__") or len(box) != 2:
        raise TypeError(f"{name} takes two positive temperatures (low, high), such as (0.5, 1), not {box!r}")
    return real(box[0], name), real(box[1], name)


def _stored_options(document: Dict[str, Any]) -> Dict[str, Any]:
    """What a file tells of the arguments of its fit."""
    objective = document.get("objective") or {}
    stored = {"eta": document["thresholds"].get("eta"), "gamma": objective.get("gamma"), "bins": objective.get("bins")}
    return {name: value for name, value in stored.items() if value is not None}


class Calibrator(Parameters):
    """Post-hoc calibration with the manners of a scikit-learn estimator.

    method: ``"ts-nll"``, ``"ts-bcce"``, ``"dts"`` or ``"dts-guarded"``. None: every method is tried
        on held-out groups, and the best is taken that makes nothing significantly worse of
        accuracy, balanced accuracy, NLL, Brier, ECE and AURC, or none.
    eta, gamma, bins: of the regions, the boundary curve and BCCE.
    box, box_high, box_low: (low, high) where temperatures are searched; None: the method's own.
    nll_tolerance: dts-guarded: NLL may rise by this share at most, on held-out samples too.
    paper_thresholds: regions of the paper's triple instead of eta and the number of classes.
    seed: of the held-out groups where method is None.

    After ``fit``: ``method_`` (``"none"`` where nothing helped), ``t_high_``, ``t_low_``,
    ``classes_``, ``n_classes_`` and ``warnings_``, sentences about bounds and empty regions.
    """

    def __init__(self, method: Optional[str] = None, *, eta: float = 0.325, gamma: float = 0.9,
                 bins: int = 15, box: Box = None, box_high: Box = None, box_low: Box = None,
                 nll_tolerance: float = 0.02, paper_thresholds: bool = False, seed: int = 0):
        self.method = method
        self.eta = eta
        self.gamma = gamma
        self.bins = bins
        self.box = box
        self.box_high = box_high
        self.box_low = box_low
        self.nll_tolerance = nll_tolerance
        self.paper_thresholds = paper_thresholds
        self.seed = seed

    _PARAMETERS = ("method", "eta", "gamma", "bins", "box", "box_high", "box_low", "nll_tolerance",
                   "paper_thresholds", "seed")

    def fit(self, logits: Any, y: Any = None, groups: Any = None) -> "Calibrator":
        """Fits on validation logits; ``y`` may be left out for the methods of BCCE alone."""
        if self.method is not None:
            text(self.method, "method")
        array = checked_logits(logits)
        samples = array.shape[-2]
        if y is None and (self.method is None or _core.needs_labels(self.method)):
            raise ValueError(f"{self.method or 'a choice among the methods'} needs labels: give y")
        labels = labels_array([] if y is None else y)
        check_passes(array, None if y is None else labels)
        if y is not None and len(labels) != samples:
            raise ValueError(f"there are {len(labels)} labels for {samples} samples")
        calibration, warnings = _core.fit_calibration(
            array, labels, group_names(groups, samples), self.method,
            whole(self.seed, "seed", 0, 2**64 - 1), self._options())
        return self._take(calibration, warnings, array.shape[-1])

    def _options(self) -> _core.FitOptions:
        if self.method is not None:
            scalar = _core.is_scalar(self.method)
            if scalar and (self.box_high is not None or self.box_low is not None):
                raise ValueError(f"box_high and box_low do not go with {self.method}, which has one "
                                 "temperature: use box")
            if not scalar and self.box is not None:
                raise ValueError(f"box does not go with {self.method}, which has two temperatures: use "
                                 "box_high and box_low")
        return _core.FitOptions(
            eta=real(self.eta, "eta"), gamma=real(self.gamma, "gamma"),
            bins=whole(self.bins, "bins", 1, MOST_BINS), box=_box(self.box, "box"),
            box_high=_box(self.box_high, "box_high"), box_low=_box(self.box_low, "box_low"),
            nll_tolerance=real(self.nll_tolerance, "nll_tolerance"),
            paper_thresholds=bool(self.paper_thresholds))

    def _take(self, calibration: Optional[_core.Calibration], warnings: List[str],
              classes: int) -> "Calibrator":
        self.calibration_ = calibration
        self.warnings_ = warnings
        self.method_ = calibration.method if calibration else "none"
        self.t_high_ = calibration.t_high if calibration else 1.0
        self.t_low_ = calibration.t_low if calibration else 1.0
        self.n_classes_ = classes
        self.classes_ = np.arange(classes)
        return self

    def _checked(self, logits: Any) -> np.ndarray:
        if not hasattr(self, "calibration_"):
            raise ValueError("this Calibrator is not fitted yet: call fit() or load() first")
        array = logits_array(logits)
        if array.shape[-1] != self.n_classes_:
            raise ValueError(f"logits must have the {self.n_classes_} classes of the fit, not {array.shape[-1]}")
        return array

    def prediction(self, logits: Any) -> Prediction:
        """The calibrated mean prediction with its uncertainties."""
        array = self._checked(logits)
        if self.calibration_ is None:
            return Prediction(_core.predict(array, True))
        _core.check_logits(array)
        return Prediction(self.calibration_.apply(array))

    def predict_proba(self, logits: Any) -> np.ndarray:
        """Calibrated probabilities ``[N, K]``."""
        return self.prediction(logits).probabilities

    def predict(self, logits: Any) -> np.ndarray:
        """Classes ``[N]``."""
        return self.prediction(logits).predicted

    def temperatures(self, logits: Any) -> np.ndarray:
        """The temperature of each sample ``[N]``."""
        array = self._checked(logits)
        plain = _core.predict(array, True)
        if self.calibration_ is None:
            return np.ones(plain.samples)
        return np.asarray(self.calibration_.temperatures(plain))

    def transform(self, logits: Any) -> np.ndarray:
        """Logits divided by their sample's temperature, of the shape and type given (of float16: float32)."""
        array = self._checked(logits)
        if array.dtype == np.float16:  # which may not hold what division makes of it
            array = array.astype(np.float32)
        return (array / self.temperatures(array)[:, None]).astype(array.dtype)

    def fit_transform(self, logits: Any, y: Any = None, groups: Any = None) -> np.ndarray:
        """``fit``, then ``transform`` of the same logits."""
        return self.fit(logits, y, groups).transform(logits)

    def document(self) -> Optional[Dict[str, Any]]:
        """The file of ``save`` as a dict; None where nothing helped."""
        if not hasattr(self, "calibration_"):
            raise ValueError("this Calibrator is not fitted yet: call fit() or load() first")
        return self.calibration_.document() if self.calibration_ else None

    def save(self, path: Any) -> None:
        """Writes the file that ``cubcal calibrate`` writes and every command reads."""
        if self.document() is None:
            raise ValueError("there is no calibration to save: none was found to help")
        self.calibration_.save(path_text(path))

    @classmethod
    def load(cls, path: Any) -> "Calibrator":
        """Of a file that ``save`` or ``cubcal calibrate`` wrote."""
        calibration = _core.load_calibration(path_text(path))
        return cls(calibration.method, **_stored_options(calibration.document()))._take(calibration, [], calibration.classes)

    def __repr__(self) -> str:
        if not hasattr(self, "calibration_"):
            return f"Calibrator({self.method!r})"
        return f"Calibrator({self.method!r}: {self.method_}, T_high={self.t_high_:.4g}, T_low={self.t_low_:.4g})"


def calibration_of(value: Any) -> Optional[_core.Calibration]:
    """That of a fitted Calibrator or of a file; None for None, and where nothing helped."""
    if value is None:
        return None
    if isinstance(value, (str, os.PathLike)):
        return _core.load_calibration(path_text(value))
    if not isinstance(value, Calibrator):
        raise TypeError(f"calibration must be a Calibrator or the path of its file, not {type(value).__name__}")
    value.document()
    return value.calibration_

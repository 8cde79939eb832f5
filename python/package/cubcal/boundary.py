"""The boundary curve: between which uncertainties a confidence can lie. See docs/boundary.md."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _core
from ._arrays import floats, real, whole

__all__ = ["thresholds", "u_ideal", "u_max", "u_min"]


def _at(curve, confidence: Any, *arguments) -> Any:
    array = floats([confidence] if np.isscalar(confidence) else confidence, "confidence")
    flat = np.ascontiguousarray(array.reshape(-1), dtype=np.float64)
    values = np.asarray(curve(flat, *arguments)).reshape(array.shape)
    return float(values[0]) if np.isscalar(confidence) else values


def u_min(confidence: Any, classes: int) -> Any:
    """The least U of a confidence, nats: the rest in one class."""
    return _at(_core.u_min, confidence, whole(classes, "classes", 2))


def u_max(confidence: Any, classes: int) -> Any:
    """The largest U of a confidence, nats: the rest spread evenly."""
    return _at(_core.u_max, confidence, whole(classes, "classes", 2))


def u_ideal(confidence: Any, classes: int, gamma: float = 0.9) -> Any:
    """The ideal curve: u_min above gamma, u_max up to it."""
    return _at(_core.u_ideal, confidence, whole(classes, "classes", 2), real(gamma, "gamma"))


def thresholds(eta: float = 0.325, classes: int = 3) -> Tuple[float, float, float]:
    """gamma_low, gamma_high and eta of dual temperature scaling."""
    return _core.thresholds(real(eta, "eta"), whole(classes, "classes", 2))

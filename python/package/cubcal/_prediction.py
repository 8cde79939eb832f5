"""Logits to mean predictions."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _core
from ._arrays import floats, logits_array


class Prediction:
    """The mean prediction of S passes over N samples with K classes, as read-only arrays."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Prediction):
        self._core = core

    @property
    def passes(self) -> int:
        """S, how many passes it is the mean of."""
        return self._core.passes

    @property
    def samples(self) -> int:
        """N."""
        return self._core.samples

    @property
    def classes(self) -> int:
        """K."""
        return self._core.classes

    @property
    def probabilities(self) -> np.ndarray:
        """``[N, K]``: the mean softmax over the passes."""
        return np.asarray(self._core.probabilities())

    @property
    def predicted(self) -> np.ndarray:
        """``[N]``, int32: the most probable class, the lowest index of equals."""
        return np.asarray(self._core.predicted())

    @property
    def confidence(self) -> np.ndarray:
        """``[N]``: the largest probability."""
        return np.asarray(self._core.confidence())

    @property
    def entropy(self) -> np.ndarray:
        """``[N]``: U, the total uncertainty in nats."""
        return np.asarray(self._core.entropy())

    @property
    def aleatoric(self) -> np.ndarray:
        """``[N]``: the mean over passes of each pass's entropy, nats."""
        return np.asarray(self._core.aleatoric())

    @property
    def epistemic(self) -> np.ndarray:
        """``[N]``: total minus aleatoric, at least 0: what the passes disagree about, nats."""
        return np.asarray(self._core.epistemic())

    def __len__(self) -> int:
        return self.samples

    def __reduce__(self):
        return _restored, (np.array(self.probabilities), np.array(self.aleatoric), self.passes)

    def __repr__(self) -> str:
        return f"Prediction(samples={self.samples}, passes={self.passes}, classes={self.classes})"


def _restored(probabilities: np.ndarray, aleatoric: np.ndarray, passes: int) -> Prediction:
    return Prediction(_core.restored(probabilities, aleatoric, passes))


def _named(**given: Any) -> Tuple[str, Any]:
    """The one that was given, with its name."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        raise TypeError(
            "give one of logits, probabilities, positive and positive_logits, not "
            + (" and ".join(names) if names else "none of them")
        )
    return names[0], given[names[0]]


def _column(name: str, values: Any) -> np.ndarray:
    """One number per sample, ``[N]`` or ``[S, N]``, as ``[S, N, 1]``."""
    numbers = floats(values, name)
    if numbers.ndim not in (1, 2) or numbers.size == 0:
        raise ValueError(f"{name} must have shape [N] or [S, N] with at least one sample, not {numbers.shape}")
    if numbers.ndim == 2 and numbers.shape[1] == 1 and numbers.shape[0] > 1:
        raise ValueError(f"{name} of shape {numbers.shape} may be {numbers.shape[0]} samples or as many passes over one: give "
                         f"{name}[:, 0] of samples, or a second sample")
    return numbers.reshape((1,) * (2 - numbers.ndim) + numbers.shape + (1,))


def _given_probabilities(name: str, values: Any) -> np.ndarray:
    """Those of ``probabilities=``, or of ``positive=`` for both classes."""
    if name == "probabilities":
        return logits_array(values, name)
    column = _column(name, values)
    outside = ~((column >= 0) & (column <= 1))
    if outside.any():
        raise ValueError(f"positive must be probabilities, from 0 to 1, but one is {column[outside].flat[0]}")
    return np.asarray(_core.two_class_probabilities(column))


def as_logits(
    logits: Any = None,
    *,
    probabilities: Any = None,
    positive: Any = None,
    positive_logits: Any = None,
) -> np.ndarray:
    """Logits of whatever a model puts out, said by name and never guessed.

    logits: ``[S, N, K]`` or ``[N, K]``, given back as they are.
    probabilities: ``[S, N, K]`` or ``[N, K]``, softmax outputs; ``ln p``, floored at 1e-12.
    positive: ``[N]`` or ``[S, N]``, sigmoid outputs: the probability of class 1 of two.
    positive_logits: ``[N]`` or ``[S, N]``, what goes into such a sigmoid.

    For what needs logits, such as a :class:`Calibrator`; :func:`predict` takes probabilities as they are.
    """
    name, values = _named(logits=logits, probabilities=probabilities, positive=positive,
                          positive_logits=positive_logits)
    if name == "logits":
        return logits_array(values)
    if name != "positive_logits":
        return np.asarray(_core.log_probabilities(_given_probabilities(name, values)))
    try:
        return np.asarray(_core.two_class_logits(_column(name, values)))
    except ValueError as error:
        if "sigmoid" not in str(error):
            raise
        raise ValueError("positive_logits look like sigmoid outputs, from 0 to 1: give those as positive=") from None


def predict(
    logits: Any = None,
    *,
    probabilities: Any = None,
    positive: Any = None,
    positive_logits: Any = None,
) -> Prediction:
    """Mean prediction and uncertainty of each sample.

    Takes what :func:`as_logits` takes. Probabilities count as they are, as with ``--probabilities``
    in the program: a row whose sum differs from 1 by more than 1e-6 is divided by it, and ``positive``
    is the row (1 - p, p). Logits that look like probabilities (rows in [0, 1] that sum to 1) are
    refused: a softmax of a softmax is nearly uniform, and every number after it wrong.
    """
    name, values = _named(logits=logits, probabilities=probabilities, positive=positive,
                          positive_logits=positive_logits)
    if name == "logits":
        return Prediction(_core.predict(logits_array(values), True))
    if name == "positive_logits":
        return Prediction(_core.predict(as_logits(positive_logits=values), False))
    return Prediction(_core.predict_probabilities(_given_probabilities(name, values)))


def prediction_of(values: Any, name: str = "logits") -> Prediction:
    """A prediction as it is, or that of logits."""
    if isinstance(values, Prediction):
        return values
    return Prediction(_core.predict(logits_array(values, name), True))


def prediction_of_probabilities(values: Any) -> Prediction:
    """A prediction as it is, or that of probabilities ``[N, K]`` or ``[S, N, K]`` as they are."""
    if isinstance(values, Prediction):
        return values
    return Prediction(_core.predict_probabilities(logits_array(values, "probabilities")))


def check_same_classes(prediction: Prediction, other: Prediction, what: str) -> None:
    """Raises where another set has other classes."""
    if prediction.classes != other.classes:
        raise ValueError(f"{what} must have {prediction.classes} classes, not {other.classes}")

"""Metrics over batches."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional

import numpy as np

from . import _core
from ._arrays import MOST_BINS, labels_array, logits_array, real, text, whole
from ._prediction import Prediction
from ._table import INFOS


class Metrics:
    """Metrics that are fed batch by batch and equal, to the bit, those of the whole set.

    >>> m = cubcal.Metrics(["ece", "avu"])
    >>> for x, y in loader: m.update(model(x), y)
    >>> m.compute()
    {'ece': 0.031, 'avu': 0.84}
    """

    def __init__(self, metrics: Optional[Iterable[str]] = None, *, bins: int = 15,
                 gamma: float = 0.9, eta: float = 0.325):
        if isinstance(metrics, str):
            metrics = [metrics]
        if metrics is not None and not hasattr(metrics, "__iter__"):
            raise TypeError(f"metrics must be a list of their keys, not {metrics!r}")
        self.metrics: List[str] = [each["key"] for each in INFOS] if metrics is None else list(metrics)
        for key in self.metrics:
            _core.check_metric(text(key, "a metric"))
        self.bins = whole(bins, "bins", 1, MOST_BINS)
        self.gamma = real(gamma, "gamma")
        self.eta = real(eta, "eta")
        self.reset()

    def reset(self) -> None:
        """Forgets every batch."""
        self._parts: List[_core.Prediction] = []
        self._labels: List[np.ndarray] = []
        self._given_numbers = False  # batches that were no Prediction
        self._only_in_unit = True  # and all of these

    def update(self, logits: Any, y: Any) -> None:
        """Adds a batch of logits (or a :class:`Prediction`) and labels; a bad one changes nothing."""
        labels = labels_array(y)
        if isinstance(logits, Prediction):
            part, array = logits._core, None
        else:
            array = logits_array(logits)
            part = _core.predict(array, False)
        if self._parts and part.classes != self._parts[0].classes:
            raise ValueError(f"logits must have {self._parts[0].classes} classes as the batches before, "
                             f"not {part.classes}")
        _core.facts(part, labels, self.bins, self.gamma, self.eta)  # checks the labels
        self._parts.append(part)
        self._labels.append(labels)
        if array is not None:
            self._given_numbers = True
            self._only_in_unit = self._only_in_unit and _core.kind_of_numbers(array) != "logits"

    def compute(self) -> Dict[str, Any]:
        """The metrics of all batches together, by key; None where undefined."""
        if not self._parts:
            raise ValueError("there is nothing to compute: no batch was given to update()")
        if self._given_numbers and self._only_in_unit:
            raise ValueError("all numbers of all batches lie in [0, 1]: these look like probabilities, and "
                             "logits are wanted; give update() cubcal.predict(probabilities=...)")
        if len(self._parts) > 1:
            self._parts = [_core.joined(self._parts)]
            self._labels = [np.concatenate(self._labels)]
        values = _core.facts(self._parts[0], self._labels[0], self.bins, self.gamma, self.eta).values()
        return {key: values[key] for key in self.metrics}

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_parts": [Prediction(each) for each in self._parts], "_labels": list(self._labels)}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._parts = [each._core for each in state["_parts"]]

    def __len__(self) -> int:
        return sum(each.samples for each in self._parts)

    def __repr__(self) -> str:
        return f"Metrics({self.metrics}, samples={len(self)})"

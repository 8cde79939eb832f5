"""AvUC (Krishnan and Tickoo 2020), the baseline; ``src/cubcal_nn/losses/avuc_loss.h``."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

import torch
from torch import Tensor, nn

from .._arrays import real, whole
from ._mean_prediction import (MeanPrediction, check_labels, check_logits, checked_weights, expected_cross_entropy,
                               mean_prediction)

_GUARD = 1e-10


def avuc_loss(logits: Union[Tensor, MeanPrediction], labels: Tensor, threshold: Union[float, Tensor]) -> Tensor:
    """-log((n_AC + n_IU) / (n_AC + n_AU + n_IC + n_IU)), soft counts of the states of AvU."""
    prediction = logits if isinstance(logits, MeanPrediction) else mean_prediction(logits)
    labels = check_labels(labels, prediction.probabilities.unsqueeze(0))
    c, squashed = prediction.confidence, prediction.uncertainty.tanh()
    correct = prediction.predicted == labels
    certain = prediction.uncertainty.detach() <= threshold
    weight = torch.where(correct, c, 1 - c) * torch.where(certain, 1 - squashed, squashed)
    as_wished = (correct == certain).to(weight.dtype)
    return -torch.log((weight * as_wished).sum() / (weight.sum() + _GUARD) + _GUARD)


class AvUCLoss(nn.Module):
    """Cross entropy + weight * AvUC, with a threshold that follows the training predictions.

    The threshold is 1 at first; after each of the first ``threshold_epochs`` epochs it is the
    midpoint of the mean U of right and of wrong training predictions (unchanged if one side is
    empty), then frozen. Call :meth:`end_epoch` after each epoch.
    """

    def __init__(self, weight: float = 3.0, threshold_epochs: int = 5, class_weights: Optional[Any] = None):
        super().__init__()
        self.weight = real(weight, "weight")
        if not self.weight >= 0:
            raise ValueError(f"weight must be at least 0, not {weight}")
        self.threshold_epochs = whole(threshold_epochs, "threshold_epochs")
        self.class_weights = checked_weights(class_weights)
        self.threshold = 1.0
        self.epoch = 0
        self.last: Dict[str, Tensor] = {}
        self._sums: Optional[Tensor] = None  # U of right ones, U of all, right ones, all

    def forward(self, logits: Tensor, labels: Tensor, kl: Optional[Tensor] = None) -> Tensor:
        """The loss of logits ``[S, B, K]`` and labels ``[B]``; ``kl`` is added where it is given."""
        logits = check_logits(logits)
        cross_entropy = expected_cross_entropy(logits, labels, self.class_weights)
        prediction = mean_prediction(logits)
        avuc = avuc_loss(prediction, labels, self.threshold)
        total = cross_entropy + self.weight * avuc
        if kl is not None:
            total = total + kl
        self.last = {"cross_entropy": cross_entropy.detach(), "avuc": avuc.detach()}
        if self.training:
            correct = (prediction.predicted == labels).double()
            uncertainty = prediction.uncertainty.detach().double()
            step = torch.stack([(uncertainty * correct).sum(), uncertainty.sum(), correct.sum(),
                                torch.ones_like(correct).sum()])
            self._sums = step if self._sums is None else self._sums.to(step.device) + step
        return total

    def end_epoch(self) -> None:
        """To be called after each epoch: moves the threshold."""
        if self._sums is not None and self.epoch < self.threshold_epochs:
            right_sum, all_sum, right, every = self._sums.tolist()
            if right > 0 and every > right:
                self.threshold = 0.5 * (right_sum / right + (all_sum - right_sum) / (every - right))
        self._sums = None
        self.epoch += 1

    def get_extra_state(self) -> Dict[str, Any]:
        """For ``state_dict``: the threshold, in mid-epoch too."""
        return {"threshold": self.threshold, "epoch": self.epoch,
                "sums": None if self._sums is None else self._sums.tolist()}

    def set_extra_state(self, state: Dict[str, Any]) -> None:
        """From ``load_state_dict``."""
        self.threshold, self.epoch = float(state["threshold"]), int(state["epoch"])
        self._sums = None if state["sums"] is None else torch.tensor(state["sums"], dtype=torch.float64)

    def extra_repr(self) -> str:
        return f"weight={self.weight:g}, threshold={self.threshold:g}, epoch={self.epoch}"

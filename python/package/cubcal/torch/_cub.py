"""CUB-Loss (paper, Eq. cub_final); ``src/cubcal_nn/losses/cub_loss.h`` has the formula."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Union

import torch
from torch import Tensor, nn

from .. import _core
from .._arrays import real, whole
from ._mean_prediction import (MeanPrediction, check_labels, check_logits, check_weights_of, checked_weights,
                               expected_cross_entropy, mean_prediction)
from ._schedule import BetaSchedule


def _inverse(scale: float) -> float:
    """0 for a region whose deviation cannot be anything but 0."""
    return 1.0 / scale if scale > 0 else 0.0


def cub_deviation(prediction: MeanPrediction, labels: Tensor, gamma: float = 0.9) -> Tensor:
    """How far each sample ``[B]`` lies from the boundary curve, in [0, 1].

    With r = 1 - c and R the entropy of the rest, U - U_min(c) = R and U_max(c) - U = r ln(K-1) - R,
    which has no cancellation near c = 1. The region of a sample is constant for the gradient.
    """
    classes = prediction.probabilities.shape[1]
    scale_ac, scale_au, scale_ic, scale_iu = _core.deviation_scale(gamma, classes)
    is_predicted = torch.zeros_like(prediction.probabilities, dtype=torch.bool).scatter_(
        1, prediction.predicted.unsqueeze(1), True)
    log_rest = torch.logsumexp(prediction.log_probabilities.masked_fill(is_predicted, -math.inf), 1, keepdim=True)
    terms = prediction.probabilities * (prediction.log_probabilities - log_rest)
    rest_entropy = -terms.masked_fill(is_predicted, 0).sum(1)
    rest = log_rest.squeeze(1).exp()
    c = prediction.confidence
    correct = prediction.predicted == labels
    certain = c.detach() > gamma
    accurate = torch.where(certain, rest_entropy * _inverse(scale_ac), (gamma - c) * _inverse(scale_au))
    inaccurate = torch.where(certain, (c - gamma) * _inverse(scale_ic),
                             (rest * math.log(classes - 1) - rest_entropy) * _inverse(scale_iu))
    return torch.where(correct, accurate, inaccurate)


def cub_loss(logits: Union[Tensor, MeanPrediction], labels: Tensor, gamma: float = 0.9,
             reduction: str = "sum", epsilon: float = 1e-3) -> Tensor:
    """sum_i -log(1 - d_i), a straight line of the same slope beyond d = 1 - epsilon.

    logits: ``[S, B, K]``, or their :func:`mean_prediction`. reduction: ``"sum"`` (the paper's) or
    ``"mean"``.
    """
    if reduction not in ("sum", "mean"):
        raise ValueError(f"reduction must be 'sum' or 'mean', not '{reduction}'")
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon of CUB-Loss must lie in (0, 1), not be {epsilon}")
    prediction = logits if isinstance(logits, MeanPrediction) else mean_prediction(logits)
    labels = check_labels(labels, prediction.probabilities.unsqueeze(0))
    deviation = cub_deviation(prediction, labels, gamma)
    inside = deviation.clamp(max=1 - epsilon)
    losses = (deviation - inside) / epsilon - torch.log1p(-inside)
    return losses.sum() if reduction == "sum" else losses.mean()


class CUBLoss(nn.Module):
    """Cross entropy + beta * CUB-Loss: what a training step minimises, KL aside.

    >>> loss = cubcal.torch.CUBLoss(classes=5, beta="share")
    >>> for epoch in range(epochs):
    ...     for x, y in loader:
    ...         z = torch.stack([model(x) for _ in range(5)])     # [S, B, K]
    ...         total = loss(z, y)                                # + kl, or loss(z, y, kl)
    ...         ...
    ...     loss.end_epoch()

    classes: K.
    beta: a number, ``"share"`` (the CUB term weighs ``share`` of the cross entropy, whatever batch
        and classes) or ``"auto"`` (half of cross entropy and KL together).
    warmup_epochs: epochs with beta = 0, in which the term is measured all the same.
    gamma, reduction, epsilon: as in :func:`cub_loss`.
    class_weights: ``[K]``, of the cross entropy.

    ``beta`` is that of the running epoch, ``last`` the terms of the last call. The state goes with
    ``state_dict``. In ``eval()`` mode nothing is measured.
    """

    def __init__(self, classes: int, beta: Union[float, str] = 0.1, *, share: float = 0.25,
                 warmup_epochs: int = 5, gamma: float = 0.9, reduction: str = "sum",
                 epsilon: float = 1e-3, class_weights: Optional[Any] = None):
        super().__init__()
        self.classes = whole(classes, "classes", 2)
        self.gamma = real(gamma, "gamma")
        self.reduction = reduction
        self.epsilon = real(epsilon, "epsilon")
        self.schedule = BetaSchedule(beta, share, warmup_epochs)
        self.class_weights = checked_weights(class_weights)
        check_weights_of(self.class_weights, self.classes)
        cub_loss(torch.zeros(1, 1, self.classes), torch.zeros(1, dtype=torch.long), self.gamma,
                 reduction, self.epsilon)  # says now what would be wrong later
        self.last: Dict[str, Tensor] = {}
        self._sums: Optional[Tensor] = None

    @property
    def beta(self) -> float:
        """The weight of CUB-Loss in the running epoch."""
        return self.schedule.beta

    def forward(self, logits: Tensor, labels: Tensor, kl: Optional[Tensor] = None) -> Tensor:
        """The loss of logits ``[S, B, K]`` and labels ``[B]``; ``kl`` is added where it is given."""
        logits = check_logits(logits)
        if logits.shape[2] != self.classes:
            raise ValueError(f"logits must have {self.classes} classes, not {logits.shape[2]}")
        cross_entropy = expected_cross_entropy(logits, labels, self.class_weights)
        cub = cub_loss(logits, labels, self.gamma, self.reduction, self.epsilon)
        # A term of weight 0 stays out: 0 times an infinite gradient would not be 0.
        total = cross_entropy + self.beta * cub if self.beta > 0 else cross_entropy
        if kl is not None:
            total = total + kl
        self.last = {"cross_entropy": cross_entropy.detach(), "cub": cub.detach()}
        if self.training:
            self._observe(cross_entropy, cub, kl)
        return total

    def _observe(self, cross_entropy: Tensor, cub: Tensor, kl: Optional[Tensor]) -> None:
        """Sums stay on the device: reading them each step would wait for it."""
        kl = torch.zeros(()) if kl is None else torch.as_tensor(kl)
        step = torch.stack([each.detach().to(cub.device, torch.float64).reshape(()) for each in (cross_entropy, kl, cub)])
        self._sums = step if self._sums is None else self._sums.to(step.device) + step

    def end_epoch(self) -> None:
        """To be called after each epoch: ends the warm-up and sets the next beta."""
        sums = (0.0, 0.0, 0.0) if self._sums is None else tuple(self._sums.tolist())
        self.schedule.end_epoch(*sums)
        self._sums = None

    def get_extra_state(self) -> Dict[str, Any]:
        """For ``state_dict``: the schedule, in mid-epoch too."""
        sums = None if self._sums is None else self._sums.tolist()
        return {"schedule": self.schedule.state(), "sums": sums}

    def set_extra_state(self, state: Dict[str, Any]) -> None:
        """From ``load_state_dict``."""
        self.schedule.restore(state["schedule"])
        self._sums = None if state["sums"] is None else torch.tensor(state["sums"], dtype=torch.float64)

    def extra_repr(self) -> str:
        return f"classes={self.classes}, beta={self.beta:g} ({self.schedule.mode}), epoch={self.schedule.epoch}"

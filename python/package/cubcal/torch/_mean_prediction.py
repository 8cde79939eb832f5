"""What the losses share: the mean prediction of S passes, and its expected cross entropy."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor


class MeanPrediction(NamedTuple):
    """The mean prediction of S passes over a batch, differentiable in the logits except ``predicted``."""

    log_probabilities: Tensor  #: ln p ``[B, K]``, finite wherever the logits are
    probabilities: Tensor  #: p ``[B, K]``
    predicted: Tensor  #: ``[B]``, the lowest index where equal
    confidence: Tensor  #: c ``[B]``
    uncertainty: Tensor  #: U = H(p) ``[B]``, nats


def check_logits(logits: Tensor) -> Tensor:
    """Logits ``[S, B, K]``; a single pass ``[B, K]`` gets its axis."""
    if not isinstance(logits, Tensor) or not logits.is_floating_point():
        raise TypeError("logits must be a floating-point tensor")
    if logits.dim() == 2:
        logits = logits.unsqueeze(0)
    if logits.dim() != 3 or logits.shape[0] < 1 or logits.shape[1] < 1 or logits.shape[2] < 2:
        raise ValueError("logits must have the shape [passes, samples, classes] with at least one "
                         f"pass, one sample and two classes, not {list(logits.shape)}")
    return logits


def check_labels(labels: Tensor, logits: Tensor) -> Tensor:
    """Whole numbers, one per sample. Their range is not read: on a GPU that would wait for it."""
    if not isinstance(labels, Tensor) or labels.is_floating_point() or labels.is_complex():
        raise TypeError("labels must be a tensor of whole numbers")
    if labels.dim() != 1 or labels.shape[0] != logits.shape[1]:
        raise ValueError(f"labels must be a vector of {logits.shape[1]} whole numbers, one per sample of "
                         f"the logits, not of the shape {list(labels.shape)}")
    labels = labels.long()
    if labels.device.type == "cpu" and labels.numel() > 0:
        lowest, highest = int(labels.min()), int(labels.max())
        if lowest < 0 or highest >= logits.shape[2]:
            raise ValueError(f"labels must lie in {{0, ..., {logits.shape[2] - 1}}}, but they range from "
                             f"{lowest} to {highest}")
    return labels


def checked_weights(class_weights: Any) -> Optional[Tensor]:
    """Weights of classes ``[K]``; None for None."""
    if class_weights is None:
        return None
    weights = torch.as_tensor(class_weights, dtype=torch.float64)
    if weights.dim() != 1 or not bool(torch.isfinite(weights).all()) or bool((weights < 0).any()) or not bool(weights.sum() > 0):
        raise ValueError("class_weights must be finite numbers, none below 0 and not all 0")
    return weights


def check_weights_of(weights: Optional[Tensor], classes: int) -> None:
    """Raises where there is not one for each class."""
    if weights is not None and weights.shape != (classes,):
        raise ValueError(f"class_weights must have one weight for each of the {classes} classes")


def mean_prediction(logits: Tensor) -> MeanPrediction:
    """ln p = logsumexp_s(log_softmax(z_s)) - ln S and what follows from it."""
    logits = check_logits(logits)
    log_p = torch.logsumexp(torch.log_softmax(logits, 2), 0) - math.log(logits.shape[0])
    p = log_p.exp()
    predicted = p.detach().argmax(1)
    confidence = p.gather(1, predicted.unsqueeze(1)).squeeze(1)
    return MeanPrediction(log_p, p, predicted, confidence, -(p * log_p).sum(1))


def expected_cross_entropy(logits: Tensor, labels: Tensor, class_weights: Optional[Tensor] = None) -> Tensor:
    """The data term of the ELBO: mean over passes of each sample's cross entropy.

    With ``class_weights`` ``[K]`` it is sum_i w(y_i) CE_i / sum_i w(y_i).
    """
    logits = check_logits(logits)
    labels = check_labels(labels, logits)
    index = labels.view(1, -1, 1).expand(logits.shape[0], -1, 1)
    per_sample = -torch.log_softmax(logits, 2).gather(2, index).squeeze(2).mean(0)
    if class_weights is None:
        return per_sample.mean()
    check_weights_of(class_weights, logits.shape[2])
    weights = class_weights.to(per_sample)[labels]
    return (weights * per_sample).sum() / weights.sum()

"""Gaussian weights: their KL, and MOPED's start from a trained network."""

from __future__ import annotations

import math
from typing import Iterable, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor


class Moped(NamedTuple):
    """A Gaussian that starts from a trained weight; sigma = softplus(rho)."""

    mu: Tensor
    rho: Tensor
    prior_mean: Tensor


def rho_from_sigma(sigma: Tensor) -> Tensor:
    """rho with softplus(rho) = sigma, without overflow or cancellation."""
    return sigma + torch.log(-torch.expm1(-sigma))


def moped(weight: Tensor, delta: float = 0.1, sigma_floor: float = 1e-4, prior: str = "zero") -> Moped:
    """MOPED (Krishnan et al. 2020): mu = w, sigma = max(delta |w|, sigma_floor).

    prior: mean of the prior, ``"zero"`` or ``"weights"``. The tensors are new and have no graph.
    """
    if not (delta > 0 and sigma_floor > 0):
        raise ValueError("delta and sigma_floor must be positive")
    if prior not in ("zero", "weights"):
        raise ValueError(f"prior must be 'zero' or 'weights', not '{prior}'")
    mu = weight.detach().clone()
    rho = rho_from_sigma((mu.abs() * delta).clamp(min=sigma_floor))
    return Moped(mu, rho, torch.zeros_like(mu) if prior == "zero" else mu.clone())


def gaussian_kl(mu: Tensor, rho: Tensor, prior_mean: Union[float, Tensor] = 0.0, prior_sigma: float = 1.0) -> Tensor:
    """KL(N(mu, softplus(rho)²) || N(prior_mean, prior_sigma²)) of each element, differentiable."""
    if not (prior_sigma > 0 and math.isfinite(prior_sigma)):
        raise ValueError(f"prior_sigma must be positive, not {prior_sigma}")
    t = (F.softplus(rho, threshold=50) / prior_sigma) ** 2
    return (((mu - prior_mean) / prior_sigma) ** 2 + t - 1 - t.log()) / 2


def kl_loss(
    gaussians: Iterable[Tuple[Tensor, ...]],
    reduction: str = "elbo",
    *,
    training_samples: Optional[int] = None,
    batch: Optional[int] = None,
    weight: float = 1.0,
    prior_sigma: float = 1.0,
) -> Tensor:
    """The KL term of the loss.

    gaussians: ``(mu, rho)`` or ``(mu, rho, prior_mean)`` of each tensor of weights.
    reduction: ``"elbo"``: the sum of all KL / ``training_samples``, the true bound per sample;
        ``"mean"``: the sum over tensors of their mean KL / ``batch``, as Bayesian-Torch does.
    """
    divisor, name = {"elbo": (training_samples, "training_samples"), "mean": (batch, "batch")}.get(
        reduction, (None, ""))
    if not name:
        raise ValueError(f"reduction must be 'elbo' or 'mean', not '{reduction}'")
    if divisor is None or divisor < 1:
        raise ValueError(f"reduction '{reduction}' divides by {name}: give it, at least 1")
    terms = [gaussian_kl(*each, prior_sigma=prior_sigma) for each in gaussians]
    if not terms:
        raise ValueError("gaussians must have at least one tensor of weights")
    sums = [each.sum() if reduction == "elbo" else each.mean() for each in terms]
    return weight * torch.stack([each.to(sums[0].device) for each in sums]).sum() / divisor

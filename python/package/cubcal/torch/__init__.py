"""Losses and helpers for PyTorch training loops; the only part of cubcal that needs torch.

Plain PyTorch, float32 and float64, on any device; values and gradients equal those of the C++
trainer (``src/cubcal_nn/losses``).
"""

from ._avuc import AvUCLoss, avuc_loss
from ._cub import CUBLoss, cub_deviation, cub_loss
from ._gaussian import gaussian_kl, kl_loss, moped, rho_from_sigma
from ._mc import mc_logits
from ._mean_prediction import MeanPrediction, expected_cross_entropy, mean_prediction

__all__ = [
    "AvUCLoss",
    "CUBLoss",
    "MeanPrediction",
    "avuc_loss",
    "cub_deviation",
    "cub_loss",
    "expected_cross_entropy",
    "gaussian_kl",
    "kl_loss",
    "mc_logits",
    "mean_prediction",
    "moped",
    "rho_from_sigma",
]

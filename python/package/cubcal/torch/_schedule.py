"""The weight of CUB-Loss from epoch to epoch."""

from __future__ import annotations

import math
from typing import Any, Dict, Union


class BetaSchedule:
    """beta, constant within an epoch and 0 during the warm-up.

    beta: a number; ``"share"``: share * CE / L_CUB of the epoch before, at most 100; ``"auto"``:
        (CE + KL) / (2 L_CUB) of the epoch before, within [1e-3, 1e2].
    """

    def __init__(self, beta: Union[float, str], share: float, warmup_epochs: int):
        if isinstance(beta, str) and beta not in ("share", "auto"):
            raise ValueError(f"beta must be a number, 'share' or 'auto', not '{beta}'")
        self.mode = beta if isinstance(beta, str) else "fixed"
        self.fixed = 0.0 if isinstance(beta, str) else float(beta)
        self.share = float(share)
        self.warmup_epochs = int(warmup_epochs)
        for name, value in (("beta", self.fixed), ("share", self.share), ("warmup_epochs", self.warmup_epochs)):
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be at least 0 and finite, not {value}")
        self.epoch = 0
        self.current = 0.0

    @property
    def weight(self) -> float:
        """What beta would be without warm-up."""
        return self.fixed if self.mode == "fixed" else self.current

    @property
    def beta(self) -> float:
        """That of the epoch that runs now."""
        return 0.0 if self.epoch < self.warmup_epochs else self.weight

    def end_epoch(self, cross_entropy: float, kl: float, cub: float) -> None:
        """Moves on, given the sums of the three terms over the epoch's steps."""
        if cub > 0:
            self.current = (min(self.share * cross_entropy / cub, 1e2) if self.mode == "share"
                            else min(max(0.5 * (cross_entropy + kl) / cub, 1e-3), 1e2))
        self.epoch += 1

    def state(self) -> Dict[str, Any]:
        """What a checkpoint holds."""
        return {"epoch": self.epoch, "current": self.current}

    def restore(self, state: Dict[str, Any]) -> None:
        """Goes on from there."""
        self.epoch, self.current = int(state["epoch"]), float(state["current"])

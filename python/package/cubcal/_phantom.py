"""Drawn images to try things on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _core
from ._arrays import text, whole


class Phantom(NamedTuple):
    """Drawn lesions on skin; those of split ``ood`` are of no class and have the label -1."""

    images: np.ndarray  #: ``[N, 3, size, size]``, uint8, red, green and blue
    labels: np.ndarray  #: ``[N]``: smooth, irregular, textured or vascular
    patients: np.ndarray  #: ``[N]``: images of one patient share skin and light

    def tensors(self):
        """Images in [0, 1] as float32 and labels, for ``TensorDataset``."""
        import torch

        return torch.from_numpy(self.images.astype(np.float32) / 255), torch.from_numpy(self.labels.copy())


def phantom(split: str = "train", images: int = 2000, *, image_size: int = 32, seed: int = 1) -> Phantom:
    """The images of ``cubcal demo``: four classes that look alike at the edges, 3% wrong labels.

    split: ``"train"``, ``"val"``, ``"test"`` or ``"ood"``. A smaller split is the front of a larger.
    """
    pixels, labels, patients = _core.draw_phantom(
        text(split, "split"), whole(images, "images", 1, 10**6), whole(image_size, "image_size", 1, 10**6),
        whole(seed, "seed", 0, 2**64 - 1))
    return Phantom(np.asarray(pixels), np.asarray(labels), np.asarray(patients))

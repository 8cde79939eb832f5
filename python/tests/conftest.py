"""What the tests share."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "data" / "reference"

settings.register_profile("cubcal", database=None, deadline=None)
settings.load_profile("cubcal")
os.environ.setdefault("MPLBACKEND", "Agg")


def make_logits(passes=6, samples=200, classes=3, seed=0, dtype=np.float32, signal=2.0):
    """Logits that favour their label, blurred by sample and pass, with a tenth of labels changed."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=samples)
    strength = rng.exponential(signal, size=(samples, 1))
    centre = strength * np.eye(classes)[labels] + rng.normal(size=(samples, classes))
    logits = centre + 0.7 * rng.normal(size=(passes, samples, classes))
    changed = rng.random(samples) < 0.1
    return logits.astype(dtype), np.where(changed, rng.integers(classes, size=samples), labels)


@pytest.fixture
def logits_and_labels():
    return make_logits()


@pytest.fixture(scope="session")
def program():
    """The built program, whose numbers the package must give; CUBCAL_PROGRAM names it."""
    path = os.environ.get("CUBCAL_PROGRAM") or str(ROOT / "build" / "cubcal")
    if not os.access(path, os.X_OK):
        pytest.skip("there is no program to compare with (set CUBCAL_PROGRAM)")
    return path

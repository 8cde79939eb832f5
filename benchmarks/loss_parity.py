#!/usr/bin/env python3
"""How far the losses of cubcal.torch are from the shared vectors, which the C++ losses are held against, too.

    PYTHONPATH=build/python /usr/bin/python3 benchmarks/loss_parity.py

Prints a table: the largest difference of value and gradient over all cases of tests/data/reference/losses,
relative to the largest expected entry where that is above 1, on every device that torch sees.
"""

import sys
from pathlib import Path

import numpy as np
import torch

import cubcal.torch as ct

CASES = Path(__file__).resolve().parents[1] / "tests" / "data" / "reference" / "losses"
LOSSES = {
    "cross_entropy": ("cross entropy", lambda z, y, w: ct.expected_cross_entropy(z, y)),
    "weighted_cross_entropy": ("cross entropy, class weights", lambda z, y, w: ct.expected_cross_entropy(z, y, w)),
    "cub": ("CUB-Loss, summed", lambda z, y, w: ct.cub_loss(z, y)),
    "cub_mean": ("CUB-Loss, averaged, γ = 0.6, ε = 0.1",
                 lambda z, y, w: ct.cub_loss(z, y, gamma=0.6, reduction="mean", epsilon=0.1)),
    "avuc": ("AvUC", lambda z, y, w: ct.avuc_loss(z, y, 0.6)),
}


def difference(found, expected):
    return np.abs(found.detach().cpu().numpy() - expected).max() / max(1, np.abs(expected).max())


def worst(key, loss, dtype, device, paths):
    value_error = gradient_error = 0.0
    for path in paths:
        with np.load(path) as case:
            y, w = (torch.tensor(case[each], device=device) for each in ("labels", "class_weights"))
            z = torch.tensor(case["logits"], dtype=dtype, device=device, requires_grad=True)
            value = loss(z, y, w)
            value.backward()
            value_error = max(value_error, difference(value, case[key][0]))
            gradient_error = max(gradient_error, difference(z.grad, case[key + "_gradient"]))
    return f"{value_error:.0e}", f"{gradient_error:.0e}"


def main():
    paths = sorted(path for path in CASES.glob("*.npz") if "labels" in np.load(path))
    if not paths:
        sys.exit(f"there are no cases in {CASES}")
    devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    columns = [(device, dtype) for device in devices for dtype in (torch.float64, torch.float32)]
    names = [f"{device}, {str(dtype).split('.')[1]}" for device, dtype in columns]
    print(f"torch {torch.__version__}, {len(paths)} cases; value / gradient\n")
    print("| loss | " + " | ".join(names) + " |")
    print("|---" + "|---:" * len(names) + "|")
    for key, (title, loss) in LOSSES.items():
        cells = [" / ".join(worst(key, loss, dtype, device, paths)) for device, dtype in columns]
        print(f"| {title} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times all feature detectors against scikit-learn and NumPy on the same features, taking turns.

    benchmarks/run_ood.py --build build [--samples 10000] [--runs 3] [--threads N]

Both sides fit on 10,000 samples of 512 features in 5 classes (two more taps, 128 and 256 wide, for
the multi-layer detector), score the same samples, and must agree to 1e-5 (not cosine+rff+pca, whose
random weights differ). Needs Debian's python3-sklearn. Medians over the rounds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
WIDTHS = (128, 256, 512)
CLASSES = 5

MAKE = """
import sys
import numpy as np
path, samples, classes, *widths = sys.argv[1:]
random = np.random.default_rng(1)
labels = random.integers(0, int(classes), int(samples))
arrays = {"labels": labels}
for i, width in enumerate(map(int, widths)):
    # A few strong directions and a long tail, positive throughout: what a ReLU network gives.
    scales = 1 / np.sqrt(1 + np.arange(width))
    mixing = np.linalg.qr(random.normal(size=(width, width)))[0]
    centres = random.normal(size=(int(classes), width))
    rows = ((centres[labels] + random.normal(size=(int(samples), width))) * scales) @ mixing
    arrays[f"tap{i}"] = np.log1p(np.exp(4 * rows)).astype(np.float32)
arrays["logits"] = (3 * random.normal(size=(int(samples), int(classes)))).astype(np.float32)
np.savez(path, **arrays)
"""

AGREE = """
import sys
import numpy as np
ours, theirs = np.load(sys.argv[1]), np.load(sys.argv[2])
for name in theirs.files:
    if name == "cosine+rff+pca":
        continue
    worst = np.max(np.abs(ours[name] - theirs[name]) / (np.abs(theirs[name]) + 1e-2))
    if name == "knn":  # a sample's own distance, 0, is where scikit-learn loses its digits
        worst = np.quantile(np.abs(ours[name] - theirs[name]) / theirs[name], 0.99)
    if not worst < 1e-5:
        sys.exit(f"the two sides disagree on {name}: {worst}")
"""


def times(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    output = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True,
                            env=environment).stdout
    rows = (line.split() for line in output.splitlines())
    return {name: float(fit) + float(score) for name, fit, score in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    bench = next(p for p in (Path(options.build) / "ood_bench",
                             Path(options.build) / "benchmarks" / "ood_bench") if p.exists())
    sides = {"cubcal": [], "scikit-learn": [], "NumPy, tuned": []}
    with tempfile.TemporaryDirectory() as folder:
        features, ours, theirs = (Path(folder) / n for n in ("f.npz", "ours.npz", "theirs.npz"))
        subprocess.run([PYTHON, "-c", MAKE, features, str(options.samples), str(CLASSES),
                        *map(str, WIDTHS)], check=True)
        for _ in range(options.runs):
            sides["cubcal"].append(times([bench, features, ours, options.threads],
                                         options.threads))
            for side, style in (("scikit-learn", "sklearn"), ("NumPy, tuned", "numpy")):
                sides[side].append(times([PYTHON, HERE / "ood_with_sklearn.py", features, theirs,
                                          "float64", style], options.threads))
                subprocess.run([PYTHON, "-c", AGREE, ours, theirs], check=True)
    print(f"{options.samples} x {WIDTHS[-1]} features, {options.threads} threads, "
          f"median of {options.runs}, fit + score in seconds")
    print("| detector | " + " | ".join(sides) + " |")
    print("|---|" + "---|" * len(sides))
    medians = {side: {name: statistics.median(run[name] for run in runs) for name in runs[0]}
               for side, runs in sides.items()}
    for name in medians["cubcal"]:
        print(f"| {name} | " + " | ".join(f"{medians[s][name]:.2f}" for s in sides) + " |")
    totals = {side: sum(values.values()) for side, values in medians.items()}
    print("| **all** | " + " | ".join(f"**{totals[s]:.1f}**" for s in sides) + " |")
    for side in list(sides)[1:]:
        print(f"cubcal is {totals[side] / totals['cubcal']:.1f} times as fast as {side}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Real logits at places of known prevalence: how far 'cubcal prevalence' is off, and how often its
intervals hold the truth.

    prevalence_coverage.py CUBCAL FILE.npz [FILE.npz ..]

The samples of all files are pooled. Each trial splits them in two by chance: one half keeps its
labels, of the other as many samples as there are for it are drawn, without replacement, to a random
prevalence (Dirichlet). Temperatures are fitted on the labelled half. Needs NumPy.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

TRIALS, REPLICATES, SAMPLES, LEVEL = 100, 200, 120, 0.9


def draw(rng, labels, half, prevalence):
    """Samples of the half with labels drawn from the prevalence; None where it has too few."""
    wanted = rng.multinomial(SAMPLES, prevalence)
    chosen = []
    for k, count in enumerate(wanted):
        own = half[labels[half] == k]
        if len(own) < count:
            return None
        chosen.append(rng.choice(own, count, replace=False))
    return np.concatenate(chosen)


def study(cubcal, folder, calibrated, origin):
    options = ["--calibration", folder / "cal.json"] if calibrated else []
    output = subprocess.run(
        [cubcal, "prevalence", folder / "known.npz", "--new", folder / "new.npz", "--bootstrap",
         str(REPLICATES), "--level", str(LEVEL), "--json", "-", *options, *origin],
        check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cubcal")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    loaded = [np.load(each) for each in options.files]
    logits = np.concatenate([each["logits"] for each in loaded], axis=1)
    labels = np.concatenate([each["labels"].astype(int) for each in loaded])
    classes = logits.shape[2]
    rng = np.random.default_rng(0)
    ways = {"uncalibrated": (False, []), "ts-nll": (True, []),
            "ts-nll, --from labels": (True, ["--from", "labels"])}
    errors = {(way, key): [] for way in ways for key in ("em", "bbse")}
    held = {key: [] for key in errors}
    trials = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while trials < TRIALS:
            order = rng.permutation(len(labels))
            known, half = order[:len(order) // 2], order[len(order) // 2:]
            prevalence = rng.dirichlet(np.full(classes, 2.0))
            new = draw(rng, labels, half, prevalence)
            if new is None:
                continue
            trials += 1
            np.savez(folder / "known.npz", logits=logits[:, known], labels=labels[known])
            np.savez(folder / "new.npz", logits=logits[:, new])
            subprocess.run([options.cubcal, "calibrate", folder / "known.npz", "--method", "ts-nll",
                            "-o", folder / "cal.json"], check=True, capture_output=True)
            for way, (calibrated, origin) in ways.items():
                estimate = study(options.cubcal, folder, calibrated, origin)["estimate"]
                for key in ("em", "bbse"):
                    if estimate[key] is None:
                        continue
                    found = np.array(list(estimate[key]["prevalence"].values()))
                    errors[way, key].append(np.abs(found - prevalence).mean())
                    intervals = estimate[key]["intervals"].values()
                    held[way, key] += [low <= truth <= high
                                       for (low, high), truth in zip(intervals, prevalence)]
    labelled = np.bincount(labels, minlength=classes) / len(labels)
    print(f"{len(labels)} samples pooled, labelled {np.round(labelled, 3).tolist()}; "
          f"{TRIALS} trials of {len(labels) // 2} labelled and {SAMPLES} new samples")
    for (way, key), each in errors.items():
        print(f"{way:24} {key:5} mean error of a share {100 * np.mean(each):.1f} points, "
              f"{100 * LEVEL:.0f}% intervals hold {100 * np.mean(held[way, key]):.1f}%")


if __name__ == "__main__":
    main()

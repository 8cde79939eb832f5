#!/usr/bin/env python3
"""What verdicts of three tasks do with images that are none of theirs.

    benchmarks/verdict_probes.py --data DATA --out runs/probes [--program build/cubcal] [--detectors combined,knn]

DATA holds the sets ham10000, aptos and chest. Trains a small network for each by recipes/probes.toml
(minutes; one that is there is kept), fits a verdict by each detector, and prints a table: test images,
the probes that 'cubcal ood --fit' makes from training images, and 20 images of each of the other tasks.
"""

import argparse
import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

TASKS = {"skin": "ham10000", "retina": "aptos", "chest": "chest"}
OTHER_IMAGES = 20
RECIPE = Path(__file__).resolve().parents[1] / "recipes" / "probes.toml"


def run(program, *arguments):
    done = subprocess.run([str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def trained(options, task):
    folder = options.out / task
    if not (folder / "record.json").exists():
        run(options.program, "train", RECIPE, "--data", options.data / TASKS[task], "--out", folder,
            "--set", "data.leaks=allow", "--force")
    return folder


def spread(files, count):
    return [files[i * len(files) // count] for i in range(count)]


def decisions(options, model, task):
    """of images of another task: (out of scope, referred, accepted)"""
    files = spread(sorted((options.data / TASKS[task] / "images").iterdir()), OTHER_IMAGES)
    rows = csv.DictReader(io.StringIO(run(options.program, "predict", "--model", model, "--csv", *files)))
    found = [row["verdict"] for row in rows]
    return tuple(found.count(each) for each in ("out-of-scope", "refer", "accept"))


def cell(counts):
    return " / ".join(map(str, counts))


def row(options, task, detector):
    model = options.out / f"{task}-{detector}"
    shutil.rmtree(model, ignore_errors=True)
    shutil.copytree(trained(options, task), model)
    fitted = json.loads(run(options.program, "ood", "--model", model, "--data", options.data / TASKS[task],
                            "--mc", options.passes, "--detectors", "uncertainty", "--bootstrap", 20, "--fit",
                            "--verdict-detector", detector, "--probes", "warn", "--json", "-"))["verdict"]
    three = lambda rates: cell(rates[key] for key in ("out_of_scope", "referred", "accepted"))
    probes = {each["probe"]: three(each) for each in fitted["probes"]}
    achieved = fitted["achieved"]
    cells = [f"{100 * achieved['out_of_scope'] / achieved['samples']:.1f}%"]
    cells += [probes.get(name, "-") for name in ("noise", "inverted", "shuffled", "recoloured", "blank")]
    cells += [cell(decisions(options, model, other)) if other != task else "-" for other in TASKS]
    print(f"| {task} | {detector} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=Path("build/cubcal"))
    parser.add_argument("--detectors", default="combined,mahalanobis,knn")
    parser.add_argument("--passes", type=int, default=10)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print("| task | verdict by | test images refused | noise | inverted | shuffled | recoloured | blank | "
          + " | ".join(f"{task} images" for task in TASKS) + " |")
    print("|---|---|---:" + "|---:" * (5 + len(TASKS)) + "|")
    for task in TASKS:
        for detector in options.detectors.split(","):
            row(options, task, detector)


if __name__ == "__main__":
    main()

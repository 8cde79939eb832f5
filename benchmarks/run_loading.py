#!/usr/bin/env python3
"""Times reading and augmenting real images against torchvision, on the same files in the same run.

    benchmarks/run_loading.py --build build --data MANIFEST_FOLDER [--images 1000] [--size 224]
                              [--rounds 3] [--docs docs/performance.md] [--json FILE]

Copies the first images of each class of a folder with labels.csv into class folders, then lets both
sides take turns. Wants Debian's python3-torchvision. --docs rewrites the part between the markers.
"""

import argparse
import csv
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEGIN = "<!-- loading:begin (benchmarks/run_loading.py rewrites everything up to loading:end) -->"
END = "<!-- loading:end -->"
EPOCHS = 3


def lay_out(data, folder, images):
    """Class folders with `images` files in all, as evenly as the classes allow."""
    by_class = {}
    with open(data / "labels.csv", encoding="utf-8", newline="") as manifest:
        for row in csv.DictReader(manifest):
            if row["split"] != "ood":
                by_class.setdefault(row["label_name"], []).append(row["file"])
    share = images // len(by_class)
    for name, files in by_class.items():
        (folder / name).mkdir()
        for file in files[:share]:
            shutil.copy(data / file, folder / name / Path(file).name)


def child(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def measure(arguments):
    cores = len(os.sched_getaffinity(0))
    bench = Path(arguments.build) / "benchmarks" / "loading_bench"
    if not bench.exists():
        sys.exit(f"{bench} is missing: configure with -DCUBCAL_BENCHMARKS=ON and build")
    rounds = {"first": [], "later": [], "peer_first": [], "peer_later": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(Path(arguments.data), folder, arguments.images)
        job = (folder, arguments.size, 64, EPOCHS, cores)
        for _ in range(arguments.rounds):
            ours = child(bench, *job)
            count = ours["images"]
            rounds["first"].append(count / (ours["load"] + ours["epochs"][0]))
            rounds["later"].append(count / min(ours["epochs"][1:]))
            peer = child("/usr/bin/python3", HERE / "torchvision_loading.py", *job)
            rounds["peer_first"].append(count / peer["epochs"][0])
            rounds["peer_later"].append(count / min(peer["epochs"][1:]))
    return {"machine": {"architecture": platform.machine(), "cores": cores},
            "data": Path(arguments.data).name, "images": count, "size": arguments.size,
            "rounds": arguments.rounds, "images_per_second": rounds}


def table(result):
    middle = {key: statistics.median(values)
              for key, values in result["images_per_second"].items()}
    lines = [
        f"Machine: {result['machine']['architecture']}, {result['machine']['cores']} cores; "
        f"{result['images']} images of `{result['data']}` at {result['size']} pixels, batches of "
        f"64; medians of {result['rounds']} interleaved rounds, images per second.",
        "",
        "| | cubcal | torchvision | ratio |",
        "|---|---:|---:|---:|",
    ]
    for key, title in (("first", "first epoch, files to batches"), ("later", "a later epoch")):
        ours, peer = middle[key], middle["peer_" + key]
        lines.append(f"| {title} | {ours:.0f} | {peer:.0f} | {ours / peer:.1f} × |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--data", required=True)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--docs")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    result = measure(arguments)
    text = table(result)
    print(text)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if arguments.docs:
        page = Path(arguments.docs).read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        tail = rest.split(END)[1]
        Path(arguments.docs).write_text(head + BEGIN + "\n" + text + END + tail, encoding="utf-8")


main()

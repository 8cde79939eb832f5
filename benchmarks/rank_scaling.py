#!/usr/bin/env python3
"""How the time of a training step grows when ranks are added, each with the same work on a core of its own.

  benchmarks/rank_scaling.py --build build --work FOLDER [--cores 0 1] [--rounds 3]

Prints the table of docs/scale.md. A rank is one process with one thread, bound to one core. `alone`: one process,
the other cores left to others. `side by side`: as many processes that know nothing of each other, which share what
cores share (memory, heat, other programs). `over images`: one run, its batch as many times larger. `over passes`:
one run, its passes as many times more. Kinds take turns over the rounds, and the fastest epoch of each counts, since
other programs only ever slow one down. Processor time is that of the busiest process over all its steps, its start
among them, the least of the rounds: it tells what ranks cost from what they wait.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

RECIPE = """convolution = "panels"
threads = 1
[data.phantom]
train = {images}
val = 8
test = 8
ood = 8
image_size = {pixels}
[model]
network = "{network}"
[stage1]
method = "bnn+cub"
epochs = {epochs}
batch = {batch}
passes = {passes}
beta_warmup_epochs = 0
beta = 0.01
[validation]
passes = 1
[output]
save_every_seconds = 1000
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(program, recipe, folder, core, place=None):
    words = ["taskset", "-c", str(core), program, "train", recipe, "--out", folder, "--force"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if place is not None:
        over, rank, ranks, port = place
        words += ["--distributed", over]
        environment.update(RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    return subprocess.Popen([str(word) for word in words], env=environment, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def processor_seconds(process, kind):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit(f"a process of '{kind}' failed")
    return usage.ru_utime + usage.ru_stime


def step_times(folder):
    """Seconds of a step, by epoch, without the first, which warms up."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    steps = lines[0]["step"]
    return [line["seconds"] / steps for line in lines][1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--work", required=True)
    parser.add_argument("--cores", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4, help="of an epoch")
    parser.add_argument("--batch", type=int, default=64, help="images of a rank")
    parser.add_argument("--passes", type=int, default=4, help="passes of a rank")
    parser.add_argument("--pixels", type=int, default=32)
    parser.add_argument("--network", default="small-resnet")
    options = parser.parse_args()
    program = Path(options.build).resolve() / "cubcal"
    work = Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    ranks = len(options.cores)

    def recipe(name, batch, passes):
        path = work / f"{name}.toml"
        path.write_text(RECIPE.format(images=batch * options.steps, pixels=options.pixels, network=options.network,
                                      epochs=options.epochs, batch=batch, passes=passes))
        return path

    one = recipe("one", options.batch, options.passes)
    images = recipe("images", options.batch * ranks, options.passes)
    passes = recipe("passes", options.batch, options.passes * ranks)
    kinds = {
        "alone": (one, None, options.cores[:1]),
        "side by side": (one, None, options.cores),
        "over images": (images, "images", options.cores),
        "over passes": (passes, "passes", options.cores),
    }
    fastest, least = {}, {}
    for _ in range(options.rounds):
        for kind, (path, over, cores) in kinds.items():
            port = free_port()
            folders = [work / (path.stem if over else f"{path.stem}{i}") for i in range(len(cores))]
            processes = [start(program, path, folder, core, over and (over, i, ranks, port))
                         for i, (core, folder) in enumerate(zip(cores, folders))]
            busiest = max(processor_seconds(process, kind) for process in processes)
            least[kind] = min(least.get(kind, float("inf")), busiest / (options.epochs * options.steps))
            # Ranks share one record; of strangers the slower one counts.
            times = [min(step_times(folder)) for folder in dict.fromkeys(folders)]
            fastest[kind] = min(fastest.get(kind, float("inf")), max(times))
    print(f"{options.network}, {options.pixels} x {options.pixels}, {options.batch} images and {options.passes} passes "
          f"a rank, {ranks} ranks")
    print("| | ms a step | of alone | of side by side | processor ms a step |\n|---|---:|---:|---:|---:|")
    for kind, seconds in fastest.items():
        print(f"| {kind} | {1000 * seconds:.0f} | {fastest['alone'] / seconds:.2f} | "
              f"{fastest['side by side'] / seconds:.2f} | {1000 * least[kind]:.0f} |")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How time and memory of shards and merge grow with the number of images and of shards.

  benchmarks/shard_growth.py --build build --work FOLDER

Prints the tables of docs/scale.md. Rows of the first and third are simulated: the images named are not there,
so that each is a row that says so. FOLDER takes some gigabytes, which are removed at the end.
"""

import argparse
import os
import shutil
import subprocess
import time
from pathlib import Path

RECIPE = """[data.phantom]
train = 60
val = 40
test = 30
ood = 8
image_size = 16
[stage1]
epochs = 1
[stage2]
method = "bnn"
epochs = 1
"""


def start(words, folder, stdin=None):
    source = open(stdin, "rb") if stdin else subprocess.DEVNULL
    with open(os.devnull, "wb") as nowhere:
        return subprocess.Popen([str(word) for word in words], cwd=folder, stdin=source, stdout=nowhere, stderr=nowhere)


def finish(process):
    """Peak memory in MB and seconds of processors."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit(f"{process.args} ended with {status}")
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def measured(words, folder, stdin=None):
    begin = time.monotonic()
    memory, processor = finish(start(words, folder, stdin))
    return time.monotonic() - begin, processor, memory


def shards_of(folder, stem, count):
    return sorted(folder.glob(f"{stem}.*-of-{count}.jsonl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--work", required=True)
    parser.add_argument("--images", type=int, nargs="+", default=[1000, 10000, 100000, 1000000])
    parser.add_argument("--real", type=int, default=2000, help="images that are really predicted")
    options = parser.parse_args()
    cubcal = (Path(options.build) / "cubcal").resolve()
    pictures = sorted((Path(__file__).resolve().parents[1] / "tests/data/images").glob("*8.png"))
    work = Path(options.work).resolve()
    work.mkdir(parents=True)
    try:
        (work / "small.toml").write_text(RECIPE)
        finish(start([cubcal, "train", "small.toml", "--out", "run"], work))

        print("| images named | seconds | peak memory, MB |\n|---:|---:|---:|")
        for count in options.images:
            with open(work / "list.txt", "w", encoding="utf-8") as names:
                names.writelines(f"archive/study{i // 100:05}/image{i:07}.dcm\n" for i in range(count))
            seconds, _, memory = measured([cubcal, "predict", "--model", "run", "-", "--jsonl", f"many{count}.jsonl",
                                           "--shard", "1/1"], work, work / "list.txt")
            print(f"| {count} | {seconds:.1f} | {memory:.0f} |", flush=True)

        print("\n| rows | shards | seconds of merge | peak memory, MB |\n|---:|---:|---:|---:|")
        for count in options.images:
            seconds, _, memory = measured([cubcal, "merge", *shards_of(work, f"many{count}", 1), "-o", "merged"], work)
            print(f"| {count} | 1 | {seconds:.1f} | {memory:.0f} |", flush=True)
        largest = options.images[-1]
        with open(work / "list.txt", "w", encoding="utf-8") as names:
            names.writelines(f"archive/study{i // 100:05}/image{i:07}.dcm\n" for i in range(largest))
        for shards in (4, 16):
            for index in range(1, shards + 1):
                finish(start([cubcal, "predict", "--model", "run", "-", "--jsonl", "split.jsonl", "--shard",
                              f"{index}/{shards}"], work, work / "list.txt"))
            seconds, _, memory = measured([cubcal, "merge", *shards_of(work, "split", shards), "-o", "merged"], work)
            print(f"| {largest} | {shards} | {seconds:.1f} | {memory:.0f} |", flush=True)

        (work / "images").mkdir()
        for i in range(options.real):
            picture = pictures[i % len(pictures)]
            (work / "images" / f"{i:06}.png").symlink_to(picture)
        print("\n| shards | at a time | seconds | seconds of processors | peak memory of one, MB |\n"
              "|---:|---:|---:|---:|---:|")
        for shards, at_once in ((1, 1), (2, 2), (4, 2)):
            begin, used, most = time.monotonic(), 0, 0
            waiting = list(range(1, shards + 1))
            running = []
            while waiting or running:
                while waiting and len(running) < at_once:
                    running.append(start([cubcal, "--threads", "1", "predict", "--model", "run", "images", "--jsonl",
                                          f"real{shards}.jsonl", "--shard", f"{waiting.pop(0)}/{shards}"], work))
                memory, processor = finish(running.pop(0))
                used, most = used + processor, max(most, memory)
            seconds = time.monotonic() - begin
            print(f"| {shards} | {at_once} | {seconds:.1f} | {used:.1f} | {most:.0f} |", flush=True)
        merged = []
        for shards in (1, 2, 4):
            finish(start([cubcal, "merge", *shards_of(work, f"real{shards}", shards), "-o", f"m{shards}"], work))
            merged.append((work / f"m{shards}").read_bytes())
        print("\nmerged files equal:", merged[0] == merged[1] == merged[2])
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times the Python package against the program, the C++ functions and NumPy, on the same arrays.

    PYTHONPATH=build/python benchmarks/run_python.py --build build [--runs 7] [--docs docs/performance.md]

Everybody takes turns in every round, so that a busy moment of the machine meets all of them; large
jobs show medians over the rounds, small calls the quickest of thousands. The numbers of both sides
must agree, or the run stops. --docs rewrites the part between the markers of that page.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cubcal
import numpy_jobs
import numpy_reference

BEGIN = "<!-- python:begin (benchmarks/run_python.py rewrites everything up to python:end) -->"
END = "<!-- python:end -->"
SHAPE = (80, 100000, 7)
SMALL = (4, 8, 3)


def seconds(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def quickest(call, times=3000):
    return min(seconds(call)[0] for _ in range(times))


def numpy_ece(p, y, bins=15):
    """As torchmetrics and most papers' code have it, on whole arrays."""
    confidence, correct = p.max(axis=1), p.argmax(axis=1) == y
    which = np.digitize(confidence, np.linspace(0, 1, bins + 1)[1:-1], right=True)
    sums = [np.bincount(which, weights=each, minlength=bins) for each in (correct, confidence)]
    return np.abs(sums[0] - sums[1]).sum() / len(y)


def check_same(found, expected, what):
    for key, value in expected.items():
        if value is not None and abs(found[key] - value) > 1e-6 * abs(value) + 1e-12:
            sys.exit(f"{what}: the two sides disagree on {key}: {found[key]} and {value}")


def large_jobs(program, path, runs):
    with np.load(path) as arrays:
        z, y = arrays["logits"], arrays["labels"]
    p = cubcal.predict(z)
    q = p.probabilities
    times = {name: [] for name in ("program", "call", "load", "numpy", "ece", "numpy_ece")}
    for _ in range(runs):
        took, output = seconds(lambda: subprocess.run([program, "evaluate", path, "--json", "-"],
                                                      stdout=subprocess.PIPE, check=True).stdout)
        document = json.loads(output)
        times["program"].append(took)
        took, ours = seconds(lambda: cubcal.evaluate(z, y))
        if ours != document:
            sys.exit("the program and the package disagree")
        times["call"].append(took)
        with np.load(path) as arrays:
            took, _ = seconds(lambda: cubcal.evaluate(arrays["logits"], arrays["labels"]))
        times["load"].append(took)
        took, theirs = seconds(lambda: numpy_reference.evaluate(z, y, numpy_reference.predict))
        check_same(ours.metrics, theirs, "evaluate")
        times["numpy"].append(took)
        # So short that whatever else the machine does would be most of a single call.
        took, ece = quickest(lambda: cubcal.metrics.ece(q, y), 20), cubcal.metrics.ece(q, y)
        times["ece"].append(took)
        took, theirs = quickest(lambda: numpy_ece(q, y), 20), numpy_ece(q, y)
        check_same({"ece": ece}, {"ece": theirs}, "ece")
        times["numpy_ece"].append(took)
    return {name: statistics.median(values) for name, values in times.items()}


def small_jobs(bench, path, runs):
    with np.load(path) as arrays:
        z, y = arrays["logits"], arrays["labels"]
    p = cubcal.predict(z)
    jobs = {"predict": lambda: cubcal.predict(z), "evaluate": lambda: cubcal.evaluate(z, y),
            "ece": lambda: cubcal.metrics.ece(p, y)}
    best = {}
    for _ in range(runs):
        inside = json.loads(subprocess.run([bench, "small", path], stdout=subprocess.PIPE, check=True).stdout)
        for name, value in inside.items():
            best["cpp_" + name] = min(best.get("cpp_" + name, 1), value)
        for name, call in jobs.items():
            best[name] = min(best.get(name, 1), quickest(call))
    return best


def verdict(met):
    return "met" if met else "**missed**"


def table(large, small, runs):
    overhead = {name: 1e6 * (small[name] - small["cpp_" + name]) for name in ("predict", "evaluate")}
    against_program = large["call"] / large["program"] - 1
    ratio = large["numpy"] / large["call"]
    ece_ratio = large["numpy_ece"] / large["ece"]
    return f"""Machine: {len(os.sched_getaffinity(0))}-core {platform.machine()}; NumPy {np.__version__}, Python \
{platform.python_version()}; load average before the run {os.getloadavg()[0]:.1f}. Command: `PYTHONPATH=build/python \
/usr/bin/python3 benchmarks/run_python.py --build build --docs docs/performance.md`, {runs} rounds.

On {list(SHAPE)} float32:

| what | seconds |
|---|---:|
| `cubcal evaluate FILE.npz --json -`, the whole program | {large['program']:.3f} |
| `cubcal.evaluate(z, y)`, arrays in memory | {large['call']:.3f} |
| the same with `np.load` | {large['load']:.3f} |
| NumPy, every metric on whole arrays | {large['numpy']:.3f} |
| `cubcal.metrics.ece(q, y)` of probabilities [100000, 7] | {large['ece']:.4f} |
| NumPy, ECE of the same | {large['numpy_ece']:.4f} |

On {list(SMALL)} float32, the quickest of many calls:

| what | µs | C++ alone, µs |
|---|---:|---:|
| `cubcal.predict(z)` | {1e6 * small['predict']:.1f} | {1e6 * small['cpp_predict']:.1f} |
| `cubcal.evaluate(z, y)` | {1e6 * small['evaluate']:.1f} | {1e6 * small['cpp_evaluate']:.1f} |
| `cubcal.metrics.ece(p, y)` of a prediction | {1e6 * small['ece']:.1f} | – |

| target | measured | |
|---|---:|---|
| a call costs < 50 µs more than the C++ function | {overhead['predict']:.1f} µs (predict), {overhead['evaluate']:.1f} µs \
(evaluate) | {verdict(max(overhead.values()) < 50)} |
| evaluate within 10% of the program | {100 * against_program:+.0f}% | {verdict(against_program < 0.1)} |
| evaluate ≥ 10 × NumPy | {ratio:.1f} × | {verdict(ratio >= 10)} |
| ECE of probabilities alone ≥ 10 × NumPy | {ece_ratio:.1f} × | {verdict(ece_ratio >= 10)} |"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        numpy_jobs.make(Path(folder) / "big.npz", *SHAPE)
        numpy_jobs.make(Path(folder) / "small.npz", *SMALL)
        small = small_jobs(options.build / "benchmarks" / "cubcal_bench", Path(folder) / "small.npz", options.runs)
        large = large_jobs(options.build / "cubcal", Path(folder) / "big.npz", options.runs)
    text = table(large, small, options.runs)
    print(text)
    if options.docs:
        page = options.docs.read_text(encoding="utf-8")
        first, last = page.index(BEGIN) + len(BEGIN), page.index(END)
        options.docs.write_text(page[:first] + "\n" + text + "\n" + page[last:], encoding="utf-8")


if __name__ == "__main__":
    main()

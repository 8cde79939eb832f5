#!/usr/bin/env python3
"""Times the commands that have a limit of their own: evaluate with the numbers of medicine, and
calibration of a large set.

    benchmarks/run_limits.py --build build [--runs 5] [--docs docs/performance.md]

Files are seeded and made anew. Processor seconds are what a busy machine leaves nearly as they are; over
the number of processors they are what an idle one takes. --docs rewrites the part between the
markers of that page.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

import run

BEGIN = "<!-- limits:begin (benchmarks/run_limits.py rewrites everything up to limits:end) -->"
END = "<!-- limits:end -->"
CLINICAL_SHAPE = (20, 10000, 7)
LARGE_SHAPE = (100, 200000, 10)
METHODS = {"ts-nll": 3, "dts-guarded": 6}


def medians(command, runs):
    children = [run.Child(command) for _ in range(runs)]
    return statistics.median(c.wall for c in children), statistics.median(c.cpu for c in children)


def measure(cubcal, runs):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run.numpy_job("make", folder / "small.npz", *CLINICAL_SHAPE)
        run.numpy_job("make", folder / "large.npz", *LARGE_SHAPE)
        evaluate = [cubcal, "evaluate", folder / "small.npz", "--bootstrap", 1000, "--json", "-"]
        result = {"plain": medians(evaluate, runs),
                  "clinical": medians([*evaluate, "--clinical"], runs)}
        for method in METHODS:
            result[method] = medians([cubcal, "calibrate", folder / "large.npz", "--method", method,
                                      "-o", folder / "calibration.json"], runs)
        return result


def table(facts, runs, result):
    def row(*cells):
        return "| " + " | ".join(cells) + " |"

    def verdict(met):
        return "met" if met else "**missed**"

    cores = facts["cores"]
    ratio = result["clinical"][1] / result["plain"][1]
    lines = [
        f"Machine: {facts['architecture']}, {cores} cores"
        + (f", {facts['processor']}" if "processor" in facts else "")
        + f"; load average before the run {facts['load_before']}. Command: `/usr/bin/python3 benchmarks/run_limits.py --build "
        f"build --docs docs/performance.md`, medians of {runs} runs.",
        "",
        row("command", "seconds", "processor seconds", "limit", ""),
        "|---|---:|---:|---|---|",
        row(f"`evaluate --bootstrap 1000` of {run.shape_text(CLINICAL_SHAPE)}",
            f"{result['plain'][0]:.2f}", f"{result['plain'][1]:.2f}", "", ""),
        row("the same with `--clinical`", f"{result['clinical'][0]:.2f}",
            f"{result['clinical'][1]:.2f}", f"2 × without: {ratio:.2f} ×", verdict(ratio <= 2)),
    ]
    for method, limit in METHODS.items():
        wall, cpu = result[method]
        lines.append(row(f"`calibrate --method {method}` of {run.shape_text(LARGE_SHAPE)}",
                         f"{wall:.2f}", f"{cpu:.2f}",
                         f"{limit} s: {cpu / cores:.2f} s of {cores} processors",
                         verdict(cpu / cores <= limit)))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--runs", type=int, default=5, help="of each command")
    parser.add_argument("--docs", type=Path, help="the page whose table is rewritten")
    options = parser.parse_args()
    facts = run.machine()
    text = table(facts, options.runs, measure(options.build.resolve() / "cubcal", options.runs))
    print(text)
    if options.docs:
        run.rewrite(options.docs, text, BEGIN, END)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times cubcal against NumPy and against a plain exp, on the same files in the same run.

    benchmarks/run.py --build build [--runs 5] [--docs docs/performance.md] [--json bench.json]

All contestants take turns in every round, so that a busy moment of the machine meets all of them;
the table shows medians over the rounds. --docs rewrites the part between the markers of that page.
This process stays small on purpose: a child's peak memory counts from its parent's.
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

HERE = Path(__file__).resolve().parent
BEGIN = "<!-- bench:begin (make bench rewrites everything up to bench:end) -->"
END = "<!-- bench:end -->"
EVALUATE_SHAPE = (80, 100000, 7)
FIT_SHAPE = (80, 8479, 3)
GRID_POINTS_MEASURED = 25
MIB = 1024 * 1024


class Child:
    """One finished run of a program: its output, seconds and peak memory."""

    def __init__(self, command):
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)
        self.output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        self.wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed with {process.returncode}")
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024

    def json(self):
        return json.loads(self.output)


def numpy_job(*arguments):
    return Child([sys.executable, HERE / "numpy_jobs.py", *arguments]).json()


def machine():
    facts = {"architecture": platform.machine(), "cores": len(os.sched_getaffinity(0))}
    listing = subprocess.run(["lscpu"], stdout=subprocess.PIPE, text=True, check=False).stdout
    for line in listing.splitlines():
        if line.startswith("Model name:"):
            facts["processor"] = line.split(":", 1)[1].strip()
    facts["python"] = platform.python_version()
    numpy = [sys.executable, "-c", "import numpy; print(numpy.__version__)"]
    facts["numpy"] = subprocess.run(numpy, stdout=subprocess.PIPE, text=True,
                                    check=True).stdout.strip()
    facts["load_before"] = round(os.getloadavg()[0], 2)
    return facts


def check_same(ours, theirs):
    """Both sides must have done the same job: every metric agrees to 1e-6."""
    for key, expected in theirs.items():
        found = ours[key]
        if (found is None) != (expected is None) or (
                expected is not None and abs(found - expected) > 1e-6 * abs(expected) + 1e-12):
            sys.exit(f"the two sides disagree on {key}: {found} and {expected}")


def time_evaluate(cubcal, bench, file, runs):
    rounds = {"evaluate": [], "evaluate_cpu": [], "exp": [], "exp_cpu": [], "numpy": [],
              "numpy_cpu": [], "numpy_tuned": [], "numpy_tuned_cpu": [], "peak": [], "steps": []}
    for _ in range(runs):
        exp = Child([bench, "exp", file]).json()["exp"]
        rounds["exp"].append(exp["wall"])
        rounds["exp_cpu"].append(exp["cpu"])
        ours = Child([cubcal, "evaluate", file, "--json", "-"])
        rounds["evaluate"].append(ours.wall)
        rounds["evaluate_cpu"].append(ours.cpu)
        rounds["peak"].append(ours.peak)
        rounds["steps"].append(Child([bench, "evaluate", file]).json())
        plain = numpy_job("evaluate", file)
        check_same(ours.json()["metrics"], plain["metrics"])
        rounds["numpy"].append(plain["wall"])
        rounds["numpy_cpu"].append(plain["cpu"])
        tuned = numpy_job("tuned", file)
        rounds["numpy_tuned"].append(tuned["wall"])
        rounds["numpy_tuned_cpu"].append(tuned["cpu"])
    return rounds


def time_fit(cubcal, bench, file, folder, runs):
    rounds = {"calibrate": [], "calibrate_cpu": [], "fit": [], "fit_cpu": [], "numpy": [],
              "numpy_cpu": []}
    for _ in range(runs):
        ours = Child([cubcal, "calibrate", file, "--method", "dts", "-o", folder / "cal.json"])
        rounds["calibrate"].append(ours.wall)
        rounds["calibrate_cpu"].append(ours.cpu)
        fit = Child([bench, "dts", file]).json()["fit"]
        rounds["fit"].append(fit["wall"])
        rounds["fit_cpu"].append(fit["cpu"])
        grid = numpy_job("dts", file, GRID_POINTS_MEASURED)
        rounds["numpy"].append(grid["wall"])
        rounds["numpy_cpu"].append(grid["cpu"])
    return rounds


def measure(build, runs):
    cubcal, bench = build / "cubcal", build / "benchmarks" / "cubcal_bench"
    for program in (cubcal, bench):
        if not program.exists():
            sys.exit(f"{program} is missing: configure with -DCUBCAL_BENCHMARKS=ON and build")
    facts = machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = numpy_job("make", folder / "big.npz", *EVALUATE_SHAPE)["bytes"]
        numpy_job("make", folder / "val.npz", *FIT_SHAPE)
        return {
            "machine": facts,
            "runs": runs,
            "input_bytes": size,
            "evaluate": time_evaluate(cubcal, bench, folder / "big.npz", runs),
            "dts": time_fit(cubcal, bench, folder / "val.npz", folder, runs),
        }


def shape_text(shape):
    return "[" + ", ".join(map(str, shape)) + "]"


def table(result):
    evaluate, dts = result["evaluate"], result["dts"]
    middle = {key: statistics.median(values) for key, values in evaluate.items() if key != "steps"}
    fit = {key: statistics.median(values) for key, values in dts.items()}
    facts = result["machine"]
    extra = (middle["peak"] - result["input_bytes"]) / MIB
    steps = {step: statistics.median(run[step]["wall"] for run in evaluate["steps"])
             for step in ("read", "predict", "facts", "metrics")}
    total = sum(steps.values())

    def verdict(met):
        return "met" if met else "**missed**"

    def row(*cells):
        return "| " + " | ".join(cells) + " |"

    lines = [
        f"Machine: {facts['architecture']}, {facts['cores']} cores"
        + (f", {facts['processor']}" if "processor" in facts else "")
        + f"; NumPy {facts['numpy']}, Python {facts['python']}; load average before the run "
        f"{facts['load_before']}. Medians of {result['runs']} interleaved rounds.",
        "",
        f"`cubcal evaluate` on {shape_text(EVALUATE_SHAPE)} float32:",
        "",
        row("what", "seconds", "processor seconds"),
        "|---|---:|---:|",
        row("`cubcal evaluate FILE.npz --json -`, the whole program", f"{middle['evaluate']:.3f}",
            f"{middle['evaluate_cpu']:.3f}"),
        row("plain `std::exp(float)` over the array, all threads", f"{middle['exp']:.3f}",
            f"{middle['exp_cpu']:.3f}"),
        row("NumPy, plain (whole arrays)", f"{middle['numpy']:.3f}",
            f"{middle['numpy_cpu']:.3f}"),
        row("NumPy, tuned (pass by pass, class axis first)", f"{middle['numpy_tuned']:.3f}",
            f"{middle['numpy_tuned_cpu']:.3f}"),
        "",
        "Steps inside the process: "
        + ", ".join(f"{step} {seconds:.3f} s ({seconds / total:.0%})"
                    for step, seconds in steps.items()) + ".",
        "",
        f"`cubcal calibrate --method dts` on {shape_text(FIT_SHAPE)} float32:",
        "",
        row("what", "seconds", "processor seconds"),
        "|---|---:|---:|",
        row("the whole program", f"{fit['calibrate']:.3f}", f"{fit['calibrate_cpu']:.3f}"),
        row("the fit alone", f"{fit['fit']:.3f}", f"{fit['fit_cpu']:.3f}"),
        row(f"NumPy, 101 × 101 grid, scaled up from {GRID_POINTS_MEASURED} measured points",
            f"{fit['numpy']:.0f}", f"{fit['numpy_cpu']:.0f}"),
        "",
        row("target", "measured", ""),
        "|---|---:|---|",
        row("evaluate ≥ 15 × NumPy (plain)", f"{middle['numpy'] / middle['evaluate']:.1f} ×",
            verdict(middle["numpy"] >= 15 * middle["evaluate"])),
        row("— against NumPy, tuned (no target)",
            f"{middle['numpy_tuned'] / middle['evaluate']:.1f} ×", ""),
        row("evaluate ≥ 25 % of plain exp", f"{middle['exp'] / middle['evaluate']:.0%}",
            verdict(middle["exp"] >= 0.25 * middle["evaluate"])),
        row("peak memory ≤ input + 64 MiB", f"input + {extra:.0f} MiB", verdict(extra <= 64)),
        row("dts fit < 0.5 s", f"{fit['fit']:.3f} s", verdict(fit["fit"] < 0.5)),
        row("dts fit ≥ 100 × NumPy grid", f"{fit['numpy'] / fit['fit']:.0f} ×",
            verdict(fit["numpy"] >= 100 * fit["fit"])),
    ]
    return "\n".join(lines) + "\n"


def rewrite(page, text, begin=BEGIN, end=END):
    before, rest = page.read_text().split(begin)
    _, after = rest.split(end)
    page.write_text(before + begin + "\n" + text + end + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--runs", type=int, default=5, help="rounds; the table shows medians")
    parser.add_argument("--docs", type=Path, help="the page whose table is rewritten")
    parser.add_argument("--json", type=Path, help="where every single measurement goes")
    options = parser.parse_args()
    result = measure(options.build.resolve(), options.runs)
    text = table(result)
    print(text)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    if options.docs:
        rewrite(options.docs, text)


if __name__ == "__main__":
    main()

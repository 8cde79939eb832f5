"""The two benchmark jobs in NumPy, and the files both sides read. run.py starts it as

    numpy_jobs.py make FILE.npz S N K      random logits that favour their label, float32
    numpy_jobs.py evaluate FILE.npz        the job of `cubcal evaluate`, written plainly
    numpy_jobs.py tuned FILE.npz           the same, pass by pass (see numpy_reference.py)
    numpy_jobs.py dts FILE.npz POINTS      so many points of the 101 x 101 grid of (T_high, T_low)

and reads one JSON object. Seconds count from before the file is opened; starting Python and
importing NumPy are not counted.
"""

import json
import sys
import time

import numpy as np

import numpy_reference

GRID = 101


def make(path, passes, samples, classes):
    rng = np.random.default_rng(1)
    labels = rng.integers(classes, size=samples)
    strength = rng.exponential(3.0, size=(samples, 1))
    centre = strength * np.eye(classes)[labels] + rng.normal(size=(samples, classes))
    logits = np.empty((passes, samples, classes), np.float32)
    for z in logits:
        z[:] = centre + 0.7 * rng.standard_normal(z.shape, dtype=np.float32)
    changed = rng.random(samples) < 0.05
    labels = np.where(changed, rng.integers(classes, size=samples), labels)
    np.savez(path, logits=logits, labels=labels)
    return {"bytes": logits.nbytes}


def evaluate(path, prediction):
    start, cpu_start = time.perf_counter(), time.process_time()
    with np.load(path) as arrays:
        values = numpy_reference.evaluate(arrays["logits"], arrays["labels"], prediction)
    return {
        "wall": time.perf_counter() - start,
        "cpu": time.process_time() - cpu_start,
        "metrics": values,
    }


def dts(path, points):
    with np.load(path) as arrays:
        z = numpy_reference.shifted(arrays["logits"])
    _, c, u = numpy_reference.scaled_prediction(z, 1.0)
    sharpen = numpy_reference.sharpen_region(c, u, numpy_reference.thresholds(z.shape[2]))
    high = np.linspace(0.5, 1.0, GRID)
    low = np.linspace(1.0, 2.0, GRID)
    chosen = np.linspace(0, GRID * GRID - 1, points).astype(int)
    start, cpu_start = time.perf_counter(), time.process_time()
    for point in chosen:
        numpy_reference.bcce_of_pair(z, sharpen, high[point // GRID], low[point % GRID])
    scale = GRID * GRID / points
    return {
        "wall": scale * (time.perf_counter() - start),
        "cpu": scale * (time.process_time() - cpu_start),
        "points_measured": points,
        "points": GRID * GRID,
    }


def main():
    job, path, *numbers = sys.argv[1:]
    jobs = {
        "make": lambda: make(path, *map(int, numbers)),
        "evaluate": lambda: evaluate(path, numpy_reference.predict),
        "tuned": lambda: evaluate(path, numpy_reference.predict_pass_by_pass),
        "dts": lambda: dts(path, *map(int, numbers)),
    }
    print(json.dumps(jobs[job]()))


if __name__ == "__main__":
    main()

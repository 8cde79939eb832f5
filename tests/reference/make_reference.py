#!/usr/bin/env python3
"""Makes and checks the reference cases in tests/data/reference.

A case is <name>.npz (logits, labels) and <name>.json (the values benchmarks/numpy_reference.py
gives for them: metrics with gamma 0.9, eta 0.325 and 15 bins, thresholds, optima on the grids named
in `box`, and the first ten samples). reference_test.cpp holds the library against them.

    make_reference.py                  writes all cases anew
    make_reference.py --check [DIR..]  recomputes the values of the kept npz files and compares
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "data" / "reference"
sys.path.insert(0, str(ROOT / "benchmarks"))

import numpy_reference  # noqa: E402: found through the line above

RELATIVE, ABSOLUTE = 1e-9, 1e-14


def plausible(seed, passes, samples, classes, signal=2.0, label_noise=0.1):
    """Logits that favour the label, blurred per sample and per pass, with some labels changed."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=samples)
    strength = rng.exponential(signal, size=(samples, 1))
    centre = strength * np.eye(classes)[labels] + rng.normal(size=(samples, classes))
    logits = centre + 0.7 * rng.normal(size=(passes, samples, classes))
    changed = rng.random(samples) < label_noise
    return logits, np.where(changed, rng.integers(classes, size=samples), labels)


def float16_k3():
    logits, labels = plausible(1, 10, 200, 3)
    return logits.astype("<f2"), labels


def float32_k20():
    logits, labels = plausible(2, 5, 80, 20, signal=4.0)
    return logits.astype("<f4"), labels


def ties_k2():
    """Samples at exactly p = 1/2 (the lower class wins) and repeated samples (equal U)."""
    logits, labels = plausible(3, 4, 150, 2)
    logits[:, :30, 1] = logits[:, :30, 0]
    logits[:, 60:90] = logits[:, 30:60]
    logits[:, 120:] = logits[:, 119:120]
    return logits, labels


def all_wrong_k4():
    logits, labels = plausible(4, 6, 120, 4, label_noise=0.0)
    logits = logits.astype("<f4")
    predicted = numpy_reference.predict(logits)[0].argmax(axis=1)
    return logits, ((predicted + 1 + labels % 3) % 4).astype("i1")


def many_classes_k50():
    logits, labels = plausible(5, 3, 60, 50, signal=6.0)
    return logits.astype("<f4"), labels.astype("u1")


def big_endian_k5():
    logits, labels = plausible(6, 5, 100, 5)
    return logits.astype(">f8"), labels.astype(">u2")


def fortran_order_k3():
    logits, labels = plausible(7, 8, 150, 3)
    return np.asfortranarray(logits.astype("<f4")), labels.astype("<i4")


def one_pass_two_axes_k6():
    logits, labels = plausible(8, 1, 100, 6)
    return logits[0], labels.astype("<u2")


def extreme_logits_k4():
    """Gaps from 1e-9 to beyond the range of exp, large offsets, and values whose difference
    overflows. Only one sample is nearly uniform to the last bit: the order of two would be chance."""
    logits, labels = plausible(9, 3, 60, 4)
    logits[:, 0] *= 1e-9
    logits[:, 1:10] *= 1e-3
    logits[:, 10:20] += 1e6
    logits[:, 20:30] *= 1e3 * np.arange(2, 12)[:, np.newaxis]
    logits[:, 30:34, 2] = -1e308
    logits[:, 34:36] = [1e308, -1e308, 0.0, 1.0]
    logits[1, 36:40] = [0.0, 0.0, 900.0, 0.0]
    return logits, labels.astype("i1")


CASES = [
    float16_k3,
    float32_k20,
    ties_k2,
    all_wrong_k4,
    many_classes_k50,
    big_endian_k5,
    fortran_order_k3,
    one_pass_two_axes_k6,
    extreme_logits_k4,
]
DEFLATED = {"float16_k3", "many_classes_k50", "all_wrong_k4"}


def values_of(npz):
    with np.load(npz) as arrays:
        return numpy_reference.reference(arrays["logits"], arrays["labels"].astype(np.int64))


def write_all():
    KEPT.mkdir(parents=True, exist_ok=True)
    for make in CASES:
        logits, labels = make()
        npz = KEPT / f"{make.__name__}.npz"
        save = np.savez_compressed if make.__name__ in DEFLATED else np.savez
        save(npz, logits=logits, labels=labels)
        npz.with_suffix(".json").write_text(json.dumps(values_of(npz), indent=1) + "\n")


def differences(found, kept, path):
    """Sentences on everything in `kept` that `found` does not repeat."""
    if isinstance(kept, dict):
        for key in found.keys() - kept.keys():
            yield f"{path} has no {key}, which is found: write the references anew"
        for key, value in kept.items():
            yield from differences(found[key], value, f"{path}.{key}")
    elif isinstance(kept, list):
        if len(found) != len(kept):
            yield f"{path} has {len(kept)} values instead of {len(found)}"
        for i, (a, b) in enumerate(zip(found, kept)):
            yield from differences(a, b, f"{path}[{i}]")
    elif isinstance(kept, float) and isinstance(found, float):
        if abs(found - kept) > RELATIVE * abs(kept) + ABSOLUTE:
            yield f"{path} is {kept!r} where {found!r} is found"
    elif found != kept:
        yield f"{path} is {kept!r} where {found!r} is found"


def settle_ties(found, kept):
    """Where temperatures differ at equal objectives, ours must be nearer 1: then take the kept."""
    for grid, value, names in [
        ("dts_grid", "bcce", ("t_high", "t_low")),
        ("ts_bcce_grid", "value", ("t",)),
    ]:
        ours, theirs = found[grid], kept[grid]
        distance = [sum(abs(np.log(g[name])) for name in names) for g in (ours, theirs)]
        if abs(ours[value] - theirs[value]) <= numpy_reference.TIE and distance[0] < distance[1]:
            ours.update({name: theirs[name] for name in names})


def check(folder):
    cases = sorted(folder.glob("*.json"))
    wrong = [] if cases else [f"{folder} holds no cases"]
    for case in cases:
        kept = json.loads(case.read_text())
        found = values_of(case.with_suffix(".npz"))
        settle_ties(found, kept)
        wrong += differences(found, kept, case.stem)
    if folder == KEPT:
        names = {make.__name__ for make in CASES}
        wrong += [f"{name} is missing or unknown" for name in names ^ {c.stem for c in cases}]
    print(f"{folder}: {len(cases)} cases, {len(wrong)} differences")
    print("".join(f"  {sentence}\n" for sentence in wrong), end="")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", nargs="*", type=Path, metavar="DIR",
                        help="compare the cases of these folders (default: the kept ones)")
    options = parser.parse_args()
    if options.check is None:
        write_all()
        return 0
    return 0 if all([check(folder) for folder in options.check or [KEPT]]) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes and checks tests/data/reference/audit: values of subgroups and of the rest by brute force
(each subset of the samples by itself), and max-T p-values of small tables by their definition, for
audit_reference_test.cpp.

    make_audit.py           writes all cases anew
    make_audit.py --check   recomputes the values and compares

Needs NumPy.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "data" / "reference"
KEPT = CASES / "audit"
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import make_reference  # noqa: E402: found through the lines above
import numpy_reference  # noqa: E402

NAMES = ["ties_k2", "float16_k3", "big_endian_k5", "one_pass_two_axes_k6", "all_wrong_k4"]
REFER_ABOVE = 0.5
COUNTS = {"n_ac", "n_au", "n_ic", "n_iu"}


def column(samples):
    """Sample i is in group 7i mod 3, and flagged where 5i mod 11 is below 2."""
    i = np.arange(samples)
    return 7 * i % 3, 5 * i % 11 < 2


def values(p, aleatoric, labels, flagged):
    found = numpy_reference.metrics(p, aleatoric, labels)
    c = p.max(axis=1)
    u = np.minimum(numpy_reference.entropy(p), np.log(p.shape[1]))
    right = p.argmax(axis=1) == labels
    kept = {key: value for key, value in found.items() if key not in COUNTS}
    kept.update({
        "mean_confidence": c.mean(),
        "overconfidence": c.mean() - right.mean(),
        "mean_uncertainty": u.mean(),
        "referral": (u > REFER_ABOVE).mean(),
        "certain_mistakes": (~right & (u <= numpy_reference.ETA)).mean(),
        "out_of_scope": flagged.mean(),
    })
    return kept


def case(name):
    with np.load(CASES / f"{name}.npz") as arrays:
        labels = arrays["labels"].astype(np.int64)
        p, aleatoric = numpy_reference.predict(arrays["logits"])
    group, flagged = column(len(labels))
    rows = []
    for g in range(3):
        inside = group == g
        rows.append({side: values(p[mask], aleatoric[mask], labels[mask], flagged[mask])
                     for side, mask in [("values", inside), ("rest", ~inside)]})
    return rows


def max_t(observed, permuted):
    """Westfall and Young's step-down maximum, set by set: the statistics from the i-th on. NaN is
    undefined: t is 0 there, and the shuffle counts against the statistic itself."""
    both = np.vstack([observed, permuted])
    t = np.abs(both - np.nanmean(both, axis=0)) / np.nanstd(both, axis=0)
    undefined = np.isnan(t)
    t[undefined] = 0
    order = np.argsort(-t[0], kind="stable")
    p = [(1 + np.sum((t[1:, j] >= t[0, j] - 1e-12) | undefined[1:, j])) / len(t)
         for j in range(len(observed))]
    corrected, highest = np.empty(len(observed)), 0.0
    for i, j in enumerate(order):
        largest = t[1:][:, order[i:]].max(axis=1)
        highest = max(highest, (1 + np.sum(largest >= t[0, j] - 1e-12)) / len(t))
        corrected[j] = max(highest, p[j])
    return p, corrected.tolist()


def with_null(values):
    return [None if np.isnan(value) else value for value in values]


def tables():
    found = []
    rng = np.random.default_rng(5)
    for statistics, permutations, undefined in [(1, 19, 0), (4, 39, 0), (9, 60, 0), (6, 50, 0.2)]:
        mixing = rng.normal(size=(statistics, statistics))
        permuted = np.round(rng.normal(size=(permutations, statistics)) @ mixing, 3)
        observed = np.round(rng.normal(size=statistics) @ mixing * 2, 3)
        if undefined > 0:
            permuted[rng.random(permuted.shape) < undefined] = np.nan
            permuted[:, 0] = np.round(rng.normal(size=permutations), 3)
            observed[0], observed[-1] = 5, np.nan
        p, corrected = max_t(observed, permuted)
        found.append({"observed": with_null(observed), "permuted": [with_null(r) for r in permuted],
                      "p": p, "corrected": corrected})
    return found


def all_values():
    found = {name: case(name) for name in NAMES}
    found["max_t"] = tables()
    return json.loads(json.dumps(found, default=float))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    found = all_values()
    if not parser.parse_args().check:
        KEPT.mkdir(exist_ok=True)
        for name, value in found.items():
            (KEPT / f"{name}.json").write_text(json.dumps(value, indent=1) + "\n")
        return
    wrong = [sentence for name, value in found.items() for sentence in make_reference.differences(
        value, json.loads((KEPT / f"{name}.json").read_text()), name)]
    print(f"{KEPT}: {len(found)} cases, {len(wrong)} differences")
    print("".join(f"  {sentence}\n" for sentence in wrong), end="")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

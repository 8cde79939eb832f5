#!/usr/bin/env python3
"""Makes and checks tests/data/reference/monitor: what SciPy gives for the drift tests of small
cases, and ranges of sums of events by convolution, for monitor_reference_test.cpp.

    make_monitor.py           writes all cases anew
    make_monitor.py --check   recomputes the values and compares

Needs NumPy and SciPy (Debian: python3-numpy, python3-scipy).
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "data" / "reference" / "monitor" / "cases.json"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import make_reference  # noqa: E402: found through the line above

REFER_ABOVE = 0.5


def side(rng, size, shares, shift):
    """Answers, confidences and uncertainties with ties, and flags."""
    return {
        "predicted": rng.choice(len(shares), size, p=shares).tolist(),
        "confidence": np.round(rng.beta(5 - shift, 2, size), 2).tolist(),
        "uncertainty": np.round(rng.beta(2, 4 - shift, size), 2).tolist(),
        "outside": (rng.random(size) < 0.1 + 0.1 * shift).astype(int).tolist(),
    }


def rate_test(old, new):
    """The difference of two shares, and the chance of as large a one among all divisions into these
    sizes, from the hypergeometric law (as Fisher's exact test, by the size of the difference)."""
    flagged = sum(old) + sum(new)
    counts = np.arange(flagged + 1)
    gaps = np.abs(counts / len(new) - (flagged - counts) / len(old))
    observed = abs(np.mean(new) - np.mean(old))
    chances = stats.hypergeom.pmf(counts, len(old) + len(new), flagged, len(new))
    return {"statistic": observed, "p": float(chances[gaps >= observed - 1e-9].sum())}


def distance(old, new):
    """p is that of SciPy's exact law, which knows no ties and is too large with them: no p then."""
    found = stats.ks_2samp(old, new, mode="exact")
    has_ties = len(set(old + new)) < len(old) + len(new)
    return {"statistic": found.statistic, "p": None if has_ties else found.pvalue}


def case(name, seed, sizes, shares, new_shares, shift, digits=2):
    rng = np.random.default_rng(seed)
    old = side(rng, sizes[0], shares, 0)
    new = side(rng, sizes[1], new_shares, shift)
    if digits > 2:  # no ties
        for each in (old, new):
            for key in ("confidence", "uncertainty"):
                each[key] = [value + 1e-6 * rng.random() for value in each[key]]
    classes = len(shares)
    table = np.array([np.bincount(each["predicted"], minlength=classes) for each in (old, new)])
    table = table[:, table.sum(axis=0) > 0]
    chi = stats.chi2_contingency(table, correction=False)
    if table.shape[1] == 2:  # two classes are a share, of which there is an exact law
        first = [[int(k == 0) for k in each["predicted"]] for each in (old, new)]
        chi = (chi[0], rate_test(*first)["p"])
    referred = [[int(u > REFER_ABOVE) for u in each["uncertainty"]] for each in (old, new)]
    return {
        "name": name, "classes": classes, "reference": old, "period": new,
        "tests": {
            "classes": {"statistic": chi[0], "p": chi[1]},
            "confidence": distance(old["confidence"], new["confidence"]),
            "uncertainty": distance(old["uncertainty"], new["uncertainty"]),
            "referral": rate_test(*referred),
            "out_of_scope": rate_test(old["outside"], new["outside"]),
        },
    }


def event_range(p, level):
    chance = np.array([1.0])
    for each in p:
        chance = np.convolve(chance, [1 - each, each])
    side_chance = (1 - level) / 2
    below = np.concatenate([[0], np.cumsum(chance)])[:-1]  # P(X < k)
    above = 1 - np.cumsum(chance)  # P(X > k)
    return [int(np.nonzero(below <= side_chance)[0][-1]),
            int(np.nonzero(above <= side_chance)[0][0])]


def events():
    rng = np.random.default_rng(3)
    found = []
    for size, level in [(1, 0.95), (5, 0.9), (40, 0.95), (400, 0.99)]:
        p = np.round(rng.beta(5, 2, size), 6).tolist()
        found.append({"p": p, "level": level, "range": event_range(p, level)})
    found.append({"p": [0, 1, 1, 0.5], "level": 0.95, "range": event_range([0, 1, 1, 0.5], 0.95)})
    return found


def all_values():
    found = {
        "cases": [
            case("alike", 1, (300, 200), [0.6, 0.3, 0.1], [0.6, 0.3, 0.1], 0, 6),
            case("ties", 2, (200, 150), [0.5, 0.3, 0.2], [0.4, 0.3, 0.3], 0.3),
            case("moved", 3, (150, 120), [0.5, 0.5, 0.0], [0.35, 0.65, 0.0], 0.6, 6),
            case("small", 4, (30, 9), [0.7, 0.2, 0.1], [0.7, 0.2, 0.1], 0.5, 6),
        ],
        "events": events(),
    }
    return json.loads(json.dumps(found, default=float))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    found = all_values()
    if not parser.parse_args().check:
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(found) + "\n")
        return
    wrong = list(make_reference.differences(found, json.loads(KEPT.read_text()), "monitor"))
    print(f"{KEPT}: {len(wrong)} differences")
    print("".join(f"  {sentence}\n" for sentence in wrong), end="")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

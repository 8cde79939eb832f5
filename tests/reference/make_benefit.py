#!/usr/bin/env python3
"""Makes and checks tests/data/reference/benefit: net benefit and cost of reference cases, a case at a
time in plain NumPy, for benefit_reference_test.cpp.

    make_benefit.py           writes all cases anew
    make_benefit.py --check   recomputes the values and compares
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "data" / "reference"
KEPT = CASES / "benefit"
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import make_reference  # noqa: E402: found through the lines above
import numpy_reference  # noqa: E402

NAMES = ["ties_k2", "float16_k3", "big_endian_k5"]
POSITIVE = [1]            # and, of more than two classes, the last one
THRESHOLDS = [0.02, 0.1, 0.25, 0.5, 0.8]
REFER_ABOVE = 0.325
SCOPE_EVERY = 7           # every seventh sample is out of scope
REFERRAL, SCOPE = 0.04, 0.1
EXPERT = 0.95, 0.9        # sensitivity, specificity
PREVALENCE = 0.08
COSTS = {"miss": 120.0, "false_alarm": 9.0, "referral": 5.0}


def treat(strategy, risk, decision, threshold):
    """(who answers, share of such cases that are treated if diseased, and if healthy)."""
    if strategy == "treat_all":
        return "nobody", 1.0, 1.0
    if strategy == "treat_none":
        return "nobody", 0.0, 0.0
    if strategy == "refer_all" or (strategy == "policy" and decision != "accept"):
        return "expert", EXPERT[0], 1 - EXPERT[1]
    return "model", float(risk >= threshold), float(risk >= threshold)


def value(strategy, cases, weights, threshold, prices):
    """Weighted sum over cases of what each brings (found = 1 in the unit of a miss) or costs."""
    benefit = cost = 0.0
    for (risk, sick, decision), weight in zip(cases, weights):
        who, if_sick, if_well = treat(strategy, risk, decision, threshold)
        found, alarm = sick * if_sick, (1 - sick) * if_well
        price = 0.0
        if who == "expert":
            out = strategy == "policy" and decision == "out-of-scope"
            price = prices["out_of_scope"] if out else prices["referral"]
        benefit += weight * (found - threshold / (1 - threshold) * alarm - price)
        cost += weight * (prices["miss"] * sick * (1 - if_sick)
                          + prices["false_alarm"] * alarm + price)
    return benefit, 1000 * cost


def values_of(name):
    with np.load(CASES / f"{name}.npz") as arrays:
        labels = arrays["labels"].astype(np.int64).ravel()
        p = numpy_reference.predict(arrays["logits"])[0]
    positive = sorted(set(POSITIVE + [p.shape[1] - 1]))
    risk = p[:, positive].sum(axis=1)
    sick = np.isin(labels, positive).astype(float)
    u = numpy_reference.entropy(p)
    decision = ["out-of-scope" if i % SCOPE_EVERY == 0 else "refer" if u[i] > REFER_ABOVE
                else "accept" for i in range(len(u))]
    cases = list(zip(risk, sick, decision))
    plain = np.full(len(u), 1 / len(u))
    weighed = np.where(sick == 1, PREVALENCE / sick.sum(), (1 - PREVALENCE) / (1 - sick).sum())
    relative = {"miss": 1, "false_alarm": 0, "referral": REFERRAL, "out_of_scope": SCOPE}
    stated = dict(COSTS, out_of_scope=COSTS["referral"])
    strategies = ["policy", "answer_all", "treat_all", "treat_none", "refer_all"]
    return {
        "net_benefit": [[value(s, cases, plain, t, relative)[0] for s in strategies]
                        for t in THRESHOLDS],
        "at_prevalence": [[value(s, cases, weighed, t, relative)[0] for s in strategies]
                          for t in THRESHOLDS],
        "cost": [[value(s, cases, plain, t, stated)[1] for s in strategies] for t in THRESHOLDS],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        KEPT.mkdir(exist_ok=True)
        for name in NAMES:
            (KEPT / f"{name}.json").write_text(json.dumps(values_of(name), indent=1) + "\n")
        return
    wrong = [sentence for name in NAMES for sentence in make_reference.differences(
        values_of(name), json.loads((KEPT / f"{name}.json").read_text()), name)]
    print(f"{KEPT}: {len(NAMES)} cases, {len(wrong)} differences")
    print("".join(f"  {sentence}\n" for sentence in wrong), end="")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

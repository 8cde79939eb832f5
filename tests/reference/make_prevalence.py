#!/usr/bin/env python3
"""Makes and checks tests/data/reference/prevalence: what SciPy, scikit-learn and plain NumPy make of
another prevalence of reference cases, for prevalence_reference_test.cpp.

    make_prevalence.py           writes all cases anew
    make_prevalence.py --check   recomputes the values and compares

Needs SciPy and scikit-learn (Debian: python3-scipy, python3-sklearn).
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy import optimize
from sklearn import metrics

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "data" / "reference"
KEPT = CASES / "prevalence"
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import make_reference  # noqa: E402: found through the lines above
import numpy_reference  # noqa: E402

NAMES = ["ties_k2", "float16_k3", "big_endian_k5"]
ETA = numpy_reference.ETA
ACCEPT = 0.6  # nats


def stated(classes):
    """Shares that halve from class to class, the last first."""
    shares = 0.5 ** np.arange(classes)[::-1]
    return shares / shares.sum()


def new_samples(count):
    """Which samples of a case play the new ones: more of the later ones."""
    return [i for i in range(count) if i % 3 != 0 or i > count // 2]


def corrected(p, start, to):
    q = p * (to / start)
    return q / q.sum(axis=1, keepdims=True)


def implied(p, labels):
    """Logistic regression with ln p as offset and nothing but class biases, by BFGS."""
    classes = p.shape[1]
    shares = np.bincount(labels, minlength=classes) / len(labels)
    log_p = np.log(np.maximum(p, 1e-12))

    def loss(free):
        z = log_p + np.append(free, 0.0)
        z = z - z.max(axis=1, keepdims=True)
        log_q = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        q = np.exp(log_q).mean(axis=0)
        return -log_q[np.arange(len(labels)), labels].mean(), (q - shares)[:-1]

    found = optimize.root(lambda free: loss(free)[1],
                          optimize.minimize(loss, np.zeros(classes - 1), jac=True).x, tol=1e-14)
    prior = shares / np.exp(np.append(found.x, 0.0))
    return prior / prior.sum()


def likelihood_maximum(p, start):
    """Shares of the highest likelihood, by SLSQP over the simplex, then many EM steps."""
    ratio = p / start
    classes = p.shape[1]
    found = optimize.minimize(
        lambda q: -np.log(np.maximum(ratio @ q, 1e-300)).mean(), start,
        jac=lambda q: -(ratio / np.maximum(ratio @ q, 1e-300)[:, None]).mean(axis=0),
        method="SLSQP", bounds=[(0, 1)] * classes,
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1}, options={"ftol": 1e-15,
                                                                           "maxiter": 1000})
    q = start.copy()
    for _ in range(30000):
        q = q * (ratio / (ratio @ q)[:, None]).mean(axis=0)
    assert np.abs(q - found.x).max() < 1e-5, (q, found.x)
    return q


def black_box(labels, predicted, new_predicted, classes):
    matrix = metrics.confusion_matrix(labels, predicted, labels=range(classes), normalize="true").T
    answers = np.bincount(new_predicted, minlength=classes) / len(new_predicted)
    raw = np.linalg.solve(matrix, answers)
    clipped = np.maximum(raw, 0)
    return {"raw": raw, "prevalence": clipped / clipped.sum(),
            "condition": np.linalg.cond(matrix, 1)}


def weighted_error(values, observed, target, w):
    bins = numpy_reference.bin_index(values)
    return sum(w[bins == m].sum() * abs(np.average(observed[bins == m], weights=w[bins == m])
                                        - np.average(target[bins == m], weights=w[bins == m]))
               for m in np.unique(bins)) / w.sum()


def weighted_metrics(p, labels, w):
    classes = p.shape[1]
    predicted, c, u = p.argmax(axis=1), p.max(axis=1), numpy_reference.entropy(p)
    right = (predicted == labels).astype(float)
    ideal = numpy_reference.u_ideal(c, classes)
    rows = np.arange(len(labels))
    return {
        "accuracy": metrics.accuracy_score(labels, predicted, sample_weight=w),
        "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted, sample_weight=w),
        "nll": np.average(-np.log(np.maximum(p[rows, labels], 1e-12)), weights=w),
        "brier": np.average(((p - np.eye(classes)[labels]) ** 2).sum(axis=1), weights=w),
        "ece": weighted_error(c, right, c, w),
        "uce": weighted_error(u / np.log(classes), 1 - right, u / np.log(classes), w),
        "bcce": weighted_error(c, u, ideal, w),
        "avu": np.average((right == (u <= ETA)).astype(float), weights=w),
    }


def accepted(p, labels, w, threshold):
    u = numpy_reference.entropy(p)
    wrong = (p.argmax(axis=1) != labels).astype(float)
    inside = u <= threshold
    return {"share": w[inside].sum() / w.sum(),
            "error": np.average(wrong[inside], weights=w[inside])}


def kept_threshold(p, labels, w, error):
    """The largest U, tried one by one, with no more errors among answers up to it."""
    return max((t for t in numpy_reference.entropy(p)
                if accepted(p, labels, w, t)["error"] <= error + 1e-12), default=None)


def values_of(name):
    with np.load(CASES / f"{name}.npz") as arrays:
        labels = arrays["labels"].astype(np.int64).ravel()
        p = numpy_reference.predict(arrays["logits"])[0]
    classes = p.shape[1]
    shares = np.bincount(labels, minlength=classes) / len(labels)
    to = stated(classes)
    w = (to / shares)[labels]
    start = implied(p, labels)
    fresh = p[new_samples(len(labels))]
    fixed = corrected(p, start, to)
    promise = accepted(p, labels, np.ones(len(labels)), ACCEPT)["error"]
    found = {
        "from": start,
        "em": likelihood_maximum(fresh, start),
        "bbse": black_box(labels, p.argmax(axis=1), fresh.argmax(axis=1), classes),
        "effective_samples": w.sum() ** 2 / (w ** 2).sum(),
        "there": weighted_metrics(p, labels, w),
        "corrected": weighted_metrics(fixed, labels, w),
        "accepted": {"there": accepted(p, labels, w, ACCEPT),
                     "corrected": accepted(fixed, labels, w, ACCEPT)},
        "kept": {"there": kept_threshold(p, labels, w, promise),
                 "corrected": kept_threshold(fixed, labels, w, promise)},
    }
    return json.loads(json.dumps(found, default=lambda each: each.tolist()))


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

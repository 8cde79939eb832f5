#!/usr/bin/env python3
"""Makes and checks tests/data/reference/clinical: what scikit-learn and statsmodels give for the
probabilities of reference cases, for clinical_reference_test.cpp.

    make_clinical.py           writes all cases anew
    make_clinical.py --check   recomputes the values and compares

Needs scikit-learn and statsmodels (Debian: python3-sklearn, python3-statsmodels).
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from sklearn import metrics

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "data" / "reference"
KEPT = CASES / "clinical"
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import make_reference  # noqa: E402: found through the lines above
import numpy_reference  # noqa: E402

NAMES = ["ties_k2", "float16_k3", "fortran_order_k3", "big_endian_k5", "one_pass_two_axes_k6"]
BINS = 15
LEVEL = 0.9  # of the sensitivity and the specificity wanted
THRESHOLD = 0.4
PREVALENCE = 0.02


def ece(p, y, bins):
    return sum(abs(p[bins == m].mean() - y[bins == m].mean()) * (bins == m).mean()
               for m in np.unique(bins))


def brier_parts(p, y, bins):
    parts = np.zeros(3)
    for m in np.unique(bins):
        inside = bins == m
        parts[0] += inside.mean() * (p[inside].mean() - y[inside].mean()) ** 2
        parts[1] += inside.mean() * (y[inside].mean() - y.mean()) ** 2
    parts[2] = y.mean() * (1 - y.mean())
    return parts


def debiased(c, right):
    total = 0.0
    bins = numpy_reference.bin_index(c, BINS)
    for m in np.unique(bins):
        inside = bins == m
        n, acc = inside.sum(), right[inside].mean()
        if n > 1:
            total += inside.mean() * ((c[inside].mean() - acc) ** 2 - acc * (1 - acc) / (n - 1))
    return float(np.sqrt(max(0.0, total)))


def adaptive(c, right):
    order = np.argsort(c, kind="stable")
    return ece(c[order], right[order], np.arange(len(c)) * BINS // len(c))


def line(x, y):
    logit = np.log(x / (1 - x))
    free = sm.GLM(y, sm.add_constant(logit), family=sm.families.Binomial()).fit(tol=1e-14)
    held = sm.GLM(y, np.ones(len(y)), offset=logit, family=sm.families.Binomial()).fit(tol=1e-14)
    return float(free.params[1]), float(held.params[0])


def point(y, flagged, threshold):
    tn, fp, fn, tp = metrics.confusion_matrix(y, flagged, labels=[0, 1]).ravel()
    sensitivity, specificity = tp / (tp + fn), tn / (tn + fp)
    ppv = sensitivity * PREVALENCE
    ppv /= ppv + (1 - specificity) * (1 - PREVALENCE)
    npv = specificity * (1 - PREVALENCE)
    npv /= npv + (1 - sensitivity) * PREVALENCE
    return {"threshold": threshold, "sensitivity": sensitivity, "specificity": specificity,
            "ppv": metrics.precision_score(y, flagged), "npv": tn / (tn + fn),
            "ppv_at_prevalence": ppv, "npv_at_prevalence": npv}


def class_values(p, y, answered):
    fpr, tpr, thresholds = metrics.roc_curve(y, p, drop_intermediate=False)
    at_sensitivity = float(thresholds[np.argmax(tpr >= LEVEL - 1e-12)])
    at_specificity = float(thresholds[np.nonzero(1 - fpr >= LEVEL - 1e-12)[0][-1]])
    return {
        "auroc": metrics.roc_auc_score(y, p),
        "aupr": metrics.average_precision_score(y, p),
        "answer": point(y, answered, None),
        "threshold": point(y, p >= THRESHOLD, THRESHOLD),
        "sensitivity": point(y, p >= at_sensitivity, at_sensitivity),
        "specificity": point(y, p >= at_specificity, at_specificity),
    }


def values_of(name):
    with np.load(CASES / f"{name}.npz") as arrays:
        labels = arrays["labels"].astype(np.int64)
        p = numpy_reference.predict(arrays["logits"])[0]
    classes = range(p.shape[1])
    predicted, c, u = p.argmax(axis=1), p.max(axis=1), numpy_reference.entropy(p)
    right = (predicted == labels).astype(float)
    per_class = [class_values(p[:, k], (labels == k).astype(int), (predicted == k).astype(int))
                 for k in classes]
    bins = [numpy_reference.bin_index(p[:, k], BINS) for k in classes]
    parts = sum(brier_parts(p[:, k], (labels == k).astype(float), bins[k]) for k in classes)
    slope, intercept = line(p[:, 1], labels.astype(float)) if len(classes) == 2 else line(c, right)
    overall = {
        "auroc": metrics.roc_auc_score(labels, p[:, 1]) if len(classes) == 2 else
        metrics.roc_auc_score(labels, p, multi_class="ovr", average="macro"),
        "aupr": np.mean([each["aupr"] for each in per_class]),
        "kappa": metrics.cohen_kappa_score(labels, predicted),
        "quadratic_kappa": metrics.cohen_kappa_score(labels, predicted, labels=list(classes),
                                                     weights="quadratic"),
        "mcc": metrics.matthews_corrcoef(labels, predicted),
        "mistake_auroc": metrics.roc_auc_score(1 - right, u),
        "classwise_ece": np.mean([ece(p[:, k], (labels == k).astype(float), bins[k])
                                  for k in classes]),
        "adaptive_ece": adaptive(c, right),
        "debiased_ece": debiased(c, right),
        "brier_reliability": parts[0],
        "brier_resolution": parts[1],
        "brier_uncertainty": parts[2],
        "calibration_slope": slope,
        "calibration_intercept": intercept,
    }
    confusion = metrics.confusion_matrix(labels, predicted, normalize="true")
    found = {"overall": overall, "per_class": per_class, "confusion": confusion.ravel().tolist()}
    return json.loads(json.dumps(found, default=float))


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

#!/usr/bin/env python3
"""The program's numbers beside those of scikit-learn and statsmodels, on the logits of 'cubcal example'.

    /usr/bin/python3 benchmarks/metrics_beside_peers.py --build build [--docs docs/metrics.md]

Runs 'cubcal example', 'cubcal apply' (for the mean probabilities, which both sides then share) and
'cubcal evaluate --clinical', and prints a row for each number: ours, theirs, the difference. Stops where two differ
by more than 1e-9. --docs rewrites the part between the markers of that page. Needs scikit-learn and
statsmodels (Debian: python3-sklearn, python3-statsmodels).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn import metrics as sk
from statsmodels.stats.multitest import multipletests

BEGIN = "<!-- peers:begin (benchmarks/metrics_beside_peers.py rewrites everything up to peers:end) -->"
END = "<!-- peers:end -->"
MOST = 1e-9


def logistic(y, x, offset=None):
    return sm.GLM(y, x, family=sm.families.Binomial(), offset=offset).fit(tol=1e-14).params


def peers(p, y, u, ours):
    """Rows of (number, whose, ours, theirs)."""
    classes = p.shape[1]
    answer = p.argmax(axis=1)
    right = answer == y
    clinical = ours["clinical"]["metrics"]
    confidence = p[np.arange(len(y)), answer]
    logit = np.log(confidence / (1 - confidence))
    one_hot = np.eye(classes)[y]
    rows = [
        ("accuracy", "accuracy_score", ours["metrics"]["accuracy"], sk.accuracy_score(y, answer)),
        ("balanced accuracy", "balanced_accuracy_score", ours["metrics"]["balanced_accuracy"],
         sk.balanced_accuracy_score(y, answer)),
        ("NLL", "log_loss", ours["metrics"]["nll"], sk.log_loss(y, p)),
        ("Brier", "brier_score_loss, summed over classes", ours["metrics"]["brier"],
         sum(sk.brier_score_loss(one_hot[:, k], p[:, k]) for k in range(classes))),
        ("AUROC, mean of classes", "roc_auc_score(multi_class='ovr')", clinical["auroc"],
         sk.roc_auc_score(y, p, multi_class="ovr")),
        ("AUPR, mean of classes", "average_precision_score", clinical["aupr"],
         sk.average_precision_score(one_hot, p)),
        ("Cohen's kappa", "cohen_kappa_score", clinical["kappa"], sk.cohen_kappa_score(y, answer)),
        ("quadratic kappa", "cohen_kappa_score(weights='quadratic')", clinical["quadratic_kappa"],
         sk.cohen_kappa_score(y, answer, weights="quadratic")),
        ("Matthews correlation", "matthews_corrcoef", clinical["mcc"], sk.matthews_corrcoef(y, answer)),
        ("AUROC of U for mistakes", "roc_auc_score", clinical["mistake_auroc"], sk.roc_auc_score(~right, u)),
        ("calibration slope", "statsmodels GLM", clinical["calibration_slope"],
         logistic(right, sm.add_constant(logit))[1]),
        ("calibration intercept", "statsmodels GLM with offset", clinical["calibration_intercept"],
         logistic(right, np.ones(len(y)), logit)[0]),
    ]
    scores = sk.precision_recall_fscore_support(y, answer)
    for name, place in (("precision", 0), ("recall", 1), ("f1", 2)):
        rows.append((f"{name} of class 0", "precision_recall_fscore_support", ours["per_class"][0][name],
                     scores[place][0]))
    return rows


def holm(compared):
    adjusted = [each["holm_p_values"]["nll"] for each in compared["comparisons"]]
    theirs = multipletests([each["p_values"]["nll"] for each in compared["comparisons"]], method="holm")[1]
    return [("Holm's p of NLL, the larger of two", "multipletests(method='holm')", max(adjusted), max(theirs))]


def measure(cubcal):
    def output(*arguments):
        return subprocess.run([cubcal, *map(str, arguments)], stdout=subprocess.PIPE, check=True).stdout

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        output("example", "--out", folder)
        test = folder / "test.npz"
        output("apply", test, "-o", folder / "predictions.npz")
        with np.load(folder / "predictions.npz") as arrays:
            p, u = arrays["probabilities"], arrays["uncertainty"]
        with np.load(test) as arrays:
            y = arrays["labels"]
            logits = arrays["logits"]
        ours = json.loads(output("evaluate", test, "--clinical", "--json", "-"))
        np.savez(folder / "b.npz", logits=logits * 0.8, labels=y)
        np.savez(folder / "c.npz", logits=logits[:5], labels=y)
        np.savez(folder / "a.npz", logits=logits, labels=y)
        compared = json.loads(output("compare", folder / "a.npz", folder / "b.npz", folder / "c.npz", "--bootstrap",
                                     999, "--json", "-"))
        return peers(p, y, u, ours) + holm(compared), len(y), p.shape[1]


def table(rows, samples, classes):
    lines = [f"`cubcal example`, test.npz: {samples} samples, {classes} classes. scikit-learn {sklearn.__version__}, "
             f"statsmodels {statsmodels.__version__}, SciPy {scipy.__version__}. Command: `/usr/bin/python3 "
             "benchmarks/metrics_beside_peers.py --build build --docs docs/metrics.md`.", "",
             "| number | theirs | cubcal | scikit-learn, statsmodels | difference |", "|---|---|---:|---:|---:|"]
    for name, whose, ours, theirs in rows:
        if not abs(ours - theirs) <= MOST:
            sys.exit(f"{name}: {ours} and {theirs} differ")
        lines.append(f"| {name} | `{whose}` | {ours:.12f} | {theirs:.12f} | {abs(ours - theirs):.0e} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--docs", type=Path, help="the page whose table is rewritten")
    options = parser.parse_args()
    text = table(*measure(options.build.resolve() / "cubcal"))
    print(text)
    if options.docs:
        page = options.docs.read_text(encoding="utf-8")
        first, last = page.index(BEGIN) + len(BEGIN), page.index(END)
        options.docs.write_text(page[:first] + "\n" + text + page[last:], encoding="utf-8")


if __name__ == "__main__":
    main()

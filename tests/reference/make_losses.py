#!/usr/bin/env python3
"""Makes and checks the reference cases of the losses in tests/data/reference/losses.

A case is <name>.npz: `logits` [S, B, K] float64 and `labels`, and of each loss its value and its
gradient with respect to the logits. The formulas are written here from their definitions (METHOD:
deviations from the boundary curve over their largest values, soft counts of AvU), in extended
precision, and the gradients are five-point differences of them: nothing is shared with the
libraries. tests/losses/reference_vectors_test.cpp holds C++ against them, python/tests the package.

    make_losses.py            writes all cases anew
    make_losses.py --check    recomputes the kept ones and compares
"""

import argparse
import sys
from pathlib import Path

import numpy as np

KEPT = Path(__file__).resolve().parents[1] / "data" / "reference" / "losses"
REAL = np.longdouble
GAMMA, EPSILON, THRESHOLD = 0.9, 1e-3, 0.6
OTHER_GAMMA, OTHER_EPSILON = 0.6, 0.1


def mean_prediction(z):
    e = np.exp(z - z.max(axis=2, keepdims=True))
    p = (e / e.sum(axis=2, keepdims=True)).mean(axis=0)
    return p, p.argmax(axis=1), p.max(axis=1), -(p * np.log(p)).sum(axis=1)


def h(c):
    return -c * np.log(c) - (1 - c) * np.log1p(-c)


def u_max(c, k):
    return h(c) + (1 - c) * np.log(REAL(k - 1))


def u_min_attainable(c):
    m = np.floor(1 / c)
    rest = np.maximum(1 - m * c, 0)
    return -m * c * np.log(c) - np.where(rest > 0, rest * np.log(np.where(rest > 0, rest, 1)), 0)


def largest_spread(gamma, k):
    """The maximum over c in [1/K, gamma] of U_max - u_min_attainable, on ever finer grids."""
    low, high = REAL(1) / k, REAL(gamma)
    for _ in range(12):
        c = np.linspace(low, high, 20001, dtype=REAL)
        spread = u_max(c, k) - u_min_attainable(c)
        best = int(spread.argmax())
        low, high = c[max(best - 2, 0)], c[min(best + 2, len(c) - 1)]
    return spread.max()


def cross_entropy(z, y, weights=None):
    shifted = z - z.max(axis=2, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
    each = -log_p[:, np.arange(len(y)), y].mean(axis=0)
    w = np.ones(len(y), REAL) if weights is None else weights[y]
    return (w * each).sum() / w.sum()


def cub(z, y, gamma, epsilon, reduction, spread):
    p, predicted, c, u = mean_prediction(z)
    k = p.shape[1]
    right, sure = predicted == y, c > gamma
    gamma = REAL(gamma)
    deviation = np.where(
        right,
        np.where(sure, np.abs(h(c) - u), np.abs(c - gamma)),
        np.where(sure, np.abs(c - gamma), np.abs(u_max(c, k) - u)))
    largest = np.where(
        right,
        np.where(sure, (1 - gamma) * np.log(REAL(k - 1)), gamma - REAL(1) / k),
        np.where(sure, 1 - gamma, spread))
    entropic = right == sure  # AC and IU, which vanish for two classes
    d = np.where(entropic & (k == 2), 0, deviation / np.where(largest > 0, largest, 1))
    edge = 1 - REAL(epsilon)
    inside = np.minimum(d, edge)
    losses = -np.log1p(-inside) + (d - inside) / REAL(epsilon)
    return losses.sum() if reduction == "sum" else losses.mean()


def avuc(z, y, threshold):
    _, predicted, c, u = mean_prediction(z)
    right, sure = predicted == y, u <= threshold
    count = np.where(right, c, 1 - c) * np.where(sure, 1 - np.tanh(u), np.tanh(u))
    guard = REAL(1e-10)
    return -np.log(count[right == sure].sum() / (count.sum() + guard) + guard)


def gradient(loss, z, step=REAL(1e-4)):
    result = np.empty(z.shape, REAL)
    for place in np.ndindex(*z.shape):
        total = REAL(0)
        for shift, factor in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
            moved = z.copy()
            moved[place] += shift * step
            total += factor * loss(moved)
        result[place] = total / (12 * step)
    return result


def losses_of(y, classes, weights):
    spread = largest_spread(GAMMA, classes) if classes > 2 else REAL(0)
    other = largest_spread(OTHER_GAMMA, classes) if classes > 2 else REAL(0)
    return {
        "cross_entropy": lambda z: cross_entropy(z, y),
        "weighted_cross_entropy": lambda z: cross_entropy(z, y, weights),
        "cub": lambda z: cub(z, y, GAMMA, EPSILON, "sum", spread),
        "cub_mean": lambda z: cub(z, y, OTHER_GAMMA, OTHER_EPSILON, "mean", other),
        "avuc": lambda z: avuc(z, y, THRESHOLD),
    }


def make_loss_case(seed, passes, samples, classes, spread):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(samples, classes))
    logits = spread * (shared + 0.3 * rng.normal(size=(passes, samples, classes)))
    predicted = mean_prediction(logits.astype(REAL))[1]
    labels = (predicted + np.arange(samples) % 2) % classes  # about half of them right
    return finish_loss_case(logits, labels, np.linspace(0.5, 2.0, classes))


def finish_loss_case(logits, labels, weights):
    z = logits.astype(REAL)
    case = {"logits": logits, "labels": labels.astype(np.int64), "class_weights": weights}
    for name, loss in losses_of(labels, logits.shape[2], weights.astype(REAL)).items():
        case[name] = np.array([loss(z)], np.float64)
        case[name + "_gradient"] = gradient(loss, z).astype(np.float64)
    return case


def gaussian_kl(mu, rho, prior_mean, prior_sigma):
    sigma = np.log1p(np.exp(rho))
    return (np.log(prior_sigma / sigma)
            + (sigma**2 + (mu - prior_mean) ** 2) / (2 * prior_sigma**2) - REAL(1) / 2)


def finish_gaussian_case(mu, rho, prior_mean, weights):
    prior_sigma = REAL(0.7)
    m, r, n = (each.astype(REAL) for each in (mu, rho, prior_mean))
    sigma = np.maximum(np.abs(weights.astype(REAL)) * REAL(0.1), REAL(1e-4))
    return {
        "mu": mu, "rho": rho, "prior_mean": prior_mean, "weights": weights,
        "prior_sigma": np.array([0.7]),
        "kl": gaussian_kl(m, r, n, prior_sigma).astype(np.float64),
        "kl_mu_gradient": gradient(lambda x: gaussian_kl(x, r, n, prior_sigma).sum(), m).astype(np.float64),
        "kl_rho_gradient": gradient(lambda x: gaussian_kl(m, x, n, prior_sigma).sum(), r).astype(np.float64),
        "moped_rho": np.log(np.expm1(sigma)).astype(np.float64),
    }


def make_gaussian_case():
    rng = np.random.default_rng(9)
    return finish_gaussian_case(rng.normal(size=24), rng.normal(-3, 1, size=24), rng.normal(size=24),
                                np.concatenate([[0.0, 1e-5, -3e-4], rng.normal(size=21)]))


CASES = {
    "two_classes": lambda: make_loss_case(1, 3, 12, 2, 2.0),
    "unsure_k3": lambda: make_loss_case(2, 3, 10, 3, 0.4),
    "mixed_k5": lambda: make_loss_case(3, 5, 16, 5, 2.5),
    "certain_k7": lambda: make_loss_case(4, 2, 16, 7, 7.0),
    "one_pass_k4": lambda: make_loss_case(5, 1, 12, 4, 3.0),
    "many_classes_k20": lambda: make_loss_case(6, 2, 8, 20, 4.0),
    "gaussian": make_gaussian_case,
}


def remade(kept):
    if "mu" in kept:
        return finish_gaussian_case(kept["mu"], kept["rho"], kept["prior_mean"], kept["weights"])
    return finish_loss_case(kept["logits"], kept["labels"], kept["class_weights"])


def check():
    wrong = 0
    for name in CASES:
        with np.load(KEPT / f"{name}.npz") as arrays:
            kept = dict(arrays)
        fresh = remade(kept)
        for key, value in fresh.items():
            if not np.allclose(kept[key], value, rtol=1e-9, atol=1e-11):
                print(f"{name}: {key} differs by {np.abs(kept[key] - value).max():.3g}")
                wrong += 1
    print(f"{len(CASES)} cases checked, {wrong} arrays differ")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="recompute the kept cases and compare")
    if parser.parse_args().check:
        sys.exit(check())
    KEPT.mkdir(parents=True, exist_ok=True)
    for name, make in CASES.items():
        np.savez_compressed(KEPT / f"{name}.npz", **make())


if __name__ == "__main__":
    main()

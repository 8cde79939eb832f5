#!/usr/bin/python3
"""Writes tests/data/ood/reference.npz: features, and what every detector says of them.

    tests/ood/make_reference.py [FILE]

An implementation apart from the library's, with NumPy and SciPy, of the formulas alone: explicit
inverses where the library solves, singular values where it takes eigenvectors of a covariance,
all pairs of distances where it searches. Random Fourier features come from the same counter-based
generator (Philox 4x32-10 and Box-Muller), written anew here.
"""

import math
import sys
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

DEFAULT = Path(__file__).resolve().parent.parent / "data" / "ood" / "reference.npz"
NEIGHBOURS = 5
EXPLAINED = 0.9


def philox(counters, key):
    """Philox4x32-10 of uint32 counters [n, 4] under one key of two words."""
    c = counters.astype(np.uint64)
    k0, k1 = np.uint64(key[0]), np.uint64(key[1])
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p0 = np.uint64(0xD2511F53) * c[:, 0]
        p1 = np.uint64(0xCD9E8D57) * c[:, 2]
        c = np.stack([(p1 >> np.uint64(32)) ^ c[:, 1] ^ k0, p1 & low,
                      (p0 >> np.uint64(32)) ^ c[:, 3] ^ k1, p0 & low], axis=1)
        k0 = (k0 + np.uint64(0x9E3779B9)) & low
        k1 = (k1 + np.uint64(0xBB67AE85)) & low
    return c


def uniforms(count, seed, stream):
    """The first numbers in [0, 1) of the stream: two words make one."""
    blocks = (count + 1) // 2
    counters = np.zeros((blocks, 4), dtype=np.uint64)
    counters[:, 0] = np.arange(blocks)
    counters[:, 2] = stream
    words = philox(counters, (seed, 0)).reshape(-1, 2)
    high, low = words[:, 0], words[:, 1]
    return (((high << np.uint64(32)) | low) >> np.uint64(11)).astype(float)[:count] * 2.0**-53


def fourier_weights(dimension, features, gamma, seed):
    values = features * dimension
    drawn = uniforms(values + values % 2 + features, seed, 0)
    normal, phase = drawn[:values + values % 2], drawn[values + values % 2:]
    radius = np.sqrt(-2 * np.log1p(-normal[0::2]))
    angle = 2 * np.pi * normal[1::2]
    w = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()[:values]
    return np.sqrt(2 * gamma) * w.reshape(features, dimension), 2 * np.pi * phase


def squared_distances(x, mean, inverse):
    return np.einsum("ij,jk,ik->i", x - mean, inverse, x - mean)


def oas(covariance, samples):
    d = len(covariance)
    trace, square = np.trace(covariance), np.trace(covariance @ covariance)
    return min(1.0, ((1 - 2 / d) * square + trace**2)
               / ((samples + 1 - 2 / d) * (square - trace**2 / d)))


def mahalanobis(train, labels, x, shrink=False):
    """(to the nearest class, to all of the data)"""
    classes = np.unique(labels)
    means = {k: train[labels == k].mean(0) for k in classes}
    centred = train - np.array([means[k] for k in labels])
    covariances = [centred.T @ centred / len(train),
                   np.cov(train, rowvar=False, bias=True)]
    if shrink:
        for i, c in enumerate(covariances):
            rate = oas(c, len(train))
            covariances[i] = (1 - rate) * c + rate * np.trace(c) / len(c) * np.eye(len(c))
    within, background = [np.linalg.inv(c) for c in covariances]
    nearest = np.min([squared_distances(x, m, within) for m in means.values()], axis=0)
    return nearest, squared_distances(x, train.mean(0), background)


def relative(train, labels, x, shrink=False):
    nearest, background = mahalanobis(train, labels, x, shrink)
    return nearest - background


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def off_principal(train, x, directions=None):
    """Norm of what lies off the principal directions, by the singular values of the data."""
    mean = train.mean(0)
    _, s, vt = np.linalg.svd(train - mean, full_matrices=True)
    if directions is None:
        share = np.cumsum(s**2) / np.sum(s**2)
        directions = int(np.argmax(share >= EXPLAINED)) + 1
    rest = vt[directions:]
    return np.linalg.norm((x - mean) @ rest.T, axis=1), directions


def knn(train, x):
    return np.sort(cdist(unit(x), unit(train)), axis=1)[:, NEIGHBOURS - 1]


def vim(train, train_logits, x, logits):
    directions = train.shape[1] // 2
    alpha = train_logits.max(1).mean() / off_principal(train, train, directions)[0].mean()
    return alpha * off_principal(train, x, directions)[0] - logsumexp(logits, axis=1)


def appearance(train, x):
    """Of one Gaussian: the scale of each number does not matter while its covariance is regular."""
    return mahalanobis(train, np.zeros(len(train)), x)[0]


def fnv1a(row):
    value = 14695981039346656037
    for byte in row.astype("<f8").tobytes():
        value = ((value ^ byte) * 1099511628211) % 2**64
    return value


def combined(train, x):
    """train and x: (features, logits, appearance); train has labels at its end."""
    def members(known, shown):
        return np.stack([appearance(known[2], shown[2]), mahalanobis(known[0], known[3], shown[0])[0],
                         knn(known[0], shown[0]), vim(known[0], known[1], shown[0], shown[1])], axis=1)

    held_out = np.array([fnv1a(row) % 5 == 0 for row in train[2]])
    seen = np.sort(members([v[~held_out] for v in train], [v[held_out] for v in train]), axis=0)
    at = lambda share: seen[math.ceil(share * len(seen)) - 1]
    assert len(seen) >= 20
    return np.max((members(train, x) - at(0.5)) / (at(0.95) - at(0.5)), axis=1)


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    random = np.random.default_rng(20240607)
    train_n, test_n, classes, d1, d2 = 160, 40, 3, 7, 12
    labels = random.integers(0, classes, train_n)
    labels[:classes] = range(classes)

    def layer(dimension, scale):
        mixing = random.normal(size=(dimension, dimension)) + 2 * np.eye(dimension)
        centres = 1.5 * random.normal(size=(classes, dimension))
        train = (centres[labels] + random.normal(size=(train_n, dimension))) @ mixing + 3
        test = scale * random.normal(size=(test_n, dimension)) @ mixing + 3
        # The library is given single precision, so that is what both sides must see.
        return train.astype(np.float32), test.astype(np.float32)

    (train1, test1), (train2, test2) = layer(d1, 1.8), layer(d2, 1.5)
    train_logits = random.normal(scale=3, size=(train_n, classes)).astype(np.float32)
    test_logits = random.normal(scale=2, size=(test_n, classes)).astype(np.float32)
    a, b, ta, tb = [v.astype(float) for v in (train1, train2, test1, test2)]
    results = {}

    results["mahalanobis"] = mahalanobis(b, labels, tb)[0]
    results["relative_mahalanobis"] = relative(b, labels, tb)
    total = np.zeros(test_n)
    for train, test in ((a, ta), (b, tb)):
        seen = relative(train, labels, train)
        total += (relative(train, labels, test) - seen.mean()) / seen.std()
    results["relative_mahalanobis_multi"] = total

    # A feature said twice and one that never varies: the covariance is singular.
    singular = np.hstack([b, b[:, :1], np.full((train_n, 1), 0.1, np.float32)])
    singular_test = np.hstack([tb, tb[:, :1] + 0.5, np.full((test_n, 1), 0.3, np.float32)])
    singular_test = singular_test.astype(np.float32).astype(float)
    results["singular_mahalanobis"] = mahalanobis(singular, labels, singular_test, True)[0]
    results["singular_relative_mahalanobis"] = relative(singular, labels, singular_test, True)

    results["cosine_pca"], q = off_principal(unit(b), unit(tb))
    w, phase = fourier_weights(d2, 4 * d2, 1.0, seed=11)
    fourier = lambda x: np.sqrt(2 / len(phase)) * np.cos(unit(x) @ w.T + phase)
    results["cosine_rff_pca"], q_rff = off_principal(fourier(b), fourier(tb))
    results["knn"] = knn(b, tb)
    logits, shown_logits = train_logits.astype(float), test_logits.astype(float)
    results["vim"] = vim(b, logits, tb, shown_logits)
    train_appearance = random.normal(size=(train_n, 6)) @ random.normal(size=(6, 6)) + 2
    test_appearance = 1.5 * random.normal(size=(test_n, 6)) + 2
    results["appearance"] = appearance(train_appearance, test_appearance)
    results["combined"] = combined((b, logits, train_appearance, labels),
                                   (tb, shown_logits, test_appearance))

    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, train1=train1, train2=train2, test1=test1, test2=test2, labels=labels,
             train_logits=train_logits, test_logits=test_logits,
             train_appearance=train_appearance, test_appearance=test_appearance,
             singular_train=singular.astype(np.float32),
             singular_test=singular_test.astype(np.float32), **results)
    print(f"{path}: {len(results)} detectors; {q} and {q_rff} principal directions")


if __name__ == "__main__":
    main()

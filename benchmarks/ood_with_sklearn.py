#!/usr/bin/python3
"""The job of ood_bench with scikit-learn and NumPy, as its documentation suggests to write it.

    ood_with_sklearn.py FEATURES.npz SCORES.npz [float64|float32] [sklearn|numpy]

Prints a line "name fit score" per detector. `numpy` takes the PCA from eigenvectors of the
covariance instead of scikit-learn's full SVD and distances from one matrix product: the same job,
tuned by hand.
"""

import sys
import time

import numpy as np
from scipy.linalg import cho_factor, eigh, solve_triangular
from scipy.special import logsumexp
from sklearn.covariance import EmpiricalCovariance
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import RBFSampler
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

EXPLAINED = 0.9
NEIGHBOURS = 50


class Gaussian:
    def __init__(self, tuned):
        self.tuned = tuned

    def fit(self, centred):
        if self.tuned:
            self.factor = cho_factor(centred.T @ centred / len(centred), lower=True)[0]
        else:
            self.model = EmpiricalCovariance(assume_centered=True).fit(centred)
        return self

    def distances(self, x):
        if self.tuned:
            return (solve_triangular(self.factor, x.T, lower=True) ** 2).sum(0)
        return self.model.mahalanobis(x)


class Mahalanobis:
    def __init__(self, tuned, relative):
        self.tuned, self.relative = tuned, relative

    def fit(self, x, y):
        self.means = np.array([x[y == k].mean(0) for k in range(y.max() + 1)])
        self.within = Gaussian(self.tuned).fit(x - self.means[y])
        if self.relative:
            self.mean = x.mean(0)
            self.background = Gaussian(self.tuned).fit(x - self.mean)
        return self

    def score(self, x):
        nearest = np.min([self.within.distances(x - m) for m in self.means], axis=0)
        return nearest - self.background.distances(x - self.mean) if self.relative else nearest


class OffPrincipal:
    def __init__(self, tuned, components):
        self.tuned, self.components = tuned, components

    def fit(self, x):
        if not self.tuned:
            self.model = PCA(n_components=self.components, svd_solver="full").fit(x)
            return self
        self.mean = x.mean(0)
        values, vectors = eigh(np.cov(x, rowvar=False, bias=True))
        count = self.components
        if count < 1:
            count = int(np.argmax(np.cumsum(values[::-1]) >= count * values.sum())) + 1
        self.vectors = vectors[:, -count:]
        return self

    def score(self, x):
        if not self.tuned:
            return np.linalg.norm(x - self.model.inverse_transform(self.model.transform(x)), axis=1)
        centred = x - self.mean
        return np.linalg.norm(centred - (centred @ self.vectors) @ self.vectors.T, axis=1)


def main():
    features, out, dtype, style = (sys.argv[1:] + ["float64", "sklearn"][len(sys.argv) - 3:])[:4]
    data = np.load(features)
    taps = [data[f"tap{i}"].astype(dtype) for i in range(3)]
    x, y, logits = taps[-1], data["labels"], data["logits"].astype(dtype)
    tuned = style == "numpy"
    scores = {}

    def timed(name, fit, score):
        start = time.perf_counter()
        model = fit()
        middle = time.perf_counter()
        scores[name] = score(model)
        print(f"{name} {middle - start:.4f} {time.perf_counter() - middle:.4f}", flush=True)

    timed("mahalanobis", lambda: Mahalanobis(tuned, False).fit(x, y), lambda m: m.score(x))
    timed("relative-mahalanobis", lambda: Mahalanobis(tuned, True).fit(x, y), lambda m: m.score(x))

    def fit_layers():
        layers = []
        for tap in taps:
            model = Mahalanobis(tuned, True).fit(tap, y)
            seen = model.score(tap)
            layers.append((model, seen.mean(), seen.std()))
        return layers

    timed("relative-mahalanobis-multi", fit_layers,
          lambda layers: sum((m.score(t) - mean) / sd
                             for t, (m, mean, sd) in zip(taps, layers)))
    timed("cosine+pca", lambda: OffPrincipal(tuned, EXPLAINED).fit(normalize(x)),
          lambda m: m.score(normalize(x)))

    def fit_fourier():
        sampler = RBFSampler(gamma=1.0, n_components=4 * x.shape[1], random_state=0).fit(x)
        return sampler, OffPrincipal(tuned, EXPLAINED).fit(sampler.transform(normalize(x)))

    timed("cosine+rff+pca", fit_fourier, lambda m: m[1].score(m[0].transform(normalize(x))))
    timed("knn", lambda: NearestNeighbors(n_neighbors=NEIGHBOURS, algorithm="brute").fit(
        normalize(x)), lambda m: m.kneighbors(normalize(x))[0][:, -1])

    def fit_vim():
        model = OffPrincipal(tuned, x.shape[1] // 2).fit(x)
        return model, logits.max(1).mean() / model.score(x).mean()

    timed("vim", fit_vim, lambda m: m[1] * m[0].score(x) - logsumexp(logits, axis=1))
    np.savez(out, **scores)


if __name__ == "__main__":
    main()

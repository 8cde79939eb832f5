"""The numeric half of cubcal once more, in plain NumPy.

It shares no code with the library and follows the definitions, not the implementation: whole
arrays, float64, no tiles, no additive bins. tests/reference/make_reference.py makes the kept test
vectors with it, run.py times the program against it.

Shapes: logits [S, N, K] (passes, samples, classes) or [N, K], labels [N]. Everything is in nats.
"""

import numpy as np

BINS = 15
GAMMA = 0.9
ETA = 0.325
TIE = 1e-12  # objectives closer than this count as equal; the temperature nearest 1 wins


# ---- prediction ------------------------------------------------------------------------------


def entropy(p):
    """H(p) over the last axis, with 0 ln 0 = 0."""
    positive = p > 0
    return np.abs(np.sum(np.where(positive, -p * np.log(np.where(positive, p, 1.0)), 0.0), axis=-1))


def shifted(logits):
    """float64 logits [S, N, K] minus their maximum over the classes."""
    z = np.asarray(logits, dtype=np.float64)
    if z.ndim == 2:
        z = z[np.newaxis]
    with np.errstate(over="ignore"):
        return z - z.max(axis=2, keepdims=True)


def softmax(z):
    e = np.exp(z)
    return e / e.sum(axis=2, keepdims=True)


def predict(logits):
    """Mean softmax [N, K] and mean entropy of the passes [N]."""
    p = softmax(shifted(logits))
    return p.mean(axis=0), entropy(p).mean(axis=0)


def predict_pass_by_pass(logits):
    """The same numbers from NumPy at its best: one pass at a time, class axis first, so that every
    temporary stays in the cache and no reduction runs over a short inner axis."""
    mean, aleatoric = 0.0, 0.0
    for z in logits:
        x = np.ascontiguousarray(z.T, dtype=np.float64)
        x -= x.max(axis=0)
        p = np.exp(x)
        total = p.sum(axis=0)
        p /= total
        mean = mean + p
        aleatoric = aleatoric + np.log(total) - (p * x).sum(axis=0)
    return np.ascontiguousarray(mean.T) / len(logits), aleatoric / len(logits)


# ---- boundary curve --------------------------------------------------------------------------


def binary_entropy(c):
    c = np.asarray(c, dtype=np.float64)
    return entropy(np.stack([c, 1.0 - c], axis=-1))


def u_max(c, classes):
    return binary_entropy(c) + (1.0 - np.asarray(c)) * np.log(classes - 1)


def u_min_attainable(c, classes):
    c = np.asarray(c, dtype=np.float64)
    full = np.minimum(np.floor(1.0 / c), classes)
    rest = np.maximum(0.0, 1.0 - full * c)
    return -full * c * np.log(c) - np.where(rest > 0, rest * np.log(np.where(rest > 0, rest, 1)), 0)


def u_ideal(c, classes, gamma=GAMMA):
    return np.where(c > gamma, binary_entropy(c), u_max(c, classes))


def falling_root(function, low, high=1.0):
    """Where a falling function crosses 0, by bisection to the last bit."""
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return middle
        if function(middle) > 0:
            low = middle
        else:
            high = middle


def thresholds(classes, eta=ETA):
    return {
        "eta": eta,
        "gamma_low": float(falling_root(lambda c: binary_entropy(c) - eta, 0.5)),
        "gamma_high": float(falling_root(lambda c: u_max(c, classes) - eta, 1.0 / classes)),
    }


def sharpen_region(c, u, limits):
    """True where dual temperature scaling divides by T_high, from the unscaled prediction alone."""
    return (c > limits["gamma_high"]) | ((c > limits["gamma_low"]) & (u < limits["eta"]))


def largest_spread(classes, gamma=GAMMA):
    """max over c in [1/K, gamma] of U_max - u_min_attainable, zooming in on each smooth piece."""
    best = 0.0
    for m in range(1, classes):
        low, high = 1.0 / (m + 1), min(1.0 / m, gamma)
        if low >= high:
            continue
        for _ in range(8):
            c = np.linspace(low, high, 1001)
            spread = u_max(c, classes) - u_min_attainable(c, classes)
            top = int(spread.argmax())
            best = max(best, float(spread[top]))
            low, high = c[max(top - 1, 0)], c[min(top + 1, 1000)]
    return best


def normalised_deviation(right, c, u, classes, gamma=GAMMA):
    """Deviation from the boundary curve, divided by the largest value it can take in its region."""

    def divided(deviation, largest):
        return np.abs(deviation) / largest if largest > 0 else np.zeros_like(deviation)

    certain = c > gamma
    return np.select(
        [right & certain, right, certain],
        [
            divided(binary_entropy(c) - u, (1.0 - gamma) * np.log(classes - 1)),
            divided(c - gamma, gamma - 1.0 / classes),
            divided(c - gamma, 1.0 - gamma),
        ],
        divided(u_max(c, classes) - u, largest_spread(classes, gamma) if classes > 2 else 0.0),
    )


# ---- metrics ---------------------------------------------------------------------------------


def bin_index(values, bins=BINS):
    """Equal-width bins (lo, hi] over [0, 1]; exact 0 falls into the first."""
    edges = np.arange(bins + 1) / bins
    return np.clip(np.searchsorted(edges, values, side="left") - 1, 0, bins - 1)


def binned_error(values, observed, target, bins=BINS):
    index = bin_index(values, bins)
    gap = np.bincount(index, observed, bins) - np.bincount(index, target, bins)
    return float(np.abs(gap).sum() / len(values))


def bcce(c, u, classes, gamma=GAMMA, bins=BINS):
    return binned_error(c, u, u_ideal(c, classes, gamma), bins)


def nll(p, labels):
    return float(-np.log(np.maximum(p[np.arange(len(labels)), labels], 1e-12)).mean())


def avu(right, u, threshold):
    return float(np.mean((right & (u <= threshold)) | (~right & (u > threshold))))


def avu_auc(right, u):
    t = np.arange(21) / 20
    low, high = u.min(), u.max()
    limits = low + t * (high - low)
    limits[-1] = high
    curve = np.array([avu(right, u, limit) for limit in limits])
    return float(np.sum((curve[1:] + curve[:-1]) * np.diff(t)) / 2)


def aurc(right, u):
    """Mean over i of the error rate among the i most certain; equals keep their order."""
    wrong = ~right[np.argsort(u, kind="stable")]
    return float(np.mean(np.cumsum(wrong) / np.arange(1, len(wrong) + 1)))


def metrics(p, aleatoric, labels):
    """The metrics of `cubcal evaluate`; None where undefined."""
    samples, classes = p.shape
    labels = np.asarray(labels).astype(np.int64)
    c, u = p.max(axis=1), np.minimum(entropy(p), np.log(classes))
    right = p.argmax(axis=1) == labels
    certain = u <= ETA
    present = np.unique(labels)
    u_correct = float(u[right].mean()) if right.any() else None
    u_incorrect = float(u[~right].mean()) if not right.all() else None
    both = u_correct is not None and u_incorrect is not None
    return {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.mean([right[labels == k].mean() for k in present])),
        "nll": nll(p, labels),
        "brier": float(np.mean(np.sum((p - np.eye(classes)[labels]) ** 2, axis=1))),
        "ece": binned_error(c, right, c),
        "uce": binned_error(u / np.log(classes), ~right, u / np.log(classes)),
        "bcce": bcce(c, u, classes),
        "avu": avu(right, u, ETA),
        "u_correct": u_correct,
        "u_incorrect": u_incorrect,
        "delta_u": u_incorrect - u_correct if both else None,
        "n_ac": int((right & certain).sum()),
        "n_au": int((right & ~certain).sum()),
        "n_ic": int((~right & certain).sum()),
        "n_iu": int((~right & ~certain).sum()),
        "avu_auc": avu_auc(right, u),
        "mi_mean": float(np.maximum(u - aleatoric, 0.0).mean()),
        "aurc": aurc(right, u),
    }


def evaluate(logits, labels, prediction=predict):
    return metrics(*prediction(logits), labels)


# ---- temperatures ----------------------------------------------------------------------------


def scaled_prediction(z, temperatures):
    """p, c and U with the shifted logits of every pass divided by one temperature or by N."""
    with np.errstate(over="ignore"):
        p = softmax(z / np.reshape(temperatures, (1, -1, 1))).mean(axis=0)
    return p, p.max(axis=1), np.minimum(entropy(p), np.log(p.shape[1]))


def bcce_of_pair(z, sharpen, t_high, t_low):
    """One grid point of dual temperature scaling, worked out from the logits."""
    _, c, u = scaled_prediction(z, np.where(sharpen, t_high, t_low))
    return bcce(c, u, z.shape[2])


def nearest_one(objective, distance):
    """Index of the smallest objective; of equals, of the one with the smallest distance."""
    return int(np.where(objective <= objective.min() + TIE, distance, np.inf).argmin())


def dts_grid(logits):
    z = shifted(logits)
    classes = z.shape[2]
    limits = thresholds(classes)
    _, c, u = scaled_prediction(z, 1.0)
    sharpen = sharpen_region(c, u, limits)
    high, low = np.linspace(0.5, 1, 51), np.linspace(1, 2, 51)
    at_high = [scaled_prediction(z, t)[1:] for t in high]
    at_low = [scaled_prediction(z, t)[1:] for t in low]
    values = np.array([
        [bcce(np.where(sharpen, ch, cl), np.where(sharpen, uh, ul), classes) for cl, ul in at_low]
        for ch, uh in at_high
    ])
    distance = np.abs(np.log(high))[:, np.newaxis] + np.abs(np.log(low))
    row, column = np.unravel_index(nearest_one(values.ravel(), distance.ravel()), values.shape)
    return {
        "box": "T_high linspace(0.5,1,51), T_low linspace(1,2,51)",
        "t_high": float(high[row]),
        "t_low": float(low[column]),
        "bcce": float(values[row, column]),
        "share_high": float(sharpen.mean()),
        **limits,
    }


def ts_grids(logits, labels):
    """The best single temperature by NLL and by BCCE."""
    z = shifted(logits)
    temperatures = np.exp(np.linspace(np.log(0.25), np.log(4), 401))
    by_nll, by_bcce = [], []
    for t in temperatures:
        p, c, u = scaled_prediction(z, t)
        by_nll.append(nll(p, labels))
        by_bcce.append(bcce(c, u, z.shape[2]))

    def best(objective):
        index = nearest_one(np.array(objective), np.abs(np.log(temperatures)))
        return {
            "box": "T log-spaced 401 in [0.25,4]",
            "t": float(temperatures[index]),
            "value": float(objective[index]),
        }

    return best(by_nll), best(by_bcce)


def reference(logits, labels):
    """Everything a reference case holds."""
    p, aleatoric = predict(logits)
    classes = p.shape[1]
    c, u = p.max(axis=1), np.minimum(entropy(p), np.log(classes))
    right = p.argmax(axis=1) == labels
    ts_nll, ts_bcce = ts_grids(logits, labels)
    return {
        "metrics": metrics(p, aleatoric, labels),
        "thresholds": thresholds(classes),
        "dts_grid": dts_grid(logits),
        "ts_nll_grid": ts_nll,
        "ts_bcce_grid": ts_bcce,
        "deviation_normalised_first10": normalised_deviation(right, c, u, classes)[:10].tolist(),
        "confidence_first10": c[:10].tolist(),
        "entropy_first10": u[:10].tolist(),
    }

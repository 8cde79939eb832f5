"""The page about a model."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._arrays import MOST_BINS, group_names, labels_array, logits_array, names_of_classes, path_text, real, text, whole
from ._calibrator import calibration_of


def report(
    logits: Any,
    y: Any,
    out: Any = "report.html",
    *,
    validation: Any = None,
    ood: Any = None,
    groups: Any = None,
    calibration: Any = None,
    class_names: Any = None,
    name: str = "model",
    title: str = "",
    risk_target: float = 0.05,
    bootstrap: int = 1000,
    seed: int = 0,
    bins: int = 15,
    gamma: float = 0.9,
    eta: float = 0.325,
    probabilities: bool = False,
) -> str:
    """Writes one offline HTML page: the verdict in words, every chart, a model card.

    logits, y, groups: of test images.
    validation: ``(logits, labels)`` or ``(logits, labels, groups)`` of validation images: fits the
        calibrations and the referral threshold.
    ood: logits of outliers.
    calibration: a fitted :class:`Calibrator`, instead of one fitted here.
    probabilities: all these logits are probabilities, which count as they are.

    Returns the path. The page is written whole or not at all.
    """
    probabilities = bool(probabilities)
    test = _set(logits, y, groups, "logits", probabilities)
    classes = test[1]
    held_out = None
    if validation is not None:
        if not isinstance(validation, (tuple, list)) or len(validation) not in (2, 3):
            raise TypeError("validation must be (logits, labels) or (logits, labels, groups)")
        held_out = _set(*validation, *(None,) * (3 - len(validation)), "validation", probabilities)[0]
    outliers = None if ood is None else _set(ood, None, None, "ood", probabilities)[0]
    path = path_text(out)
    _core.write_report(
        output=path, name=text(name, "name"), title=text(title, "title"), test=test[0], validation=held_out,
        outliers=outliers, class_names=names_of_classes(class_names, classes),
        calibration=calibration_of(calibration), risk_target=real(risk_target, "risk_target"),
        bootstrap=whole(bootstrap, "bootstrap", 1, 1000000), seed=whole(seed, "seed", 0, 2**64 - 1),
        bins=whole(bins, "bins", 1, MOST_BINS), gamma=real(gamma, "gamma"), eta=real(eta, "eta"))
    return path


def _set(logits: Any, y: Any, groups: Any, name: str, probabilities: bool):
    """A set for the extension, and its number of classes."""
    array = logits_array(logits, name)
    if not probabilities:
        _core.check_logits(array)
    labels = None if y is None else labels_array(y)
    return _core.ReportSet(array, labels, group_names(groups, array.shape[-2]), probabilities), array.shape[-1]

"""Numbers of one model, and of several on the same samples."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from . import _core
from ._arrays import MOST_BINS, check_passes, counted, group_names, labels_array, logits_array, names_of_classes, real, text, whole
from ._calibrator import calibration_of
from ._prediction import Prediction, check_same_classes, prediction_of
from ._table import INFOS, heading, interval, number, signed, text_table


class Evaluation(dict):
    """The document of ``cubcal evaluate --json`` as a dict that prints as a table."""

    @property
    def metrics(self) -> Dict[str, Any]:
        """Every metric by its key: fractions, nats and counts; None where undefined."""
        return self["metrics"]

    @property
    def intervals(self) -> Optional[Dict[str, Any]]:
        """``[low, high]`` by key, where a bootstrap was asked for."""
        return self["intervals"]

    def __str__(self) -> str:
        bootstrap = self["bootstrap"]
        head = (f"{counted(self['samples'], 'sample', 'samples')}, "
                f"{counted(self['passes'], 'pass', 'passes')}, {self['classes']} classes")
        if self["calibration"]:
            head += f", calibrated with {self['calibration']['method']}"
        header = ["", "value"] + ([f"{100 * bootstrap['level']:g}% interval"] if bootstrap else [])
        rows = []
        for info in INFOS:
            key, unit = info["key"], info["unit"]
            row = [heading(info), number(unit, self.metrics[key])]
            rows.append(row + ([interval(unit, self.intervals[key])] if bootstrap else []))
        more = [f'["{key}"]' for key in ("clinical", "ood") if self.get(key)]
        further = f"\nMore is in {' and '.join(more)}." if more else ""
        return f"{head}\n\n{text_table(header, rows)}\n\n{_convention(self)}{further}"

    __repr__ = __str__


class Comparison(dict):
    """The document of ``cubcal compare --json`` as a dict that prints as a table."""

    @property
    def models(self) -> List[str]:
        """``["B", "C"]``: the models that are compared with A."""
        return [each["file"] for each in self["comparisons"]] if "comparisons" in self else ["B"]

    def __str__(self) -> str:
        level = self["bootstrap"]["level"]
        several = "comparisons" in self
        tables = []
        for model in self.models:
            found = self._of(model)
            rows = []
            for info in INFOS:
                key, unit = info["key"], info["unit"]
                row = [heading(info), number(unit, self["a"][key]), number(unit, found["metrics"][key]),
                       signed(unit, found["difference"][key]), interval(unit, found["intervals"][key]),
                       number("", found["p_values"][key])]
                rows.append(row + ([number("", found["holm_p_values"][key])] if several else [])
                            + [self.better(key, model) or ""])
            header = ["", "A", model, f"{model} - A", f"{100 * level:g}% interval", "p"]
            tables.append(text_table(header + (["p (Holm)"] if several else []) + ["better"], rows))
        holm = "\n\nHolm's correction is over the models compared with A, for each metric." if several else ""
        return (f"{counted(self['samples'], 'sample', 'samples')}, {self['classes']} classes\n\n"
                + "\n\n".join(tables) + f"{holm}\n\n{_convention(self)}")

    __repr__ = __str__

    def _of(self, model: str) -> Dict[str, Any]:
        """What was found of one model beside A."""
        if model not in self.models:
            raise ValueError(f"there is no model {model!r} beside A: there are {', '.join(self.models)}")
        if "comparisons" in self:
            return self["comparisons"][self.models.index(model)]
        return {"metrics": self["b"], **{key: self[key] for key in ("difference", "intervals", "p_values")}}

    def better(self, key: str, model: str = "B") -> Optional[str]:
        """``"A"`` or the model where the interval of their difference does not hold 0 and p agrees, else None."""
        info = next((each for each in INFOS if each["key"] == key), None)
        if info is None:
            _core.check_metric(text(key, "a metric"))
        found = self._of(text(model, "a model"))
        bounds, p = found["intervals"][key], found["p_values"][key]
        if bounds is None or info["better"] == 0 or bounds[0] <= 0 <= bounds[1]:
            return None
        if p is None or p > 1 - self["bootstrap"]["level"]:
            return None
        return model if (bounds[0] > 0) == (info["better"] > 0) else "A"


def _convention(document: dict) -> str:
    convention, bootstrap = document["convention"], document["bootstrap"]
    text = (f"Convention: nats; {convention['bins']} equal bins (lo, hi]; BCCE with γ = "
            f"{convention['gamma']:g}; AvU with u_th = {convention['uncertainty_threshold']:g}")
    if bootstrap:
        text += (f"; {bootstrap['replicates']} bootstrap replicates by {bootstrap['unit']}, "
                 f"seed {bootstrap['seed']}")
    return text + "."


def measuring(samples: int, *, groups: Any, bootstrap: int, bins: int, gamma: float, eta: float,
              level: float, seed: int, clinical: bool) -> _core.Measuring:
    """The options of both functions below, checked."""
    return _core.Measuring(
        groups=group_names(groups, samples),
        bins=whole(bins, "bins", 1, MOST_BINS),
        gamma=real(gamma, "gamma"),
        eta=real(eta, "eta"),
        bootstrap=whole(bootstrap, "bootstrap", 0, 1000000),
        level=real(level, "level"),
        seed=whole(seed, "seed", 0, 2**64 - 1),
        clinical=bool(clinical),
    )


def evaluate(
    logits: Any,
    y: Any,
    groups: Any = None,
    bootstrap: int = 0,
    bins: int = 15,
    calibration: Any = None,
    *,
    gamma: float = 0.9,
    eta: float = 0.325,
    level: float = 0.95,
    seed: int = 0,
    clinical: bool = False,
    ood: Any = None,
    class_names: Any = None,
) -> Evaluation:
    """Every metric of a labelled set; to the bit what ``cubcal evaluate --json`` says.

    logits: ``[S, N, K]``, ``[N, K]``, or a :class:`Prediction`.
    y: class indices ``[N]``.
    groups: whom each sample is of; the bootstrap then draws whole groups.
    bootstrap: replicates of the intervals; 0: none.
    calibration: a fitted :class:`Calibrator` or the path of its file, applied first.
    gamma, eta: where the boundary curve changes sides; U up to which an answer is certain, nats.
    clinical: AUROC, kappa and the others of medicine too.
    ood: logits of outliers, or their Prediction: AUROC, AUPR and FPR95 of telling them apart.
    """
    chosen = calibration_of(calibration)
    given = logits if isinstance(logits, Prediction) else logits_array(logits)
    prediction = _predicted(given, chosen, "logits")
    labels = labels_array(y)
    if not isinstance(given, Prediction):
        check_passes(given, labels)
    outliers = None
    if ood is not None:
        outliers = _predicted(ood, chosen, "ood")
        check_same_classes(prediction, outliers, "ood")
    plan = measuring(prediction.samples, groups=groups, bootstrap=bootstrap, bins=bins, gamma=gamma,
                     eta=eta, level=level, seed=seed, clinical=clinical)
    return Evaluation(_core.evaluate(
        prediction._core, labels, plan, names_of_classes(class_names, prediction.classes), chosen,
        outliers._core if outliers else None))


def compare(
    a: Any,
    b: Any,
    y: Any,
    groups: Any = None,
    bootstrap: int = 1000,
    *,
    bins: int = 15,
    gamma: float = 0.9,
    eta: float = 0.325,
    level: float = 0.95,
    seed: int = 0,
    calibration_a: Any = None,
    calibration_b: Any = None,
    more: Sequence[Any] = (),
) -> Comparison:
    """Differences of models from the first on the same samples, with a paired bootstrap.

    a, b: logits or predictions, sample by sample the same images. The others as in
    :func:`evaluate`.
    more: further models C, D, ... to be compared with a; p-values are then also corrected over all
    of them (Holm), metric by metric.
    """
    first = _predicted(a, calibration_of(calibration_a), "a")
    if not isinstance(more, (list, tuple)):
        raise TypeError(f"more must be a list of logits or predictions, not {type(more).__name__}")
    others = [_predicted(b, calibration_of(calibration_b), "b")]
    others += [_predicted(each, None, f"more[{place}]") for place, each in enumerate(more)]
    for place, other in enumerate(others):
        name = "b" if place == 0 else f"more[{place - 1}]"
        check_same_classes(first, other, name)
        if first.samples != other.samples:
            raise ValueError(f"{name} must have the {first.samples} samples of a, not {other.samples}")
    plan = measuring(first.samples, groups=groups, bootstrap=whole(bootstrap, "bootstrap", 1),
                     bins=bins, gamma=gamma, eta=eta, level=level, seed=seed, clinical=False)
    return Comparison(_core.compare(first._core, [each._core for each in others], labels_array(y), plan))


def _predicted(values: Any, calibration: Optional[_core.Calibration], name: str) -> Prediction:
    if calibration is None:
        return prediction_of(values, name)
    if isinstance(values, Prediction):
        raise TypeError(f"{name} must be logits where a calibration is applied: it scales each pass")
    array = logits_array(values, name)
    _core.check_logits(array)
    return Prediction(calibration.apply(array))

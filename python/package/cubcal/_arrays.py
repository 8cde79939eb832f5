"""What users pass, made into the arrays that the extension looks at in place."""

from __future__ import annotations

import math
import numbers
import operator
import os
import warnings
from typing import Any, List, Optional

import numpy as np

from . import _core

MOST_CLASSES = 2048  # tables of class against class grow with the square of it
MOST_BINS = 10000


def from_tensor(values: Any) -> Any:
    """A torch tensor as an array, on the CPU and without its graph; anything else as it is."""
    if not hasattr(values, "detach"):
        return values
    values = values.detach().cpu()
    for lazy in ("resolve_conj", "resolve_neg"):
        values = getattr(values, lazy, lambda: values)()
    if str(values.dtype) == "torch.bfloat16":  # NumPy has no such type; float32 holds it exactly
        values = values.float()
    return values.numpy()


def _as_array(values: Any, name: str) -> np.ndarray:
    if values is None:
        raise TypeError(f"{name} must be given, not None")
    values = from_tensor(values)
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries: leave those samples out")
    if isinstance(values, (list, tuple)):
        values = [from_tensor(each) for each in values]
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array, and rows of unequal length are none") from error


def floats(values: Any, name: str) -> np.ndarray:
    """A float16, float32 or float64 array in C order; lists of whole numbers become float64."""
    is_list = isinstance(values, (list, tuple))
    array = _as_array(values, name)
    if is_list and array.dtype.kind in "iu":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} must be float16, float32 or float64, not {array.dtype}")
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def logits_array(values: Any, name: str = "logits") -> np.ndarray:
    """Logits ``[S, N, K]`` or ``[N, K]``; what is wrong with other shapes is said here."""
    if type(values).__name__ == "Prediction":
        raise TypeError(f"{name} must be an array, not a Prediction: its passes are no longer there")
    array = floats(values, name)
    if array.ndim not in (2, 3):
        one_each = array.ndim == 1 and array.size > 0
        hint = ("; of one number per sample for two classes cubcal.as_logits(positive=...) or "
                "as_logits(positive_logits=...) makes them") if one_each else ""
        raise ValueError(
            f"{name} must have shape [S, N, K] (passes, samples, classes) or [N, K], "
            f"not {array.shape}{hint}"
        )
    if array.shape[-1] > MOST_CLASSES:
        raise ValueError(f"{name} have {array.shape[-1]} classes, but at most {MOST_CLASSES} are accepted")
    return array


def checked_logits(values: Any) -> np.ndarray:
    """Logits, and what else may be wrong with them than their shape."""
    array = logits_array(values)
    _core.check_logits(array)
    return array


def check_passes(values: np.ndarray, labels: Optional[np.ndarray]) -> None:
    """Refuses ``[S, N, K]`` logits whose axes are in another order, as the labels tell, and warns of passes that are all the same."""
    shape = values.shape
    if len(shape) != 3:
        return
    samples = shape[1] if labels is None else len(labels)
    advice = ""
    if samples > 1 and samples != shape[1] and samples == shape[0]:
        advice = ("of [samples, passes, classes] np.swapaxes(logits, 0, 1) makes it, of [samples, classes, passes] "
                  "np.moveaxis(logits, 2, 0)")
    elif samples > shape[1] and samples == shape[2]:
        advice = "of [passes, classes, samples] np.swapaxes(logits, 1, 2) makes it"
    if advice:
        raise ValueError(f"logits of shape {shape} with {samples} labels are not [passes, samples, classes]: {advice}")
    if shape[0] > 1 and all(np.array_equal(values[0], each) for each in values[1:]):
        warnings.warn(f"the {shape[0]} passes are all the same, so that nothing is known of the model's own "
                      "uncertainty: was dropout off?", stacklevel=3)


def vector(values: Any, name: str) -> np.ndarray:
    """A float64 vector."""
    array = floats(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one number per sample, not the shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def labels_array(values: Any, name: str = "labels") -> np.ndarray:
    """Labels ``[N]`` or ``[N, 1]`` of whole numbers or bools, as int64."""
    array = _as_array(values, name)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.ndim == 2 and array.shape[1] > 1 and array.dtype.kind in "iubf":
        raise ValueError(f"{name} must have one class index per sample, not the shape {array.shape}; "
                         f"of one-hot {name} {name}.argmax(1) makes them")
    if array.dtype.kind in "US":
        raise TypeError(f"{name} must be class indices, not text: [names.index(each) for each in {name}] makes them "
                        "of the list of class names in the order of the logits")
    if array.dtype.kind not in "iub":
        raise TypeError(
            f"{name} must be integers, as {name}.astype(np.int64) makes them, not {array.dtype}"
        )
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must have one class index per sample, not the shape {array.shape}")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must be class indices, but one is {array.max()}")
    return np.ascontiguousarray(array, dtype=np.int64)


def group_names(groups: Any, samples: int) -> List[str]:
    """Whom each sample is of, as text; none for None."""
    if groups is None:
        return []
    array = _as_array(groups, "groups")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind not in "iubUSO":
        raise TypeError(f"groups must be text or integers, not {array.dtype}")
    if array.ndim != 1 or len(array) != samples:
        raise ValueError(f"groups must have one entry for each of the {samples} samples, not the shape {array.shape}")
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8")
    return [_group_name(each) for each in array.tolist()]


def _group_name(value: Any) -> str:
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        raise ValueError("groups must name one for each sample, but one is missing (None, NA or NaN)")
    if isinstance(value, (str, numbers.Integral)):
        return text(str(value), "a group")
    raise TypeError(f"groups must be text or integers, not {type(value).__name__}")


def names_of_classes(names: Any, classes: int) -> List[str]:
    """The names given, or ``class 0``, ``class 1``, ..."""
    if names is None:
        return [f"class {k}" for k in range(classes)]
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise TypeError(f"class_names must be a list of {classes} names, not {names!r}")
    names = [text(str(each), "a class name") for each in names]
    if len(names) != classes:
        raise ValueError(f"class_names has {len(names)} names, but there are {classes} classes")
    return names


def whole(value: Any, name: str, least: int = 0, most: Optional[int] = None) -> int:
    """A whole number in a range."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if number < least or (most is not None and number > most):
        accepted = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be {accepted}, not {number}")
    return number


def real(value: Any, name: str) -> float:
    """A finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {number}")
    return number


def text(value: Any, name: str) -> str:
    """Text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {value!r}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be text that UTF-8 can hold, not {value!r}") from None
    return value


def path_text(path: Any) -> Any:
    """A path, of which the system would take a part alone where it holds a zero byte."""
    name = os.fspath(path)
    if (b"\0" if isinstance(name, bytes) else "\0") in name:
        raise ValueError(f"a path must not hold a zero byte, as {name!r} does")
    return name


def counted(count: int, one: str, many: str) -> str:
    """``1 sample``, ``2 samples``."""
    return f"{count} {one if count == 1 else many}"

"""Tables of text for people."""

from __future__ import annotations

from typing import Iterable, List, Optional, Sequence

from . import _core

DASH = "–"
INFOS = [dict(zip(("key", "label", "unit", "better"), row)) for row in _core.metric_infos()]
_DECIMALS = {"percent": 2, "count": 0}
_UNITS = {"percent": " (%)", "nats": " (nats)"}


def number(unit: str, value: Optional[float]) -> str:
    """As the program prints it: percent with two decimals, others with four, counts whole."""
    if value is None:
        return DASH
    shown = 100 * value if unit == "percent" else value
    text = f"{shown:.{_DECIMALS.get(unit, 4)}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def signed(unit: str, value: Optional[float]) -> str:
    """A difference with its sign."""
    text = number(unit, value)
    return "+" + text if value is not None and value > 0 and text.strip("0.") else text


def interval(unit: str, bounds: Optional[Sequence[float]]) -> str:
    """``[low, high]``."""
    return DASH if bounds is None else "[" + ", ".join(number(unit, each) for each in bounds) + "]"


def heading(info: dict) -> str:
    """The label of a metric with its unit."""
    return info["label"] + _UNITS.get(info["unit"], "")


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Aligned columns: the first to the left, the others to the right."""
    lines: List[Sequence[str]] = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )

"""The manners of a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Dict, Tuple, TypeVar

Own = TypeVar("Own", bound="Parameters")


class Parameters:
    """Reads and changes the arguments that ``_PARAMETERS`` names."""

    _PARAMETERS: Tuple[str, ...] = ()

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The arguments it was made with."""
        return {name: getattr(self, name) for name in self._PARAMETERS}

    def set_params(self: Own, **params: Any) -> Own:
        """Changes some of them."""
        for name, value in params.items():
            if name not in self._PARAMETERS:
                raise ValueError(f"there is no parameter '{name}': there are {', '.join(self._PARAMETERS)}")
            setattr(self, name, value)
        return self

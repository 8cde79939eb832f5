"""How many processors the numeric half uses."""

from . import _core
from ._arrays import whole


def threads() -> int:
    """Threads that a call uses; results do not depend on it, bit for bit."""
    return _core.threads()


def set_threads(count: int) -> None:
    """Sets it for this process; 0: as many as the machine has processors."""
    _core.set_threads(whole(count, "the number of threads"))

"""Honest uncertainty for classifiers: arrays in, numbers and plots out.

Logits are ``[S, N, K]`` (stochastic passes, samples, classes) or ``[N, K]`` for a single pass, as
NumPy arrays, torch tensors or lists. Everything is in nats. A bad argument raises ``ValueError`` or
``TypeError`` with a sentence that says what is accepted; nothing is printed.

>>> import cubcal
>>> r = cubcal.evaluate(logits, labels, bootstrap=500)
>>> c = cubcal.Calibrator("dts-guarded").fit(val_logits, val_labels)
>>> p = c.prediction(logits)

``cubcal.torch`` has the losses and helpers for training loops and is the only part that needs torch.
"""

from . import boundary, metrics, plot
from ._calibrator import Calibrator
from ._core import __version__
from ._evaluate import Comparison, Evaluation, compare, evaluate
from ._phantom import Phantom, phantom
from ._prediction import Prediction, as_logits, predict
from ._report import report
from ._streaming import Metrics
from ._threads import set_threads, threads
from ._verdict import Verdict, Verdicts

__all__ = [
    "Calibrator",
    "Comparison",
    "Evaluation",
    "Metrics",
    "Phantom",
    "Prediction",
    "Verdict",
    "Verdicts",
    "__version__",
    "as_logits",
    "boundary",
    "compare",
    "evaluate",
    "metrics",
    "phantom",
    "plot",
    "predict",
    "report",
    "set_threads",
    "threads",
]

"""Logits of stochastic passes of any network."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterable, List, Optional, Tuple, Union

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .._arrays import whole

_MODULES = (nn.Dropout, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout) + (
    (nn.Dropout1d,) if hasattr(nn, "Dropout1d") else ())
_FUNCTIONS = {getattr(F, name) for name in ("dropout", "dropout1d", "dropout2d", "dropout3d",
                                            "alpha_dropout", "feature_alpha_dropout") if hasattr(F, name)}


def _has_dropout(module: nn.Module) -> bool:
    """Whether its training mode switches dropout on, and nothing else of it."""
    if isinstance(module, _MODULES):
        return module.p > 0
    if isinstance(module, nn.RNNBase):
        return module.dropout > 0 and module.num_layers > 1
    if isinstance(module, nn.MultiheadAttention):
        return module.dropout > 0
    return "Dropout" in str(getattr(module, "original_name", ""))  # TorchScript


class _FunctionalDropout(torch.overrides.TorchFunctionMode):
    """Switches ``F.dropout(x, p, self.training)`` on and counts the calls."""

    calls = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in _FUNCTIONS:
            if (args[1] if len(args) > 1 else kwargs.get("p", 0.5)) > 0:
                self.calls += 1
            args, kwargs = args[:2], {key: value for key, value in kwargs.items() if key != "inplace"}
            kwargs["training"] = True
        return function(*args, **kwargs)


@contextmanager
def _prediction_mode(model: nn.Module, dropout: bool):
    """Evaluation mode but for dropout; every module's own mode comes back afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    active = 0
    try:
        if dropout:
            for module, _ in modes:
                if _has_dropout(module):
                    module.training = True
                    active += 1
        yield active
    finally:
        for module, mode in modes:
            module.training = mode


def _inputs_and_labels(batch: Any) -> Tuple[Any, Any]:
    if isinstance(batch, (tuple, list)) and len(batch) > 0:
        return batch[0], batch[1] if len(batch) > 1 else None
    return batch, None


def _output(model: nn.Module, x: Any) -> Tensor:
    output = model(**x) if isinstance(x, dict) else model(x)
    output = getattr(output, "logits", output)
    if not isinstance(output, Tensor):
        raise TypeError(f"the model must return logits [B, K], not a {type(output).__name__}: wrap it so that it does")
    if output.dim() != 2 or output.shape[1] < 2:
        raise ValueError(f"the model must return logits [B, K] with at least two classes, not {list(output.shape)}; "
                         "one number for two classes is made logits by torch.stack([torch.zeros_like(z), z], -1)")
    return output.float() if output.dtype in (torch.float16, torch.bfloat16) else output


def _fresh(x: Any) -> Any:
    """A copy for one pass: a network may work in place on what it is given."""
    if isinstance(x, dict):
        return {key: _fresh(value) for key, value in x.items()}
    return x.clone() if isinstance(x, Tensor) else x


def _on_device(x: Any, device: torch.device) -> Any:
    if isinstance(x, dict):
        return {key: _on_device(value, device) for key, value in x.items()}
    return x.to(device, non_blocking=True) if isinstance(x, Tensor) else x


def mc_logits(
    model: nn.Module,
    loader: Iterable[Any],
    passes: int = 80,
    dropout: bool = True,
    *,
    labels: bool = False,
    device: Union[str, torch.device, None] = None,
    seed: Optional[int] = None,
) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
    """Logits ``[passes, N, K]`` of a network whose passes differ.

    model: any ``nn.Module`` that returns logits ``[B, K]``. It runs in evaluation mode, so batch
        norm uses its running statistics; dropout alone is switched on, as modules and as
        ``F.dropout``. Its modes are given back afterwards.
    loader: batches of inputs, or of ``(inputs, labels, ...)``; gone through once.
    dropout: False for a network whose passes differ by themselves, as a Bayesian one's. Where there
        is no dropout to switch on, or where all passes come out alike all the same, that is an error.
    labels: return ``(logits, labels)``.
    device: of the inputs; None: the model's.
    seed: of the passes; the global generators are left as they were. None: they are used.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch.nn.Module, not a {type(model).__name__}")
    passes = whole(passes, "passes", 1)
    if seed is not None:
        seed = whole(seed, "seed", 0, 2**63 - 1)
    if device is None:
        device = next((each.device for each in model.parameters()), torch.device("cpu"))
    device = torch.device(device)
    collected: List[np.ndarray] = []
    targets: List[Any] = []
    cuda = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=cuda, enabled=seed is not None), torch.no_grad(), \
            _prediction_mode(model, dropout) as active:
        if seed is not None:
            torch.manual_seed(seed)
        for batch in loader:
            x, y = _inputs_and_labels(batch)
            x = _on_device(x, device)
            collected.append(_passes(model, x, passes, dropout, active))
            targets.append(y)
    if not collected:
        raise ValueError("the loader has no batches")
    logits = np.concatenate(collected, axis=1)
    if dropout and passes > 1 and (logits == logits[:1]).all():
        raise ValueError("all passes are alike, so no dropout that was switched on is part of the answer: a traced network "
                         "keeps the mode it was traced in, and torch.dropout follows the module's own training mode")
    if not labels:
        return logits
    if any(each is None for each in targets):
        raise ValueError("labels were asked for, but the loader gives inputs alone")
    return logits, np.concatenate([_class_indices(each) for each in targets])


def _class_indices(y: Any) -> np.ndarray:
    labels = torch.as_tensor(y).cpu().numpy()
    if labels.ndim > 1 and labels.size != len(labels):
        raise ValueError(f"labels of a batch must be class indices [B], not of the shape {list(labels.shape)}: of one-hot "
                         "rows, argmax(1) makes them")
    return labels.reshape(-1)


def _passes(model: nn.Module, x: Any, passes: int, dropout: bool, active: int) -> np.ndarray:
    """All passes over one batch; its result is fetched once."""
    if not dropout:
        return torch.stack([_output(model, _fresh(x)) for _ in range(passes)]).cpu().numpy()
    with _FunctionalDropout() as functional:
        outputs = [_output(model, _fresh(x)) for _ in range(passes)]
    if active == 0 and functional.calls == 0:
        raise ValueError("the model has no dropout that could be switched on (neither modules nor F.dropout were "
                         "found): give dropout=False where its passes differ by themselves, or train it with dropout")
    return torch.stack(outputs).cpu().numpy()

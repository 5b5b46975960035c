"""Copies the variables of a TensorFlow 1 program into a module of torch, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from .parts import Bare

_Take = Callable[[str], torch.Tensor]
_NORMS = (nn.BatchNorm2d, nn.LayerNorm)


def load(module: nn.Module, weights: dict[str, Any]) -> None:
    """Copies each variable into the one parameter of its name and shape.

    The second bias of torch's recurrent layers, which has no variable, is zero.

    Raises:
        ValueError: if a variable has no parameter, a parameter no variable, or shapes differ.
        KeyError: if a variable that a layer needs is missing.
    """
    left, filled = {name: torch.from_numpy(value) for name, value in weights.items()}, set()
    with torch.no_grad():
        for path, layer in module.named_modules():
            for parameter, value in _values(path.replace(".", "/"), layer, left.pop):
                if parameter.shape != value.shape:
                    raise ValueError(f"{path} has shape {tuple(parameter.shape)}, its variable {tuple(value.shape)}")
                parameter.copy_(value)
                filled.add(parameter)
    empty = [name for name, parameter in module.named_parameters() if parameter not in filled]
    if left or empty:
        raise ValueError(f"variables without parameter: {sorted(left)}; parameters without variable: {empty}")


def _values(path: str, layer: nn.Module, take: _Take) -> Iterator[tuple[nn.Parameter, torch.Tensor]]:
    """Yields the parameters of a layer itself, and their values in its order of dimensions."""
    inside = f"{path}/" if path else ""
    if isinstance(layer, nn.Linear):
        yield layer.weight, take(f"{path}/kernel").T
        yield layer.bias, take(f"{path}/bias")
    elif isinstance(layer, (nn.Conv2d, nn.ConvTranspose2d)):
        order = (2, 3, 0, 1) if layer.groups > 1 else (3, 2, 0, 1)
        yield layer.weight, take(path if isinstance(layer, Bare) else f"{path}/kernel").permute(order)
        if layer.bias is not None:
            yield layer.bias, take(f"{path}/bias")
    elif isinstance(layer, nn.Conv1d):
        kernel = take(f"{path}/kernel")
        yield layer.weight, kernel.T[..., None] if kernel.ndim == 2 else kernel[0].permute(2, 1, 0)
        if layer.bias is not None:
            yield layer.bias, take(f"{path}/bias")
    elif isinstance(layer, _NORMS):
        yield layer.weight, take(f"{path}/gamma")
        yield layer.bias, take(f"{path}/beta")
    elif isinstance(layer, nn.Embedding):
        value = take(path)
        yield layer.weight, value if value.ndim == 2 else value[:, None]
    elif isinstance(layer, (nn.LSTM, nn.GRU, nn.GRUCell)):
        yield from _recurrent(path, layer, take)
    else:
        for name, parameter in layer.named_parameters(recurse=False):
            yield parameter, take(inside + name)


def _recurrent(path: str, layer: Any, take: _Take) -> Iterator[tuple[nn.Parameter, torch.Tensor]]:
    end = "" if isinstance(layer, nn.GRUCell) else "_l0"
    if isinstance(layer, nn.LSTM):
        path = layer.scope or path
        i, j, f, o = take(f"{path}_kernel_0").chunk(4, 1)
        kernel = torch.cat([i, f, j, o], 1)
        i, j, f, o = take(f"{path}_bias_0").chunk(4)
        bias = torch.cat([i, f, j, o])
    else:
        kernel, bias = (torch.cat([take(f"{path}_{part}_{i}") for i in (0, 1)], -1) for part in ("kernel", "bias"))
    by_input, by_state = kernel.split([layer.input_size, layer.hidden_size])
    second = getattr(layer, f"bias_hh{end}")
    yield getattr(layer, f"weight_ih{end}"), by_input.T
    yield getattr(layer, f"weight_hh{end}"), by_state.T
    yield getattr(layer, f"bias_ih{end}"), bias
    yield second, torch.zeros_like(second)

"""Layers of torch's models, named so that the variables of the TensorFlow 1 programs can be copied into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

Tensor = torch.Tensor


class Model(NamedTuple):
    """Makes the module, whose call returns the loss, given whether it has its larger size; and its optimizer."""

    make: Callable[[bool], Part]
    optimizer: Callable[[Any], torch.optim.Optimizer]


class Part(nn.Module):
    """A module that can compute exactly as TensorFlow, for the check of the first loss.

    Else SAME paddings of strided windows are the same on all sides, as torch can have them without a copy.
    Dropout is on, and a GRU resets after the product, as `nn.GRU` does.
    """

    exact = False

    def trained(self) -> Iterator[nn.Parameter]:
        """Returns the parameters that the optimizer trains."""
        return self.parameters()

    def differentiate(self, loss: Any) -> None:
        """Computes the gradients."""
        loss.backward()

    def dropout(self, x: Tensor, keep: float) -> Tensor:
        """Returns `x` with elements set to zero at random."""
        return F.dropout(x, 1 - keep, not self.exact)

    def max_pool(self, x: Tensor, size: int = 2, stride: int = 2) -> Tensor:
        """Returns a max pooling with SAME padding."""
        total = padding(x.shape[-1], size, stride)
        if self.exact:
            return F.max_pool2d(padded(x, total, -torch.inf), size, stride)
        return F.max_pool2d(x, size, stride, (total + 1) // 2)


def set_exact(module: nn.Module, exact: bool) -> None:
    """Sets `exact` of all parts of a module."""
    for part in module.modules():
        if hasattr(part, "exact"):
            part.exact = exact


def padding(side: int, size: int, stride: int) -> int:
    """Returns how many elements SAME padding adds to a side."""
    return max((-(-side // stride) - 1) * stride + size - side, 0)


def padded(x: Tensor, total: int, value: float = 0.0) -> Tensor:
    """Returns pictures with SAME padding, of which the larger half is at the end."""
    before, after = total // 2, total - total // 2
    return F.pad(x, (before, after, before, after), value=value)


class Conv(nn.Conv2d):
    """A convolution with SAME padding."""

    exact = False

    def __init__(
        self, inputs: int, filters: int, size: int, stride: int = 1, bias: bool = False, groups: int = 1
    ) -> None:
        super().__init__(inputs, filters, size, stride, bias=bias, groups=groups)

    def forward(self, x: Tensor) -> Tensor:
        total, added = padding(x.shape[-1], self.kernel_size[0], self.stride[0]), 0
        if self.exact:
            x = padded(x, total)
        else:
            added = (total + 1) // 2
        return F.conv2d(x, self.weight, self.bias, self.stride, added, 1, self.groups)


class Bare(nn.Conv2d):
    """A convolution whose variable has the layer's own name."""


class Depthwise(Conv, Bare):
    """A convolution of each channel alone, with SAME padding."""

    def __init__(self, channels: int, stride: int) -> None:
        super().__init__(channels, channels, 3, stride, groups=channels)


class Transposed(nn.ConvTranspose2d):
    """A transposed convolution with stride 2 and SAME padding."""

    exact = False

    def __init__(self, inputs: int, filters: int, size: int) -> None:
        super().__init__(inputs, filters, size, 2, size // 2 if size % 2 else 0, size % 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        if self.exact and self.padding[0]:
            side = 2 * x.shape[-1]
            return F.conv_transpose2d(x, self.weight, None, 2, (self.kernel_size[0] - 2) // 2)[..., :side, :side]
        return super().forward(x)


class Norms(Part):
    """A module of convolutions, each with a batch normalization of the same name."""

    def add(self, name: str, inputs: int, filters: int, size: int, stride: int = 1) -> int:
        """Adds a convolution and its batch normalization, and returns the number of filters."""
        self.add_module(name, Conv(inputs, filters, size, stride))
        self.add_module(f"{name}_norm", batch_norm(filters))
        return filters

    def unit(self, x: Tensor, name: str, activation: Callable[[Tensor], Tensor] | None = F.relu) -> Tensor:
        """Returns what the convolution and the batch normalization of that name compute."""
        y = getattr(self, f"{name}_norm")(getattr(self, name)(x))
        return y if activation is None else activation(y)


def batch_norm(filters: int) -> nn.BatchNorm2d:
    """Returns a batch normalization with the constants of the TensorFlow 1 programs."""
    return nn.BatchNorm2d(filters, 1e-3, 0.01)


def layer_norm(units: int) -> nn.LayerNorm:
    """Returns a layer normalization with the constants of the TensorFlow 1 programs."""
    return nn.LayerNorm(units, 1e-6)


class Lstm(nn.LSTM):
    """An LSTM, batch first, and the scope of its variables if not the attribute's name."""

    def __init__(self, inputs: int, units: int, scope: str | None = None) -> None:
        super().__init__(inputs, units, batch_first=True)
        self.scope = scope


class Gru(nn.GRU):
    """A GRU, whose outputs over time are batch first; torch's, which resets after the product, or TensorFlow's."""

    exact = False

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__(inputs, units, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]  # no state
        if not self.exact:
            return super().forward(x)[0]
        h, found = x.new_zeros(len(x), self.hidden_size), []
        for inputs in x.unbind(1):
            h = exact_gru(inputs, h, self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0)
            found.append(h)
        return torch.stack(found, 1)


class GruCell(nn.GRUCell):
    """One step of a GRU, as `Gru`."""

    exact = False

    def forward(self, x: Tensor, h: Tensor) -> Tensor:  # type: ignore[override]  # always with a state
        return exact_gru(x, h, self.weight_ih, self.weight_hh, self.bias_ih) if self.exact else super().forward(x, h)


def exact_gru(x: Tensor, h: Tensor, by_input: Tensor, by_state: Tensor, bias: Tensor) -> Tensor:
    """Returns the next state of TensorFlow's GRU, which resets before the product."""
    n = h.shape[1]
    inputs = F.linear(x, by_input, bias)
    r, u = torch.sigmoid(inputs[:, : 2 * n] + F.linear(h, by_state[: 2 * n])).chunk(2, 1)
    return u * h + (1 - u) * torch.tanh(inputs[:, 2 * n :] + F.linear(r * h, by_state[2 * n :]))


class Attention(nn.Module):
    """A multi-head attention of `query` [batch, m, n] over `memory` [batch, k, n]."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(units, units) for _ in range(4))

    def forward(self, query: Tensor, memory: Tensor, causal: bool = False) -> Tensor:
        def split(x: Tensor) -> Tensor:
            return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

        parts = split(self.q(query)), split(self.k(memory)), split(self.v(memory))
        mixed = F.scaled_dot_product_attention(*parts, is_causal=causal)
        return self.o(mixed.transpose(1, 2).flatten(2))


def cross_entropy(labels: Tensor, logits: Tensor) -> Tensor:
    """Returns the mean cross entropy of integer labels; the classes are the last dimension of `logits`."""
    return F.cross_entropy(logits.flatten(0, -2), labels.flatten().long())


def pictures(x: Tensor) -> Tensor:
    """Returns pictures [batch, height, width, channels] in torch's order of dimensions, without a copy."""
    return x.permute(0, 3, 1, 2)

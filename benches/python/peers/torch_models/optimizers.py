"""FTRL, which torch does not have, and RMSProp from TensorFlow's initial values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch


class RmsProp(torch.optim.RMSprop):
    """RMSProp, whose mean of squares begins at one: with torch's zero, first steps are large and losses vanish."""

    def __init__(self, params: Iterable[Any], **options: Any) -> None:
        super().__init__(params, foreach=True, **options)
        for group in self.param_groups:
            for parameter in group["params"]:
                zeros = torch.zeros_like(parameter)
                self.state[parameter].update(step=torch.zeros(()), square_avg=zeros + 1, momentum_buffer=zeros)


class Ftrl(torch.optim.Optimizer):
    """FTRL with a learning rate and an L1 strength, whose slots begin as TensorFlow's.

    Of a table with a sparse gradient, only the rows that the gradient has are updated.
    """

    def __init__(self, params: Iterable[Any], rate: float, l1: float) -> None:
        super().__init__(params, {"rate": rate, "l1": l1})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # no closure
        """Updates the parameters."""
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                if not state:
                    state["squares"], state["linear"] = torch.full_like(parameter, 0.1), torch.zeros_like(parameter)
                old = parameter, state["squares"], state["linear"]
                gradient = parameter.grad
                if gradient.is_sparse:
                    gradient = gradient.coalesce()
                    rows = gradient.indices()[0]
                    found = [array[rows] for array in old]
                    _update(*found, gradient.values(), **{key: group[key] for key in ("rate", "l1")})
                    for array, values in zip(old, found, strict=True):
                        array[rows] = values
                else:
                    _update(*old, gradient, **{key: group[key] for key in ("rate", "l1")})


def _update(
    w: torch.Tensor, squares: torch.Tensor, linear: torch.Tensor, g: torch.Tensor, rate: float, l1: float
) -> None:
    """Updates a parameter and its slots in place."""
    before = squares.sqrt()
    squares.addcmul_(g, g)
    root = squares.sqrt()
    linear.add_(g).sub_((root - before).mul_(w), alpha=1 / rate)
    # Soft thresholding: zero where the sum's size is at most `l1`.
    torch.div(torch.nn.functional.softshrink(linear, l1), root, out=w).mul_(-rate)

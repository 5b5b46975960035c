"""Gradient rules of neural network operations."""

from ferroflow._src.autodiff.rules.nn import (
    activation,
    bias_add,
    block_cells,
    convolution,
    ctc,
    normalization,
    pooling,
    ranking,
    softmax,
)

__all__ = [
    "activation",
    "bias_add",
    "block_cells",
    "convolution",
    "ctc",
    "normalization",
    "pooling",
    "ranking",
    "softmax",
]

"""Gradient rules of neural network operations."""

from ferroflow._src.autodiff.rules.nn import (
    activation,
    beam_search,
    bias_add,
    convolution,
    ctc,
    normalization,
    pooling,
    ranking,
    softmax,
)

__all__ = [
    "activation",
    "beam_search",
    "bias_add",
    "convolution",
    "ctc",
    "normalization",
    "pooling",
    "ranking",
    "softmax",
]

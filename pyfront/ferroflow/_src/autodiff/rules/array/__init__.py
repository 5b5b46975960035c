"""Gradient rules of operations that move elements."""

from ferroflow._src.autodiff.rules.array import indexing, joining, making, shaping, slicing

__all__ = ["indexing", "joining", "making", "shaping", "slicing"]

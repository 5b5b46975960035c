"""The gradient rules of operations, by family: importing this package registers them."""

from ferroflow._src.autodiff.rules import array, flow, math, nn, random, state
from ferroflow._src.ops import operators

# Formulas are written with Python's operators, which that module installs.
assert operators

__all__ = ["array", "flow", "math", "nn", "random", "state"]

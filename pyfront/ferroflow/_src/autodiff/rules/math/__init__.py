"""Gradient rules of mathematics."""

from ferroflow._src.autodiff.rules.math import arithmetic, cast, comparison, elementwise, linalg, reduction, segment

__all__ = ["arithmetic", "cast", "comparison", "elementwise", "linalg", "reduction", "segment"]

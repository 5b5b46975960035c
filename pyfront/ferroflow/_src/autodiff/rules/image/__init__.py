"""Gradient rules of image operations."""

from ferroflow._src.autodiff.rules.image import patches, resizing

__all__ = ["patches", "resizing"]

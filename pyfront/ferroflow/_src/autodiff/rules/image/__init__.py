"""Gradient rules of image operations."""

from ferroflow._src.autodiff.rules.image import coloring, patches, resizing

__all__ = ["coloring", "patches", "resizing"]

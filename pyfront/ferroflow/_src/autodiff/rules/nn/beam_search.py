"""Gradient rules of beam searches."""

from ferroflow._src.autodiff.rules.registering import register_none

register_none(["GatherTree"])

"""Datasets pass no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(["ReduceDataset"])

"""Gradient rules of conversions between element types."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff import terms
from ferroflow._src.autodiff.differentiable import carries_gradient
from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Operation


def _cast(op: Operation, g: Any) -> Any:
    source = op.inputs[0].dtype.base_dtype
    if not (carries_gradient(source) and carries_gradient(g.dtype.base_dtype)):
        return None
    if isinstance(g, IndexedSlices):
        return IndexedSlices(terms.cast(g.values, source), g.indices, g.dense_shape)
    return terms.cast(g, source)


register({"Cast": _cast})

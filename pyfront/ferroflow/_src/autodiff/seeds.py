"""Seeds: the gradients with which a backward pass starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.autodiff.terms import known_dims, shape
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor, flow_context


def seed_gradients(backward: BackwardPass, given: Sequence[Any], ys: Sequence[Any]) -> list[Any]:
    """Returns the gradients that reach `ys`: the given ones checked, ones if none is given.

    Raises:
        TypeError: if a y has no gradient by default, or a gradient does not have the kind of dtype of its y.
        ValueError: if a y of unknown shape is within a loop without the first y.
    """
    seeds = [
        seed
        if seed is None or isinstance(seed, Tensor | IndexedSlices)
        else convert_to_tensor(seed, dtype=y.dtype.base_dtype, name=f"grad_y_{i}")
        for i, (seed, y) in enumerate(zip(given, ys, strict=True))
    ]
    result = []
    for i, (seed, y) in enumerate(zip(seeds, ys, strict=True)):
        if backward.contexts:
            _check_reachable(y, ys[0])
        result.append(_seed(backward, seed, y, f"grad_ys_{i}"))
    return result


def _check_reachable(y: Any, first: Any) -> None:
    """Raises ValueError for a y of a loop that the first y is not in, where its gradient cannot be made outside."""
    context = flow_context(y.op)
    loop = None if context is None else context.while_context()
    if loop is None or loop.contains(first.op) or (isinstance(y, Tensor) and known_dims(y) is not None):
        return
    raise ValueError(
        f"'{y.name}', whose shape is not known, is within a loop, and '{first.name}' is not. Call tf.gradients for "
        "each of them and add the gradients."
    )


def _seed(backward: BackwardPass, given: Any, y: Any, name: str) -> Any:
    dtype = y.dtype.base_dtype
    if given is not None:
        _check_kind(given.dtype.base_dtype, dtype, y)
    elif dtype.is_complex:
        raise TypeError(f"Gradients of complex tensors must set grad_ys (y.dtype = {dtype!r})")
    with backward.colocated(y.op):
        if given is None:
            return tensor_op("Fill", [shape(y), constant(1, dtype=dtype, name=name)])
        if not isinstance(given, IndexedSlices):
            return tensor_op("Identity", [given], name=name)
        parts = {"indices": given.indices, "values": given.values, "shape": given.dense_shape}
        named = {
            part: tensor_op("Identity", [t], name=f"{name}_{part}") if isinstance(t, Tensor) else t
            for part, t in parts.items()
        }
        return IndexedSlices(named["values"], named["indices"], named["shape"])


def _check_kind(given: Any, wanted: Any, y: Any) -> None:
    if wanted.is_floating or wanted.is_integer:
        kind, fits = "real or integer", given.is_floating or given.is_integer
    elif wanted.is_complex:
        kind, fits = "complex", given.is_complex
    else:
        raise TypeError(f"Tensor {y} with type {wanted.name} must be numeric to obtain a default gradient")
    if not fits:
        raise TypeError(
            f"Gradient type {given.name} generated for {kind} tensor {y} with type {wanted.name} must be {kind}"
        )

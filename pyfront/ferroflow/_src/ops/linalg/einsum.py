"""`einsum`: sums of products over named dimensions, as transpositions and matrix products."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.ops.math.linalg import matmul, trace
from ferroflow._src.ops.math.reduction import reduce_sum

_ELLIPSIS = "..."


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums products of elements over the dimensions that an equation names.

    Args:
        equation: str such as "ij,jk->ik": one letter for each dimension of each input, then those of the result, in
            order; without "->" those that occur once, by the alphabet. "..." stands for dimensions that are broadcast.
            "ii" is the trace of a matrix.
        *inputs: Tensors of a dtype that `matmul` takes, one for each part of the equation.
        **kwargs: `name`: str, name scope of the operations.

    Returns:
        Tensor of the dtype of the inputs.

    Raises:
        ValueError: if the equation is malformed, does not fit the inputs, names one dimension of an input twice, or
            names a dimension of the result that no input has.
        TypeError: if there is a keyword argument other than `name`.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError("invalid keyword arguments for this function: " + ", ".join(sorted(kwargs)))
    with name_scope(name, "einsum", [equation, inputs]):
        tensors = [convert_to_tensor(x) for x in inputs]
        parts, result, broadcast = _parsed(equation, tensors)
        if len(parts) == 1 and "->" not in equation and _is_trace(parts[0]):
            return trace(tensors[0])
        _check(equation, tensors, parts, result, broadcast)
        repeated = [a for a in sorted(set("".join(parts))) if a not in result and _count(a, parts) > 2]
        if repeated:
            tf_logging.warn(
                "Falling back to exponential-space implementation of einsum()"
                ' because index "%s" is summed over more than two inputs.',
                repeated[0],
            )
            return _multiplied(tensors, parts, result)
        return _contracted(tensors, parts, result, broadcast)


def _parsed(equation: str, inputs: Sequence[Tensor]) -> tuple[list[str], str, str]:
    """Returns the letters of each input and of the result, and the letters that stand for the dimensions of an
    ellipsis.
    """
    equation = equation.replace(" ", "")
    if not re.match(r"^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$", equation):
        raise ValueError(f"Indices have incorrect format: {equation}")
    left, arrow, result = equation.partition("->")
    parts = left.split(",")
    if len(parts) != len(inputs):
        raise ValueError(f'Got {len(inputs)} arguments for equation "{equation}", expecting {len(parts)}')
    broadcast = ""
    if "." in equation:
        parts, broadcast = _without_ellipses(equation, parts, inputs)
        if result.replace(_ELLIPSIS, "", 1).count("."):
            raise ValueError(f"Indices have incorrect format: {equation}")
        result = result.replace(_ELLIPSIS, broadcast)
    if not arrow:
        letters = "".join(parts)
        result = broadcast + "".join(sorted(a for a in letters if letters.count(a) == 1 and a not in broadcast))
    return parts, result, broadcast


def _without_ellipses(equation: str, parts: list[str], inputs: Sequence[Tensor]) -> tuple[list[str], str]:
    # Transpositions sort dimensions by letter, so TF 1.x's letters for an ellipsis decide which operations there are.
    free = [a for a in string.ascii_letters if a not in "".join(parts)]
    counts = []
    for part, x in zip(parts, inputs, strict=True):
        if part.replace(_ELLIPSIS, "", 1).count("."):
            raise ValueError(f"Indices have incorrect format: {equation}")
        ndims = x.get_shape().ndims
        if _ELLIPSIS in part and ndims is None:
            raise ValueError(f"Subscripts with ellipses need inputs of known rank: {equation}")
        count = (ndims or 0) - len(part) + len(_ELLIPSIS) if _ELLIPSIS in part else 0
        if count < 0:
            raise ValueError(f"Input with axes {part} has too few dimensions: {ndims}")
        if count > len(free):
            raise ValueError(f"Too many different dimensions for an ellipsis: {equation}")
        counts.append(count)
    letters = "".join(free[len(free) - max(counts) :])
    return [p.replace(_ELLIPSIS, letters[len(letters) - n :]) for p, n in zip(parts, counts, strict=True)], letters


def _is_trace(part: str) -> bool:
    return part == part[::-1] and any(part.count(a) == 2 for a in part)


def _count(letter: str, parts: Sequence[str]) -> int:
    return sum(letter in part for part in parts)


def _check(equation: str, inputs: Sequence[Tensor], parts: Sequence[str], result: str, broadcast: str) -> None:
    sizes: dict[str, int] = {}
    for i, (part, x) in enumerate(zip(parts, inputs, strict=True)):
        shape = x.get_shape()
        if shape.ndims is not None and shape.ndims != len(part):
            raise ValueError(
                f"Input {i} with axes {part} has incorrect number of dimensions "
                f"(expected {len(part)}, got {shape.ndims})"
            )
        if len(set(part)) != len(part):
            raise ValueError(f"Subscript not supported: an axis appears more than once: {part}")
        known = [None] * len(part) if shape.ndims is None else shape.as_list()
        for letter, size in zip(part, known, strict=True):
            if size is None or (size == 1 and letter in broadcast):
                continue
            if sizes.setdefault(letter, size) != size:
                raise ValueError(
                    f"Dimensions must be equal, but are {sizes[letter]} and {size} for index {letter} of {equation}"
                )
    if len(set(result)) != len(result) or not set(result) <= set("".join(parts)):
        raise ValueError(f"Invalid equation: {equation}")


def _contracted(inputs: Sequence[Tensor], parts: Sequence[str], result: str, broadcast: str) -> Tensor:
    x, letters = inputs[0], parts[0]
    for y, y_letters in zip(inputs[1:], parts[1:], strict=True):
        inner = (set(letters) & set(y_letters)) - set(result)
        x, letters = _product((x, letters), (y, y_letters), inner, broadcast)
    axes = [i for i, a in enumerate(letters) if a not in result]
    if axes:
        x = reduce_sum(x, axis=axes)
        letters = "".join(a for a in letters if a in result)
    return _transposed(x, [letters.index(a) for a in result])


def _transposed(x: Tensor, perm: list[int]) -> Tensor:
    return x if perm == sorted(perm) else shaping.transpose(x, perm=perm)


def _reshaped(x: Tensor, sizes: Sequence[Any]) -> Tensor:
    """Returns `x` of a shape whose sizes are ints or scalars; `x` itself if it has the shape already."""
    known = x.get_shape().as_list()
    if not any(isinstance(n, Tensor) for n in sizes) and list(sizes) == known:
        return x
    return shaping.reshape(x, sizes)


def _sizes(x: Tensor, count: int) -> list[Any]:
    """Returns the sizes of the dimensions: ints if they are known, else scalars."""
    known: list[Any] = x.get_shape().as_list() if x.get_shape().ndims is not None else [None] * count
    if None in known:
        dims = shaping.shape(x)
        known = [dims[i] if n is None else n for i, n in enumerate(known)]
    return known


def _total(sizes: Sequence[Any]) -> Any:
    total: Any = 1
    for n in sizes:
        total = total * n
    return total


def _product(
    left: tuple[Tensor, str], right: tuple[Tensor, str], inner: set[str], broadcast: str
) -> tuple[Tensor, str]:
    """Returns the product of two inputs, each given with its letters, summed over the letters in `inner`."""
    (x, x_letters), (y, y_letters) = left, right
    batch = sorted((set(x_letters) & set(y_letters)) - inner)
    x_free = sorted(set(x_letters) - set(y_letters))
    y_free = sorted(set(y_letters) - set(x_letters))
    summed = sorted(inner)
    x = _transposed(x, [x_letters.index(a) for a in (*batch, *x_free, *summed)])
    y = _transposed(y, [y_letters.index(a) for a in (*batch, *summed, *y_free)])
    letters = "".join((*batch, *x_free, *y_free))
    if not summed:
        for _ in y_free:
            x = shaping.expand_dims(x, -1)
        for _ in x_free:
            y = shaping.expand_dims(y, len(batch))
        return multiply(x, y), letters
    x_sizes, y_sizes = _sizes(x, len(x_letters)), _sizes(y, len(y_letters))
    x_batch, x_outer, x_inner = _split(x_sizes, len(batch), len(x_free))
    y_batch, _, y_outer = _split(y_sizes, len(batch), len(summed))
    rows, depth = _total(x_outer), _total(x_inner)
    x = _reshaped(x, [*x_batch, rows, depth])
    y = _reshaped(y, [*y_batch, depth, _total(y_outer)])
    product = matmul(x, y)
    # TF 1.x: a batch dimension has the size of the left input, and 1 there is refused.
    sizes = [m if n == 1 and a in broadcast else n for a, n, m in zip(batch, x_batch, y_batch, strict=True)]
    return _reshaped(product, [*sizes, *x_outer, *y_outer]), letters


def _split(sizes: list[Any], first: int, second: int) -> tuple[list[Any], list[Any], list[Any]]:
    return sizes[:first], sizes[first : first + second], sizes[first + second :]


def _multiplied(inputs: Sequence[Tensor], parts: Sequence[str], result: str) -> Tensor:
    """Returns the sum over the elements' products, which are all in memory at the same time."""
    order = [*sorted(set("".join(parts)) - set(result)), *result]
    aligned = []
    for x, part in zip(inputs, parts, strict=True):
        by_order = sorted(part, key=order.index)
        x = _transposed(x, [part.index(a) for a in by_order])
        sizes = dict(zip(by_order, x.get_shape().as_list(), strict=True))
        if sum(size is None for size in sizes.values()) > 1:
            sizes = dict(zip(by_order, _sizes(x, len(part)), strict=True))
        aligned.append((x, [-1 if (size := sizes.get(a, 1)) is None else size for a in order]))
    expanded = [shaping.reshape(x, sizes) for x, sizes in aligned]
    total: Any = 1
    for x in expanded:
        total = total * x
    return reduce_sum(total, axis=[i for i, a in enumerate(order) if a not in result])

"""`einsum`: sums of products over named dimensions, as transpositions and matrix products."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_sum

_ELLIPSIS = "..."


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums products of elements over the dimensions that an equation names.

    Args:
        equation: str such as "ij,jk->ik": one letter for each dimension of each input, then those of the result, in
            order; without "->" those that occur once, by the alphabet. "..." stands for dimensions that are broadcast.
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
        parts, result = _parsed(equation, tensors)
        return _contracted(equation, tensors, parts, result)


def _parsed(equation: str, inputs: Sequence[Tensor]) -> tuple[list[str], str]:
    """Returns the letters of each input and of the result, with letters of their own for the dimensions of an
    ellipsis.
    """
    equation = equation.replace(" ", "") if _ELLIPSIS in equation else equation
    if not re.match(r"^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$", equation):
        raise ValueError(f"Indices have incorrect format: {equation}")
    left, arrow, result = equation.partition("->")
    parts = left.split(",")
    if len(parts) != len(inputs):
        raise ValueError(f'Got {len(inputs)} arguments for equation "{equation}", expecting {len(parts)}')
    ellipses = ""
    if "." in equation:
        parts, ellipses = _without_ellipses(equation, parts, inputs)
        if result.replace(_ELLIPSIS, "", 1).count("."):
            raise ValueError(f"Indices have incorrect format: {equation}")
        result = result.replace(_ELLIPSIS, ellipses)
    for i, (part, x) in enumerate(zip(parts, inputs, strict=True)):
        ndims = x.get_shape().ndims
        if ndims is not None and ndims != len(part):
            raise ValueError(
                f"Input {i} with axes {part} has incorrect number of dimensions (expected {len(part)}, got {ndims})"
            )
        if len(set(part)) != len(part):
            raise ValueError(f"Subscript not supported: an axis appears more than once: {part}")
    if not arrow:
        counts = Counter("".join(parts))
        result = ellipses + "".join(sorted(a for a in counts if counts[a] == 1 and a not in ellipses))
    if len(set(result)) != len(result) or not set(result) <= set("".join(parts)):
        raise ValueError(f"Invalid equation: {equation}")
    return parts, result


def _without_ellipses(equation: str, parts: list[str], inputs: Sequence[Tensor]) -> tuple[list[str], str]:
    free = [a for a in map(chr, builtins.range(0x100, 0x200)) if a.isalpha()]
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
        counts.append(count)
    letters = "".join(free[: max(counts)])
    return [p.replace(_ELLIPSIS, letters[len(letters) - n :]) for p, n in zip(parts, counts, strict=True)], letters


def _contracted(equation: str, inputs: Sequence[Tensor], parts: list[str], result: str) -> Tensor:
    _check_sizes(equation, inputs, parts)
    x, letters = inputs[0], parts[0]
    for i in builtins.range(1, len(inputs)):
        # A dimension is summed as soon as neither the result nor a later input has it.
        kept = set(result).union(*parts[i + 1 :])
        x, letters = _summed(x, letters, kept | set(parts[i]))
        y, y_letters = _summed(inputs[i], parts[i], kept | set(letters))
        x, letters = _product(x, letters, y, y_letters, kept)
    x, letters = _summed(x, letters, set(result))
    return _transposed(x, [letters.index(a) for a in result])


def _check_sizes(equation: str, inputs: Sequence[Tensor], parts: list[str]) -> None:
    sizes: dict[str, int] = {}
    for part, x in zip(parts, inputs, strict=True):
        if x.get_shape().ndims is None:
            continue
        for letter, size in zip(part, x.get_shape().as_list(), strict=True):
            if size is None or (size == 1 and not letter.isascii()):
                continue
            if sizes.setdefault(letter, size) != size:
                raise ValueError(
                    f"Dimensions must be equal, but are {sizes[letter]} and {size} for index {letter} of {equation}"
                )


def _summed(x: Tensor, letters: str, kept: set[str]) -> tuple[Tensor, str]:
    axes = [i for i, a in enumerate(letters) if a not in kept]
    if not axes:
        return x, letters
    return reduce_sum(x, axis=axes), "".join(a for a in letters if a in kept)


def _transposed(x: Tensor, perm: list[int]) -> Tensor:
    return x if perm == sorted(perm) else shaping.transpose(x, perm=perm)


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


def _as_shape(sizes: Sequence[Any]) -> list[Any]:
    """Returns sizes for reshape, the only unknown one as -1."""
    unknown = [i for i, n in enumerate(sizes) if isinstance(n, Tensor)]
    known = [n for n in sizes if not isinstance(n, Tensor)]
    if len(unknown) == 1 and 0 not in known:
        return [-1 if isinstance(n, Tensor) else n for n in sizes]
    return list(sizes)


def _product(x: Tensor, x_letters: str, y: Tensor, y_letters: str, kept: set[str]) -> tuple[Tensor, str]:
    """Returns the product of two inputs, summed over the dimensions that both have and none needs later."""
    shared = [a for a in x_letters if a in y_letters]
    batch, inner = [a for a in shared if a in kept], [a for a in shared if a not in kept]
    x_free = [a for a in x_letters if a not in shared]
    y_free = [a for a in y_letters if a not in shared]
    x = _transposed(x, [x_letters.index(a) for a in (*batch, *x_free, *inner)])
    letters = "".join((*batch, *x_free, *y_free))
    if not inner or not all(a.isascii() for a in batch):
        return _broadcast_product(x, y, y_letters, (batch, x_free, y_free, inner)), letters
    y = _transposed(y, [y_letters.index(a) for a in (*batch, *inner, *y_free)])
    x_sizes, y_sizes = _sizes(x, len(x_letters)), _sizes(y, len(y_letters))
    batch_sizes = x_sizes[: len(batch)]
    x_outer, y_outer = x_sizes[len(batch) : len(batch) + len(x_free)], y_sizes[len(batch) + len(inner) :]
    depth = _total(x_sizes[len(batch) + len(x_free) :])
    if len(x_free) != 1 or len(inner) != 1:
        x = shaping.reshape(x, _as_shape([*batch_sizes, _total(x_outer), depth]))
    if len(y_free) != 1 or len(inner) != 1:
        y = shaping.reshape(y, _as_shape([*batch_sizes, depth, _total(y_outer)]))
    product = matmul(x, y)
    if len(x_free) != 1 or len(y_free) != 1:
        product = shaping.reshape(product, _as_shape([*batch_sizes, *x_outer, *y_outer]))
    return product, letters


def _broadcast_product(
    x: Tensor, y: Tensor, y_letters: str, groups: tuple[list[str], list[str], list[str], list[str]]
) -> Tensor:
    """Returns the same by elements, if nothing is summed or a batch dimension may be 1."""
    batch, x_free, y_free, inner = groups
    y = _transposed(y, [y_letters.index(a) for a in (*batch, *y_free, *inner)])
    for _ in y_free:
        x = shaping.expand_dims(x, len(batch) + len(x_free))
    for _ in x_free:
        y = shaping.expand_dims(y, len(batch))
    product = multiply(x, y)
    if inner:
        product = reduce_sum(product, axis=[-1 - i for i in builtins.range(len(inner))])
    return product

"""One side of a factorization, the rows or the columns: its factors and weights, and their copies in a worker."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import where_v2
from ferroflow._src.ops.array.making import fill, zeros
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import add_n, maximum
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.random.sampling import random_normal
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.variable import Variable

_Makers = list[Callable[[], Any]]


def shard_sizes(size: int, shards: int) -> list[int]:
    """Returns the sizes of a side's shards, of which the first may have one more.

    Args:
        size: int, the number of rows or columns.
        shards: int, the number of shards.

    Returns:
        list of int.
    """
    least, more = divmod(size, shards)
    return [least + (i < more) for i in range(shards)]


def sharding_function(size: int, shards: int) -> Callable[[Tensor], tuple[Tensor | None, Tensor]]:
    """Returns the function that finds the shards of rows or columns.

    Args:
        size: int, the number of rows or columns.
        shards: int, the number of shards.

    Returns:
        callable of a Tensor of indices. It returns their shards and their indices within the shards, Tensors of its
        dtype and shape; the shards are None if there is one.
    """
    least, more = divmod(size, shards)

    def find(ids: Any) -> tuple[Tensor | None, Tensor]:
        if shards == 1:
            return None, ids
        found = maximum(ids // (least + 1), (ids - more) // max(least, 1))
        return found, where_v2(found < more, ids % (least + 1), (ids - more) % max(least, 1))

    return find


def create_factors(size: int, components: int, shards: int, init: Any, name: str) -> list[Variable]:
    """Makes the variables of a side's factors.

    Args:
        size: int, the number of rows or columns.
        components: int, the number of factors of each.
        shards: int, the number of variables.
        init: "random"; or array or Tensor of float32, of shape [size, components], or a list of one for each shard; or
            a function that returns one of these.
        name: str, the start of the variables' names.

    Returns:
        list of float32 Variables.

    Raises:
        AssertionError: if `init` has another number of shards.
    """
    value = init() if callable(init) else init
    if isinstance(value, str) and value == "random":
        makers: _Makers = [partial(random_normal, [length, components]) for length in shard_sizes(size, shards)]
    else:
        makers = _of_shards(value if isinstance(value, list) or shards > 1 else [value], shards, name)
    return _sharded(makers, name)


def create_weights(init: Any, size: int, shards: int, name: str) -> list[Variable] | None:
    """Makes the variables of a side's weights.

    Args:
        init: float, the weight of all; or list of lists of float, the weights of each shard; or None.
        size: int, the number of rows or columns.
        shards: int, the number of variables.
        name: str, the start of the variables' names.

    Returns:
        list of float32 Variables, or None if `init` is None.

    Raises:
        ValueError: if `init` is neither of these.
        AssertionError: if `init` has another number of shards.
    """
    if init is None:
        return None
    if isinstance(init, Iterable):
        weights: Any = init
        makers = _of_shards([weights] if shards == 1 and len(weights) == size else weights, shards, name)
    elif isinstance(init, numbers.Real) and float(init) >= 0:
        makers = [partial(fill, [length], float(init)) for length in shard_sizes(size, shards)]
    else:
        raise ValueError(
            "Invalid weight initialization argument. Must be one of these: None, a real non-negative real number, or a "
            "list of lists of non-negative real numbers (or equivalent iterables) corresponding to sharded factors."
        )
    return _sharded(makers, name)


def _of_shards(values: Any, shards: int, name: str) -> _Makers:
    if len(values) != shards:
        raise AssertionError(f"{name} has {shards} shards, but initial values of {len(values)}.")
    return [partial(convert_to_tensor, value, dtypes.float32) for value in values]


def _sharded(makers: _Makers, name: str) -> list[Variable]:
    return [Variable(make, dtype=dtypes.float32, name=f"{name}_shard_{i}") for i, make in enumerate(makers)]


class Copy(NamedTuple):
    """Local copies of variables: the copies, and the operations that fill and empty them."""

    variables: Any
    fill: Operation
    empty: Operation


def _copied(variables: list[Variable], names: list[str], is_copied: bool) -> Copy:
    """Returns local copies of variables, filled one after the other; or the variables themselves."""
    if not is_copied:
        return Copy(variables, no_op(), no_op())
    copies: list[Variable] = []
    fills: list[Any] = []
    empties: list[Any] = []
    for variable, name in zip(variables, names, strict=True):
        copies.append(
            Variable(1.0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=False, name=name)
        )
        with colocate_with(copies[-1]), control_dependencies(fills[-1:]):
            fills.append(assign(copies[-1], variable, validate_shape=False))
            empties.append(assign(copies[-1], 1.0, validate_shape=False))
    return Copy(copies, group(*fills), group(*empties))


class Side:
    """The rows or the columns of a factorization.

    Args:
        name: str, "row" or "col".
        size: int, the number of rows or columns.
        factors: list of Variables.
        weights: list of Variables, or None.
        components: int, the number of factors of each row or column.
    """

    def __init__(
        self, name: str, size: int, factors: list[Variable], weights: list[Variable] | None, components: int
    ) -> None:
        self.name = name
        self.size = size
        self.factors = factors
        self.weights = weights
        self.gramian = Variable(zeros([components, components]), dtype=dtypes.float32, name=f"{name}_gramian")
        self.factor_copy: Copy
        self.weight_copy: Copy | None
        self.gramian_copy: Copy

    def prepare_gramian(self) -> Operation:
        """Adds the operation that computes the Gramian of the factors.

        Returns:
            Operation.
        """
        parts = []
        for shard in self.factors:
            with colocate_with(shard):
                parts.append(matmul(shard, shard, transpose_a=True))
        with colocate_with(self.gramian):
            prepared: Any = assign(self.gramian, add_n(parts))
        operation: Operation = prepared.op
        return operation

    def copy(self, with_factors: bool, with_gramian: bool) -> None:
        """Makes the copies in a worker.

        Args:
            with_factors: bool. If True, copy the factors and weights; otherwise use the variables.
            with_gramian: bool. If True, copy the Gramian; otherwise use the variable.
        """
        start = f"{self.name}_factors_cache_shard_"
        self.factor_copy = _copied(self.factors, [f"{start}{i}" for i in range(len(self.factors))], with_factors)
        self.weight_copy = None
        if self.weights is not None:
            names = [f"{self.name}_wt_cache_shard_{i}" for i in range(len(self.weights))]
            self.weight_copy = _copied(self.weights, names, with_factors)
        self.gramian_copy = _copied([self.gramian], [f"{self.name}_gramian_cache"], with_gramian)

"""Flattening of the last dimensions of dense and sparse values."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.contrib.layers.model_utils import collect_named_outputs
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math.reduction import reduce_prod
from ferroflow._src.ops.sparse.shaping import sparse_reshape
from ferroflow._src.variables.scope import variable_scope


def inner_flatten(inputs: Any, new_rank: int, output_collections: Any = None, scope: str | None = None) -> Any:
    """Joins the last dimensions, so that a rank remains.

    Args:
        inputs: Tensor or SparseTensor of any dtype.
        new_rank: int, the rank of the result.
        output_collections: str or list of str, collections of the result.
        scope: str, variable scope.

    Returns:
        Tensor or SparseTensor of rank `new_rank`.

    Raises:
        ValueError: if the rank is known and less.
    """
    with variable_scope(scope, "InnerFlatten", [inputs, new_rank]) as opened:
        if isinstance(inputs, SparseTensor):
            sparse_rank = inputs.dense_shape.get_shape().as_list()[0]
            if sparse_rank is not None and sparse_rank < new_rank:
                raise ValueError(
                    f"Inputs has rank less than new_rank. {inputs} must have rank at least {new_rank}. "
                    f"Got: {sparse_rank}."
                )
            dims = inputs.dense_shape
            flat: Any = sparse_reshape(inputs, concat([dims[: new_rank - 1], [reduce_prod(dims[new_rank - 1 :])]], 0))
        else:
            given: Tensor = convert_to_tensor(inputs)
            rank = given.shape.ndims
            if rank is not None and rank < new_rank:
                raise ValueError(
                    f"inputs has rank less than new_rank. {given} must have rank at least {new_rank}. Got: {rank}."
                )
            static = given.shape.as_list() if rank is not None else []
            flat = shaping.reshape(given, concat([shaping.shape(given)[: new_rank - 1], [-1]], 0))
            if rank is not None:
                inner = static[new_rank - 1 :]
                size = None if None in inner else math.prod(length or 0 for length in inner)
                flat.set_shape([*static[: new_rank - 1], size])
        return collect_named_outputs(output_collections, opened.name, flat)

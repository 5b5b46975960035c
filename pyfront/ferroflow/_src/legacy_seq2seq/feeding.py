"""Models that may feed their outputs back: known while the graph is built, or computed by the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.typing import DTypeLike, ListLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.legacy_seq2seq.decoding import LoopFunction
from ferroflow._src.ops.array.making import stop_gradient
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.ops.nn.activation import xw_plus_b
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


def argmax_embedded(
    embedding: TensorLike, output_projection: ListLike | None = None, update_embedding: bool = True
) -> LoopFunction:
    """Returns a function that feeds back the embedding of the largest output.

    Args:
        embedding: Tensor of a float dtype, of shape [ids, size].
        output_projection: pair of weights, of shape [output size, ids], and biases, of shape [ids], for outputs that
            have not been projected, or None.
        update_embedding: bool. If True, gradients pass to the embedding.
    """

    def loop_function(before: Any, _: int) -> Any:
        if output_projection is not None:
            before = xw_plus_b(before, output_projection[0], output_projection[1])
        embedded = embedding_lookup(embedding, argmax(before, 1))
        return embedded if update_embedding else stop_gradient(embedded)

    return loop_function


def check_projection(
    output_projection: ListLike | None, num_symbols: int, dtype: DTypeLike, weights: bool = True
) -> None:
    """Checks that a projection gives as many outputs as there are ids.

    Args:
        output_projection: pair of weights and biases, or None.
        num_symbols: int, the number of ids.
        dtype: DType of both.
        weights: bool. If True, the weights are checked too.

    Raises:
        ValueError: if the projection's shapes do not match.
    """
    if output_projection is None:
        return
    if weights:
        kernel = convert_to_tensor(output_projection[0], dtype=dtype)
        kernel.get_shape().assert_is_compatible_with([None, num_symbols])
    biases = convert_to_tensor(output_projection[1], dtype=dtype)
    biases.get_shape().assert_is_compatible_with([num_symbols])


def fed_or_not(
    feed_previous: TensorLike,
    decode: Callable[[bool], tuple[list[Any], Any]],
    length: int,
    structure: Callable[[], Any],
) -> tuple[list[Any], Any]:
    """Returns a decoder's result, with its outputs fed back if a tensor is True.

    Args:
        feed_previous: Tensor of bool, of shape [].
        decode: callable of a bool that gives a list of outputs and the last state.
        length: int, the number of outputs.
        structure: callable that gives a structure like that of the state.

    Returns:
        List of the outputs, and the last state.
    """

    def flat(feeds: bool) -> list[Any]:
        # The variables are made by the first of both.
        with variable_scope(get_variable_scope(), reuse=None if feeds else True):
            outputs, state = decode(feeds)
            return outputs + nest.flatten(state)

    results = cond(feed_previous, lambda: flat(True), lambda: flat(False))
    outputs, parts = results[:length], results[length:]
    like = structure()
    return outputs, nest.pack_sequence_as(like, parts) if nest.is_sequence(like) else parts[0]

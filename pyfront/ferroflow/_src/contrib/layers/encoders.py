"""Encoders of sequences of ids: rows of a table that is trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import Initializer, ScopeLike, TensorLike
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, shaping
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.math.reduction import reduce_mean
from ferroflow._src.ops.nn.embedding import embedding_lookup, safe_embedding_lookup_sparse
from ferroflow._src.variables.scope import variable_scope


def embed_sequence(
    ids: TensorLike,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Initializer | None = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
    reuse: object = None,
) -> Tensor:
    """Returns the rows of a table for sequences of ids.

    Args:
        ids: Tensor of int32 or int64, of shape [batch, steps].
        vocab_size: int, the number of rows; None if the table is used again.
        embed_dim: int, the number of columns; None if the table is used again.
        unique: bool. If True, each row is looked up once; accepted, the result is the same.
        initializer: an initializer of the table; the scope's by default.
        regularizer: a callable of the table that gives a loss, or None.
        trainable: bool. If True, the table is trained.
        scope: str or VariableScope; None for "EmbedSequence", made unique.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing table is used; `AUTO_REUSE` creates a missing
            one.

    Returns:
        Tensor of float32, of shape [batch, steps, `embed_dim`].

    Raises:
        ValueError: if a size is missing and the table is not used again.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got "
            f"vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        table = _table(shape, initializer, regularizer, trainable)
        return embedding_lookup(table, ids)


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Returns each example as a bag of words: the mean of its ids' rows in a table.

    Args:
        ids: Tensor or SparseTensor of int32 or int64, of shape [batch, steps]; with `sparse_lookup` ids of 0 in a
            Tensor are left out.
        vocab_size: int, the number of rows.
        embed_dim: int, the number of columns.
        sparse_lookup: bool. If True, ids may be missing.
        initializer: an initializer of the table; the scope's by default.
        regularizer: a callable of the table that gives a loss, or None.
        trainable: bool. If True, the table is trained.
        scope: str or VariableScope; None for "bow_encoder", made unique.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing table is used; `AUTO_REUSE` creates a missing
            one.

    Returns:
        Tensor of float32, of shape [batch, `embed_dim`].

    Raises:
        ValueError: if a size is missing.
        TypeError: if `ids` is a SparseTensor, without `sparse_lookup`.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("Must specify vocab size and embedding dimension")
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        table = _table([vocab_size, embed_dim], initializer, regularizer, trainable)
        ids = convert_to_tensor_or_sparse_tensor(ids)
        if sparse_lookup:
            return safe_embedding_lookup_sparse(table, _without_zeros(ids), combiner="mean", default_id=0)
        if isinstance(ids, SparseTensor):
            raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
        return reduce_mean(embedding_lookup(table, ids), axis=1)


def _table(shape: Any, initializer: Any, regularizer: Any, trainable: bool) -> Any:
    return model_variable(
        "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
    )


def _without_zeros(ids: Any) -> SparseTensor:
    if isinstance(ids, SparseTensor):
        return ids
    places = indexing.where(not_equal(ids, 0))
    return SparseTensor(places, indexing.gather_nd(ids, places), shaping.shape(ids, out_type="int64"))

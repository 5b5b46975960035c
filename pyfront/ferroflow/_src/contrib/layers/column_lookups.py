"""Embeddings and weights that the feature columns of `tf.contrib.layers` look up."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.checkpoint.init_from_checkpoint import init_from_checkpoint
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.contrib.layers.feature_crossing import scattered_embedding_lookup_sparse
from ferroflow._src.contrib.layers.inner_flattening import inner_flatten
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.nn.embedding import safe_embedding_lookup_sparse
from ferroflow._src.variables.partitioned_variable import PartitionedVariable


class LinearEmbeddingLookupArguments(NamedTuple):
    """Arguments of a linear model's lookup."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: Any
    initializer: Any
    combiner: str


class DeepEmbeddingLookupArguments(NamedTuple):
    """Arguments of a network's lookup."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: Any
    initializer: Any
    combiner: str
    dimension: int
    shared_embedding_name: str | None
    hash_key: int | None
    max_norm: float | None
    trainable: bool


def variable_parts(variable: Any) -> list[Any]:
    """Returns the parts of a variable, or the variable itself."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def restore(checkpoint: tuple[str, str] | None, parts: list[Any]) -> None:
    """Lets variables start from a checkpoint's tensor.

    Args:
        checkpoint: (checkpoint, name of the tensor), or None.
        parts: list of variables, the parts of one.
    """
    if checkpoint is not None:
        path, name = checkpoint
        init_from_checkpoint(path, {name: parts[0] if len(parts) == 1 else parts})


def _weights(name: str, shape: list[int], arguments: DeepEmbeddingLookupArguments, keys: Any, trainable: bool) -> Any:
    return model_variable(
        name,
        shape=shape,
        dtype=dtypes.float32,
        initializer=arguments.initializer,
        trainable=trainable and arguments.trainable,
        collections=keys,
    )


def _shared(name: str, shape: list[int], arguments: DeepEmbeddingLookupArguments, keys: Any, trainable: bool) -> Any:
    """Returns the embeddings of a name, which the graph has once."""
    graph: Any = get_default_graph()
    collection = f"SHARED_EMBEDDING_COLLECTION_{name.upper()}"
    present = graph.get_collection_ref(collection)
    if len(present) > 1:
        raise ValueError(f"Collection {collection} can only contain one (partitioned) variable.")
    if present:
        if present[0].get_shape() != shape:
            raise ValueError(
                f"The embedding variable with name {name} already exists, but its shape does not match required "
                "embedding shape here. Please make sure to use different shared_embedding_name for different shared "
                "embeddings."
            )
        return present[0]
    made = _weights(name, shape, arguments, keys, trainable)
    graph.add_to_collection(collection, made)
    return made


def embeddings_of(
    column_name: str,
    checkpoint: tuple[str, str] | None,
    arguments: DeepEmbeddingLookupArguments,
    weight_collections: Any,
    trainable: Any,
    output_rank: int = 2,
) -> Tensor:
    """Returns the joined embeddings of a column's ids.

    Args:
        column_name: str.
        checkpoint: (checkpoint, name of the tensor) that the embeddings start from, or None.
        arguments: arguments of the lookup.
        weight_collections: list of str, collections of the variable, or None.
        trainable: bool. If True, the embeddings are trained.
        output_rank: int, the rank of the result.

    Returns:
        Tensor of float32, of shape [batch, ..., dimension].

    Raises:
        ValueError: if shared embeddings exist with another shape.
    """
    ids = inner_flatten(arguments.input_tensor, output_rank)
    weights = None if arguments.weight_tensor is None else inner_flatten(arguments.weight_tensor, output_rank)
    if arguments.hash_key:
        parameters = _weights("weights", [arguments.vocab_size], arguments, weight_collections, trainable)
        return scattered_embedding_lookup_sparse(
            parameters,
            ids,
            arguments.dimension,
            hash_key=arguments.hash_key,
            combiner=arguments.combiner,
            name="lookup",
        )
    shape = [arguments.vocab_size, arguments.dimension]
    if arguments.shared_embedding_name is None:
        embeddings = _weights("weights", shape, arguments, weight_collections, trainable)
    else:
        embeddings = _shared(arguments.shared_embedding_name, shape, arguments, weight_collections, trainable)
    parts = variable_parts(embeddings)
    restore(checkpoint, parts)
    return safe_embedding_lookup_sparse(
        parts,
        ids,
        sparse_weights=weights,
        combiner=arguments.combiner,
        name=f"{column_name}weights",
        max_norm=arguments.max_norm,
    )

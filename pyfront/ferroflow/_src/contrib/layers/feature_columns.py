"""Feature columns by the names of `tf.contrib.layers`, as columns of `tf.feature_column`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, Initializer, ListLike, NestedTensors
from ferroflow._src.feature_column import categorical, embedded, models, numeric
from ferroflow._src.feature_column.crossed import crossed_column as crossed
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor

__all__ = [
    "bucketized_column",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embedding_column",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "one_hot_column",
    "real_valued_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "weighted_sparse_column",
]


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer: Any = None,
) -> Any:
    """Returns a column of numbers.

    Args:
        column_name: str, the key in the features.
        dimension: int, how many numbers an example has.
        default_value: number or list of numbers, for examples that lack the key when they are parsed.
        dtype: float or integer dtype.
        normalizer: callable of a Tensor that gives a Tensor of its shape, or None.

    Returns:
        column of `tf.feature_column`.

    Raises:
        TypeError: if `dimension` is None; columns of varying length are not offered.
        ValueError: if `dimension` is not positive, or `dtype` is no number.
    """
    if dimension is None:
        raise TypeError("dimension must be an integer: columns of varying length are not offered")
    return numeric.numeric_column(column_name, (dimension,), default_value, dtypes.as_dtype(dtype), normalizer)


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: DTypeLike = dtypes.string
) -> Any:
    """Returns a column of categories by the hashes of values.

    Args:
        column_name: str, the key in the features.
        hash_bucket_size: int, the number of categories.
        combiner: str, accepted and not used; embeddings have one of their own.
        dtype: string or integer dtype.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if `hash_bucket_size` is less than 1, or `dtype` is neither.
    """
    return categorical.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: DTypeLike = dtypes.int64
) -> Any:
    """Returns a column of categories that are numbers below `bucket_size`.

    Args:
        column_name: str, the key in the features.
        bucket_size: int, the number of categories.
        combiner: str, accepted and not used; embeddings have one of their own.
        dtype: integer dtype, accepted and not used.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if `bucket_size` is less than 1.
    """
    return categorical.categorical_column_with_identity(column_name, bucket_size)


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> Any:
    """Returns a column of categories by their places in a list.

    Args:
        column_name: str, the key in the features.
        keys: list of values.
        default_value: int, the category of other values; -1 for none.
        combiner: str, accepted and not used; embeddings have one of their own.
        dtype: string or integer dtype.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if `keys` is empty or has a value twice, or `dtype` does not fit.
    """
    return categorical.categorical_column_with_vocabulary_list(column_name, keys, dtypes.as_dtype(dtype), default_value)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> Any:
    """Returns a column of categories by their lines in a file.

    Args:
        column_name: str, the key in the features.
        vocabulary_file: str, the path.
        num_oov_buckets: int, categories for values that the file lacks.
        vocab_size: int, the number of lines that are read; None for all.
        default_value: int, the category of values that the file lacks; -1 for none.
        combiner: str, accepted and not used; embeddings have one of their own.
        dtype: string or integer dtype.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if a size is not in its range, or `dtype` does not fit.
    """
    default = None if num_oov_buckets else default_value
    return categorical.categorical_column_with_vocabulary_file(
        column_name, vocabulary_file, vocab_size, num_oov_buckets, default, dtype
    )


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: DTypeLike = dtypes.float32) -> Any:
    """Returns a column of categories with weights.

    Args:
        sparse_id_column: column of categories.
        weight_column_name: str, the key of the weights in the features.
        dtype: float dtype of the weights.

    Returns:
        column of `tf.feature_column`.
    """
    return categorical.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column: Any) -> Any:
    """Returns a column that counts an example's categories.

    Args:
        sparse_id_column: object, column of categories.

    Returns:
        column of `tf.feature_column`.
    """
    return embedded.indicator_column(sparse_id_column)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Initializer | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Any:
    """Returns a column of learned vectors of categories.

    Args:
        sparse_id_column: column of categories.
        dimension: int, the length of the vectors.
        combiner: str, "mean", "sqrtn" or "sum": how the vectors of an example are joined.
        initializer: function or Initializer; None for a truncated normal distribution.
        ckpt_to_load_from: str, prefix of a checkpoint that has the vectors, or None.
        tensor_name_in_ckpt: str, their name in the checkpoint.
        max_norm: float, the greatest norm of a vector; None for no bound.
        trainable: bool. If True, the vectors are trained.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if `dimension` is less than 1, or one of the checkpoint's arguments is missing.
    """
    return embedded.embedding_column(
        sparse_id_column,
        dimension,
        combiner=combiner,
        initializer=initializer,
        ckpt_to_load_from=ckpt_to_load_from,
        tensor_name_in_ckpt=tensor_name_in_ckpt,
        max_norm=max_norm,
        trainable=trainable,
    )


def shared_embedding_columns(
    sparse_id_columns: ListLike,
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: Initializer | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Any:
    """Returns columns of learned vectors that several columns of categories share.

    Args:
        sparse_id_columns: list of columns of categories.
        dimension: int, the length of the vectors.
        combiner: str, "mean", "sqrtn" or "sum": how the vectors of an example are joined.
        shared_embedding_name: str; None for one made of the columns' names.
        initializer: function or Initializer; None for a truncated normal distribution.
        ckpt_to_load_from: str, prefix of a checkpoint that has the vectors, or None.
        tensor_name_in_ckpt: str, their name in the checkpoint.
        max_norm: float, the greatest norm of a vector; None for no bound.
        trainable: bool. If True, the vectors are trained.

    Returns:
        list of columns of `tf.feature_column`.

    Raises:
        ValueError: if `dimension` is less than 1, or the columns have different sizes.
    """
    return embedded.shared_embedding_columns(
        sparse_id_columns,
        dimension,
        combiner=combiner,
        initializer=initializer,
        shared_embedding_collection_name=shared_embedding_name,
        ckpt_to_load_from=ckpt_to_load_from,
        tensor_name_in_ckpt=tensor_name_in_ckpt,
        max_norm=max_norm,
        trainable=trainable,
    )


def bucketized_column(source_column: Any, boundaries: ListLike) -> Any:
    """Returns a column of categories by ranges of numbers.

    Args:
        source_column: column of numbers.
        boundaries: list of numbers, in increasing order.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if `source_column` is no column of numbers, or `boundaries` are not sorted.
    """
    return numeric.bucketized_column(source_column, sorted(set(boundaries)))


def crossed_column(columns: ListLike, hash_bucket_size: int, combiner: str = "sum", hash_key: int | None = None) -> Any:
    """Returns a column of categories by the hashes of combinations of values.

    Args:
        columns: list of columns of categories, of ranges, or of keys of the features.
        hash_bucket_size: int, the number of categories.
        combiner: str, accepted and not used.
        hash_key: int, of the hash function; None for the usual one.

    Returns:
        column of `tf.feature_column`.

    Raises:
        ValueError: if there are fewer than two columns, or `hash_bucket_size` is less than 1.
    """
    # A column of hashes is crossed by its values, not by its buckets.
    keys = [one.key if isinstance(one, categorical.HashedCategoricalColumn) else one for one in columns]
    return crossed(keys, hash_bucket_size, hash_key)


def input_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Any:
    """Returns the values of columns side by side.

    Args:
        columns_to_tensors: dict from keys to Tensors or SparseTensors of any dtypes, of shape [batch, ...].
        feature_columns: list of columns that give numbers.
        weight_collections: list of str, keys of collections that variables are put into.
        trainable: bool. If True, variables are trained.
        scope: str, accepted and not used.

    Returns:
        Tensor of float32, of shape [batch, size].

    Raises:
        ValueError: if a column gives no numbers.
    """
    return models.input_layer(columns_to_tensors, feature_columns, weight_collections, trainable)


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """Returns what parses the examples of columns.

    Args:
        feature_columns: list of columns.

    Returns:
        dict from keys to FixedLenFeature or VarLenFeature.
    """
    return models.make_parse_example_spec(feature_columns)


def infer_real_valued_columns(features: NestedTensors) -> list[Any]:
    """Returns a column of numbers for each Tensor.

    Args:
        features: Tensor of a float or integer dtype, of shape [batch, size] with a known size; or a dict of these.
            The column of a single Tensor has the key "".

    Returns:
        list of columns of `tf.feature_column`.

    Raises:
        ValueError: if a Tensor is sparse, no number, or of unknown size.
    """
    if not isinstance(features, Mapping):
        return [_real_valued("", features)]
    return [_real_valued(key, features[key]) for key in sorted(features)]


def _real_valued(key: str, values: Any) -> Any:
    if isinstance(values, SparseTensor):
        raise ValueError("SparseTensor is not supported for auto detection. Please define corresponding FeatureColumn")
    tensor = convert_to_tensor(values)
    if not (tensor.dtype.is_floating or tensor.dtype.is_integer):
        raise ValueError(f"Non integer or non floating types are not supported for auto detection: {tensor.dtype.name}")
    shape = tensor.shape.as_list()
    if None in shape[1:]:
        raise ValueError(f"dimension is unknown: {tensor.shape} of feature {key!r}")
    size = 1
    for length in shape[1:]:
        size *= length or 0
    return real_valued_column(key, size, dtype=tensor.dtype)

"""The functions that make the feature columns of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, Initializer, ListLike, NestedTensors
from ferroflow._src.contrib.layers import columns
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.ops.array.making import placeholder, sparse_placeholder
from ferroflow._src.ops.parsing.features import VarLenFeature

__all__ = [
    "bucketized_column",
    "crossed_column",
    "embedding_column",
    "infer_real_valued_columns",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "real_valued_column",
    "scattered_embedding_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "weighted_sparse_column",
]

_crossed = columns.CrossedColumn


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
        column.

    Raises:
        TypeError: if `dimension` is no int, or `default_value` does not fit the dtype.
        ValueError: if `dimension` is not positive, `dtype` is no number, or there are more or fewer default values.
    """
    at = f"column_name: {column_name}"
    if dimension is None:
        raise TypeError(
            "dimension must be an integer. Use the _real_valued_var_len_column for variable length features."
            f"dimension: {dimension}, {at}"
        )
    if not isinstance(dimension, int):
        raise TypeError(f"dimension must be an integer. dimension: {dimension}, {at}")
    if dimension < 1:
        raise ValueError(f"dimension must be greater than 0. dimension: {dimension}, {at}")
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {kind}, {at}")
    default = default_value
    if default is not None:
        values = default if isinstance(default, list) else [default] * dimension
        if len(values) != dimension:
            raise ValueError(
                f"The length of default_value must be equal to dimension. default_value: {default}, "
                f"dimension: {dimension}, {at}"
            )
        fitting: Any = int if kind.is_integer else (int, float)
        if not all(isinstance(value, fitting) for value in values):
            raise TypeError(
                f"default_value must be compatible with dtype. default_value: {default}, dtype: {kind}, {at}"
            )
        default = values if kind.is_integer else [float(value) for value in values]
    return columns.RealValuedColumn(column_name, dimension, default, kind, normalizer)


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
    hash_keys: list[list[int]] | None = None,
) -> Any:
    """Returns a column of categories by the hashes of values.

    Args:
        column_name: str, the key in the features.
        hash_bucket_size: int, the number of categories.
        combiner: str, how a linear model joins the weights of an example: "mean", "sqrtn" or "sum".
        dtype: string or integer dtype.
        hash_keys: list of pairs of ints, keys of strong hashes that each value is mapped by; None for a fast hash.

    Returns:
        column.

    Raises:
        ValueError: if `hash_bucket_size` is less than 1, `dtype` is neither, or `hash_keys` are no pairs.
    """
    return columns.SparseColumnHashed(
        column_name,
        bucket_size=hash_bucket_size,
        combiner=combiner,
        dtype=dtypes.as_dtype(dtype),
        hash_keys=hash_keys,
    )


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: DTypeLike = dtypes.int64
) -> Any:
    """Returns a column of categories that are numbers below `bucket_size`.

    Args:
        column_name: str, the key in the features.
        bucket_size: int, the number of categories.
        combiner: str, how a linear model joins the weights of an example: "mean", "sqrtn" or "sum".
        dtype: integer dtype.

    Returns:
        column.

    Raises:
        ValueError: if `bucket_size` is less than 1.
    """
    return columns.SparseColumnIntegerized(
        column_name, is_integerized=True, bucket_size=bucket_size, combiner=combiner, dtype=dtypes.as_dtype(dtype)
    )


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
        combiner: str, how a linear model joins the weights of an example: "mean", "sqrtn" or "sum".
        dtype: string or integer dtype.

    Returns:
        column.

    Raises:
        ValueError: if `keys` is empty or has a value twice, or `dtype` does not fit.
    """
    config = columns.SparseIdLookupConfig(keys=tuple(keys), vocab_size=len(keys), default_value=default_value)
    return columns.SparseColumnKeys(column_name, lookup_config=config, combiner=combiner, dtype=dtypes.as_dtype(dtype))


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
        vocab_size: int, the number of lines that are read.
        default_value: int, the category of values that the file lacks; -1 for none.
        combiner: str, how a linear model joins the weights of an example: "mean", "sqrtn" or "sum".
        dtype: string or integer dtype.

    Returns:
        column.

    Raises:
        ValueError: if a size is not in its range, or `dtype` does not fit.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    config = columns.SparseIdLookupConfig(
        vocabulary_file=vocabulary_file,
        num_oov_buckets=num_oov_buckets,
        vocab_size=vocab_size,
        default_value=default_value,
    )
    return columns.SparseColumnVocabulary(
        column_name, lookup_config=config, combiner=combiner, dtype=dtypes.as_dtype(dtype)
    )


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: DTypeLike = dtypes.float32) -> Any:
    """Returns a column of categories with weights.

    Args:
        sparse_id_column: column of categories.
        weight_column_name: str, the key of the weights in the features.
        dtype: number dtype of the weights.

    Returns:
        column.

    Raises:
        ValueError: if `dtype` is no number.
    """
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {kind}")
    return columns.WeightedSparseColumn(sparse_id_column, weight_column_name, kind)


def one_hot_column(sparse_id_column: Any) -> Any:
    """Returns a column that counts an example's categories.

    Args:
        sparse_id_column: object, column of categories.

    Returns:
        column.
    """
    return columns.OneHotColumn(sparse_id_column)


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
        column.

    Raises:
        ValueError: if one of the checkpoint's arguments is missing, or the initializer is not callable.
    """
    return columns.EmbeddingColumn(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
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
        tuple of columns; a list for a single one.

    Raises:
        ValueError: if the columns have different sizes.
        TypeError: if they are no columns of ids.
    """
    if not isinstance(sparse_id_columns, Sequence) or isinstance(sparse_id_columns, str):
        raise TypeError(
            "sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type "
            f"{type(sparse_id_columns)}."
        )
    if not sparse_id_columns:
        raise ValueError("The input sparse_id_columns should have at least one element.")
    for column in sparse_id_columns:
        if not isinstance(column, (columns.SparseColumn, columns.WeightedSparseColumn)):
            raise TypeError(
                f"Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, but {column} is not."
            )
    first, *others = sparse_id_columns
    has_weights = isinstance(first, columns.WeightedSparseColumn)
    if not all(first.is_compatible(one) if has_weights else one.is_compatible(first) for one in others):
        raise ValueError("The input sparse id columns are not compatible.")
    name = shared_embedding_name or (columns.shared_name(sparse_id_columns) if others else None)
    made = [
        columns.EmbeddingColumn(
            column,
            dimension,
            combiner,
            initializer,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            name,
            first.length if others else None,
            max_norm=max_norm,
            trainable=trainable,
        )
        for column in sparse_id_columns
    ]
    return tuple(made) if others else made


def bucketized_column(source_column: Any, boundaries: ListLike) -> Any:
    """Returns a column of categories by ranges of numbers.

    Args:
        source_column: column of numbers.
        boundaries: list of numbers, in increasing order.

    Returns:
        column.

    Raises:
        TypeError: if `source_column` is no column of numbers.
        ValueError: if `boundaries` are empty or not sorted.
    """
    return columns.BucketizedColumn(source_column, boundaries)


def crossed_column(
    columns: ListLike,
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> Any:
    """Returns a column of categories by the hashes of combinations of values.

    Args:
        columns: list of columns of categories, or of ranges.
        hash_bucket_size: int, the number of categories.
        combiner: str, how a linear model joins the weights of an example: "mean", "sqrtn" or "sum".
        ckpt_to_load_from: str, a checkpoint that the weights start from, or None.
        tensor_name_in_ckpt: str, their name in the checkpoint.
        hash_key: int, where the hash starts from. None for the older hash, which has more collisions.

    Returns:
        column.

    Raises:
        TypeError: if a column is one of numbers.
        ValueError: if there are fewer than two columns, or `hash_bucket_size` is less than 2.
    """
    return _crossed(columns, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt)


def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int,
    combiner: str = "mean",
    initializer: Initializer | None = None,
) -> Any:
    """Returns a column of vectors whose elements are at hashes of (value, number of the element) in one vector.

    Args:
        column_name: str, the key in the features.
        size: int, the number of parameters.
        dimension: int, the length of the vectors.
        hash_key: int, where the hash starts from.
        combiner: str, "mean", "sqrtn" or "sum": how the vectors of an example are joined.
        initializer: function or Initializer; None for a truncated normal distribution.

    Returns:
        column.

    Raises:
        ValueError: if a size is less than 1, or `combiner` is none of these.
    """
    if dimension < 1 or size < 1:
        raise ValueError(
            f"Dimension and size must be greater than 0. dimension: {dimension}, size: {size}, "
            f"column_name: {column_name}"
        )
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            f"Combiner must be one of 'mean', 'sqrtn' or 'sum'. combiner: {combiner}, column_name: {column_name}"
        )
    return columns.ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, initializer)


def _real_valued_var_len_column(
    column_name: str,
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer: Any = None,
    is_sparse: bool = False,
) -> Any:
    """Returns a column of numbers, of another length in each example.

    Args:
        column_name: str, the key in the features.
        default_value: number that fills shorter examples; needed if they are dense.
        dtype: float or integer dtype.
        normalizer: callable of a Tensor that gives a Tensor of its shape, or None.
        is_sparse: bool. If True, the feature is a SparseTensor.

    Returns:
        column.

    Raises:
        TypeError: if `dtype` is no number.
        ValueError: if the default value lacks, or is a list.
    """
    kind = dtypes.as_dtype(dtype)
    at = f"column_name: {column_name}"
    if not (kind.is_integer or kind.is_floating):
        raise TypeError(f"dtype must be convertible to float. dtype: {kind}, {at}")
    if default_value is None and not is_sparse:
        raise ValueError(f"default_value must be provided when is_sparse=False to parse a padded Tensor. {at}")
    if isinstance(default_value, list):
        raise ValueError(f"Only scalar default value. default_value: {default_value}, {at}")
    default = default_value
    if default is not None:
        default = int(default) if kind.is_integer else float(default)
    return columns.RealValuedVarLenColumn(column_name, default, kind, normalizer, is_sparse)


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """Returns placeholders of the features of columns.

    Args:
        feature_columns: list of columns.

    Returns:
        dict from keys to Tensors of shape [batch, size], or SparseTensors.
    """
    made: dict[str, Any] = {}
    for key, feature in columns.create_feature_spec_for_parsing(feature_columns).items():
        name = f"Placeholder_{key}"
        if isinstance(feature, VarLenFeature):
            made[key] = sparse_placeholder(feature.dtype, name=name)
        else:
            made[key] = placeholder(feature.dtype, shape=(None, feature.shape[0]), name=name)
    return made


def infer_real_valued_columns(features: NestedTensors) -> list[Any]:
    """Returns a column of numbers for each Tensor.

    Args:
        features: Tensor of a float or integer dtype, of shape [batch, size] with a known size; or a dict of these.
            The column of a single Tensor has the key "".

    Returns:
        list of columns.

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

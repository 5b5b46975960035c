"""`SDCAOptimizer`: stochastic dual coordinate ascent for the linear models of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.layers.columns import dense_layer
from ferroflow._src.contrib.layers.crossed_columns import _CrossedColumn
from ferroflow._src.contrib.layers.number_columns import _BucketizedColumn, _RealValuedColumn
from ferroflow._src.contrib.layers.sparse_columns import _SparseColumn, _WeightedSparseColumn
from ferroflow._src.contrib.linear_optimizer.sdca_model import SdcaModel
from ferroflow._src.contrib.linear_optimizer.sparse_feature_column import SparseFeatureColumn
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import boolean_mask, gather_nd, unique, where
from ferroflow._src.ops.array.joining import split
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.array.shaping import rank, reshape, shape
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal, less_equal, not_equal
from ferroflow._src.ops.math.reduction import reduce_max
from ferroflow._src.ops.math.segment import unsorted_segment_min, unsorted_segment_sum


class SDCAOptimizer:
    """An optimizer of linear models by stochastic dual coordinate ascent.

    Args:
        example_id_column: str, the feature with the examples' ids, strings of shape [batch].
        num_loss_partitions: int, the number of steps that run at the same time on all workers. Training converges if
            it is at least that number, and more slowly the larger it is.
        num_table_shards: int, the number of tables of the examples' state; None for one.
        symmetric_l1_regularization: float, the factor of the absolute values of weights.
        symmetric_l2_regularization: float, the factor of the squares of weights.
        adaptive: bool. If True, examples with larger residuals are drawn more often.
        partitioner: None.

    Raises:
        NotImplementedError: if `partitioner` is not None.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Any = None,
    ) -> None:
        if partitioner is not None:
            raise NotImplementedError(
                "SDCAOptimizer is not offered for partitioned variables: leave out `partitioner`."
            )
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive

    def get_name(self) -> str:
        """Returns "SDCAOptimizer"."""
        return "SDCAOptimizer"

    @property
    def example_id_column(self) -> str:
        """The feature with the examples' ids, a str."""
        return self._example_id_column

    @property
    def num_loss_partitions(self) -> int:
        """The number of steps that run at the same time, an int."""
        return self._num_loss_partitions

    @property
    def num_table_shards(self) -> int | None:
        """The number of tables of the examples' state, an int, or None for one."""
        return self._num_table_shards

    @property
    def symmetric_l1_regularization(self) -> float:
        """The factor of the absolute values of weights, a float."""
        return self._symmetric_l1_regularization

    @property
    def symmetric_l2_regularization(self) -> float:
        """The factor of the squares of weights, a float."""
        return self._symmetric_l2_regularization

    @property
    def adaptive(self) -> bool:
        """True if examples with larger residuals are drawn more often."""
        return self._adaptive

    @property
    def partitioner(self) -> None:
        """None: variables are not partitioned."""
        return None

    def get_train_step(
        self,
        columns_to_variables: Mapping[Any, Any],
        weight_column_name: str | None,
        loss_type: str,
        features: Mapping[Any, Any],
        targets: Tensor,
        global_step: Any,
    ) -> tuple[SdcaModel, Operation]:
        """Returns a model of feature columns, and its step of training.

        Args:
            columns_to_variables: dict from feature columns to lists of one variable.
            weight_column_name: str, the key of the examples' weights, or None.
            loss_type: str, the loss, as `SdcaModel` has it.
            features: dict from feature columns to their transformed features, and from str to Tensors of any dtype, of
                shape [batch, ...].
            targets: Tensor of numbers, of shape [batch] or [batch, 1].
            global_step: Variable that counts steps, or None.

        Returns:
            (SdcaModel, Operation).

        Raises:
            ValueError: if a column is not one of numbers, buckets, ids or crossed ids.
        """
        dense_features, dense_weights, sparse_features, sparse_weights = [], [], [], []
        for column in sorted(columns_to_variables, key=lambda column: column.key):
            variable = columns_to_variables[column][0]
            if isinstance(column, _RealValuedColumn):
                dense_features.append(_matrix(features[column]))
                dense_weights.append(variable)
            else:
                sparse_features.append(_sparse_features(column, features[column]))
                sparse_weights.append(variable)
        weights = reshape(features[weight_column_name], [-1]) if weight_column_name else ones([targets.get_shape()[0]])
        model = SdcaModel(
            examples={
                "sparse_features": sparse_features,
                "dense_features": dense_features,
                "example_labels": cast(reshape(targets, [-1]), dtypes.float32),
                "example_weights": weights,
                "example_ids": features[self._example_id_column],
            },
            variables={"sparse_features_weights": sparse_weights, "dense_features_weights": dense_weights},
            options={
                "symmetric_l1_regularization": self._symmetric_l1_regularization,
                "symmetric_l2_regularization": self._symmetric_l2_regularization,
                "adaptive": self._adaptive,
                "num_loss_partitions": self._num_loss_partitions,
                "num_table_shards": self._num_table_shards,
                "loss_type": loss_type,
            },
        )
        return model, model.minimize(global_step=global_step)


def _matrix(numbers: Tensor) -> Tensor:
    """Returns numbers with at most two dimensions as a matrix with a row for each example."""
    checked = Assert(less_equal(rank(numbers), 2), ["transformed_tensor should have rank at most 2."])
    with control_dependencies([checked]):
        return reshape(numbers, [shape(numbers)[0], -1])


def _sparse_features(column: Any, transformed: Any) -> SparseFeatureColumn:
    if isinstance(column, _BucketizedColumn):
        return _nonzero(dense_layer(column, transformed, None, True, 2))
    if isinstance(column, _WeightedSparseColumn):
        weights = reshape(column.weight_tensor(transformed).values, [-1])
        return _distinct(column.id_tensor(transformed), weights)
    if isinstance(column, (_SparseColumn, _CrossedColumn)):
        return _distinct(transformed, ones([shape(transformed.indices)[0]], dtypes.float32))
    raise ValueError(f"SDCAOptimizer does not support column type {type(column).__name__}.")


def _nonzero(dense: Tensor) -> SparseFeatureColumn:
    """Returns the elements of a matrix that are not zero."""
    places = where(not_equal(dense, cast(0.0, dense.dtype)))
    values = gather_nd(dense, places)
    examples, features = split(places, 2, axis=1)
    return SparseFeatureColumn(
        reshape(examples, [-1]), reshape(features, [-1]), reshape(cast(values, dtypes.float32), [-1])
    )


def _distinct(ids: Any, weights: Tensor) -> SparseFeatureColumn:
    """Returns ids with the sums of their weights in each example; negative ids, of unknown words, are left out."""
    flat_ids, examples = reshape(ids.values, [-1]), reshape(ids.indices[:, 0], [-1])
    is_known = greater_equal(flat_ids, 0)
    flat_ids, examples, weights = (boolean_mask(values, is_known) for values in (flat_ids, examples, weights))
    # One number for each pair of an example and an id.
    length = reduce_max(flat_ids) + 1
    pairs, places = unique(length * examples + flat_ids)
    count = shape(pairs)[0]
    examples = unsorted_segment_min(examples, places, count)
    sums = unsorted_segment_sum(weights, places, count)
    return SparseFeatureColumn(examples, pairs - length * examples, reshape(sums, [-1]))

"""Layers that make the input of a network of feature columns."""

from __future__ import annotations

import abc
from typing import Any, ClassVar

from ferroflow._src.base import dtypes
from ferroflow._src.feature_column.column import (
    AnyDenseColumn,
    TransformedFeatures,
    bucket_count,
    check_batch_sizes,
    clean_columns,
    dense_tensor,
    has_state,
    shape_of_numbers,
)
from ferroflow._src.feature_column.embedded import EmbeddingColumn, SharedEmbeddingColumn, ids_of_sequence, looked_up_in
from ferroflow._src.feature_column.sequence import SequenceDenseColumn, equal_lengths, sequence_lengths, sequence_tensor
from ferroflow._src.feature_column.state import LayerState
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.ops.array import joining, shaping


class _Features(KerasLayer, abc.ABC):
    """Base of the layers of feature columns, whose tables are the layer's variables."""

    _KIND: ClassVar[Any] = AnyDenseColumn

    def __init__(self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        columns = sorted(clean_columns(feature_columns), key=lambda column: str(column.name))
        for column in columns:
            if not isinstance(column, self._KIND):
                raise ValueError(
                    f"Items of feature_columns must be a {self._KIND}. You can wrap a categorical column with an "
                    f"embedding_column or indicator_column. Given: {column}"
                )
            if isinstance(column, SharedEmbeddingColumn):
                raise NotImplementedError(
                    "Layers do not take the columns of shared_embedding_columns; use tf.feature_column.input_layer."
                )
            if isinstance(column, EmbeddingColumn) and column.ckpt_to_load_from is not None:
                raise NotImplementedError(
                    "Layers do not load tables from checkpoints; use tf.train.init_from_checkpoint for the layer's "
                    "variables."
                )
        self._feature_columns = columns
        self._tables: dict[Any, Any] = {}
        self._state_manager = LayerState(self, trainable)

    def build(self, input_shape: Any) -> None:
        """Makes the tables of the columns that `embedding_column` made.

        Args:
            input_shape: accepted; the sizes of tables are those of the columns.
        """
        del input_shape
        for column in self._feature_columns:
            if has_state(column):
                with name_scope(column.name):
                    column.create_state(self._state_manager)
            elif isinstance(column, EmbeddingColumn):
                self._tables[column.name] = self.add_weight(
                    f"{column.name}/embedding_weights",
                    (bucket_count(column.categorical_column), column.dimension),
                    dtypes.float32,
                    initializer=column.initializer,
                    trainable=column.trainable,
                )
        super().build(None)

    @staticmethod
    def _checked(features: Any) -> TransformedFeatures:
        if not isinstance(features, dict):
            raise ValueError("We expected a dictionary here. Instead we got: ", features)
        return TransformedFeatures(features)


class DenseFeatures(_Features):
    """Layer of the numbers of dense columns, side by side in the order of the columns' names.

    Args:
        feature_columns: iterable of dense feature columns.
        trainable: bool. If True, the tables are trained.
        name: str, its name; made by default.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if a column is not dense, or two columns have the same name.
        NotImplementedError: if a column shares its table with others, or loads it from a checkpoint.
    """

    def call(self, features: Any, cols_to_output_tensors: dict[Any, Any] | None = None) -> Tensor:
        """Computes the numbers of all columns.

        Args:
            features: dict of Tensors or SparseTensors of any dtypes, of shape [batch, ...].
            cols_to_output_tensors: dict to put each column's numbers into, or None.

        Returns:
            Tensor of float32, of shape [batch, numbers of all columns].

        Raises:
            ValueError: if `features` is no dict, a feature is missing, or batch sizes differ.
        """
        transformed = self._checked(features)
        parts = []
        for column in self._feature_columns:
            with name_scope(column.name):
                numbers = self._numbers(column, transformed)
                width = shape_of_numbers(column).num_elements()
                part = shaping.reshape(numbers, (shaping.shape(numbers)[0], width))
                parts.append(part)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = part
        check_batch_sizes(parts, self._feature_columns)
        return joining.concat(parts, -1)

    def _numbers(self, column: Any, transformed: TransformedFeatures) -> Tensor:
        """Returns the numbers of the examples in a column."""
        if has_state(column):
            found: Tensor = column.get_dense_tensor(transformed, self._state_manager)
            return found
        table = self._tables.get(column.name)
        return dense_tensor(column, transformed) if table is None else looked_up_in(column, table, transformed)


class SequenceFeatures(_Features):
    """Layer of the numbers of sequence columns, side by side in the order of the columns' names.

    Args:
        feature_columns: iterable of dense sequence columns.
        trainable: bool. If True, the tables are trained.
        name: str, its name; made by default.
        **kwargs: arguments of `KerasLayer`.

    Raises:
        ValueError: if a column is not a dense sequence column, or two columns have the same name.
        NotImplementedError: if a column shares its table with others, or loads it from a checkpoint.
    """

    _KIND = SequenceDenseColumn

    def call(self, features: Any) -> tuple[Tensor, Tensor]:
        """Computes the numbers of all columns, and the lengths of the sequences.

        Args:
            features: dict of SparseTensors of any dtypes, of shape [batch, steps, ...].

        Returns:
            Tensor of float32, of shape [batch, steps, numbers of all columns], and Tensor of int64, of shape [batch].

        Raises:
            ValueError: if `features` is no dict, a feature is missing, or batch sizes differ.
            tf.errors.InvalidArgumentError: when the step runs, if columns have different lengths.
        """
        transformed = self._checked(features)
        parts, lengths = [], []
        for column in self._feature_columns:
            with name_scope(column.name):
                numbers, length = self._steps(column, transformed)
                sizes = shaping.shape(numbers)
                parts.append(shaping.reshape(numbers, (sizes[0], sizes[1], shape_of_numbers(column).num_elements())))
                lengths.append(length)
        check_batch_sizes(lengths, self._feature_columns)
        steps = equal_lengths(lengths)
        check_batch_sizes(parts, self._feature_columns)
        return joining.concat(parts, -1), steps

    def _steps(self, column: Any, transformed: TransformedFeatures) -> tuple[Tensor, Tensor]:
        table = self._tables.get(column.name)
        if table is None:
            numbers, length = sequence_tensor(column, transformed)
            return numbers, length
        ids = ids_of_sequence(column, "embedding_column", transformed)
        return looked_up_in(column, table, transformed), sequence_lengths(ids)

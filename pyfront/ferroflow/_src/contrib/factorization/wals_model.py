"""Factorization of a matrix by weighted alternating least squares."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.factorization.wals_products import masked_matmul, wals_compute_partial_lhs_and_rhs
from ferroflow._src.contrib.factorization.wals_side import Side, create_factors, create_weights, sharding_function
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, unique
from ferroflow._src.ops.array.joining import dynamic_partition, stack
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.linalg.solving import matrix_solve
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import square
from ferroflow._src.ops.math.linalg import eye, matmul, trace
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.ops.sparse.arithmetic import sparse_tensor_dense_matmul
from ferroflow._src.ops.state.assigning import scatter_update
from ferroflow._src.variables.initialization import variables_initializer
from ferroflow._src.variables.variable import Variable

_Update = tuple[Any, Operation, Tensor, Tensor, Tensor]


def _scalar(value: TensorLike) -> Any:
    return convert_to_tensor(value, dtypes.float32)


class WALSModel:
    """Factors U of the rows and V of the columns of a sparse matrix A, by weighted alternating least squares.

    Minimizes `sum_ij(w_ij * (a_ij - u_i . v_j)^2) + regularization * (|U|^2 + |V|^2)`. An observed entry has the weight
    `unobserved_weight + row_weights[i] * col_weights[j]`, and any other entry counts as 0 with the weight
    `unobserved_weight`.

    A sweep over the rows runs `row_update_prep_gramian_op` and `initialize_row_update_op`, and then the update of
    `update_row_factors` for each batch of rows; a sweep over the columns is alike. `worker_init` runs first.

    Args:
        input_rows: int, the number of rows.
        input_cols: int, the number of columns.
        n_components: int, the number of factors of each row and column.
        unobserved_weight: float, the weight of entries that are not observed.
        regularization: float, the weight of the squared factors; None for 0.
        row_init: "random"; or array or Tensor of float32, of shape [input_rows, n_components], or a list of one for
            each shard; or a function that returns one of these.
        col_init: as `row_init`, for the columns.
        num_row_shards: int, the number of variables that hold the rows' factors.
        num_col_shards: int, the number of variables that hold the columns' factors.
        row_weights: float, the weight of each row; or list of lists of float, those of each shard; or None, if
            `col_weights` is None too: observed entries then have the weight `unobserved_weight`.
        col_weights: as `row_weights`, for the columns.
        use_factors_weights_cache: bool. If True, workers use local copies of factors and weights.
        use_gramian_cache: bool. If True, workers use local copies of Gramians.
        use_scoped_vars: bool. If True, variables are also in name scopes.

    Raises:
        AssertionError: if only one of the weights is None, or an initial value has another number of shards.
        ValueError: if weights are neither a number of 0 or more, nor a list.

    Source: Hu, Koren and Volinsky, Collaborative Filtering for Implicit Feedback Datasets, 2008.
    """

    def __init__(
        self,
        input_rows: int,
        input_cols: int,
        n_components: int,
        unobserved_weight: float = 0.1,
        regularization: float | None = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
        use_scoped_vars: bool = False,
    ) -> None:
        if (row_weights is None) != (col_weights is None):
            raise AssertionError("row_weights and col_weights must both be None, or neither.")
        self._input_rows = input_rows
        self._input_cols = input_cols
        self._n_components = n_components
        self._unobserved_weight = unobserved_weight
        self._regularization = regularization
        self._ridge = None if regularization is None else regularization * eye(n_components)
        made: dict[str, Any] = {}
        makers: list[tuple[str, Callable[..., Any]]] = [
            ("row_weights", partial(create_weights, row_weights, input_rows, num_row_shards)),
            ("col_weights", partial(create_weights, col_weights, input_cols, num_col_shards)),
            ("row_factors", partial(create_factors, input_rows, n_components, num_row_shards, row_init)),
            ("col_factors", partial(create_factors, input_cols, n_components, num_col_shards, col_init)),
        ]
        for name, make in makers:
            with name_scope(name) if use_scoped_vars else nullcontext():
                made[name] = make(name)
        self._row_weights, self._col_weights = made["row_weights"], made["col_weights"]
        self._rows, self._cols = (
            Side(name, size, made[f"{name}_factors"], made[f"{name}_weights"], n_components)
            for name, size in (("row", input_rows), ("col", input_cols))
        )
        with name_scope("row_prepare_gramian"):
            self._row_update_prep_gramian = self._cols.prepare_gramian()
        with name_scope("col_prepare_gramian"):
            self._col_update_prep_gramian = self._rows.prepare_gramian()
        with name_scope("transient_vars"):
            for side in (self._rows, self._cols):
                side.copy(use_factors_weights_cache, use_gramian_cache)
            self._row_updates_init = _start_of_sweep(self._rows, self._cols)
            self._col_updates_init = _start_of_sweep(self._cols, self._rows)
            copies = [side.weight_copy for side in (self._rows, self._cols)]
            fills = [copy.fill for copy in copies if copy is not None]
            self._worker_init = group(*fills, name="worker_init") if fills else no_op(name="worker_init")

    @property
    def row_factors(self) -> list[Variable]:
        """list of Variables of float32, the factors of the rows."""
        return self._rows.factors

    @property
    def col_factors(self) -> list[Variable]:
        """list of Variables of float32, the factors of the columns."""
        return self._cols.factors

    @property
    def row_weights(self) -> list[Variable] | None:
        """list of Variables of float32, the weights of the rows; or None."""
        return self._rows.weights

    @property
    def col_weights(self) -> list[Variable] | None:
        """list of Variables of float32, the weights of the columns; or None."""
        return self._cols.weights

    @property
    def initialize_op(self) -> Operation:
        """Operation that initializes the variables."""
        sides = (self._rows, self._cols)
        factors = [shard for side in sides for shard in side.factors]
        weights = [shard for side in sides for shard in side.weights or ()]
        return variables_initializer([*factors, *(side.gramian for side in sides), *weights])

    @property
    def worker_init(self) -> Operation:
        """Operation that copies the weights in a worker; it runs once before all sweeps."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> Operation:
        """Operation that computes the Gramian for a sweep over the rows; one task runs it before the sweep."""
        return self._row_update_prep_gramian

    @property
    def col_update_prep_gramian_op(self) -> Operation:
        """Operation that computes the Gramian for a sweep over the columns; one task runs it before the sweep."""
        return self._col_update_prep_gramian

    @property
    def initialize_row_update_op(self) -> Operation:
        """Operation that copies factors before a sweep over the rows; each worker runs it."""
        return self._row_updates_init

    @property
    def initialize_col_update_op(self) -> Operation:
        """Operation that copies factors before a sweep over the columns; each worker runs it."""
        return self._col_updates_init

    @classmethod
    def scatter_update(
        cls,
        factor: list[Variable],
        indices: TensorLike,
        values: TensorLike,
        sharding_func: Callable[[Any], tuple[Any, Any]],
        name: str | None = None,
    ) -> Operation:
        """Adds the operation that replaces factors.

        Args:
            factor: list of Variables, the shards.
            indices: Tensor of int64, of shape [n]: the rows or columns.
            values: Tensor of float32, of shape [n, components]: their new factors.
            sharding_func: callable of `indices`, which returns the shards and the indices within the shards.
            name: str, the operation's name.

        Returns:
            Operation.
        """
        if len(factor) == 1:
            with colocate_with(factor[0]):
                updated: Any = scatter_update(factor[0], indices, values, name=name)
            operation: Operation = updated.op
            return operation
        shards, places = sharding_func(indices)
        shards = cast(shards, dtypes.int32)
        parts = zip(
            factor,
            dynamic_partition(places, shards, len(factor)),
            dynamic_partition(values, shards, len(factor)),
            strict=True,
        )
        return group(*[scatter_update(*part) for part in parts], name=name)

    def update_row_factors(self, sp_input: SparseTensor | None = None, transpose_input: bool = False) -> _Update:
        """Adds the operations that compute and store the factors of a batch of rows.

        Losses and weights are those of the batch, times the number of all rows divided by that of the batch's rows.

        Args:
            sp_input: SparseTensor of float32, of shape [rows, columns]: the batch, with the indices of the whole
                matrix.
            transpose_input: bool. If True, the input is the transpose of the batch.

        Returns:
            (Tensor of float32, of shape [batch, components]: the new factors; Operation that stores them; three Tensors
            of float32, of shape []). The last three are the loss without regularization, the regularization, and the
            sum of the weights.

        Raises:
            AssertionError: if `sp_input` is not a SparseTensor.
        """
        return self._update(self._rows, self._cols, sp_input, transpose_input, None)

    def update_col_factors(self, sp_input: SparseTensor | None = None, transpose_input: bool = False) -> _Update:
        """Adds the operations that compute and store the factors of a batch of columns.

        Losses and weights are those of the batch, times the number of all columns divided by that of the batch's.

        Args:
            sp_input: SparseTensor of float32, of shape [rows, columns]: the batch, with the indices of the whole
                matrix.
            transpose_input: bool. If True, the input is the transpose of the batch.

        Returns:
            (Tensor of float32, of shape [batch, components]: the new factors; Operation that stores them; three Tensors
            of float32, of shape []). The last three are the loss without regularization, the regularization, and the
            sum of the weights.

        Raises:
            AssertionError: if `sp_input` is not a SparseTensor.
        """
        return self._update(self._cols, self._rows, sp_input, not transpose_input, None)

    def project_row_factors(
        self,
        sp_input: SparseTensor | None = None,
        transpose_input: bool = False,
        projection_weights: TensorLike | None = None,
    ) -> Tensor:
        """Returns the factors of new rows, for the model's factors of the columns.

        Args:
            sp_input: SparseTensor of float32, of shape [rows, columns]: the new rows.
            transpose_input: bool. If True, the input is the transpose of the rows.
            projection_weights: float, or Tensor of float32, of shape [rows]: the weights of the rows; None for 1.

        Returns:
            Tensor of float32, of shape [rows, components].

        Raises:
            AssertionError: if `sp_input` is not a SparseTensor.
        """
        weights = 1.0 if projection_weights is None else projection_weights
        projected: Tensor = self._update(self._rows, self._cols, sp_input, transpose_input, weights)[0]
        return projected

    def project_col_factors(
        self,
        sp_input: SparseTensor | None = None,
        transpose_input: bool = False,
        projection_weights: TensorLike | None = None,
    ) -> Tensor:
        """Returns the factors of new columns, for the model's factors of the rows.

        Args:
            sp_input: SparseTensor of float32, of shape [rows, columns]: the new columns.
            transpose_input: bool. If True, the input is the transpose of the columns.
            projection_weights: float, or Tensor of float32, of shape [columns]: the weights of the columns; None for 1.

        Returns:
            Tensor of float32, of shape [columns, components].

        Raises:
            AssertionError: if `sp_input` is not a SparseTensor.
        """
        weights = 1.0 if projection_weights is None else projection_weights
        projected: Tensor = self._update(self._cols, self._rows, sp_input, not transpose_input, weights)[0]
        return projected

    def _update(self, side: Side, other: Side, sp_input: Any, is_transposed: bool, weights: Any) -> _Update:
        """Adds the operations of a batch of one side, whose input has that side first unless `is_transposed`."""
        if not isinstance(sp_input, SparseTensor):
            raise AssertionError(f"sp_input must be a SparseTensor, not {sp_input}.")
        own, others = (1, 0) if is_transposed else (0, 1)
        # The batch's rows and columns without those that have no entries.
        batch, of_entry = unique(sp_input.indices[:, own], out_idx=dtypes.int64)
        needed, other_of_entry = unique(sp_input.indices[:, others], out_idx=dtypes.int64)
        entries = stack([of_entry, other_of_entry], 1)
        count = shaping.size(batch, out_type=dtypes.int64)
        fixed = embedding_lookup(other.factor_copy.variables, needed, partition_strategy="div")
        gramian = other.gramian_copy.variables[0]
        normal: Any = self._unobserved_weight * gramian
        if self._ridge is not None:
            normal = normal + self._ridge
        entry_weights: Any = None
        if side.weight_copy is None or other.weight_copy is None:
            shape = stack([count, shaping.size(needed, out_type=dtypes.int64)])
            rhs = sparse_tensor_dense_matmul(SparseTensor(entries, sp_input.values, shape), fixed)
            right = self._unobserved_weight * shaping.transpose(rhs)
            factors = shaping.transpose(matrix_solve(normal, right))
        else:
            if weights is None:
                own_weights = embedding_lookup(side.weight_copy.variables, batch, partition_strategy="div")
            else:
                own_weights = ones(shaping.expand_dims(cast(count, dtypes.int32), 0)) * _scalar(weights)
            other_weights = embedding_lookup(other.weight_copy.variables, needed, partition_strategy="div")
            entry_weights = gather(own_weights, of_entry) * gather(other_weights, other_of_entry)
            lhs, rhs = wals_compute_partial_lhs_and_rhs(
                fixed,
                other_weights,
                self._unobserved_weight,
                own_weights,
                entries,
                sp_input.values,
                [],
                count,
                False,
                name="wals_compute_partial_lhs_rhs",
            )
            solved = matrix_solve(shaping.expand_dims(normal, 0) + lhs, shaping.expand_dims(rhs, -1))
            factors = shaping.squeeze(solved, [2])
        stored = self.scatter_update(
            side.factors, batch, factors, sharding_function(side.size, len(side.factors)), f"{side.name}_update"
        )
        scale = side.size / cast(count, dtypes.float32)
        approximate = masked_matmul(factors, fixed, entries, False, True)
        errors = square(sp_input.values - approximate)
        own_gramian = matmul(factors, factors, transpose_a=True)
        everywhere = reduce_sum(errors) - reduce_sum(square(approximate)) + trace(matmul(own_gramian, gramian))
        loss: Any = self._unobserved_weight * everywhere
        sum_weights: Any = self._unobserved_weight * _scalar(float(side.size * other.size))
        if entry_weights is not None:
            loss = loss + reduce_sum(entry_weights * errors)
            sum_weights = sum_weights + reduce_sum(entry_weights) * scale
        penalty: Any = constant(0.0)
        if self._regularization is not None:
            penalty = self._regularization * (trace(own_gramian) * scale + trace(gramian))
        return factors, stored, loss * scale, penalty, sum_weights


def _start_of_sweep(side: Side, other: Side) -> Operation:
    """Returns the operation that copies the other side's factors and Gramian, and drops those of this side."""
    return group(other.factor_copy.fill, side.factor_copy.empty, other.gramian_copy.fill, side.gramian_copy.empty)

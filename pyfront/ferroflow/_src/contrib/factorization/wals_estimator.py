"""`WALSMatrixFactorization`: an estimator of `WALSModel`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.factorization.wals_hooks import (
    COMPLETED_SWEEPS,
    IncrementGlobalStepHook,
    StopAtSweepHook,
    SweepHook,
)
from ferroflow._src.contrib.factorization.wals_model import WALSModel
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps
from ferroflow._src.contrib.learn.run_config import RunConfig
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.making import fill, ones_like
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import logical_not, sqrt
from ferroflow._src.ops.math.reduction import reduce_all
from ferroflow._src.ops.state.assigning import assign, assign_add, scatter_update
from ferroflow._src.summary.values import scalar
from ferroflow._src.variables.variable import Variable


def _state(value: Any, name: str) -> Variable:
    return Variable(value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES], name=name)


class _Progress:
    """Variables of the training: the current sweep, and the latest losses."""

    def __init__(self) -> None:
        self.is_row_sweep = _state(True, "is_row_sweep")
        self.is_sweep_done = _state(False, "is_sweep_done")
        self.completed_sweeps = _state(0, COMPLETED_SWEEPS)
        self.loss = _state(0.0, WALSMatrixFactorization.LOSS)
        self.root_error = _state(0.0, WALSMatrixFactorization.RWSE)
        scalar("loss", self.loss)
        scalar("root_weighted_squared_error", self.root_error)
        scalar("completed_sweeps", self.completed_sweeps)

    def step(self, batch: Any, size: int, update: Callable[[Any], Any], name: str) -> tuple[Operation, Operation]:
        """Returns the operation that marks no row or column as processed, and the step of a batch."""
        processed = _state(fill([size], False), f"processed_{name}")
        _, stored, loss, penalty, sum_weights = update(batch)
        indices = batch.indices[:, 0]
        losses = [assign(self.loss, loss + penalty), assign(self.root_error, sqrt(loss / sum_weights))]
        with control_dependencies([stored, *losses]):
            marked = scatter_update(
                processed, indices, ones_like(indices, dtype=dtypes.bool), name=f"update_processed_{name}_indices"
            )
        with control_dependencies([marked]):
            is_done = reduce_all(processed)
            counted = assign_add(self.completed_sweeps, cast(is_done, dtypes.int32))
            return processed.initializer, group(
                assign(self.is_sweep_done, is_done), counted, name=f"{name}_sweep_train_op"
            )


class WALSMatrixFactorization(Estimator):
    """Estimator that factorizes a sparse matrix by weighted alternating least squares.

    Its loss is that of `WALSModel`. The training sweeps over the rows and the columns in turn; a sweep ends when each
    row or column was in a batch. It runs in one process.

    The labels of `input_fn` are None, and its features a dict. Its key `INPUT_ROWS` has a batch of rows: a SparseTensor
    of float32, of shape [rows, columns], with the indices of the whole matrix. `INPUT_COLS` has a batch of columns,
    transposed. Evaluation and projections need `PROJECT_ROW`, a Tensor of bool, of shape []: True for the rows.
    Projections may have `PROJECTION_WEIGHTS`, a Tensor of float32, of shape [batch].

    Args:
        num_rows: int, the number of rows.
        num_cols: int, the number of columns.
        embedding_dimension: int, the number of factors of each row and column.
        unobserved_weight: float, the weight of entries that are not observed.
        regularization_coeff: float, the weight of the squared factors; None for 0.
        row_init: as of `WALSModel`.
        col_init: as of `WALSModel`.
        num_row_shards: int, the number of variables that hold the rows' factors.
        num_col_shards: int, the number of variables that hold the columns' factors.
        row_weights: as of `WALSModel`.
        col_weights: as of `WALSModel`.
        use_factors_weights_cache_for_training: bool. If True, the training uses local copies of factors and weights.
        use_gramian_cache_for_training: bool. If True, the training uses local copies of Gramians.
        max_sweeps: int, the number of sweeps after which the training ends; None for no such end.
        model_dir: str, folder of the checkpoints; None for a new one.
        config: tf.contrib.learn.RunConfig or None.

    Raises:
        ValueError: if `config` has more than one worker.
    """

    INPUT_ROWS: Final = "input_rows"
    INPUT_COLS: Final = "input_cols"
    PROJECT_ROW: Final = "project_row"
    PROJECTION_WEIGHTS: Final = "projection_weights"
    PROJECTION_RESULT: Final = "projection"
    COMPLETED_SWEEPS: Final = COMPLETED_SWEEPS
    LOSS: Final = "WALS_loss"
    RWSE: Final = "WALS_RWSE"

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        embedding_dimension: int,
        unobserved_weight: float = 0.1,
        regularization_coeff: float | None = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True,
        max_sweeps: int | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            if labels is not None:
                raise AssertionError(f"Factorization has no labels, got {labels}.")
            is_training = mode == ModeKeys.TRAIN
            model = WALSModel(
                num_rows,
                num_cols,
                embedding_dimension,
                unobserved_weight,
                regularization_coeff,
                row_init,
                col_init,
                num_row_shards,
                num_col_shards,
                row_weights,
                col_weights,
                use_factors_weights_cache_for_training and is_training,
                use_gramian_cache_for_training and is_training,
            )
            if is_training:
                return _training(model, features, (num_rows, num_cols), max_sweeps)
            if mode == ModeKeys.EVAL:
                return _evaluation(model, features)
            return _projection(model, features)

        self._row_factors_names = [f"row_factors_shard_{i}" for i in range(num_row_shards)]
        self._col_factors_names = [f"col_factors_shard_{i}" for i in range(num_col_shards)]
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)
        if self.config.num_worker_replicas > 1:
            raise ValueError("WALSMatrixFactorization must be run on a single worker replica.")

    def get_row_factors(self) -> list[Any]:
        """Returns the factors of the rows, from the latest checkpoint.

        Returns:
            list of arrays of float32, one for each shard.
        """
        return [self.get_variable_value(name) for name in self._row_factors_names]

    def get_col_factors(self) -> list[Any]:
        """Returns the factors of the columns, from the latest checkpoint.

        Returns:
            list of arrays of float32, one for each shard.
        """
        return [self.get_variable_value(name) for name in self._col_factors_names]

    def get_projections(self, input_fn: Any) -> Generator[Any]:
        """Generates the factors of new rows or columns.

        Args:
            input_fn: function that returns the features and None.

        Yields:
            array of float32, of shape [embedding_dimension], the factors of a row or column.
        """
        return (result[self.PROJECTION_RESULT] for result in self.predict(input_fn=input_fn))


def _training(model: WALSModel, features: Any, sizes: tuple[int, int], max_sweeps: int | None) -> ModelFnOps:
    rows, columns = features[WALSMatrixFactorization.INPUT_ROWS], features[WALSMatrixFactorization.INPUT_COLS]
    progress = _Progress()
    reset_rows, row_step = progress.step(rows, sizes[0], model.update_row_factors, "rows")
    reset_columns, column_step = progress.step(
        columns, sizes[1], lambda batch: model.update_col_factors(batch, transpose_input=True), "cols"
    )
    switch = group(
        assign(progress.is_row_sweep, logical_not(progress.is_row_sweep)),
        reset_rows,
        reset_columns,
        name="sweep_switch_op",
    )
    hooks: list[Any] = [
        SweepHook(
            progress.is_row_sweep,
            progress.is_sweep_done,
            model.worker_init,
            [model.row_update_prep_gramian_op, model.initialize_row_update_op],
            [model.col_update_prep_gramian_op, model.initialize_col_update_op],
            row_step,
            column_step,
            switch,
        ),
        IncrementGlobalStepHook(),
    ]
    if max_sweeps is not None:
        hooks.append(StopAtSweepHook(max_sweeps))
    return ModelFnOps(mode=ModeKeys.TRAIN, predictions={}, loss=progress.loss, train_op=no_op(), training_hooks=hooks)


def _evaluation(model: WALSModel, features: Any) -> ModelFnOps:
    def loss_of(update: Callable[..., Any], key: str, is_transposed: bool) -> Callable[[], Any]:
        def loss() -> Any:
            found = update(features[key], transpose_input=is_transposed)
            return found[2] + found[3]

        return loss

    loss = cond(
        features[WALSMatrixFactorization.PROJECT_ROW],
        loss_of(model.update_row_factors, WALSMatrixFactorization.INPUT_ROWS, False),
        loss_of(model.update_col_factors, WALSMatrixFactorization.INPUT_COLS, True),
    )
    return ModelFnOps(mode=ModeKeys.EVAL, predictions={}, loss=loss, train_op=no_op())


def _projection(model: WALSModel, features: Any) -> ModelFnOps:
    weights = features.get(WALSMatrixFactorization.PROJECTION_WEIGHTS)
    projected = cond(
        features[WALSMatrixFactorization.PROJECT_ROW],
        lambda: model.project_row_factors(features[WALSMatrixFactorization.INPUT_ROWS], False, weights),
        lambda: model.project_col_factors(features[WALSMatrixFactorization.INPUT_COLS], True, weights),
    )
    return ModelFnOps(
        mode=ModeKeys.INFER, predictions={WALSMatrixFactorization.PROJECTION_RESULT: projected}, train_op=no_op()
    )

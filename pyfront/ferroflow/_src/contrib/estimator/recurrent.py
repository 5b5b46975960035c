"""Estimators of `tf.contrib.estimator` with recurrent networks over sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.estimator.extenders import clip_gradients_by_norm
from ferroflow._src.contrib.feature_column.sequence_input import concatenate_context_input, sequence_input_layer
from ferroflow._src.estimator.classification_heads import binary_head_of, multi_class_head_of
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.optimizers import optimizer_of
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.feature_column.models import input_layer
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.layers.dense import dense
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.rnn.basic_cells import BasicRNNCell, GRUCell
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.rnn.lstm_cells import BasicLSTMCell
from ferroflow._src.rnn.multi_cell import MultiRNNCell
from ferroflow._src.summary.values import histogram
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.initializers import GlorotUniform
from ferroflow._src.variables.partitioners import min_max_variable_partitioner
from ferroflow._src.variables.scope import variable_scope

__all__ = ["RNNClassifier", "RNNEstimator"]

_RATE: Final = 0.05
_LARGEST_NORM: Final = 5.0
_SLICE: Final = 64 << 20
_CELLS: Final[dict[str, Any]] = {"basic_rnn": BasicRNNCell, "lstm": BasicLSTMCell, "gru": GRUCell}


class _Default:
    """The type of a cell that was not given."""

    def __repr__(self) -> str:
        return "USE_DEFAULT"


USE_DEFAULT: Final = _Default()


def _cell_fn(num_units: Any, cell_type: Any, rnn_cell_fn: Callable[..., Any] | None) -> Callable[..., Any]:
    """Returns the function of the mode that makes a cell."""
    if rnn_cell_fn is not None:
        if num_units or cell_type is not USE_DEFAULT:
            raise ValueError("num_units and cell_type must not be specified when using rnn_cell_fn")
        return rnn_cell_fn
    chosen = "basic_rnn" if cell_type is USE_DEFAULT else cell_type
    kind = _CELLS.get(chosen, chosen)

    def make(mode: str) -> Any:
        del mode
        if not isinstance(kind, type) or not issubclass(kind, RNNCell):
            raise ValueError(f"Supported cell types are {list(_CELLS)}; got {kind}")
        cells: list[Any] = [kind(num_units=size) for size in num_units]
        return cells[0] if len(cells) == 1 else MultiRNNCell(cells)

    return make


def _last(activations: Any, lengths: Any) -> Any:
    """Returns the activations of each sequence's last step."""
    with name_scope("select_last_activations", values=[activations, lengths]):
        shape = shaping.shape(activations)
        batch, steps, size = shape[0], shape[1], shape[2]
        places = cast(making.range(batch) * steps, dtypes.int64, name="ToInt64") + lengths - 1
        last = gather(shaping.reshape(activations, [batch * steps, size]), places)
        last.set_shape([activations.shape[0], activations.shape[2]])
        return last


class _Network:
    """A recurrent network that ends in a head, as a model function."""

    def __init__(
        self, head: Any, cell_fn: Callable[..., Any], columns: Any, context: Any, optimizer: Any, partitioner: Any
    ) -> None:
        self._head, self._cell_fn, self._partitioner, self._optimizer = head, cell_fn, partitioner, optimizer
        self._columns, self._context = tuple(columns or ()), tuple(context or ())

    def build(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        """Builds the network for a mode."""
        if not isinstance(features, dict):
            raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")
        optimizer = self._optimizer
        if not isinstance(optimizer, Optimizer):
            optimizer = clip_gradients_by_norm(optimizer_of(optimizer, _RATE), _LARGEST_NORM)
        replicas = config.num_ps_replicas if config else 0
        partitioner = min_max_variable_partitioner(max_partitions=replicas)
        with variable_scope("rnn", values=list(features.values()), partitioner=partitioner):
            of_inputs = self._partitioner or min_max_variable_partitioner(replicas, min_slice_size=_SLICE)
            logits = self._logits(features, mode, of_inputs)
            return self._head.create_estimator_spec(
                features=features,
                mode=mode,
                labels=labels,
                train_op_fn=lambda loss: optimizer.minimize(loss, global_step=get_global_step()),
                logits=logits,
            )

    def _logits(self, features: Any, mode: str, partitioner: Any) -> Any:
        with variable_scope("sequence_input_layer", values=list(features.values()), partitioner=partitioner):
            sequence, lengths = sequence_input_layer(features, self._columns)
            histogram("sequence_length", lengths)
            if self._context:
                sequence = concatenate_context_input(input_layer(features, self._context), sequence)
        outputs, _ = dynamic_rnn(
            cell=self._cell_fn(mode), inputs=sequence, sequence_length=lengths, dtype=dtypes.float32
        )
        last = _last(outputs, lengths)
        with variable_scope("logits", values=[last]):
            logits = dense(last, units=self._head.logits_dimension, kernel_initializer=GlorotUniform())
        making.sequence_mask(lengths)
        return logits


class RNNClassifier(Estimator):
    """A recurrent network that classifies sequences.

    Args:
        sequence_feature_columns: iterable of feature columns of the steps.
        context_feature_columns: iterable of feature columns of whole sequences, or None.
        num_units: list of int, the sizes of the layers; None if `rnn_cell_fn` is given.
        cell_type: str, of "basic_rnn", "lstm" and "gru", or a class of RNNCell.
        rnn_cell_fn: callable of the mode that returns the cell, or None.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        label_vocabulary: list of str, the names of the classes where labels are names; None if they are numbers.
        optimizer: str, the name of an optimizer, whose gradients are then clipped; or tf.train.Optimizer.
        loss_reduction: one of `tf.losses.Reduction` but NONE: how the losses of a batch are combined.
        input_layer_partitioner: function that cuts the variables of the input layer, or None.
        config: RunConfig; None for the usual one.

    Raises:
        ValueError: if a cell is given in two ways, or an argument has a wrong value.
    """

    def __init__(
        self,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_units: Sequence[Any] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: object = None,
        label_vocabulary: ListLike | None = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
    ) -> None:
        made = _cell_fn(num_units, cell_type, rnn_cell_fn)
        head: Any
        if n_classes == 2:
            head = binary_head_of(weight_column, label_vocabulary, loss_reduction)
        else:
            head = multi_class_head_of(n_classes, weight_column, label_vocabulary, loss_reduction)
        network = _Network(
            head, made, sequence_feature_columns, context_feature_columns, optimizer, input_layer_partitioner
        )
        super().__init__(network.build, model_dir=model_dir, config=config)


class RNNEstimator(Estimator):
    """A recurrent network that ends in a given head.

    Args:
        head: Head of `tf.contrib.estimator`.
        sequence_feature_columns: iterable of feature columns of the steps.
        context_feature_columns: iterable of feature columns of whole sequences, or None.
        num_units: list of int, the sizes of the layers; None if `rnn_cell_fn` is given.
        cell_type: str, of "basic_rnn", "lstm" and "gru", or a class of RNNCell.
        rnn_cell_fn: callable of the mode that returns the cell, or None.
        return_sequences: bool, False: heads that take the outputs of all steps are not public.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        optimizer: str, the name of an optimizer, whose gradients are then clipped; or tf.train.Optimizer.
        input_layer_partitioner: function that cuts the variables of the input layer, or None.
        config: RunConfig; None for the usual one.

    Raises:
        ValueError: if a cell is given in two ways, or `return_sequences` is True.
    """

    def __init__(
        self,
        head: Any,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_units: Sequence[Any] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: Callable[..., Any] | None = None,
        return_sequences: bool = False,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
    ) -> None:
        made = _cell_fn(num_units, cell_type, rnn_cell_fn)
        if return_sequences:
            raise ValueError("Provided head must be a `_SequentialHead` object when `return_sequences` is set to True.")
        network = _Network(
            head, made, sequence_feature_columns, context_feature_columns, optimizer, input_layer_partitioner
        )
        super().__init__(network.build, model_dir=model_dir, config=config)

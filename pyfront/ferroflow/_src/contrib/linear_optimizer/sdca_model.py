"""`SdcaModel`: a linear model that is trained by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.linear_optimizer.sharded_table import ShardedMutableDenseHashTable
from ferroflow._src.contrib.linear_optimizer.sparse_feature_column import SparseFeatureColumn
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, device, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather, unique
from ferroflow._src.ops.array.making import ones_like, zeros_like
from ferroflow._src.ops.array.shaping import expand_dims, reshape
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import add_n, multiply, subtract
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs, exp, sigmoid, square
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.math.segment import segment_sum
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.softmax import log_poisson_loss, sigmoid_cross_entropy_with_logits
from ferroflow._src.ops.state.assigning import assign_add, scatter_add
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.sdca import sdca_fprint, sdca_shrink_l1
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.variable import Variable

_LOSSES: Final = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
_SPARSE: Final = "sparse_features_weights"
_DENSE: Final = "dense_features_weights"
_LISTS_OF_FEATURES: Final = ("sparse_features", "dense_features")


def _check(given: Mapping[str, Any], specified: Iterable[str], lists: Iterable[str]) -> None:
    for key in (*specified, *lists):
        if given[key] is None:
            raise ValueError(f"{key} must be specified.")
    for key in lists:
        if not isinstance(given[key], list):
            raise ValueError(f"{key} must be a list.")


def _check_examples(examples: Mapping[str, Any], *specified: str) -> None:
    _check(examples, specified, _LISTS_OF_FEATURES)


class SdcaModel:
    """A linear model over sparse and dense features, trained by stochastic dual coordinate ascent.

    Args:
        examples: dict with "sparse_features", list of SparseFeatureColumn, and "dense_features", list of Tensors of
            float32, of shape [batch, columns]. It also has "example_labels" and "example_weights", Tensors of float32,
            and "example_ids", Tensor of strings, all of shape [batch].
        variables: dict with "sparse_features_weights" and "dense_features_weights", lists of variables of float32, one
            for each group of features.
        options: dict with "loss_type", a str: "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" or
            "poisson_loss"; "symmetric_l1_regularization" and "symmetric_l2_regularization", floats. It may have
            "adaptive", a bool; "num_loss_partitions", the number of concurrent steps, an int; "num_table_shards", the
            number of tables of the examples' state, an int.

    Raises:
        ValueError: if an argument lacks something, the loss is unknown, or a regularization is negative.
        NotImplementedError: if a variable is partitioned.
    """

    def __init__(self, examples: Mapping[str, Any], variables: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        if not examples or not variables or not options:
            raise ValueError("examples, variables and options must all be specified.")
        if options["loss_type"] not in _LOSSES:
            raise ValueError("Unsupported loss_type: ", options["loss_type"])
        _check_examples(examples, "example_labels", "example_weights", "example_ids")
        _check(variables, (), (_SPARSE, _DENSE))
        penalties = ("symmetric_l1_regularization", "symmetric_l2_regularization")
        _check(options, penalties, ())
        for key in penalties:
            if options[key] < 0.0:
                raise ValueError(f"{key} should be non-negative. Found ({options[key]:f})")
        if any(isinstance(v, (list, PartitionedVariable)) for key in (_SPARSE, _DENSE) for v in variables[key]):
            raise NotImplementedError(
                "SdcaModel is not offered for partitioned variables: make the variables without a partitioner."
            )
        self._examples, self._variables, self._options = examples, variables, options
        self._loss_type = options["loss_type"]
        # The ascent needs a strongly convex objective.
        self._l1, self._l2 = options[penalties[0]], max(options[penalties[1]], 1.0)
        self._unshrunk = {key: [_unshrunk(v) for v in variables[key]] for key in (_SPARSE, _DENSE)}
        self._hashtable = ShardedMutableDenseHashTable(
            key_dtype=dtypes.int64,
            value_dtype=dtypes.float32,
            num_shards=options.get("num_table_shards") or 1,
            default_value=[0.0, 0.0, 0.0, 0.0],
            # The low halves of fingerprints are never 0 or 1.
            empty_key=[0, 0],
            deleted_key=[1, 1],
        )
        scalar("approximate_duality_gap", self.approximate_duality_gap())
        scalar("examples_seen", self._hashtable.size())

    def minimize(self, global_step: Any = None, name: str | None = None) -> Operation:
        """Adds a step of training: one pass over the examples.

        Args:
            global_step: Variable that counts steps, or None.
            name: str, name scope of the operations.

        Returns:
            Operation. `update_weights` makes the model's variables from what it computes.
        """
        examples = self._examples
        with name_scope(name, "sdca/minimize"):
            columns = examples["sparse_features"]
            ids = sdca_fprint(convert_to_tensor(examples["example_ids"]))
            state = self._hashtable.lookup(ids)
            sparse_indices, sparse_weights = [], []
            for slot, column in zip(self._unshrunk[_SPARSE], columns, strict=True):
                weights = convert_to_tensor(slot)
                with device(weights.device):
                    found = cast(unique(cast(column.feature_indices, dtypes.int32))[0], dtypes.int64)
                    sparse_indices.append(found)
                    sparse_weights.append(gather(weights, found))
            outputs = apply_op(
                "SdcaOptimizerV2",
                [
                    [column.example_indices for column in columns],
                    [column.feature_indices for column in columns],
                    _values(columns),
                    [convert_to_tensor(features) for features in examples["dense_features"]],
                    convert_to_tensor(examples["example_weights"]),
                    convert_to_tensor(examples["example_labels"]),
                    sparse_indices,
                    sparse_weights,
                    [convert_to_tensor(slot) for slot in self._unshrunk[_DENSE]],
                    state,
                ],
                {
                    "loss_type": self._loss_type,
                    "l1": self._l1,
                    "l2": self._l2,
                    "num_loss_partitions": self._options.get("num_loss_partitions", 1),
                    "num_inner_iterations": 1,
                    "adaptive": self._options.get("adaptive", True),
                },
            ).outputs
            new_state, changes = outputs[0], list(outputs[1:])
            with control_dependencies([new_state]):
                steps: list[Any] = [self._hashtable.insert(ids, new_state)]
                for slot, indices in zip(self._unshrunk[_SPARSE], sparse_indices, strict=True):
                    steps.append(scatter_add(slot, indices, changes.pop(0)))
                steps += [
                    assign_add(slot, change) for slot, change in zip(self._unshrunk[_DENSE], changes, strict=True)
                ]
            if global_step is None:
                return group(*steps)
            with control_dependencies(steps):
                counted: Operation = assign_add(global_step, 1, name=name).op
                return counted

    def update_weights(self, train_op: Operation) -> Operation:
        """Adds an update of the model's variables from the steps of training.

        Args:
            train_op: Operation that `minimize` returned.

        Returns:
            Operation. One worker has to run it.
        """
        pairs = [pair for key in self._unshrunk for pair in zip(self._variables[key], self._unshrunk[key], strict=True)]
        with control_dependencies([train_op]):
            copied = [variable.assign(slot) for variable, slot in pairs]
        with control_dependencies(copied):
            shrunk = []
            for variable, _ in pairs:
                with device(variable.device):
                    shrunk.append(sdca_shrink_l1([variable], l1=self._l1, l2=self._l2))
            return group(*shrunk)

    def predictions(self, examples: Mapping[str, Any]) -> Tensor:
        """Adds the model's predictions.

        Args:
            examples: dict, as in the constructor.

        Returns:
            Tensor of float32, of shape [batch]: probabilities for "logistic_loss", means for "poisson_loss", and
            otherwise the linear sums.

        Raises:
            ValueError: if `examples` lack something.
        """
        _check_examples(examples, "example_weights")
        found = self._linear_predictions(examples)
        if self._loss_type == "logistic_loss":
            with name_scope("sdca/logistic_prediction"):
                return sigmoid(found)
        if self._loss_type == "poisson_loss":
            with name_scope("sdca/poisson_prediction"):
                return exp(found)
        return found

    def approximate_duality_gap(self) -> Tensor:
        """Adds the difference between the primal and the dual objective.

        Returns:
            Scalar Tensor of float64; NaN before the first step.
        """
        with name_scope("sdca/approximate_duality_gap"):
            _, exported = self._hashtable.export_sharded()
            sums: list[Tensor] = []
            for values in exported:
                # One sum after the other, so that only one copy in double precision exists at a time.
                with device(values.device), control_dependencies(sums):
                    sums.append(reduce_sum(cast(values, dtypes.float64), 0))
            total = add_n(sums)
            primal, dual, weights = total[1], total[2], total[3]
            return (primal + dual + self._l1_loss() + 2.0 * self._l2_loss(self._l2)) / weights

    def unregularized_loss(self, examples: Mapping[str, Any]) -> Tensor:
        """Adds the weighted mean of the examples' losses.

        Args:
            examples: dict, as in the constructor.

        Returns:
            Scalar Tensor of float64.

        Raises:
            ValueError: if `examples` lack something.
        """
        _check_examples(examples, "example_labels", "example_weights")
        with name_scope("sdca/unregularized_loss"):
            predictions = cast(self._linear_predictions(examples), dtypes.float64)
            labels = cast(convert_to_tensor(examples["example_labels"]), dtypes.float64)
            weights = cast(convert_to_tensor(examples["example_weights"]), dtypes.float64)
            losses = multiply(self._losses(labels, predictions), weights)
            return reduce_sum(losses) / reduce_sum(weights)

    def regularized_loss(self, examples: Mapping[str, Any]) -> Tensor:
        """Adds the weighted mean of the examples' losses with the penalties of the weights.

        Args:
            examples: dict, as in the constructor.

        Returns:
            Scalar Tensor of float64.

        Raises:
            ValueError: if `examples` lack something.
        """
        _check_examples(examples, "example_labels", "example_weights")
        with name_scope("sdca/regularized_loss"):
            weights = convert_to_tensor(examples["example_weights"])
            penalty = self._l1_loss() + self._l2_loss(self._options["symmetric_l2_regularization"])
            return penalty / reduce_sum(cast(weights, dtypes.float64)) + self.unregularized_loss(examples)

    def _losses(self, labels: Tensor, predictions: Tensor) -> Tensor:
        if self._loss_type == "logistic_loss":
            return sigmoid_cross_entropy_with_logits(labels=labels, logits=predictions)
        if self._loss_type == "poisson_loss":
            return log_poisson_loss(targets=labels, log_input=predictions)
        if self._loss_type in ("hinge_loss", "smooth_hinge_loss"):
            ones = ones_like(predictions)
            return relu(subtract(ones, multiply(subtract(2 * labels, ones), predictions)))
        return square(subtract(labels, predictions)) / 2.0

    def _linear_predictions(self, examples: Mapping[str, Any]) -> Tensor:
        with name_scope("sdca/prediction"):
            of_sparse: Any = 0.0
            for column, variable in zip(examples["sparse_features"], self._variables[_SPARSE], strict=True):
                values = gather(convert_to_tensor(variable), column.feature_indices)
                if column.feature_values is not None:
                    values = multiply(values, column.feature_values)
                of_sparse += segment_sum(values, column.example_indices)
            of_dense: Any = 0.0
            for features, variable in zip(examples["dense_features"], self._variables[_DENSE], strict=True):
                of_dense += matmul(convert_to_tensor(features), expand_dims(convert_to_tensor(variable), -1))
        predictions: Tensor = reshape(of_dense, [-1]) + of_sparse
        return predictions

    def _l1_loss(self) -> Tensor:
        with name_scope("sdca/l1_loss"):
            loss: Tensor = self._l1 * self._sum_of_weights(abs)
            return loss

    def _l2_loss(self, l2: float) -> Tensor:
        with name_scope("sdca/l2_loss"):
            loss: Tensor = l2 * self._sum_of_weights(square) / 2.0
            return loss

    def _sum_of_weights(self, function: Any) -> Tensor:
        sums = []
        for variable in (*self._variables[_SPARSE], *self._variables[_DENSE]):
            weights = convert_to_tensor(variable)
            with device(weights.device):
                sums.append(reduce_sum(function(cast(weights, dtypes.float64))))
        return add_n(sums)


def _values(columns: list[SparseFeatureColumn]) -> list[Tensor]:
    """Returns the values of all columns; none if all of them are 1."""
    if all(column.feature_values is None for column in columns):
        return []
    found = []
    for column in columns:
        values = column.feature_values
        found.append(ones_like(column.feature_indices, dtypes.float32) if values is None else values)
    return found


def _unshrunk(variable: Any) -> Variable:
    """Returns the variable that has the weights before the L1 penalty shrinks them."""
    with device(variable.device):
        zeros = zeros_like(variable.initialized_value(), dtypes.float32)
        return Variable(zeros, name=f"{variable.op.name}_unshrinked/SDCAOptimizer")

"""`TensorForestEstimator`: a random forest as an estimator of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, PredictionKey
from ferroflow._src.contrib.tensor_forest.forest import RandomForestGraphs
from ferroflow._src.contrib.tensor_forest.hparams import ForestHParams
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.feature_column.column import TransformedFeatures, dense_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.metrics.averaging import accuracy, mean
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import maximum, squared_difference
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import log
from ferroflow._src.ops.math.reduction import argmax, reduce_mean, reduce_sum
from ferroflow._src.ops.nn.activation import sigmoid
from ferroflow._src.ops.nn.softmax import (
    sigmoid_cross_entropy_with_logits,
    softmax,
    sparse_softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.summary.values import scalar
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from ferroflow._src.training.global_step import get_global_step

KEYS_NAME: Final = "keys"
LOSS_NAME: Final = "rf_training_loss"
TREE_PATHS_PREDICTION_KEY: Final = "tree_paths"
VARIANCE_PREDICTION_KEY: Final = "prediction_variance"
ALL_SERVING_KEY: Final = "tensorforest_all"
EPSILON: Final = 0.000001


class TensorForestRunOpAtEndHook(SessionRunHook):
    """Hook that runs operations at the end of the session and logs their values.

    Args:
        op_dict: dict from names to Operations or Tensors of any dtype and shape.
    """

    def __init__(self, op_dict: Mapping[str, Any]) -> None:
        self._ops = op_dict

    def end(self, session: Any) -> None:
        """Runs the operations in the order of their names.

        Args:
            session: Session.
        """
        for name in sorted(self._ops):
            tf_logging.info("%s: %s", name, session.run(self._ops[name]))


class TensorForestLossHook(SessionRunHook):
    """Hook that ends the training when the loss has not fallen for some steps.

    Args:
        early_stopping_rounds: int, the steps.
        early_stopping_loss_threshold: float, the share of the loss by which it must fall.
        loss_op: float Tensor of shape [], the loss; None for the operation "rf_training_loss".
    """

    def __init__(
        self, early_stopping_rounds: int, early_stopping_loss_threshold: float | None = None, loss_op: Any = None
    ) -> None:
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_loss_threshold = early_stopping_loss_threshold
        self.loss_op = loss_op
        self.min_loss: float | None = None
        self.last_step = -1
        self.steps = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Requests the loss and the global step.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs.
        """
        loss = self.loss_op
        if loss is None:
            loss = run_context.session.graph.get_operation_by_name(LOSS_NAME).outputs[0]
        return SessionRunArgs({"global_step": get_global_step(), "current_loss": loss})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests the end of the training if the loss has not fallen.

        Args:
            run_context: SessionRunContext.
            run_values: SessionRunValues.
        """
        loss, step = run_values.results["current_loss"], run_values.results["global_step"]
        self.steps += 1
        if self.last_step == -1 or self.last_step > step:
            self.last_step, self.steps, self.min_loss = step, 0, None
            return
        self.last_step = step
        if self.min_loss is None or loss < self.min_loss * (1 - (self.early_stopping_loss_threshold or 0.0)):
            self.min_loss, self.steps = loss, 0
        if self.steps > self.early_stopping_rounds:
            tf_logging.info("TensorForestLossHook requesting stop.")
            run_context.request_stop()


class _End:
    """The predictions, the loss and the metrics of a forest's outputs."""

    def __init__(self, params: ForestHParams) -> None:
        self._params = params

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        if self._params.regression:
            is_one = self._params.num_outputs == 1
            return {PredictionKey.SCORES: shaping.squeeze(logits, [1]) if is_one else logits}
        if self._params.num_classes == 2:
            pair = joining.concat([making.zeros_like(logits), logits], 1)
            found = {PredictionKey.LOGISTIC: sigmoid(logits)}
        else:
            pair, found = logits, {}
        return {
            **found,
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: softmax(pair),
            PredictionKey.CLASSES: argmax(pair, 1),
        }

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns the losses of the examples, of shape [batch, n]."""
        if self._params.regression:
            return squared_difference(logits, cast(labels, dtypes.float32))
        if self._params.num_classes == 2:
            return sigmoid_cross_entropy_with_logits(labels=cast(labels, dtypes.float32), logits=logits)
        ids = shaping.squeeze(cast(labels, dtypes.int64), [1])
        losses: Tensor = shaping.expand_dims(sparse_softmax_cross_entropy_with_logits(labels=ids, logits=logits), 1)
        return losses

    def metrics(
        self, predictions: Mapping[str, Tensor], losses: Tensor, labels: Tensor, weights: Any
    ) -> dict[str, Any]:
        found = {"loss": mean(losses, weights)}
        if not self._params.regression:
            classes = shaping.expand_dims(predictions[PredictionKey.CLASSES], 1)
            found["accuracy"] = accuracy(cast(labels, dtypes.int64), classes, weights)
        return found


def _column(values: Any) -> Tensor:
    tensor = convert_to_tensor(values)
    return shaping.expand_dims(tensor, 1) if tensor.get_shape().ndims == 1 else tensor


def _named(features: Any, columns: Any) -> dict[str, Any]:
    """Returns features by name; if there are columns, with the numbers that these make of them."""
    named = dict(features) if isinstance(features, Mapping) else {"features": features}
    if not columns:
        return named
    transformed = TransformedFeatures(named)
    numbers = {column.name: dense_tensor(column, transformed) for column in columns}
    return {**named, **numbers}


class _ForestModel:
    """The model function of a forest."""

    def __init__(self, params: ForestHParams, builder: Any, device_assigner: Any, **options: Any) -> None:
        self._params = params
        self._builder = builder
        self._device_assigner = device_assigner
        self._options = options

    def __call__(self, features: Any, labels: Any, mode: str) -> ModelFnOps | EstimatorSpec:
        params, options = self._params, self._options
        given = _named(features, options["feature_columns"])
        weights = given.pop(options["weights_name"], None) if options["weights_name"] else None
        keys = given.pop(options["keys_name"], None) if options["keys_name"] else None
        is_local = mode == ModeKeys.INFER or (options["local_eval"] and mode == ModeKeys.EVAL)
        forest = self._builder(params, device_assigner=None if is_local else self._device_assigner)
        logits, _, variance = forest.inference_graph(given)
        scalar("average_tree_size", forest.average_size())
        if not params.regression and params.num_classes == 2:
            second = logits[:, 1:2]
            logits = log(maximum(second / maximum(1.0 - second, EPSILON), EPSILON))
        train: Any = None
        if labels is not None and mode == ModeKeys.TRAIN:
            with control_dependencies([logits.op]):
                update = forest.training_graph(
                    given,
                    labels,
                    input_weights=weights,
                    num_trainers=options["num_trainers"],
                    trainer_id=options["trainer_id"],
                )
                train = group(update, assign_add(get_global_step(), 1))
        hooks: list[SessionRunHook] = []
        if options["report_feature_importances"]:
            hooks.append(TensorForestRunOpAtEndHook({"1: feature_importances": forest.feature_importances()}))
        made = self._ended(logits, given, labels, mode, train, weights)
        rounds = options["early_stopping_rounds"]
        if rounds and made.loss is not None:
            hooks.append(TensorForestLossHook(rounds, options["early_stopping_loss_threshold"], made.loss))
        more = {VARIANCE_PREDICTION_KEY: variance, **({options["keys_name"]: keys} if keys is not None else {})}
        made.predictions.update(more)
        if isinstance(made, EstimatorSpec):
            return made._replace(training_hooks=(*made.training_hooks, *hooks))
        made.training_hooks.extend(hooks)
        return made

    def _ended(
        self, logits: Tensor, features: Any, labels: Any, mode: str, train: Operation | None, weights: Any
    ) -> ModelFnOps | EstimatorSpec:
        head = self._options["model_head"]
        if head is not None:
            all_features = features if weights is None else {**features, self._options["weights_name"]: weights}
            spec: EstimatorSpec = head.create_estimator_spec(
                features=all_features, mode=mode, labels=labels, train_op_fn=lambda loss: train, logits=logits
            )
            return spec
        end = _End(self._params)
        predictions = end.predictions(logits)
        if mode == ModeKeys.INFER or labels is None:
            return ModelFnOps(mode, predictions)
        if isinstance(labels, Mapping):
            (labels,) = labels.values()
        known, column = _column(labels), None if weights is None else cast(_column(weights), dtypes.float32)
        losses = end.losses(logits, known)
        if column is None:
            loss = reduce_mean(losses)
        else:
            loss = reduce_sum(losses * column) / reduce_sum(column * making.ones_like(losses))
        metrics = end.metrics(predictions, losses, known, column) if mode == ModeKeys.EVAL else None
        return ModelFnOps(mode, predictions, loss, train, metrics)


def get_model_fn(
    params: ForestHParams,
    graph_builder_class: Any,
    device_assigner: Any,
    feature_columns: Any = None,
    weights_name: str | None = None,
    model_head: Any = None,
    keys_name: str | None = None,
    early_stopping_rounds: int | None = 100,
    early_stopping_loss_threshold: float = 0.001,
    num_trainers: int = 1,
    trainer_id: int = 0,
    report_feature_importances: bool = False,
    local_eval: bool = False,
    head_scope: str | None = None,
    include_all_in_serving: bool = False,
    output_type: int = 0,
) -> Callable[..., Any]:
    """Returns the model function of a forest.

    Args:
        params: ForestHParams, filled.
        graph_builder_class: class with the arguments of `RandomForestGraphs`.
        device_assigner: as `RandomForestGraphs`.
        feature_columns: iterable of dense columns, or None for the features as they are.
        weights_name: str, the key of the feature that weighs examples, or None.
        model_head: Head; None for the usual predictions.
        keys_name: str, the key of a feature that is returned with the predictions, or None.
        early_stopping_rounds: int, the steps after which a training ends whose loss has not fallen; 0 for never.
        early_stopping_loss_threshold: float, the share by which the loss must fall.
        num_trainers: int, the processes among which the trees are divided.
        trainer_id: int, the number of this process.
        report_feature_importances: bool. If True, the importance of each feature is logged at the end.
        local_eval: bool. If True, evaluations use no device assigner.
        head_scope: accepted.
        include_all_in_serving: accepted; exports have all predictions.
        output_type: accepted.

    Returns:
        callable of features, labels and mode.
    """
    del head_scope, include_all_in_serving, output_type
    return _ForestModel(
        params,
        graph_builder_class,
        device_assigner,
        feature_columns=feature_columns,
        weights_name=weights_name,
        model_head=model_head,
        keys_name=keys_name,
        early_stopping_rounds=early_stopping_rounds,
        early_stopping_loss_threshold=early_stopping_loss_threshold,
        num_trainers=num_trainers,
        trainer_id=trainer_id,
        report_feature_importances=report_feature_importances,
        local_eval=local_eval,
    ).__call__


class TensorForestEstimator(Estimator):
    """An estimator of `tf.contrib.learn` that is a random forest.

    Args:
        params: ForestHParams.
        device_assigner: as `RandomForestGraphs`.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        feature_columns: as `get_model_fn`.
        graph_builder_class: as `get_model_fn`.
        config: RunConfig.
        weight_column: str, the key of the feature that weighs examples, or None.
        keys_column: str, the key of a feature that is returned with the predictions, or None.
        feature_engineering_fn: callable of features and labels that returns those to use, or None.
        early_stopping_rounds: as `get_model_fn`.
        early_stopping_loss_threshold: as `get_model_fn`.
        num_trainers: as `get_model_fn`.
        trainer_id: as `get_model_fn`.
        report_feature_importances: as `get_model_fn`.
        local_eval: as `get_model_fn`.
        version: accepted.
        head: as `get_model_fn`.
        include_all_in_serving: as `get_model_fn`.

    Raises:
        AttributeError: if the parameters lack `num_classes` or `num_features`.
        NotImplementedError: if a parameter has a value that is not offered.
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any = None,
        model_dir: str | None = None,
        feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs,
        config: RunConfig | None = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Any = None,
        early_stopping_rounds: int | None = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: Any = None,
        head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:
        del version
        if num_trainers == 1 and config is not None:
            num_trainers = max(1, config.num_worker_replicas)
        model_fn = get_model_fn(
            params.fill(),
            graph_builder_class,
            device_assigner,
            feature_columns=feature_columns,
            model_head=head,
            weights_name=weight_column,
            keys_name=keys_column,
            early_stopping_rounds=early_stopping_rounds,
            early_stopping_loss_threshold=early_stopping_loss_threshold,
            num_trainers=num_trainers,
            trainer_id=trainer_id,
            report_feature_importances=report_feature_importances,
            local_eval=local_eval,
            include_all_in_serving=include_all_in_serving,
        )
        super().__init__(
            model_fn=model_fn, model_dir=model_dir, config=config, feature_engineering_fn=feature_engineering_fn
        )

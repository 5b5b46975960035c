"""`Estimator`: trains, evaluates, predicts with and exports a model that a function makes."""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.base.files.system import is_directory
from ferroflow._src.base.typing import DictLike, ListLike
from ferroflow._src.checkpoint.reader import NewCheckpointReader, list_variables, load_variable
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.checkpoint.warm_start import warm_start
from ferroflow._src.cluster.device_setter import replica_device_setter
from ferroflow._src.estimator.evaluation import BuiltEvaluation, StopAfterNEvalsHook
from ferroflow._src.estimator.evaluation_metrics import LOSS, metrics_of, write_summary
from ferroflow._src.estimator.input_functions import elements_of, features_and_labels
from ferroflow._src.estimator.mode_exports import ModelSource, export_modes
from ferroflow._src.estimator.model_functions import call_model_fn, check_model_fn
from ferroflow._src.estimator.modes import ModeKeys, argument_names
from ferroflow._src.estimator.predictions import BuiltPredictions, chosen_predictions
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.serving_export import export_for_serving
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.estimator.training_hooks import logging_hooks, make_saver, saving_hooks
from ferroflow._src.estimator.warm_starting import WarmStartSettings, warm_start_settings
from ferroflow._src.framework.default_graph import add_to_collection, device, get_collection, get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.random_seed import set_random_seed
from ferroflow._src.framework.replication import ReduceOp, is_last_loss_a_sum
from ferroflow._src.summary.values import scalar
from ferroflow._src.supervision.hooks.checkpoint_saver import CheckpointSaverListener
from ferroflow._src.supervision.hooks.nan_tensor import NanTensorHook
from ferroflow._src.supervision.hooks.stop_at_step import StopAtStepHook
from ferroflow._src.supervision.monitored_training_session import MonitoredTrainingSession
from ferroflow._src.supervision.session_creator import ChiefSessionCreator
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.global_step import (
    create_global_step,
    get_global_step,
    get_or_create_global_step_read,
)

_OVERRIDABLE = frozenset(
    (
        "_call_input_fn",
        "_create_global_step",
        "_convert_train_steps_to_hooks",
        "_convert_eval_steps_to_hooks",
        "_validate_features_in_predict_input",
    )
)


class Estimator:
    """A model that a function builds, with a folder for its checkpoints.

    Each call of `train`, `evaluate` and `predict` builds the model in a new graph.

    Args:
        model_fn: callable of `features` and, if it takes them, `labels`, `mode`, `params` and `config`, which builds
            the model and returns an `EstimatorSpec`.
        model_dir: str, the folder of checkpoints and summaries; that of `config`, or a temporary one, by default.
        config: RunConfig.
        params: dict, given to the functions that take `params`.
        warm_start_from: str, the prefix or the folder of the checkpoint that trained variables start from; or
            WarmStartSettings.

    Raises:
        ValueError: if `model_fn` is missing or takes unsupported arguments, `model_dir` and `config` name different
            folders, or a subclass overrides a member.

    Example:
        >>> def model_fn(features, labels, mode):
        ...     w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        ...     loss = tf.losses.mean_squared_error(labels, w * features)
        ...     step = tf.train.get_global_step()
        ...     train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
        >>> estimator = tf.estimator.Estimator(model_fn, model_dir="model")
        >>> input_fn = lambda: (tf.constant([1.0, 2.0]), tf.constant([3.0, 6.0]))
        >>> estimator = estimator.train(input_fn, steps=50)
        >>> print(estimator.get_variable_value("w").round(3))
        3.0
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: DictLike | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
    ) -> None:
        self._assert_members_are_not_overridden(self)
        if config is None:
            config = RunConfig()
            tf_logging.info("Using default config.")
        elif not isinstance(config, RunConfig):
            raise ValueError(f"config must be an instance of RunConfig, but provided {config}.")
        model_dir = None if model_dir is None else os.fspath(model_dir)
        if model_dir is not None and config.model_dir is not None and model_dir != config.model_dir:
            raise ValueError(
                "model_dir are set both in constructor and RunConfig, but with different values. In constructor: "
                f"'{model_dir}', in RunConfig: '{config.model_dir}' "
            )
        self._model_dir: str = model_dir or config.model_dir or ""
        if not self._model_dir:
            self._model_dir = tempfile.mkdtemp()
            tf_logging.warning("Using temporary folder as model directory: %s", self._model_dir)
        self._config = config.replace(model_dir=self._model_dir) if config.model_dir is None else config
        tf_logging.info("Using config: %s", vars(self._config))
        self._session_config = self._config.session_config or proto.ConfigProto(allow_soft_placement=True)
        self._device_fn = self._config.device_fn or replica_device_setter_of(self._config)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start = warm_start_settings(warm_start_from)

    @staticmethod
    def _assert_members_are_not_overridden(estimator: Any) -> None:  # programs replace it under this name
        kind = type(estimator)
        own = {name for name in vars(kind) if not name.startswith("__")} if kind is not Estimator else set()
        taken = sorted((own & set(vars(Estimator))) - _OVERRIDABLE)
        if taken:
            raise ValueError(
                f"Subclasses of Estimator cannot override members of Estimator. {kind} does override {taken}"
            )

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the parameters, if they are a dict; otherwise the parameters themselves."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model function with the arguments `features`, `labels`, `mode` and `config`."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable in the latest checkpoint.

        Args:
            name: str, its name.

        Returns:
            NumPy array, of the dtype and shape of the variable.

        Raises:
            ValueError: if there is no checkpoint.
        """
        self._trained_checkpoint()
        return load_variable(self.model_dir, name)

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint.

        Raises:
            ValueError: if there is no checkpoint.
        """
        self._trained_checkpoint()
        return [name for name, _ in list_variables(self.model_dir)]

    def latest_checkpoint(self) -> str | None:
        """Returns the prefix of the latest checkpoint, or None."""
        return latest_checkpoint(self.model_dir)

    def _trained_checkpoint(self) -> str:
        found = latest_checkpoint(self._model_dir)
        if not found:
            raise ValueError(f"Could not find trained model in model_dir: {self._model_dir}.")
        return found

    def _checkpoint_to(self, verb: str, checkpoint_path: str | None) -> str | None:
        """Returns the checkpoint to restore; None, and a note in the log, if there is none."""
        found = checkpoint_path or latest_checkpoint(self._model_dir)
        if not found:
            tf_logging.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.", self._model_dir, verb
            )
        return found

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: ListLike | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: ListLike | None = None,
    ) -> Estimator:
        """Trains from the latest checkpoint on, or from the start.

        Args:
            input_fn: callable, that takes `mode`, `params` and `config` as it likes, of the features and labels: a
                `tf.data.Dataset` of pairs, or a pair of Tensors, or dicts of them.
            hooks: list of SessionRunHook.
            steps: int, the number of steps to train; None for all that there is input for.
            max_steps: int, the global step to end at, or None.
            saving_listeners: list of CheckpointSaverListener.

        Returns:
            The estimator.

        Raises:
            ValueError: if both `steps` and `max_steps` are given, or one is not positive.
            TypeError: if a hook or listener is something else.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, count in (("steps", steps), ("max_steps", max_steps)):
            if count is not None and count <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {count}")
        if max_steps is not None and max_steps <= self._trained_steps():
            tf_logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = [*_checked_hooks(hooks), *self._convert_train_steps_to_hooks(steps, max_steps)]
        listeners = list(saving_listeners or ())
        for listener in listeners:
            if not isinstance(listener, CheckpointSaverListener):
                raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}")
        loss = self._train_model(input_fn, all_hooks, listeners)
        tf_logging.info("Loss for final step: %s.", loss)
        return self

    def _trained_steps(self) -> int:
        found = latest_checkpoint(self._model_dir)
        steps = int(NewCheckpointReader(found).get_tensor(GraphKeys.GLOBAL_STEP)) if found else 0
        return int(self._agreed(steps))

    def _agreed(self, value: Any) -> Any:
        """Returns a value of the first process of those that train together, on all of them."""
        strategy = self._config.train_distribute
        return value if strategy is None else strategy.extended.agreed(value)

    def _convert_train_steps_to_hooks(self, steps: int | None, max_steps: int | None) -> list[SessionRunHook]:
        return [] if steps is None and max_steps is None else [StopAtStepHook(steps, max_steps)]

    def _convert_eval_steps_to_hooks(self, steps: int | None) -> list[SessionRunHook]:
        if steps is None:
            return []
        if steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        return [StopAfterNEvalsHook(num_evals=steps)]

    def _create_global_step(self, graph: Graph) -> Any:
        return create_global_step(graph)

    def _create_and_assert_global_step(self, graph: Graph) -> Any:
        step = self._create_global_step(graph)
        if step is not get_global_step(graph) or not step.dtype.is_integer:
            raise AssertionError("_create_global_step must return the graph's global step, of an integer dtype.")
        return step

    def _train_model(self, input_fn: Callable[..., Any], hooks: list[Any], listeners: list[Any]) -> Any:
        strategy = self._config.train_distribute
        with ExitStack() as stack:
            graph = stack.enter_context(Graph().as_default())
            stack.enter_context(graph.device(self._device_fn))
            if strategy is not None:
                stack.enter_context(strategy.scope())
                stack.enter_context(strategy.scaling_loss())
            set_random_seed(self._config.tf_random_seed)
            global_step = self._create_global_step(graph)
            if global_step is not None and strategy is None:
                # Hooks read it. Made before the model, so the seeds of the model's operations are TensorFlow's.
                get_or_create_global_step_read(graph)
            features, labels, input_hooks = self._call_for_pair(input_fn, ModeKeys.TRAIN, strategy)
            spec = self._replica_spec(strategy, features, labels)
            global_step = get_global_step(graph) if global_step is None else global_step
            self._start_warm()
            if not any(x.op.name == LOSS for x in get_collection(GraphKeys.SUMMARIES)):
                scalar(LOSS, spec.loss)
            add_to_collection(GraphKeys.LOSSES, spec.loss)
            worker_hooks = [
                *input_hooks,
                *hooks,
                NanTensorHook(spec.loss),
                *logging_hooks(self._config, spec.loss, global_step),
                *spec.training_hooks,
            ]
            make_saver(self._config, spec.scaffold)
            added_hooks = saving_hooks(self._config, self._model_dir, spec, worker_hooks, listeners)
            chief_hooks = [*added_hooks, *spec.training_chief_hooks]
            with MonitoredTrainingSession(
                master=self._config.master,
                is_chief=self._config.is_chief,
                checkpoint_dir=self._model_dir,
                scaffold=spec.scaffold,
                hooks=worker_hooks,
                chief_only_hooks=chief_hooks,
                save_checkpoint_secs=0,
                save_summaries_steps=self._config.save_summary_steps,
                config=self._session_config,
                log_step_count_steps=self._config.log_step_count_steps,
                max_wait_secs=self._config.session_creation_timeout_secs,
            ) as session:
                loss = None
                while not session.should_stop():
                    _, loss = session.run([spec.train_op, spec.loss])
            return loss

    def _replica_spec(self, strategy: Any, features: Any, labels: Any) -> EstimatorSpec:
        """Returns the training's spec; its loss is that of all replicas."""
        arguments = (features, labels, ModeKeys.TRAIN, self.config)
        if strategy is None:
            return self._call_model_fn(*arguments)
        spec: EstimatorSpec = strategy.extended.call_for_each_replica(self._call_model_fn, args=arguments)
        if strategy.num_replicas_in_sync == 1:
            return spec
        return spec._replace(loss=strategy.reduce(ReduceOp.SUM if is_last_loss_a_sum() else ReduceOp.MEAN, spec.loss))

    def _start_warm(self) -> None:
        settings = self._warm_start
        if settings is None or self._agreed(latest_checkpoint(self._model_dir)):
            return
        tf_logging.info("Warm-starting with WarmStartSettings: %s", settings)
        warm_start(*settings)

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Any = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates the metrics of the model, and writes them as summaries.

        Args:
            input_fn: as `train`.
            steps: int, the number of batches; None for all that there are.
            hooks: list of SessionRunHook.
            checkpoint_path: str, prefix of the checkpoint; None for the latest, or for initial values if there is none.
            name: str, added to the name of the summaries' folder.

        Returns:
            The metrics by name, with "loss", the mean of the batches' losses, and "global_step".

        Raises:
            ValueError: if `checkpoint_path` does not exist, `steps` is not positive, or a metric has one of those
                names.
            TypeError: if a hook is not a SessionRunHook.
        """
        all_hooks = [*_checked_hooks(hooks), *self._convert_eval_steps_to_hooks(steps)]
        checkpoint_path = self._checkpoint_to("evaluate", checkpoint_path)
        with Graph().as_default():
            built = self._build_evaluation(input_fn, all_hooks)
            if checkpoint_path is None:
                self._start_warm()
            results = built.run(checkpoint_path, built.scaffold)
            write_summary(self.eval_dir(name), results)
        return results

    def _build_evaluation(self, input_fn: Callable[..., Any], all_hooks: list[SessionRunHook]) -> BuiltEvaluation:
        graph = get_default_graph()
        set_random_seed(self._config.tf_random_seed)
        global_step = self._create_global_step(graph)
        features, labels, input_hooks = self._call_for_pair(input_fn, ModeKeys.EVAL)
        spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self.config)
        global_step = get_global_step(graph) if global_step is None else global_step
        hooks = [*input_hooks, *all_hooks, *spec.evaluation_hooks]
        scaffold, eval_ops, final_ops = metrics_of(spec, global_step, hooks)
        return BuiltEvaluation(
            scaffold, eval_ops, final_ops, hooks, self._config.evaluation_master, self._session_config
        )

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Predicts for each example.

        Args:
            input_fn: as `train`; labels are left out.
            predict_keys: list of str, the predictions to return if they are a dict; None for all.
            hooks: list of SessionRunHook.
            checkpoint_path: str, prefix of the checkpoint; None for the latest, or for initial values if there is none.
            yield_single_examples: bool. If True, examples are given one by one, and not batches.

        Yields:
            The predictions of an example, or of a batch: an array, or a dict of arrays.

        Raises:
            ValueError: if `checkpoint_path` does not exist, no prediction is selected, or predictions have different
                lengths.
            TypeError: if a hook is not a SessionRunHook.
        """
        yield from self._build_predictions(input_fn, predict_keys, hooks, checkpoint_path).run(yield_single_examples)

    def _build_predictions(
        self, input_fn: Callable[..., Any], predict_keys: Any, hooks: Any, checkpoint_path: str | None
    ) -> BuiltPredictions:
        """Builds the model in a graph of its own, with the arguments of `predict`."""
        all_hooks = _checked_hooks(hooks)
        checkpoint_path = self._checkpoint_to("predict", checkpoint_path)
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            self._create_global_step(graph)
            features, input_hooks = self._call_for_features(input_fn)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            predictions = chosen_predictions(spec.predictions, predict_keys)
            if checkpoint_path is None:
                self._start_warm()
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path,
                master=self._config.master,
                scaffold=spec.scaffold,
                config=self._session_config,
            )
        return BuiltPredictions(graph, creator, predictions, [*input_hooks, *all_hooks, *spec.prediction_hooks])

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Exports the model as a SavedModel into a new folder named by the time.

        Args:
            export_dir_base: str, the folder to make that one in.
            serving_input_receiver_fn: callable without arguments that gives a `ServingInputReceiver`.
            assets_extra: dict from names below `assets.extra` to files to copy there.
            as_text: bool. If True, the SavedModel is written as text.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.
            strip_default_attrs: bool. If True, attributes that have their default value are left out.

        Returns:
            bytes, the new folder.

        Raises:
            ValueError: if there is no checkpoint, no function, or the model has no outputs to export.
            tf.errors.DeadlineExceededError: if no folder named by the time became free in ten seconds.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("serving_input_receiver_fn must be defined.")
        checkpoint_path = checkpoint_path or latest_checkpoint(self._model_dir)
        if not checkpoint_path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        return export_for_serving(
            self._model_source(),
            export_dir_base,
            serving_input_receiver_fn,
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs,
        )

    def export_saved_model(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Exports the model like `export_savedmodel`, without attributes that have their default value.

        Args:
            export_dir_base: as `export_savedmodel`.
            serving_input_receiver_fn: as `export_savedmodel`.
            assets_extra: as `export_savedmodel`.
            as_text: as `export_savedmodel`.
            checkpoint_path: as `export_savedmodel`.
            experimental_mode: str, of `tf.estimator.ModeKeys`; for training and evaluation the function gives a
                receiver of features and labels.

        Returns:
            bytes, the new folder.

        Raises:
            ValueError: on the same conditions as `export_savedmodel`.
        """
        if experimental_mode == ModeKeys.PREDICT:
            return self.export_savedmodel(
                export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path, True
            )
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {experimental_mode: serving_input_receiver_fn}
        return self.experimental_export_all_saved_models(
            export_dir_base, receivers, assets_extra, as_text, checkpoint_path
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: Any,
        input_receiver_fn_map: DictLike,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Exports a SavedModel with a graph for each of several modes, over the same variables.

        Args:
            export_dir_base: str, the folder to make that one in.
            input_receiver_fn_map: dict from `tf.estimator.ModeKeys` to callables without arguments: of a
                `ServingInputReceiver` for prediction, and of a receiver of features and labels for the others.
            assets_extra: dict from names below `assets.extra` to files to copy there.
            as_text: bool. If True, the SavedModel is written as text.
            checkpoint_path: str, prefix of the checkpoint; None for the latest, or else that of the warm start.

        Returns:
            bytes, the new folder.

        Raises:
            ValueError: if there is no checkpoint or no mode, or a graph has variables that the checkpoint lacks.
        """
        path = checkpoint_path or latest_checkpoint(self._model_dir)
        if not path and self._warm_start is not None:
            start = self._warm_start.ckpt_to_initialize_from
            path = latest_checkpoint(start) if is_directory(start) else start
        if not path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        source = self._model_source()
        return export_modes(source, export_dir_base, input_receiver_fn_map, assets_extra, as_text, path)

    def _model_source(self) -> ModelSource:
        return ModelSource(
            self._create_global_step,
            lambda features, labels, mode: self._call_model_fn(features, labels, mode, self.config),
            self._session_config,
            self._config.tf_random_seed,
        )

    def eval_dir(self, name: str | None = None) -> str:
        """Returns the folder of the summaries of an evaluation.

        Args:
            name: str, the evaluation's name; None for one without.
        """
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str, strategy: Any = None) -> Any:
        given = {"mode": mode, "params": self.params, "config": self.config}
        if strategy is not None:
            given["input_context"] = strategy.extended.input_context()
        taken = argument_names(input_fn)
        with device("/cpu:0"):
            return input_fn(**{name: value for name, value in given.items() if name in taken})

    def _call_for_elements(
        self, input_fn: Callable[..., Any], mode: str, strategy: Any = None
    ) -> tuple[Any, list[Any]]:
        # Subclasses override the method with two arguments.
        arguments = (mode,) if strategy is None else (mode, strategy)
        return elements_of(self._call_input_fn(input_fn, *arguments), strategy)

    def _call_for_pair(
        self, input_fn: Callable[..., Any], mode: str, strategy: Any = None
    ) -> tuple[Any, Any, list[Any]]:
        elements, hooks = self._call_for_elements(input_fn, mode, strategy)
        return *features_and_labels(elements), hooks

    def _call_for_features(self, input_fn: Callable[..., Any]) -> tuple[Any, list[Any]]:
        result, hooks = self._call_for_elements(input_fn, ModeKeys.PREDICT)
        self._validate_features_in_predict_input(result)
        return (result[0] if isinstance(result, (list, tuple)) else result), hooks

    def _validate_features_in_predict_input(self, result: Any) -> None:
        reads_data = get_collection(GraphKeys.QUEUE_RUNNERS) or any(
            op.type.startswith("Iterator") for op in get_default_graph().get_operations()
        )
        if not reads_data:
            tf_logging.warning(
                "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields forever. "
                "This is probably a mistake."
            )

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        return call_model_fn(self._model_fn, features, labels, mode=mode, params=self.params, config=config)


def replica_device_setter_of(config: RunConfig) -> Any:
    """Returns the function that places variables on parameter servers; None if there are none."""
    if config.num_ps_replicas <= 0:
        return None
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker",
        merge_devices=True,
        cluster=config.cluster_spec,
    )


def build_predictions(
    estimator: Estimator, input_fn: Callable[..., Any], predict_keys: Any, hooks: Any, checkpoint_path: str | None
) -> BuiltPredictions:
    """Builds a model to predict in a graph of its own, with the arguments of `Estimator.predict`."""
    return estimator._build_predictions(input_fn, predict_keys, hooks, checkpoint_path)


def build_evaluation(
    estimator: Estimator, input_fn: Callable[..., Any], steps: int | None, hooks: Any
) -> BuiltEvaluation:
    """Adds an evaluation to the default graph, with the arguments of `Estimator.evaluate`."""
    given = [*_checked_hooks(hooks), *estimator._convert_eval_steps_to_hooks(steps)]
    return estimator._build_evaluation(input_fn, given)


def write_evaluation(estimator: Estimator, name: str | None, results: Mapping[str, Any]) -> None:
    """Writes the metrics of an evaluation as summaries."""
    write_summary(estimator.eval_dir(name), results)


def with_model_fn(estimator: Estimator, model_fn: Callable[..., EstimatorSpec], starts_warm: bool) -> Estimator:
    """Returns an Estimator with the folder and the configuration of another, and a model function of its own."""
    source = estimator._warm_start if starts_warm else None
    return Estimator(model_fn, estimator.model_dir, estimator.config, warm_start_from=source)


def _checked_hooks(hooks: Any) -> list[SessionRunHook]:
    given: list[SessionRunHook] = list(hooks or ())
    for hook in given:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
    return given

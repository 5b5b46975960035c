"""`TPUEstimator` and its parts, for programs that can also run without a TPU; here there is none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import DictLike, FloatLike, ListLike, TensorLike
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.modes import ModeKeys, argument_names
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.estimator.warm_starting import WarmStartSettings
from ferroflow._src.framework.default_graph import device
from ferroflow._src.framework.graph import Graph
from ferroflow._src.summary.graph_writer import flush, summary_writer_initializer_op
from ferroflow._src.supervision.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook
from ferroflow._src.training.global_step import new_global_step
from ferroflow._src.training.optimizer import Optimizer

_BATCH_SIZE = "batch_size"
_RESERVED = (_BATCH_SIZE, "context")
_NO_TPU = "there are no TPUs here: pass use_tpu=False, and the model is trained on the CPU"


class InputPipelineConfig:
    """Ways to divide a TPU's input; without a TPU they have no effect.

    Example:
        >>> Mode = tf.contrib.tpu.InputPipelineConfig
        >>> config = tf.contrib.tpu.TPUConfig(per_host_input_for_training=Mode.PER_HOST_V2)
        >>> print(config.per_host_input_for_training == Mode.PER_HOST_V2)
        True
    """

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4


class TPUConfig(NamedTuple):
    """Options for training on a TPU; without a TPU they have no effect.

    Attributes:
        iterations_per_loop: int, steps between two returns to the host.
        num_shards: int, the number of replicas; None for that of the system.
        num_cores_per_replica: int, cores of a replica; None for one.
        per_host_input_for_training: bool, or a constant of `InputPipelineConfig`.
        tpu_job_name: str, the job of the TPU in the cluster.
        initial_infeed_sleep_secs: int, seconds before input is given.
        input_partition_dims: list of list of int, how input is divided among the cores of a replica.

    Example:
        >>> config = tf.contrib.tpu.TPUConfig(iterations_per_loop=100, num_shards=8)
        >>> print(config.iterations_per_loop, config.num_shards)
        100 8
    """

    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Any = None


class TPURunConfig(RunConfig):
    """`tf.estimator.RunConfig` with the configuration of a TPU.

    Args:
        tpu_config: TPUConfig; None for the default one.
        evaluation_master: str, the target of sessions that evaluate; None for the value in `TF_CONFIG`.
        master: str, the target of sessions that train; None for the value in `TF_CONFIG`.
        cluster: None; clusters of TPUs cannot be reached.
        **kwargs: as for `tf.estimator.RunConfig`.

    Raises:
        NotImplementedError: if a cluster is given.
        ValueError: on the same conditions as `tf.estimator.RunConfig`.

    Example:
        >>> tpu_config = tf.contrib.tpu.TPUConfig(iterations_per_loop=100)
        >>> config = tf.contrib.tpu.RunConfig(model_dir="model", tpu_config=tpu_config)
        >>> print(config.tpu_config.iterations_per_loop)
        100
    """

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: object = None,
        **kwargs: Any,
    ) -> None:
        if cluster is not None:
            raise NotImplementedError(f"tf.contrib.tpu.RunConfig(cluster=...): {_NO_TPU}")
        super().__init__(**kwargs)
        self.tpu_config = tpu_config or TPUConfig()
        self.cluster = None
        if master is not None:
            self.master = master
        if evaluation_master is not None or master is not None:
            self.evaluation_master = master if evaluation_master is None else evaluation_master


class _HostCallHook(SessionRunHook):
    """Hook that runs a host call's function with each step; it opens the files of the summaries that this writes."""

    def __init__(self, fetches: Any) -> None:
        self._fetches = fetches

    def begin(self) -> None:
        self._opening = summary_writer_initializer_op()
        self._flushing = [flush(operation.inputs[0]) for operation in self._opening]

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._opening)

    def end(self, session: Any) -> None:
        session.run(self._flushing)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._fetches)


def _called(call: Any, name: str) -> Any:
    if not isinstance(call, (tuple, list)) or len(call) != 2 or not callable(call[0]):
        raise ValueError(f"{name} should be a pair of a function and its tensors, given: {call}")
    function, tensors = call
    return function(**tensors) if isinstance(tensors, Mapping) else function(*tensors)


class _SpecFields(NamedTuple):
    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Callable[[], Any] | None = None
    host_call: Any = None
    training_hooks: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None


class TPUEstimatorSpec(_SpecFields):
    """Description of a model in one mode, for a `TPUEstimator`.

    Args:
        mode: one of `tf.estimator.ModeKeys`.
        predictions: Tensor of any dtype, of shape [batch, ...], or dict of them.
        loss: float Tensor of one element.
        train_op: Operation, or Tensor of any dtype and shape, one step of training.
        eval_metrics: tuple of a function and its arguments, Tensors of any dtypes and shapes in a list, or in a dict by
            name. It returns a dict from names to pairs of a metric's value and its update.
        export_outputs: dict from names of signatures to outputs such as `tf.estimator.export.PredictOutput`.
        scaffold_fn: callable without arguments that gives the `tf.train.Scaffold`.
        host_call: tuple of a function and its arguments, as `eval_metrics`; its results are run with each step.
        training_hooks: iterable of SessionRunHook for the training.
        evaluation_hooks: iterable of SessionRunHook for the evaluation.
        prediction_hooks: iterable of SessionRunHook for the prediction.

    Raises:
        TypeError: if a hook is not a SessionRunHook.

    Example:
        >>> spec = tf.contrib.tpu.TPUEstimatorSpec("infer", predictions={"score": tf.constant([0.5])})
        >>> print(spec.as_estimator_spec().mode)
        infer
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: Any = None,
        export_outputs: Any = None,
        scaffold_fn: Callable[[], Any] | None = None,
        host_call: Any = None,
        training_hooks: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> TPUEstimatorSpec:
        """Returns a description whose hooks are tuples."""
        hooks = [tuple(group or ()) for group in (training_hooks, evaluation_hooks, prediction_hooks)]
        for hook in itertools.chain(*hooks):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        given = (mode, predictions, loss, train_op, eval_metrics, export_outputs, scaffold_fn, host_call)
        return super().__new__(cls, *given, *hooks)

    def as_estimator_spec(self) -> EstimatorSpec:
        """Returns the `tf.estimator.EstimatorSpec` of the same model.

        Raises:
            ValueError: if `eval_metrics` or `host_call` is not a pair of a function and its tensors; also on the same
                conditions as `EstimatorSpec`.
        """
        beside = () if self.host_call is None else (_HostCallHook(_called(self.host_call, "host_call")),)
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=None if self.eval_metrics is None else _called(self.eval_metrics, "eval_metrics"),
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=(*self.training_hooks, *beside),
            evaluation_hooks=(*self.evaluation_hooks, *beside),
            prediction_hooks=(*self.prediction_hooks, *beside),
        )


class TPUEstimator(Estimator):
    """An `Estimator` whose functions get the batch size in `params["batch_size"]`; it runs on the CPU.

    Args:
        model_fn: callable as for `tf.estimator.Estimator`, with an argument `params`, that returns a `TPUEstimatorSpec`
            or an `EstimatorSpec`.
        model_dir: str, the folder of checkpoints and summaries; that of `config`, or a temporary one, by default.
        config: tf.contrib.tpu.RunConfig.
        params: dict, given to the functions; without the keys `batch_size` and `context`.
        use_tpu: bool, must be False.
        train_batch_size: int, the examples of a batch in training: `params["batch_size"]`, which None leaves out.
        eval_batch_size: int, the same in evaluation.
        predict_batch_size: int, the same in prediction.
        batch_axis: list of int, the axis of the batch in each input of a TPU; it makes no difference.
        eval_on_tpu: bool, makes no difference.
        export_to_tpu: bool, makes no difference.
        export_to_cpu: bool, makes no difference.
        warm_start_from: as for `tf.estimator.Estimator`.
        embedding_config_spec: must be None.
        export_saved_model_api_version: object, makes no difference.

    Raises:
        NotImplementedError: if `use_tpu` is set, or `embedding_config_spec` is given.
        ValueError: if `config` is not a `tf.contrib.tpu.RunConfig`, `params` has a reserved key, or `model_fn` does not
            take `params`; also on the same conditions as `tf.estimator.Estimator`.

    Example:
        >>> def model_fn(features, labels, mode, params):
        ...     loss, step = tf.reduce_mean(features), tf.train.get_global_step()
        ...     return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=tf.assign_add(step, 1))
        >>> config = tf.contrib.tpu.RunConfig(model_dir="model")
        >>> estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, train_batch_size=8, use_tpu=False)
        >>> estimator = estimator.train(lambda params: tf.zeros([params["batch_size"], 2]), steps=3)
        >>> print(estimator.get_variable_value("global_step"))
        3
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: TPURunConfig | None = None,
        params: DictLike | None = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: ListLike | None = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: str | WarmStartSettings | None = None,
        embedding_config_spec: object | None = None,
        export_saved_model_api_version: object | None = None,
    ) -> None:
        if use_tpu or embedding_config_spec is not None:
            raise NotImplementedError(f"tf.contrib.tpu.TPUEstimator: {_NO_TPU}")
        if not isinstance(config, TPURunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        taken = sorted(set(params or {}) & set(_RESERVED))
        if taken:
            raise ValueError(f"{list(_RESERVED)} are reserved keys but existed in params {params}.")
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        _check_takes_params("model_fn", model_fn)
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }

        def of_batches(features: Any, labels: Any, mode: str, params: Any, config: Any) -> EstimatorSpec:
            names = argument_names(model_fn)
            if "labels" not in names and labels is not None:
                raise ValueError("model_fn does not take labels, but input_fn returns labels.")
            given = {"labels": labels, "mode": mode, "config": config}
            params = {**self._with_batch_size(params, mode), "use_tpu": False}
            chosen = {name: value for name, value in given.items() if name in names}
            spec = model_fn(features=features, params=params, **chosen)
            return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec

        super().__init__(of_batches, model_dir, config, dict(params or {}), warm_start_from)

    def _create_global_step(self, graph: Graph) -> Any:
        return new_global_step(graph, use_resource=True)

    def _with_batch_size(self, params: Any, mode: str) -> dict[str, Any]:
        size = self._batch_sizes[mode]
        return dict(params) if size is None else {**params, _BATCH_SIZE: size}

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str, strategy: Any = None) -> Any:
        _check_takes_params("input_fn", input_fn)
        given = {"mode": mode, "config": self.config}
        if strategy is not None:
            given["input_context"] = strategy.extended.input_context()
        taken = argument_names(input_fn)
        chosen = {name: value for name, value in given.items() if name in taken}
        with device("/cpu:0"):
            return input_fn(params=self._with_batch_size(self.params, mode), **chosen)


def _check_takes_params(name: str, function: Callable[..., Any]) -> None:
    if "params" not in argument_names(function):
        raise ValueError(
            f"{name} ({function}) does not include params argument, required by TPUEstimator to pass batch size as "
            'params["batch_size"]'
        )


class CrossShardOptimizer(Optimizer):
    """An optimizer that adds up the gradients of all replicas of a TPU; here there is one.

    Args:
        opt: Optimizer that applies them.
        reduction: str, how losses of replicas are joined; it makes no difference.
        name: str, name of the optimizer.
        group_assignment: list of list of int, the replicas that are added up; it makes no difference.
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = "weighted_mean",
        name: str = "CrossShardOptimizer",
        group_assignment: ListLike | None = None,
    ) -> None:
        super().__init__(False, name)
        tf_logging.warning(
            "CrossShardOptimizer should be used within a TPU; here it is the optimizer that it was given."
        )
        self._opt = opt

    def compute_gradients(self, loss: FloatLike, var_list: ListLike | None = None, **kwargs: Any) -> Any:  # type: ignore[override]  # as the optimizer takes
        """Returns the gradients, as the optimizer computes them.

        Args:
            loss: float Tensor of shape [].
            var_list: list of Variable; all trainable ones by default.
            **kwargs: as for the optimizer.

        Returns:
            List of (gradient, variable) pairs: Tensors of the dtypes and shapes of the variables.
        """
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """Adds the operations that update variables, as the optimizer does.

        Args:
            grads_and_vars: list of (gradient, variable) pairs.
            global_step: Variable that is increased by one, or None.
            name: str, name of the operation.

        Returns:
            Operation.
        """
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, var: TensorLike, name: str) -> Any:
        """Returns a slot of the optimizer.

        Args:
            var: Variable that the slot belongs to.
            name: str, name of the slot.

        Returns:
            Variable of the shape of `var`, or None.
        """
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Returns the names of the optimizer's slots."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """Returns the optimizer's variables."""
        return self._opt.variables()

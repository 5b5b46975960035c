"""`tf.contrib.learn.Estimator`: an estimator that trains with `fit`, on arrays or input functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from ferroflow._src.base.typing import DictLike
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.learn.array_inputs import InputFn, input_fns_of
from ferroflow._src.contrib.learn.bundle_exports import export_bundle
from ferroflow._src.contrib.learn.exporting import (
    build_all_signature_defs,
    get_input_alternatives,
    get_output_alternatives,
)
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.metric_spec import MetricSpec
from ferroflow._src.contrib.learn.model_ops import (
    COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS,
    InputFnOps,
    NotFittedError,
    model_fn_ops_of,
    spec_of,
)
from ferroflow._src.contrib.learn.monitors import replace_monitors_with_hooks
from ferroflow._src.contrib.learn.roles import Evaluable, Trainable
from ferroflow._src.contrib.learn.tensor_signatures import (
    create_example_parser_from_signatures,
    create_placeholders_from_signatures,
    create_signatures,
    tensors_compatible,
)
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.estimator import estimator as core
from ferroflow._src.estimator.export_folders import write_saved_model
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.table import tables_initializer
from ferroflow._src.saved_model import tag_constants
from ferroflow._src.saved_model.builder import SavedModelBuilder
from ferroflow._src.session.session import Session
from ferroflow._src.supervision.hooks.feed_fn import FeedFnHook
from ferroflow._src.supervision.hooks.stop_at_step import StopAtStepHook
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.global_step import create_global_step
from ferroflow._src.variables.initialization import local_variables_initializer
from ferroflow._src.variables.resources import initialize_resources, shared_resources

__all__ = ["BaseEstimator", "Estimator"]

# The name that a model's own metric "loss" has below, where "loss" is the mean of the batches' losses.
_OWN_LOSS: Final = "model_loss"


class _StopAfterBatchHook(SessionRunHook):
    """Ends predictions after one batch, as TensorFlow does unless queue runners end them; a Dataset ends by itself."""

    def __init__(self) -> None:
        self._has_end = False

    def watching(self, input_fn: InputFn) -> InputFn:
        """Returns the input function, whose result is searched for something that ends."""

        def call() -> Any:
            found = input_fn()
            self._has_end = isinstance(found, Dataset) or bool(get_collection(GraphKeys.QUEUE_RUNNERS))
            return found

        return call

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Ends predictions if nothing else does."""
        if not self._has_end:
            run_context.request_stop()


def _checked_info(kind: str, tensors: Any, info: Any) -> Any:
    """Returns the signatures of tensors; raises a ValueError if they do not fit those of an earlier call."""
    if info is None:
        return create_signatures(tensors)
    if not tensors_compatible(tensors, info):
        raise ValueError(
            f"{kind} are incompatible with given information. Given {kind.lower()}: {tensors}, "
            f"required signatures: {info}."
        )
    return info


def _parsed_of(estimator: BaseEstimator, examples: Any) -> Any:
    return estimator._parsed_features(examples)


def _feed_hooks(feed_fn: Callable[[], Any] | None) -> list[SessionRunHook]:
    return [] if feed_fn is None else [FeedFnHook(feed_fn)]


class BaseEstimator(Evaluable, Trainable):
    """Methods of all estimators of `tf.contrib.learn`.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        config: RunConfig; None for the usual one.
    """

    def __init__(self, model_dir: str | None = None, config: RunConfig | None = None) -> None:
        self._metrics: Mapping[Any, Any] = {}
        # The signatures of features and labels, once there were some.
        self._features_info: Any = None
        self._labels_info: Any = None
        self._core = core.Estimator(self._core_model_fn, model_dir=model_dir, config=config)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None) -> Any:
        raise NotImplementedError("_call_model_fn not implemented in BaseEstimator")

    def _core_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        metrics = self._metrics if mode == ModeKeys.EVAL else None
        if mode == ModeKeys.INFER:
            labels = create_placeholders_from_signatures(self._labels_info)
        else:
            self._check_inputs(features, labels)
        spec = spec_of(self._call_model_fn(features, labels, mode, metrics, config), mode)
        named = spec.eval_metric_ops or {}
        return spec._replace(eval_metric_ops={_OWN_LOSS if name == "loss" else name: named[name] for name in named})

    def _check_inputs(self, features: Any, labels: Any) -> None:
        self._features_info = _checked_info("Features", features, self._features_info)
        self._labels_info = _checked_info("Labels", labels, self._labels_info)

    @property
    def config(self) -> RunConfig:
        """The RunConfig."""
        return self._core.config

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries, a str."""
        return self._core.model_dir

    @property
    def model_fn(self) -> Callable[..., Any]:
        """The function of features, labels, mode and config that builds the model."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any = None) -> Any:
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains from the latest checkpoint on, or from the start.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            y: array, or dict of arrays, of the length of `x`.
            input_fn: function of no arguments that returns features and labels.
            steps: int, the number of steps to train; None for all that there is input for.
            batch_size: int; None for all of `x` at once.
            monitors: list of monitors or SessionRunHooks.
            max_steps: int, the global step to end at, or None.

        Returns:
            The estimator.

        Raises:
            ValueError: if both `steps` and `max_steps` are given, or both or neither of `x` and `input_fn`.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        given, feed_fn = input_fns_of(x, y, input_fn, None, batch_size, shuffle=True, epochs=None)
        hooks = [*_feed_hooks(feed_fn), *replace_monitors_with_hooks(monitors or [], self)]
        if steps == 0:
            # The hook lets one step run, as in TensorFlow; the estimator below refuses 0.
            steps, hooks = None, [*hooks, StopAtStepHook(num_steps=0)]
        self._core.train(given, hooks=hooks, steps=steps, max_steps=max_steps)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Any = None,
    ) -> Any:
        """Trains with the arguments of `fit`, by default one step.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            y: array, or dict of arrays, of the length of `x`.
            input_fn: function of no arguments that returns features and labels.
            steps: int, the number of steps to train.
            batch_size: int; None for all of `x` at once.
            monitors: list of monitors or SessionRunHooks.

        Returns:
            The estimator.
        """
        return self.fit(x, y, input_fn, steps=steps, batch_size=batch_size, monitors=monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        feed_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: DictLike | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates the model's metrics, and the given ones.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            y: array, or dict of arrays, of the length of `x`.
            input_fn: function of no arguments that returns features and labels.
            feed_fn: function of no arguments that returns a dict of values to feed at each step.
            batch_size: int; None for all of `x` at once.
            steps: int, the number of batches; None for all that there are.
            metrics: dict from str to MetricSpec; or from a pair of str, the metric's name and the key of the
                predictions, to a function of predictions and labels.
            name: str, added to the name of the summaries' folder.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.
            hooks: list of SessionRunHook.
            log_progress: bool, accepted and not used.

        Returns:
            dict of the metrics by name, with "loss" and "global_step".

        Raises:
            NotFittedError: if there is no checkpoint.
            ValueError: if `metrics` is no dict, or both or neither of `x` and `input_fn` are given.
        """
        if metrics is not None and not isinstance(metrics, Mapping):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        self._check_fitted(checkpoint_path)
        given, feed_fn = input_fns_of(x, y, input_fn, feed_fn, batch_size)
        all_hooks = [*(hooks or ()), *_feed_hooks(feed_fn)]
        self._metrics = metrics or {}
        try:
            found = self._core.evaluate(given, steps=steps, hooks=all_hooks, checkpoint_path=checkpoint_path, name=name)
            if _OWN_LOSS in found:
                found["loss"] = found.pop(_OWN_LOSS)
            return found
        finally:
            self._metrics = {}

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts for each example; without a Dataset or queue runners in `input_fn`, for one batch.

        Args:
            x: array, or dict of arrays, of one length; None where `input_fn` is given.
            input_fn: function of no arguments that returns features, and labels that are left out.
            batch_size: int; None for all of `x` at once.
            outputs: list of str, the keys of the predictions to return, if they are a dict; None for all.
            as_iterable: bool. If True, an iterator is returned, and otherwise arrays.
            iterate_batches: bool. If True, the iterator gives batches.

        Returns:
            iterator of an example's predictions, arrays or dicts of arrays; or these for all examples.

        Raises:
            NotFittedError: if there is no checkpoint.
            ValueError: if both or neither of `x` and `input_fn` are given, or `outputs` is empty.
        """
        self._check_fitted(None)
        given, feed_fn = input_fns_of(x, None, input_fn, None, batch_size)
        hooks = _feed_hooks(feed_fn)
        if feed_fn is None:
            ending = _StopAfterBatchHook()
            given, hooks = ending.watching(given), [ending]
        is_single = as_iterable and not iterate_batches
        found = core.build_predictions(self._core, given, outputs, hooks, None).run(is_single)
        return found if as_iterable else _joined(found)

    def _check_fitted(self, checkpoint_path: str | None) -> None:
        if checkpoint_path is None and self._core.latest_checkpoint() is None:
            raise NotFittedError(f"Couldn't find trained model at {self.model_dir}.")

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable of the latest checkpoint, an array, by its name."""
        return self._core.get_variable_value(name)

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables of the latest checkpoint, a list of str."""
        return self._core.get_variable_names()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the arguments of the constructor that are attributes.

        Args:
            deep: bool, accepted and not used.

        Returns:
            dict from names to values.
        """
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _parsed_features(self, examples: Any) -> Any:
        """Returns the features of training, parsed from serialized examples."""
        if self._features_info is None:
            raise ValueError("Features information missing, was fit() ever called?")
        return create_example_parser_from_signatures(self._features_info, examples)

    def _predictions_of(self, features: Any) -> Any:
        """Returns the predictions for features; labels are placeholders."""
        labels = create_placeholders_from_signatures(self._labels_info)
        return model_fn_ops_of(self._call_model_fn(features, labels, ModeKeys.INFER), ModeKeys.INFER).predictions

    def export(
        self,
        export_dir: str,
        input_fn: Callable[..., Any] = _parsed_of,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Callable[..., Any] | None = None,
        prediction_key: str | None = None,
        default_batch_size: int = 1,
        exports_to_keep: int | None = None,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes the model of a checkpoint as a session bundle, which came before SavedModels.

        Args:
            export_dir: str, the folder in which one named by the global step is made.
            input_fn: function of the estimator and of a Tensor of string, of shape [batch], that returns features; by
                default it parses those of training. Otherwise a function of no arguments; see the next arguments.
            input_feature_key: str, the key of the serialized examples among the features of such a function, or None.
            use_deprecated_input_fn: bool. If False, `input_fn` takes no arguments and returns features and labels.
            signature_fn: function of examples, features and predictions that returns a Signature message and a dict
                of named ones; None for one that names them all.
            prediction_key: str, the key of the predictions for `signature_fn`; None for all.
            default_batch_size: int, the number of examples.
            exports_to_keep: int, the number of exports that are kept; None for all.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.

        Returns:
            bytes, the path of the new folder.

        Raises:
            ValueError: if there is no `input_fn`, or neither features nor examples.
            KeyError: if the features lack `input_feature_key`.
            RuntimeError: if the global step was exported before.
        """
        return export_bundle(
            self,
            self._predictions_of,
            export_dir,
            input_fn,
            input_feature_key,
            use_deprecated_input_fn,
            signature_fn,
            prediction_key,
            default_batch_size,
            exports_to_keep,
            checkpoint_path,
        )

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_fn: Callable[[], InputFnOps],
        default_output_alternative_key: str | None = None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Any = None,
        strip_default_attrs: bool = False,
    ) -> Any:
        """Writes the model of a checkpoint, for prediction, to a new folder.

        Args:
            export_dir_base: str, the folder in which one named by the time is made.
            serving_input_fn: function of no arguments that returns InputFnOps.
            default_output_alternative_key: str, the head that is exported under the default name; None for the only
                one.
            assets_extra: dict from names below the folder's "assets.extra" to paths of files that are copied there.
            as_text: bool. If True, the graph is written as text.
            checkpoint_path: str, prefix of the checkpoint; None for the latest.
            graph_rewrite_specs: list of rewritten graphs to add, which are not offered, or None.
            strip_default_attrs: bool. If True, attributes of nodes that have their default value are left out.

        Returns:
            bytes, the path of the new folder.

        Raises:
            NotFittedError: if there is no checkpoint.
            ValueError: if there is no function, or no default head.
            NotImplementedError: if a rewritten graph is requested.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        rewritten = [spec for spec in graph_rewrite_specs or () if spec[1]]
        if rewritten:
            raise NotImplementedError(
                f"graph_rewrite_specs {rewritten}: exported graphs are not transformed; `ferroflow freeze` makes one "
                "graph with constants from the export."
            )
        self._check_fitted(checkpoint_path)
        path = checkpoint_path or self._core.latest_checkpoint()
        with Graph().as_default() as graph:
            create_global_step(graph)
            inputs, features = get_input_alternatives(serving_input_fn())
            for key in features:
                add_to_collection(COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS, key)
            made = self._call_model_fn(features, None, ModeKeys.INFER)
            outputs, default = get_output_alternatives(made, default_output_alternative_key)
            signatures = build_all_signature_defs(inputs, outputs, default)
            main_op = group(
                local_variables_initializer(), initialize_resources(shared_resources()), tables_initializer()
            )

            def write(builder: SavedModelBuilder) -> None:
                with Session() as session:
                    given = made.scaffold.saver if made.scaffold is not None else None
                    (given or Saver(sharded=True)).restore(session, path)
                    builder.add_meta_graph_and_variables(
                        session,
                        [tag_constants.SERVING],
                        signature_def_map=signatures,
                        assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
                        main_op=main_op,
                        strip_default_attrs=strip_default_attrs,
                    )

            return write_saved_model(export_dir_base, write, assets_extra, as_text)


def _metric_ops(name: Any, metric: Any, features: Any, labels: Any, predictions: Any) -> Any:
    if isinstance(metric, MetricSpec) or hasattr(metric, "create_metric_ops"):
        return metric.create_metric_ops(features, labels, predictions)
    only_label = next(iter(labels.values())) if isinstance(labels, Mapping) and len(labels) == 1 else labels
    if not isinstance(name, tuple):
        if isinstance(predictions, Mapping):
            raise ValueError(
                f"Metric {name} has no key of a prediction, but predictions are a dict: {sorted(predictions)}."
            )
        return metric(predictions, only_label)
    if len(name) != 2:
        raise ValueError(f"Invalid metric for {name}. It returned a tuple with len {len(name)}, expected 2.")
    if not isinstance(predictions, Mapping):
        raise ValueError(f"Metric {name} has the key of a prediction, but predictions are no dict: {predictions}.")
    _, key = name
    wanted = labels[key] if isinstance(labels, Mapping) and key in labels else only_label
    return metric(predictions[key], wanted)


def _joined(batches: Iterator[Any]) -> Any:
    found = list(batches)
    if not found:
        return np.array([])
    if isinstance(found[0], Mapping):
        return {key: np.concatenate([batch[key] for batch in found]) for key in found[0]}
    return np.concatenate(found)


class Estimator(BaseEstimator):
    """An estimator whose model is built by a function.

    Args:
        model_fn: callable of features and labels and, if it takes them, `mode`, `params`, `config` and `model_dir`;
            it returns ModelFnOps, or predictions, loss and train_op.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        config: RunConfig; None for the usual one.
        params: dict, given to the functions that take `params`.
        feature_engineering_fn: function of features and labels that returns those for `model_fn`.

    Raises:
        ValueError: if `params` is given and `model_fn` does not take it.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: DictLike | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        self._taken = set() if model_fn is None else set(inspect.signature(model_fn).parameters)
        if params is not None and "params" not in self._taken:
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params ({params}) were passed."
            )
        self._made_by = model_fn
        self.params = params
        self._feature_engineering_fn = feature_engineering_fn
        super().__init__(model_dir=model_dir, config=config)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None) -> Any:
        if self._made_by is None:
            raise ValueError("model_fn must be provided to Estimator.")
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        given = {"mode": mode, "params": self.params, "config": config or self.config, "model_dir": self.model_dir}
        taken = {name: value for name, value in given.items() if name in self._taken}
        made = model_fn_ops_of(self._made_by(features, labels, **taken), mode)
        if metrics:
            found = {
                name: _metric_ops(name, metric, features, labels, made.predictions) for name, metric in metrics.items()
            }
            made.eval_metric_ops.update({name if isinstance(name, str) else name[0]: found[name] for name in found})
        return made

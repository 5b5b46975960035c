"""Predictors from estimators: functions of arrays that an estimator's latest checkpoint makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.contrib.learn.estimator import BaseEstimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys as LearnModeKeys
from ferroflow._src.contrib.learn.model_ops import InputFnOps, ModelFnOps, PredictionKey
from ferroflow._src.contrib.predictor.predictor import Predictor
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.framework.graph import Graph
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.tensor_info import get_tensor_from_tensor_info
from ferroflow._src.supervision.monitored_session import MonitoredSession
from ferroflow._src.supervision.session_creator import ChiefSessionCreator

# TF 1.x: the key of the inputs that are fed.
_DEFAULT_INPUTS: Final = "default_input_alternative"


class CoreEstimatorPredictor(Predictor):
    """The function that an output of a `tf.estimator.Estimator` describes.

    Args:
        estimator: tf.estimator.Estimator; without a checkpoint, its variables have their initial values.
        serving_input_receiver_fn: callable of no arguments that returns a `ServingInputReceiver`.
        output_key: str, the name among the export outputs; `DEFAULT_SERVING_SIGNATURE_DEF_KEY` by default.
        graph: the `Graph` to build in; None for a new one.
        config: tf.ConfigProto of the session, or None.

    Raises:
        KeyError: if the model does not have this output.
    """

    def __init__(
        self,
        estimator: Estimator,
        serving_input_receiver_fn: Callable[[], Any],
        output_key: str | None = None,
        graph: Graph | None = None,
        config: Any = None,
    ) -> None:
        key = DEFAULT_SERVING_SIGNATURE_DEF_KEY if output_key is None else output_key
        graph = graph or Graph()
        with graph.as_default():
            receiver = serving_input_receiver_fn()
            spec = estimator.model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
            outputs = spec.export_outputs
            if key not in outputs:
                raise KeyError(f"output_key must be one of {list(outputs)}; got {key}")
            signature = outputs[key].as_signature_def(receiver.receiver_tensors)
            creator = ChiefSessionCreator(spec.scaffold, config=config, checkpoint_dir=estimator.model_dir)
            session = MonitoredSession(creator)
        super().__init__(
            session,
            {name: get_tensor_from_tensor_info(info, graph) for name, info in signature.inputs.items()},
            {name: get_tensor_from_tensor_info(info, graph) for name, info in signature.outputs.items()},
        )


class ContribEstimatorPredictor(Predictor):
    """The function that an output of a `tf.contrib.learn.Estimator` describes.

    Args:
        estimator: tf.contrib.learn.Estimator; without a checkpoint, its variables have their initial values.
        prediction_input_fn: callable of no arguments that returns `InputFnOps`.
        input_alternative_key: str, "default_input_alternative", which is the default.
        output_alternative_key: str, the name of a head; needed if there are several.
        graph: the `Graph` to build in; None for a new one.
        config: tf.ConfigProto of the session, or None.

    Raises:
        ValueError: if there are no features, or no such head, or several heads and no name.
        KeyError: if there are no such inputs.
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        prediction_input_fn: Callable[[], Any],
        input_alternative_key: str | None = None,
        output_alternative_key: str | None = None,
        graph: Graph | None = None,
        config: Any = None,
    ) -> None:
        graph = graph or Graph()
        with graph.as_default():
            inputs = prediction_input_fn()
            fed = _fed(inputs, input_alternative_key)
            made = estimator.model_fn(inputs[0], None, LearnModeKeys.INFER)
            creator = ChiefSessionCreator(
                getattr(made, "scaffold", None),
                config=config,
                checkpoint_filename_with_path=latest_checkpoint(estimator.model_dir),
            )
            session = MonitoredSession(creator)
        super().__init__(session, fed, _fetched(made, output_alternative_key))


def _fed(inputs: Any, key: str | None) -> Any:
    if not inputs[0]:
        raise ValueError("Features must be defined.")
    offered = {_DEFAULT_INPUTS: inputs.default_inputs} if isinstance(inputs, InputFnOps) else {}
    return offered[_DEFAULT_INPUTS if key is None else key]


def _fetched(made: Any, key: str | None) -> dict[str, Any]:
    heads = made.output_alternatives if isinstance(made, ModelFnOps) else None
    if not heads:
        if key:
            raise ValueError(f"Requested default_output_alternative: {key}, but available output_alternatives are: []")
        predictions = made.predictions if hasattr(made, "predictions") else made[0]
        return predictions if isinstance(predictions, dict) else {PredictionKey.GENERIC: predictions}
    if not key and len(heads) > 1:
        raise ValueError(
            f"Please specify a default_output_alternative. Available output_alternatives are: {sorted(heads)}"
        )
    if key and key not in heads:
        raise ValueError(
            f"Requested default_output_alternative: {key}, but available output_alternatives are: "
            f"{sorted(map(str, heads))}"
        )
    _, tensors = heads[key] if key else next(iter(heads.values()))
    return dict(tensors)


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> CoreEstimatorPredictor:
    """Makes a predictor from the latest checkpoint of an estimator.

    Args:
        estimator: tf.estimator.Estimator; without a checkpoint, its variables have their initial values.
        serving_input_receiver_fn: callable of no arguments that returns a `ServingInputReceiver`.
        output_key: str, the name among the export outputs; `DEFAULT_SERVING_SIGNATURE_DEF_KEY` by default.
        graph: the `Graph` to build in; None for a new one.
        config: tf.ConfigProto of the session, or None.

    Returns:
        `CoreEstimatorPredictor`.

    Raises:
        TypeError: if the estimator is one of `tf.contrib.learn`.
        KeyError: if the model does not have this output.
    """
    if isinstance(estimator, BaseEstimator):
        raise TypeError(
            "Expected estimator to be of type tf.estimator.Estimator, but got type tf.contrib.learn.Estimator. Use "
            "from_contrib_estimator."
        )
    return CoreEstimatorPredictor(estimator, serving_input_receiver_fn, output_key, graph, config)


def from_contrib_estimator(
    estimator: Any,
    prediction_input_fn: Callable[[], Any],
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> ContribEstimatorPredictor:
    """Makes a predictor from the latest checkpoint of an estimator of `tf.contrib.learn`.

    Args:
        estimator: tf.contrib.learn.Estimator; without a checkpoint, its variables have their initial values.
        prediction_input_fn: callable of no arguments that returns `InputFnOps`.
        input_alternative_key: str, "default_input_alternative", which is the default.
        output_alternative_key: str, the name of a head; needed if there are several.
        graph: the `Graph` to build in; None for a new one.
        config: tf.ConfigProto of the session, or None.

    Returns:
        `ContribEstimatorPredictor`.

    Raises:
        TypeError: if the estimator is one of `tf.estimator`.
        ValueError: if there are no features, or no such head, or several heads and no name.
        KeyError: if there are no such inputs.
    """
    if isinstance(estimator, Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type tf.estimator.Estimator. Use "
            "from_estimator."
        )
    return ContribEstimatorPredictor(
        estimator, prediction_input_fn, input_alternative_key, output_alternative_key, graph, config
    )

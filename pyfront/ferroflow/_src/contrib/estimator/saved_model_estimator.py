"""`SavedModelEstimator`: an estimator whose graphs are those of a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.files.system import exists
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.checkpoint.meta_graph import import_meta_graph
from ferroflow._src.checkpoint.reader import list_variables
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.mode_exports import METHODS, TAGS
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.estimator.warm_starting import WarmStartSettings
from ferroflow._src.framework.default_graph import get_collection, get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.loader import initializer_of, meta_graph_with_tags, parse_saved_model
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.training.global_step import assert_global_step, get_global_step

__all__ = ["SavedModelEstimator"]


class SavedModelEstimator(Estimator):
    """An estimator whose graphs and first values of variables are those of a SavedModel.

    The SavedModel has a graph for each mode, as `Estimator.experimental_export_all_saved_models` writes it.

    Args:
        saved_model_dir: str, the folder of the SavedModel.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.

    Raises:
        ValueError: if the SavedModel has no variables.
        NotImplementedError: if the configuration of the environment trains over several processes.
    """

    def __init__(self, saved_model_dir: str, model_dir: str | None = None) -> None:
        prefix = os.path.join(saved_model_dir, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
        if not exists(f"{prefix}.index"):
            raise ValueError(f"Directory provided has an invalid SavedModel format: {saved_model_dir}")
        names = [name for name, _ in list_variables(prefix)]
        settings = WarmStartSettings(ckpt_to_initialize_from=prefix, vars_to_warm_start=names)
        self._saved_model = parse_saved_model(saved_model_dir)
        self.saved_model_dir = saved_model_dir
        super().__init__(self._built, model_dir=model_dir, warm_start_from=settings)
        if self.config.train_distribute is not None:
            raise NotImplementedError(
                "SavedModelEstimator trains in one process: its graph is fixed. Leave train_distribute out."
            )

    def _create_global_step(self, graph: Graph) -> Any:
        """Returns None: the SavedModel's graph has the global step."""
        return None

    def _graph_of(self, mode: str) -> tuple[Any, Any]:
        """Returns the MetaGraphDef of a mode and its signature."""
        try:
            message = meta_graph_with_tags(self._saved_model, TAGS[mode])
        except RuntimeError:
            message = None
        key = DEFAULT_SERVING_SIGNATURE_DEF_KEY if mode == ModeKeys.PREDICT else mode
        if message is None or key not in message.signature_def:
            raise RuntimeError(
                f"{mode} mode is not available in the SavedModel. Use saved_model_cli to check that the Metagraph for "
                "this mode has been exported."
            )
        return message, message.signature_def[key]

    def _built(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """Adds the graph of a mode, as the model function."""
        message, signature = self._graph_of(mode)
        graph = get_default_graph()
        if get_global_step(graph) is not None:
            raise RuntimeError(
                "Graph must not contain a global step tensor before the SavedModel is loaded. Please make sure that "
                "the input function does not create a global step."
            )
        import_meta_graph(message, input_map=_input_map(signature, features, labels))
        local_init = initializer_of(graph, message, None)
        assert_global_step(get_global_step(graph))
        outputs = {key: graph.as_graph_element(info.name) for key, info in signature.outputs.items()}
        train_ops = get_collection(constants.TRAIN_OP_KEY)
        if len(train_ops) > 1:
            raise RuntimeError("Multiple ops found in the train_op collection.")
        for key in (constants.ASSETS_KEY, constants.LEGACY_INIT_OP_KEY, constants.MAIN_OP_KEY, constants.TRAIN_OP_KEY):
            graph.clear_collection(key)
        shared: dict[str, Any] = {"mode": mode, "scaffold": Scaffold(local_init_op=local_init)}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(predictions=outputs, **shared)
        if signature.method_name != METHODS[mode]:
            raise RuntimeError(
                f"Invalid SignatureDef method name for mode {mode}.\n\tExpected: {METHODS[mode]}\n\tGot: "
                f"{signature.method_name}\nPlease ensure that the SavedModel was exported with "
                "`tf.estimator.experimental_export_all_saved_models()`."
            )
        predictions = {key: value for key, value in outputs.items() if key.partition("/")[0] == "predictions"}
        return EstimatorSpec(
            loss=outputs["loss"],
            train_op=next(iter(train_ops), None),
            predictions=predictions,
            eval_metric_ops=_metrics(outputs),
            **shared,
        )


def _input_map(signature: Any, features: Any, labels: Any) -> dict[str, Any]:
    """Returns the features and labels by the names of the placeholders that they replace."""
    given: dict[str, Any] = dict(features) if isinstance(features, Mapping) else {"feature": features}
    if labels is not None:
        given.update(labels if isinstance(labels, Mapping) else {"label": labels})
    found = {}
    for key, info in signature.inputs.items():
        if key not in given:
            raise ValueError(
                f'Key "{key}" not found in features or labels passed in to the model function. All required keys: '
                f"{sorted(signature.inputs)}"
            )
        _check(given[key], info, key)
        found[info.name] = given[key]
    return found


def _check(tensor: Any, info: Any, name: str) -> None:
    dtype, shape = dtypes.as_dtype(info.dtype), TensorShape(info.tensor_shape)
    problems = []
    if tensor.dtype != dtype:
        problems.append(f"Expected dtype: {dtype}, Got: {tensor.dtype}")
    if not tensor.shape.is_compatible_with(shape):
        problems.append(f"Expected shape: {shape}, Got: {tensor.shape}")
    if problems:
        lines = "\n\t".join([f"Tensor shape and/or dtype validation failed for input {name}:", *problems])
        raise ValueError(lines)


def _metrics(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metrics among outputs, pairs of a value and an update."""
    found = {}
    for key, value in outputs.items():
        name, _, kind = key.rpartition("/")
        update = outputs.get(f"{name}/update_op")
        if name.partition("/")[0] == "metrics" and kind == "value" and update is not None:
            found[name] = (value, update)
        elif kind == "value" and name.startswith("metrics"):
            tf_logging.warning("Metric %s has no update and is left out.", name)
    return found

"""SavedModels with a graph for each mode: training, evaluation and prediction, over the same variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ferroflow._src.base import errors
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DictLike
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.estimator.export_folders import write_saved_model
from ferroflow._src.estimator.export_outputs import PredictOutput
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.serving import build_all_signature_defs
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import add_to_collection, control_dependencies, get_collection
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.random_seed import set_random_seed
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.saved_model import constants, tag_constants
from ferroflow._src.saved_model.builder import SavedModelBuilder
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.signatures import build_signature_def
from ferroflow._src.saved_model.tensor_info import build_tensor_info
from ferroflow._src.session.session import Session
from ferroflow._src.supervision.scaffold import Scaffold

__all__ = [
    "METHODS",
    "TAGS",
    "ModelSource",
    "SupervisedInputReceiver",
    "build_raw_supervised_input_receiver_fn",
    "build_supervised_input_receiver_fn_from_input_fn",
    "export_modes",
]

TAGS: Final = {
    ModeKeys.TRAIN: [tag_constants.TRAINING],
    ModeKeys.EVAL: ["eval"],
    ModeKeys.PREDICT: [tag_constants.SERVING],
}
METHODS: Final = {
    ModeKeys.TRAIN: "tensorflow/supervised/training",
    ModeKeys.EVAL: "tensorflow/supervised/eval",
}


class _Fields(NamedTuple):
    features: Any
    labels: Any
    receiver_tensors: dict[str, Tensor]


class SupervisedInputReceiver(_Fields):
    """Features and labels of an exported training or evaluation, and the tensors through which they are fed.

    Args:
        features: Tensor or SparseTensor of any dtype and shape, or dict of them.
        labels: Tensor or SparseTensor of any dtype and shape, or dict of them.
        receiver_tensors: dict of the Tensors that are fed, of any dtypes and shapes, or one of them, which is named
            "input".

    Raises:
        ValueError: if a part is missing, or a value is not a tensor.
    """

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> SupervisedInputReceiver:
        for name, given in (("feature", features), ("label", labels), ("receiver_tensor", receiver_tensors)):
            if given is None:
                raise ValueError(f"{name}s must be defined.")
            for key, tensor in (given if isinstance(given, dict) else {"": given}).items():
                if not isinstance(tensor, (Tensor, SparseTensor)):
                    raise ValueError(f"{name} {key} must be a Tensor or SparseTensor.")
        named = receiver_tensors if isinstance(receiver_tensors, dict) else {"input": receiver_tensors}
        return super().__new__(cls, features, labels, named)


def _placeholders(values: Any, batch_size: int | None) -> Any:
    """Returns a placeholder for a Tensor, or for each of a dict."""

    def made(tensor: Tensor) -> Tensor:
        shape = TensorShape([batch_size]).concatenate(tensor.get_shape()[1:])
        return placeholder(tensor.dtype, shape=shape, name=tensor.op.name)

    return {name: made(value) for name, value in values.items()} if isinstance(values, dict) else made(values)


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """Returns a function that makes a placeholder for each feature and label.

    Args:
        features: Tensor of any dtype, of shape [batch, ...], or dict of them; the placeholders have their dtypes, and
            their shapes after the first dimension.
        labels: Tensor of any dtype, of shape [batch, ...], or dict of them.
        default_batch_size: int, the first dimension; None for any.

    Returns:
        callable without arguments that gives a SupervisedInputReceiver.

    Raises:
        ValueError: if a feature and a label have the same key.
    """
    keys = [set(one) if isinstance(one, dict) else {name} for one, name in ((features, "input"), (labels, "label"))]
    if keys[0] & keys[1]:
        raise ValueError(
            f"Features and labels must have distinct keys. Found overlapping keys: {sorted(keys[0] & keys[1])}"
        )

    def receiver_fn() -> SupervisedInputReceiver:
        made = _placeholders(features, default_batch_size)
        wanted = _placeholders(labels, default_batch_size)
        receivers = {
            **(made if isinstance(made, dict) else {"input": made}),
            **(wanted if isinstance(wanted, dict) else {"label": wanted}),
        }
        return SupervisedInputReceiver(made, wanted, receivers)

    return receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable[..., Any], **input_fn_args: Any
) -> Callable[[], SupervisedInputReceiver]:
    """Returns a function that makes a placeholder for each feature and label of an input function.

    Args:
        input_fn: callable that gives features and labels, or a `tf.data.Dataset` of pairs.
        **input_fn_args: its arguments.

    Returns:
        callable without arguments that gives a SupervisedInputReceiver.
    """
    with Graph().as_default():
        found = input_fn(**input_fn_args)
        if hasattr(found, "make_one_shot_iterator"):
            found = found.make_initializable_iterator().get_next()
        features, labels = found
    return build_raw_supervised_input_receiver_fn(features, labels)


class ModelSource(NamedTuple):
    """The parts of an estimator that an export needs.

    Attributes:
        create_global_step: function of a graph that makes the global step.
        call_model_fn: function of features, labels and mode that builds the model.
        session_config: ConfigProto of sessions.
        seed: int, the graph's seed, or None.
    """

    create_global_step: Callable[[Any], Any]
    call_model_fn: Callable[[Any, Any, str], Any]
    session_config: Any
    seed: int | None


def export_modes(
    source: ModelSource,
    export_dir_base: Any,
    input_receiver_fn_map: DictLike,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    checkpoint_path: str,
) -> bytes:
    """Writes a SavedModel with a graph for each of several modes.

    Args:
        source: ModelSource of the estimator.
        export_dir_base: str, the folder to make one in that is named by the time.
        input_receiver_fn_map: dict from modes to functions that give the receivers of features, and of labels.
        assets_extra: dict from names below `assets.extra` to files to copy there.
        as_text: bool. If True, the SavedModel is written as text.
        checkpoint_path: str, prefix of the checkpoint.

    Raises:
        ValueError: if there is no mode, or a graph has variables that the checkpoint lacks.
    """
    given = dict(input_receiver_fn_map)
    modes = [mode for mode in TAGS if given.get(mode)]
    if not modes:
        raise ValueError(f"No valid modes for exporting found. Got {list(given)}.")

    def write(builder: SavedModelBuilder) -> None:
        for mode in modes:
            _add(source, builder, mode, given[mode], checkpoint_path, has_variables=mode == modes[0])

    return write_saved_model(export_dir_base, write, assets_extra, as_text)


def _add(
    source: ModelSource,
    builder: SavedModelBuilder,
    mode: str,
    receiver_fn: Callable[[], Any],
    checkpoint_path: str,
    has_variables: bool,
) -> None:
    with Graph().as_default() as graph:
        source.create_global_step(graph)
        set_random_seed(source.seed)
        receiver = receiver_fn()
        labels = getattr(receiver, "labels", None)
        spec = source.call_model_fn(receiver.features, labels, mode)
        signatures = _signatures(mode, receiver, spec)
        with Session(config=source.session_config) as session:
            local_init = spec.scaffold.local_init_op or Scaffold.default_local_init_op()
            saver = spec.scaffold.saver or Saver(sharded=True)
            try:
                saver.restore(session, checkpoint_path)
            except errors.NotFoundError as error:
                raise ValueError(
                    "Could not load all requested variables from checkpoint. Please make sure your model_fn does not "
                    f"expect variables that were not saved in the checkpoint.\n\nEncountered error with mode `{mode}` "
                    f"while restoring checkpoint from: `{checkpoint_path}`: {error}"
                ) from error
            if spec.train_op is not None:
                add_to_collection(constants.TRAIN_OP_KEY, spec.train_op)
            shared: dict[str, Any] = {
                "tags": TAGS[mode],
                "signature_def_map": signatures,
                "assets_collection": get_collection(GraphKeys.ASSET_FILEPATHS),
                "main_op": local_init,
                "saver": saver,
                "strip_default_attrs": True,
            }
            if has_variables:
                builder.add_meta_graph_and_variables(session, **shared)
            else:
                builder.add_meta_graph(**shared)


def _signatures(mode: str, receiver: Any, spec: Any) -> dict[str, Any]:
    if mode == ModeKeys.PREDICT:
        outputs = spec.export_outputs or {DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(spec.predictions)}
        return build_all_signature_defs(receiver, outputs)
    predictions = spec.predictions if isinstance(spec.predictions, dict) else {"predictions": spec.predictions}
    found = {"loss": spec.loss}
    found.update({_prefixed(key, "predictions"): value for key, value in predictions.items()})
    for key, (value, update) in spec.eval_metric_ops.items():
        name = _prefixed(key, "metrics")
        found[f"{name}/value"] = value
        found[f"{name}/update_op"] = _as_tensor(update)
    inputs = {key: build_tensor_info(tensor) for key, tensor in receiver.receiver_tensors.items()}
    infos = {key: build_tensor_info(tensor) for key, tensor in found.items()}
    return {mode: build_signature_def(inputs, infos, METHODS[mode])}


def _prefixed(key: Any, prefix: str) -> str:
    name = "/".join(key) if isinstance(key, tuple) else key
    return name if name.startswith(prefix) else f"{prefix}/{name}"


def _as_tensor(update: Any) -> Any:
    if not isinstance(update, Operation):
        return update
    with control_dependencies([update]):
        return constant([], name="metric_op_wrapper")

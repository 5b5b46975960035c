"""The exporter of session bundles, and their signatures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from ferroflow._src.base.files.system import copy, delete_recursively, exists, make_directories, rename
from ferroflow._src.base.proto.manifest import manifest_classes
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.learn.export_versions import exports_of, numbered_by
from ferroflow._src.contrib.session_bundle import constants
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.default_graph import add_to_collection, get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.training.global_step import global_step

__all__ = [
    "Exporter",
    "classification_signature",
    "generic_signature",
    "gfile_copy_callback",
    "regression_signature",
]


def gfile_copy_callback(files_to_copy: Mapping[Any, Any], export_dir_path: Any) -> None:
    """Copies files into a folder, where they replace others.

    Args:
        files_to_copy: dict from paths to names in the folder.
        export_dir_path: str, the folder.
    """
    folder = os.fsdecode(export_dir_path)
    make_directories(folder)
    for path, name in files_to_copy.items():
        copy(os.fsdecode(path), os.path.join(folder, os.fsdecode(name)), overwrite=True)


def regression_signature(input_tensor: Any, output_tensor: Any) -> Any:
    """Returns the signature of a regression.

    Args:
        input_tensor: Tensor of any dtype and shape.
        output_tensor: Tensor of any dtype and shape.

    Returns:
        Signature message.
    """
    signature = manifest_classes()["Signature"]()
    signature.regression_signature.input.tensor_name = input_tensor.name
    signature.regression_signature.output.tensor_name = output_tensor.name
    return signature


def classification_signature(input_tensor: Any, classes_tensor: Any = None, scores_tensor: Any = None) -> Any:
    """Returns the signature of a classification.

    Args:
        input_tensor: Tensor of any dtype and shape.
        classes_tensor: Tensor of any dtype and shape: the classes; or None.
        scores_tensor: Tensor of any dtype and shape: their scores; or None.

    Returns:
        Signature message.
    """
    signature = manifest_classes()["Signature"]()
    signature.classification_signature.input.tensor_name = input_tensor.name
    if classes_tensor is not None:
        signature.classification_signature.classes.tensor_name = classes_tensor.name
    if scores_tensor is not None:
        signature.classification_signature.scores.tensor_name = scores_tensor.name
    return signature


def generic_signature(name_tensor_map: Mapping[str, Any]) -> Any:
    """Returns the signature of named tensors.

    Args:
        name_tensor_map: dict from str to Tensor of any dtype and shape.

    Returns:
        Signature message.
    """
    signature = manifest_classes()["Signature"]()
    for name, tensor in name_tensor_map.items():
        signature.generic_signature.map[name].tensor_name = tensor.name
    return signature


_by_step: Final = numbered_by(8)


def _add_message(key: str, message: Any) -> None:
    from google.protobuf.any_pb2 import Any as AnyMessage

    packed = AnyMessage()
    packed.Pack(message)
    add_to_collection(key, packed)


def _file_of(tensor: Any) -> str:
    """Returns the path of a file that a constant names."""
    if not isinstance(tensor, Tensor):
        raise TypeError("tensor is not a Tensor")
    value = constant_value(tensor) if tensor.op.type == "Const" else None
    if value is None:
        raise TypeError("Only constants tensor are supported")
    if value.ndim or not isinstance(value.item(), bytes):
        raise TypeError("Only scalar tensors of file paths are supported")
    path = os.fsdecode(value.item())
    if not path:
        raise ValueError(f"invalid asset filepath tensor {tensor}")
    return path


class Exporter:
    """The exporter of the default graph as a session bundle.

    Args:
        saver: tf.train.Saver of the variables.
    """

    def __init__(self, saver: Saver) -> None:
        saver_def = saver.as_saver_def()
        # Exports are renamed, so that the saver cannot remove old ones.
        saver_def.ClearField("max_to_keep")
        self._saver = Saver(saver_def=saver_def)
        self._assets: dict[str, str] = {}
        self._assets_callback: Callable[..., Any] | None = None
        self._has_init = False

    def init(
        self,
        graph_def: Any = None,
        init_op: Any = None,
        clear_devices: bool = False,
        default_graph_signature: Any = None,
        named_graph_signatures: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        assets_callback: Callable[..., Any] | None = gfile_copy_callback,
    ) -> None:
        """Adds what is exported beside the graph to collections.

        Args:
            graph_def: GraphDef to serve with; None for the default graph's.
            init_op: Operation that initializes after the variables are restored, or None.
            clear_devices: bool. If True, the graph to serve with has no devices.
            default_graph_signature: Signature message, or None.
            named_graph_signatures: dict of Signature messages by name.
            assets_collection: list of constant Tensors of string, of shape []: paths of files to export.
            assets_callback: function of a dict from paths to names, and of the folder for these files.

        Raises:
            RuntimeError: if it was called before.
            TypeError: if `init_op` is no Operation, or a path is no constant text.
            ValueError: if a path is empty.
        """
        assets = [(_file_of(tensor), tensor) for tensor in assets_collection or ()]
        if self._has_init:
            raise RuntimeError("init should be called only once")
        if init_op is not None and not isinstance(init_op, Operation):
            raise TypeError(f"init_op needs to be an Operation: {init_op}")
        self._has_init = True
        self._assets_callback = assets_callback
        if graph_def or clear_devices:
            _add_message(constants.GRAPH_KEY, _graph_to_serve(graph_def, clear_devices))
        if init_op is not None:
            add_to_collection(constants.INIT_OP_KEY, init_op)
        messages = manifest_classes()
        signatures = messages["Signatures"]()
        if default_graph_signature:
            signatures.default_signature.CopyFrom(default_graph_signature)
        for name, signature in (named_graph_signatures or {}).items():
            signatures.named_signatures[name].CopyFrom(signature)
        _add_message(constants.SIGNATURES_KEY, signatures)
        for path, tensor in assets:
            self._assets[path] = os.path.basename(path)
            asset = messages["AssetFile"](filename=self._assets[path])
            asset.tensor_binding.tensor_name = tensor.name
            _add_message(constants.ASSETS_KEY, asset)

    def export(
        self,
        export_dir_base: str,
        global_step_tensor: Any,
        sess: Any = None,
        exports_to_keep: Callable[..., Any] | None = None,
    ) -> bytes:
        """Writes the graph, the variables and the files to a new folder, named by the global step.

        Args:
            export_dir_base: str, the folder to make it in.
            global_step_tensor: Tensor of an integer dtype, of shape [], or its name.
            sess: Session of the variables.
            exports_to_keep: function that chooses among `Path`s those to keep; None to keep all.

        Returns:
            bytes, the new folder.

        Raises:
            RuntimeError: if `init` was not called, or the folder exists.
        """
        if not self._has_init:
            raise RuntimeError("init must be called first")
        base = export_dir_base.rstrip("/")
        folder = os.path.join(base, constants.VERSION_FORMAT_SPECIFIER % global_step(sess, global_step_tensor))
        if exists(folder):
            raise RuntimeError(
                f"Overwriting exports can cause corruption and are not allowed. Duplicate export dir: {folder}"
            )
        temporary = f"{folder}-tmp"
        make_directories(temporary)
        path = os.path.join(temporary, constants.EXPORT_BASE_NAME)
        self._saver.save(sess, path, meta_graph_suffix=constants.EXPORT_SUFFIX_NAME)
        if self._assets_callback is not None and self._assets:
            assets = os.path.join(temporary, constants.ASSETS_DIRECTORY)
            make_directories(assets)
            self._assets_callback(self._assets, assets)
        rename(temporary, folder)
        if exports_to_keep is not None:
            exports = exports_of(base, _by_step)
            for old in {*exports} - {*exports_to_keep(exports)}:
                delete_recursively(old.path)
        return os.fsencode(folder)


def _graph_to_serve(graph_def: Any, clear_devices: bool) -> Any:
    source = graph_def or get_default_graph().as_graph_def()
    made = type(source)()
    made.CopyFrom(source)
    if clear_devices:
        for node in made.node:
            node.device = ""
    return made

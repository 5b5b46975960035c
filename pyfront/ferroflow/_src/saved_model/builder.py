"""`SavedModelBuilder`: writes graphs with their signatures, variables and assets to a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ferroflow._src.base import errors, proto, tf_logging
from ferroflow._src.base.files.system import (
    delete_recursively,
    exists,
    is_directory,
    list_directory,
    make_directories,
)
from ferroflow._src.base.files.urls import is_remote, shown_name
from ferroflow._src.checkpoint.saver import Saver, all_saveable_objects
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_files import replace_file
from ferroflow._src.framework.handles import Operation
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.assets import add_assets, copy_assets
from ferroflow._src.session.session import BaseSession

_OWN_KEYS = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)


def _check_tensor_info(info: Any) -> None:
    demand = "All TensorInfo protos used in the SignatureDefs must have"
    if info is None:
        raise AssertionError(f"{demand} the name and dtype fields set.")
    if info.WhichOneof("encoding") is None:
        raise AssertionError(f"{demand} one of the 'encoding' fields (e.g., name or coo_sparse) set: {info}")
    if info.dtype == proto.DT_INVALID:
        raise AssertionError(f"{demand} the dtype field set: {info}")


def _check_signatures(signature_def_map: Mapping[str, Any] | None) -> None:
    for key, signature in (signature_def_map or {}).items():
        if key in _OWN_KEYS:
            raise KeyError(f'SignatureDef map key "{key}" is reserved for internal use.')
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            _check_tensor_info(info)


def _add_initializers(graph: Graph, legacy_init_op: Operation | None, main_op: Operation | None) -> None:
    """Adds the operations to run after loading to the graph's collections."""
    if main_op is not None:
        if not isinstance(main_op, Operation):
            raise TypeError(f"main_op needs to be an Operation: {main_op!r}")
        held = graph.get_collection(constants.MAIN_OP_KEY)
        if any(op is not main_op for op in held):
            raise ValueError(
                f"Graph already contains one or more main ops under the collection {constants.MAIN_OP_KEY}."
            )
        if not held:
            graph.add_to_collection(constants.MAIN_OP_KEY, main_op)
    elif legacy_init_op is not None:
        if not isinstance(legacy_init_op, Operation):
            raise TypeError(f"legacy_init_op needs to be an Operation: {legacy_init_op!r}")
        if graph.get_collection(constants.LEGACY_INIT_OP_KEY):
            raise AssertionError(
                "graph already contains one or more legacy init ops under the collection "
                f"{constants.LEGACY_INIT_OP_KEY}."
            )
        graph.add_to_collection(constants.LEGACY_INIT_OP_KEY, legacy_init_op)


@contextlib.contextmanager
def removed_if_failed(folder: str) -> Iterator[None]:
    """Removes what is added to a folder in a `with` block that fails, and the folder if that leaves it empty.

    Args:
        folder: str, a path or URL.
    """
    there = set(list_directory(folder)) if is_directory(folder) else set()
    try:
        yield
    except BaseException:
        with contextlib.suppress(errors.OpError):
            for name in set(list_directory(folder)) - there if is_directory(folder) else ():
                with contextlib.suppress(errors.OpError):
                    delete_recursively(os.path.join(folder, name))
            if not is_remote(folder):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
        raise


def _meta_graph(
    saver: Saver,
    tags: Iterable[str],
    signature_def_map: Mapping[str, Any] | None,
    clear_devices: bool,
    strip_default_attrs: bool,
) -> Any:
    """Returns the MetaGraphDef of the default graph."""
    message = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
    message.meta_info_def.tags.extend(tags)
    for key, signature in (signature_def_map or {}).items():
        message.signature_def[key].CopyFrom(signature)
    return message


class SavedModelBuilder:
    """Builder of a SavedModel: several graphs with different tags that share variables and assets.

    The first graph is added with `add_meta_graph_and_variables`, others with `add_meta_graph`; `save` then writes the
    file that makes the folder a SavedModel.

    Args:
        export_dir: str, the folder, a path or URL, which is made; if it exists, it must be empty.

    Raises:
        AssertionError: if the folder has files.
    """

    def __init__(self, export_dir: str | os.PathLike[str]) -> None:
        # The first one is that of the variables.
        self._meta_graphs: list[Any] = []
        self._has_saved_variables = False
        self._export_dir = shown_name(export_dir)
        if exists(self._export_dir) and not (is_directory(self._export_dir) and not list_directory(self._export_dir)):
            raise AssertionError(
                "Export directory already exists, and isn't empty. Please specify a different export directory, or "
                f"delete all the contents of the specified directory: {self._export_dir}"
            )
        make_directories(self._export_dir)

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, which has its variables from the graph that was added first.

        Args:
            tags: the graph's tags.
            signature_def_map: dict of SignatureDef messages by names.
            assets_collection: scalar string constants with the paths of files that go with the graph.
            legacy_init_op: Operation to run after variables are restored.
            clear_devices: bool. If True, leave out devices.
            main_op: Operation to run after variables are restored, instead of `legacy_init_op`.
            strip_default_attrs: bool. If True, leave out attributes with their default values.
            saver: the `Saver` to restore variables with; None for a new one of all of them.

        Raises:
            AssertionError: if no graph was added with variables, a signature has a tensor without name or type, or the
                graph has a legacy init op already.
            ValueError: if the graph already has another main op.
            TypeError: if an asset is not a string constant, or an op to run is not an Operation.
            tf.errors.NotFoundError: if an asset is missing.
            KeyError: if a signature has a name that is reserved.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        graph = get_default_graph()
        saver = self._prepared(graph, signature_def_map, assets_collection, legacy_init_op, main_op, saver)
        self._meta_graphs.append(_meta_graph(saver, tags, signature_def_map, clear_devices, strip_default_attrs))

    def add_meta_graph_and_variables(
        self,
        sess: BaseSession,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the graph of a session and saves its variables, which must be initialized.

        If that fails, the folder is left without them.

        Args:
            sess: the session.
            tags: the graph's tags.
            signature_def_map: dict of SignatureDef messages by names.
            assets_collection: scalar string constants with the paths of files that go with the graph.
            legacy_init_op: Operation to run after variables are restored.
            clear_devices: bool. If True, leave out devices.
            main_op: Operation to run after variables are restored, instead of `legacy_init_op`.
            strip_default_attrs: bool. If True, leave out attributes with their default values.
            saver: the `Saver` to save and restore variables with; None for a new one of all of them.

        Raises:
            AssertionError: if variables were saved before, a signature has a tensor without name or type, or the graph
                has a legacy init op already.
            ValueError: if the graph already has another main op.
            TypeError: if an asset is not a string constant, or an op to run is not an Operation.
            tf.errors.NotFoundError: if an asset is missing.
            tf.errors.FailedPreconditionError: if a variable is not initialized.
            KeyError: if a signature has a name that is reserved.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                "instead."
            )
        with sess.graph.as_default(), removed_if_failed(self._export_dir):
            saver = self._prepared(sess.graph, signature_def_map, assets_collection, legacy_init_op, main_op, saver)
            folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
            make_directories(folder)
            prefix = os.path.join(folder, constants.VARIABLES_FILENAME)
            saver.save(sess, prefix, write_meta_graph=False, write_state=False)
            message = _meta_graph(saver, tags, signature_def_map, clear_devices, strip_default_attrs)
        # Variables without their graph are written again; a graph without its variables could not be loaded.
        self._meta_graphs.append(message)
        self._has_saved_variables = True

    def _prepared(
        self,
        graph: Graph,
        signature_def_map: Mapping[str, Any] | None,
        assets_collection: Iterable[Any] | None,
        legacy_init_op: Operation | None,
        main_op: Operation | None,
        saver: Saver | None,
    ) -> Saver:
        """Completes the graph's collections, copies assets, and returns the saver of the default graph's variables."""
        _check_signatures(signature_def_map)
        copy_assets(add_assets(graph, assets_collection), self._export_dir)
        _add_initializers(graph, legacy_init_op, main_op)
        if saver is not None:
            return saver
        return Saver(all_saveable_objects(), sharded=True, write_version=proto.SaverDef.V2, allow_empty=True)

    def save(self, as_text: bool = False) -> bytes:
        """Writes the file of the graphs; until then the folder is not a SavedModel.

        Args:
            as_text: bool. If True, write protobuf's text format.

        Returns:
            bytes, the file's path.
        """
        make_directories(self._export_dir)
        saved_model = proto.SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION, meta_graphs=self._meta_graphs
        )
        if as_text:
            name = constants.SAVED_MODEL_FILENAME_PBTXT
            contents = proto.text_format().MessageToString(saved_model).encode()
        else:
            name = constants.SAVED_MODEL_FILENAME_PB
            contents = saved_model.SerializeToString()
        path = os.path.join(self._export_dir, name)
        replace_file(path, contents)
        tf_logging.info("SavedModel written to: %s", path)
        return os.fsencode(path)


def builder_of_saved_variables(export_dir: str | os.PathLike[str]) -> SavedModelBuilder:
    """Returns a builder for a SavedModel whose variables the caller saves itself.

    Args:
        export_dir: str, the folder, which is made; if it exists, it must be empty.

    Returns:
        SavedModelBuilder, to which graphs are added with `add_meta_graph`.

    Raises:
        AssertionError: if the folder has files.
    """
    builder = SavedModelBuilder(export_dir)
    builder._has_saved_variables = True
    return builder

"""`tf.saved_model.load_v2`: the objects of a SavedModel, made again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ferroflow._src.base import dtypes, proto, tf_logging
from ferroflow._src.base.files.staging import fetched_folder, kept
from ferroflow._src.base.files.urls import is_remote, shown_name
from ferroflow._src.base.proto.saved_objects import objects_of
from ferroflow._src.base.stored_messages import check_numbers
from ferroflow._src.base.tensor_content import make_ndarray
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.checkpoint.object_graph import ObjectGraphView
from ferroflow._src.checkpoint.object_saver import stored_objects
from ferroflow._src.checkpoint.restoration import Restoration
from ferroflow._src.contrib.saved_model.graph_loading import load_graph
from ferroflow._src.contrib.saved_model.restored_functions import (
    RestoredFunction,
    load_library,
    next_suffix,
)
from ferroflow._src.contrib.saved_model.signature_map import SignatureMap, add_signature
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import add_to_collection, device, init_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.trackable_resources import CapturableResource, TrackableAsset, initialization_of
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.loader import parse_saved_model
from ferroflow._src.variables.auto_trackable import AutoTrackable
from ferroflow._src.variables.tracked_dicts import DictWrapper
from ferroflow._src.variables.tracked_lists import ListWrapper
from ferroflow._src.variables.uninitialized_variable import UninitializedVariable

_CALL = "__call__"


class RestoredResource(CapturableResource):
    """A resource of a loaded SavedModel, such as a table; its functions make and initialize it.

    Args:
        device: str, the device on which the resource must be made; "" for any.
    """

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        names = ("_create_resource", "_initialize", "_destroy_resource")
        return {name: vars(self)[name] for name in names if name in vars(self)}


class Slots(AutoTrackable):
    """An optimizer of a loaded SavedModel, which has the slots of its variables."""

    def __init__(self) -> None:
        self._of_variables: dict[tuple[int, str], Any] = {}

    def add_slot(self, variable: Any, name: str, slot: Any) -> None:
        """Adds a slot.

        Args:
            variable: Variable of which it is one.
            name: str, the slot's name.
            slot: Variable.
        """
        self._of_variables[id(variable), name] = slot

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots, a list of str."""
        return sorted({name for _, name in self._of_variables})

    def get_slot(self, variable: Any, name: str) -> Any:
        """Returns the slot of a variable, or None.

        Args:
            variable: Variable.
            name: str, the slot's name.
        """
        return self._of_variables.get((id(variable), name))

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
        slot_variable_position.restore(self.get_slot(variable, slot_name))


def load_v2(export_dir: str | os.PathLike[str], tags: Iterable[str] | str | None = None) -> Any:
    """Makes the objects of a SavedModel in the default graph, with their variables and functions.

    The initializers of the variables restore their values. Initializers of tables, and those of graphs without
    objects, are in `tf.tables_initializer()`. Variables are not in the collection of trainable ones.

    Args:
        export_dir: str, the SavedModel's folder, a path or URL.
        tags: str, or list of str, the tags of the graph; None if the SavedModel has one graph.

    Returns:
        The root object, with the attributes that were saved. `signatures` is a mapping of names to functions. Of a
        SavedModel without objects, it also has `variables`, `graph` and `prune`.

    Raises:
        IOError: if the folder has no file of a SavedModel, or a damaged one.
        ValueError: if no graph has these tags, or several graphs are there and `tags` is None.

    Example:
        >>> saved = tf.Module()
        >>> saved.twice = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([], tf.float32)])
        >>> tf.saved_model.save(saved, "twice")
        >>> loaded = tf.saved_model.load_v2("twice")
        >>> print(sess.run([loaded.twice(4.0), loaded.signatures["serving_default"](tf.constant(5.0))["output_0"]]))
        [8.0, 10.0]
    """
    wanted = {tags} if isinstance(tags, str) else None if tags is None else set(tags)
    saved_model = parse_saved_model(export_dir)
    folder = shown_name(export_dir)
    if is_remote(folder):
        folder = kept(fetched_folder(folder))
    graphs = saved_model.meta_graphs
    with _damage_named(folder, proto.decode_errors()):
        objects = objects_of(graphs[0]) if len(graphs) == 1 else None
    with init_scope(), _damage_named(folder, (IndexError, KeyError)):
        if objects is None:
            return load_graph(saved_model, folder, wanted)
        info = graphs[0].meta_info_def
        if wanted is not None and wanted != set(info.tags):
            raise ValueError(
                f"The SavedModel at {export_dir} has one MetaGraph with tags {list(info.tags)}, but got an "
                f"incompatible argument tags={tags} to tf.saved_model.load. You may omit it, pass 'None', or pass "
                "matching tags."
            )
        root = _Loader(objects, graphs[0], folder).root
        root.tensorflow_version = info.tensorflow_version
        root.tensorflow_git_version = info.tensorflow_git_version
    return root


@contextlib.contextmanager
def _damage_named(folder: str, kinds: tuple[type[Exception], ...]) -> Iterator[None]:
    """Raises OSError instead of what damaged messages, and numbers of objects that are not there, raise."""
    try:
        yield
    except kinds as error:
        raise OSError(f"The SavedModel at {folder} is damaged: {error!r}") from error


class _Loader:
    """Makes the objects of a SavedModel.

    Args:
        objects: SavedObjectGraph message.
        meta_graph_def: MetaGraphDef message.
        folder: str, the SavedModel's folder.
    """

    def __init__(self, objects: Any, meta_graph_def: Any, folder: str) -> None:
        self._objects, self._folder = objects, folder
        bound_inputs = [number for message in objects.concrete_functions.values() for number in message.bound_inputs]
        check_numbers(objects, bound_inputs, f"The SavedModel at {folder}")
        self._assets = meta_graph_def.asset_file_def
        self._constants = {node.name: node.attr for node in meta_graph_def.graph_def.node}
        self._functions = load_library(meta_graph_def.graph_def, next_suffix())
        self._nodes = [self._made(saved) for saved in objects.nodes]
        self.root = self._nodes[0]
        self._connect()
        for name, message in sorted(objects.concrete_functions.items()):
            self._functions[name].set_structure(message)
        for name, message in sorted(objects.concrete_functions.items()):
            captured = [self._captured(number) for number in message.bound_inputs]
            bound = [self._nodes[number] for number in message.bound_inputs]
            variables = [node for node in bound if isinstance(node, UninitializedVariable)]
            self._functions[name].bind(captured, variables)
        for saved in objects.nodes:
            if saved.WhichOneof("kind") == "bare_concrete_function":
                bare = saved.bare_concrete_function
                function = self._functions[bare.concrete_function_name]
                function.set_keywords(list(bare.argument_keywords), bare.allowed_positional_arguments)
        self._restore()
        for node in self._nodes:
            if isinstance(node, CapturableResource):
                add_to_collection(GraphKeys.TABLE_INITIALIZERS, _operation(initialization_of(node)))

    def _made(self, saved: Any) -> Any:
        """Returns an object without its edges."""
        kind = saved.WhichOneof("kind")
        makers: dict[str | None, Callable[[], Any]] = {
            "user_object": lambda: _user_object(saved),
            "asset": lambda: TrackableAsset(
                os.path.join(
                    self._folder,
                    constants.ASSETS_DIRECTORY,
                    self._assets[saved.asset.asset_file_def_index].filename,
                )
            ),
            "function": lambda: RestoredFunction(saved.function, self._functions),
            "bare_concrete_function": lambda: self._functions[saved.bare_concrete_function.concrete_function_name],
            "variable": lambda: _variable(saved.variable),
            "constant": lambda: self._constant(saved.constant.operation),
            "resource": lambda: RestoredResource(saved.resource.device),
        }
        if kind not in makers:
            raise ValueError(f"Unknown SavedObject type: {kind!r}")
        return makers[kind]()

    def _constant(self, operation: str) -> Tensor:
        tensor = self._constants[operation]["value"].tensor
        with device("CPU" if dtypes.as_dtype(tensor.dtype) == dtypes.string else None):
            return constant(make_ndarray(tensor))

    def _connect(self) -> None:
        """Sets the attributes and slots of the objects."""
        for node, saved in zip(self._nodes, self._objects.nodes, strict=True):
            for slot in saved.slot_variables:
                variable = self._nodes[slot.original_variable_node_id]
                node.add_slot(variable, slot.slot_name, self._nodes[slot.slot_variable_node_id])
            for edge in saved.children:
                _set_child(node, edge.local_name, self._nodes[edge.node_id])

    def _captured(self, number: int) -> Tensor:
        node = self._nodes[number]
        if isinstance(node, UninitializedVariable):
            return node.handle
        if isinstance(node, TrackableAsset):
            return node.asset_path
        if isinstance(node, CapturableResource):
            handle: Tensor = node.resource_handle
            return handle
        if isinstance(node, Tensor):
            return node
        raise ValueError(f"Can't convert node {type(node)} to tensor")

    def _restore(self) -> None:
        """Makes the initializers of variables restore them."""
        prefix = os.path.join(self._folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
        message = stored_objects(prefix)
        if message is None:
            raise ValueError(f"The SavedModel's checkpoint {prefix} has no objects.")
        with device("CPU"):
            path = constant(prefix)
        restoration = Restoration(message, prefix, path, {}, ObjectGraphView(self.root))
        restoration.restore_root(self.root)
        restoration.expect_partial()
        for reference, operations in restoration.operations_of.values():
            if operations:
                reference().set_initializer(_operation(operations[0]) if len(operations) == 1 else group(*operations))
        for node in self._nodes:
            if isinstance(node, UninitializedVariable) and id(node) not in restoration.operations_of:
                tf_logging.warning("The SavedModel has no value of variable %s.", node.name)


def _operation(value: Any) -> Any:
    return value.op if isinstance(value, Tensor) else value


def _user_object(saved: Any) -> Any:
    identifier = saved.user_object.identifier
    if identifier == "signature_map":
        return SignatureMap()
    if identifier == "trackable_list_wrapper":
        return ListWrapper([])
    if identifier == "trackable_dict_wrapper":
        return DictWrapper({})
    base = Slots if saved.slot_variables else AutoTrackable
    # Each object has a class of its own, because `__call__` is found in the class.
    return type("_UserObject", (base,), {})()


def _variable(saved: Any) -> UninitializedVariable:
    return UninitializedVariable(
        TensorShape(saved.shape),
        dtypes.as_dtype(saved.dtype),
        saved.name or None,
        saved.trainable,
        saved.synchronization,
        saved.aggregation,
    )


def _set_child(owner: Any, name: str, child: Any) -> None:
    """Sets an attribute or element of an object."""
    if isinstance(owner, SignatureMap):
        add_signature(owner, name, child)
    elif isinstance(owner, ListWrapper):
        owner.extend([None] * (int(name) + 1 - len(owner)))
        owner[int(name)] = child
    elif isinstance(owner, DictWrapper):
        owner[name] = child
    else:
        setattr(owner, name, child)
        if name == _CALL and not callable(owner):
            setattr(type(owner), _CALL, _call_attribute)


def _call_attribute(instance: Any, *args: Any, **kwargs: Any) -> Any:
    return vars(instance)[_CALL](*args, **kwargs)

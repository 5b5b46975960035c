"""`ExportedGraph`: the graph of a SavedModel of objects, in which variables are new and signatures are called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base import compat, dtypes, proto
from ferroflow._src.checkpoint.object_graph import saveable_of
from ferroflow._src.checkpoint.object_saver import saved_prefix
from ferroflow._src.checkpoint.python_state import NoRestoreSaveable, PythonStateSaveable
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction
from ferroflow._src.contrib.eager.function import Function
from ferroflow._src.contrib.saved_model.saved_view import NumberedObjects, SavedView
from ferroflow._src.contrib.saved_model.signature_map import SignatureMap
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.default_graph import control_dependencies, device
from ferroflow._src.framework.function import graphs_around
from ferroflow._src.framework.function_def import called, function_def_with_shapes
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.framework.saveable import SaveableObject
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.trackable import OBJECT_GRAPH_PROTO_KEY, saveables_of
from ferroflow._src.framework.trackable_resources import CapturableResource, TrackableAsset, new_resource
from ferroflow._src.ops.array.making import identity, placeholder
from ferroflow._src.ops.checkpoint.saving import restore_v2
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.saved_model.assets import file_name
from ferroflow._src.saved_model.signature_constants import PREDICT_METHOD_NAME
from ferroflow._src.saved_model.signatures import build_signature_def
from ferroflow._src.saved_model.tensor_info import build_tensor_info
from ferroflow._src.variables.resource_variable import ResourceVariable
from ferroflow._src.variables.uninitialized_variable import UninitializedVariable
from ferroflow._src.variables.variable import Variable


class CapturedConstant:
    """A constant that functions capture, and its copy in the exported graph.

    Attributes:
        operation: str, the name of the copy.
    """

    def __init__(self, operation: str) -> None:
        self.operation = operation


class ExportedGraph:
    """The graph of a SavedModel of objects.

    Args:
        view: SavedView of the objects.
        numbered: NumberedObjects of the view, to which constants are added.
        signatures: SignatureMap.

    Attributes:
        graph: `tf.Graph`.
        objects: TrackableObjectGraph message of the objects.
        assets: list of AssetFileDef messages.
        asset_numbers: dict of the numbers of assets by `id` of their objects.
        asset_sources: dict of the paths of assets by the names that they are kept under.
        capture_numbers: dict of the numbers of nodes by the Tensors that functions capture of them.
        initializer: Operation to run after loading.
        signature_defs: dict of SignatureDef messages by names.
        saver_def: SaverDef message.
    """

    def __init__(self, view: SavedView, numbered: NumberedObjects, signatures: SignatureMap) -> None:
        self.graph = Graph()
        self.assets: list[Any] = []
        self.asset_numbers: dict[int, int] = {}
        self.asset_sources: dict[str, str] = {}
        self.capture_numbers: dict[Tensor, int] = {}
        self._copies: dict[Tensor, Any] = {}
        self._variables: dict[int, Any] = {}
        self._asset_initializers: list[Operation] = []
        self._view, self._numbered = view, numbered
        message = proto.GraphDef()
        message.library.function.extend(_definitions(numbered.concrete))
        # Objects may have other values and edges in another graph.
        self.objects = view.serialize_object_graph().message
        values = [saveables_of(node) for node in numbered.nodes[: len(self.objects.nodes)]]
        with self.graph.as_default():
            import_graph_def(message, name="")
            for node in list(numbered.nodes):
                self._copy(node)
            for concrete in numbered.concrete:
                self._copy_constants(concrete)
            with control_dependencies([*self._initialized_resources(), *self._asset_initializers]):
                self.initializer = no_op()
            saveables = self._saveables(values)
            self.signature_defs = {key: self._signature(key, signatures[key]) for key in sorted(signatures)}
            self.saver_def = _saver_def(saveables)

    def graph_def(self) -> Any:
        """Returns the GraphDef message, in which functions have the shapes of their arguments."""
        message = self.graph.as_graph_def(add_shapes=True)
        del message.library.function[:]
        message.library.function.extend(function_def_with_shapes(f) for f in self.graph.functions.values())
        return message

    def _copy(self, node: Any) -> None:
        """Adds what stands for an object in the exported graph."""
        number = self._numbered.numbers[id(node)]
        if isinstance(node, CapturableResource):
            handle = node.resource_handle
            self._copies[handle] = new_resource(node)
            self.capture_numbers[handle] = number
        elif isinstance(node, ResourceVariable):
            name = node.handle.op.name
            made = UninitializedVariable(node.shape, node.dtype, name, node.trainable, collections=())
            self._variables[id(node)] = made
            self._copies[node.handle] = made.handle
            self.capture_numbers[node.handle] = number
        elif isinstance(node, TrackableAsset):
            self._copy_asset(node)
            self.capture_numbers[node.asset_path] = number

    def _copy_asset(self, node: TrackableAsset) -> None:
        value = constant_value(node.asset_path)
        if value is None:
            raise ValueError(f"The path of an asset must be a constant, not {node.asset_path}.")
        path = os.fsdecode(value.item())
        name = file_name(path, self.asset_sources)
        self.asset_sources[name] = path
        fed = placeholder(dtypes.string, node.asset_path.shape, name="asset_path_initializer")
        variable = ResourceVariable(fed, trainable=False, collections=())
        self._asset_initializers.append(variable.initializer)
        self._copies[node.asset_path] = variable
        self.asset_numbers[id(node)] = len(self.assets)
        self.assets.append(proto.AssetFileDef(filename=name, tensor_info=proto.TensorInfo(name=fed.name)))

    def _copy_constants(self, concrete: ConcreteFunction) -> None:
        for captured in concrete.captured_inputs:
            if captured in self.capture_numbers or captured.dtype in (dtypes.resource, dtypes.variant):
                continue
            value = constant_value(captured)
            if value is None:
                raise ValueError(
                    f"Attempted to save a function {concrete.name!r} which references a symbolic Tensor {captured} "
                    "that is not a simple constant. This is not supported: variables of such functions are made with "
                    "use_resource=True."
                )
            copy = constant(value)
            self._copies[captured] = copy
            self.capture_numbers[captured] = self._numbered.add(CapturedConstant(copy.op.name))

    def _captures(self, concrete: ConcreteFunction) -> list[Any]:
        """Returns the tensors of the exported graph in the order of a function's captured ones."""
        missing = [captured for captured in concrete.captured_inputs if captured not in self._copies]
        if missing:
            raise AssertionError(
                f"Tried to export a function which references untracked object {missing[0]}. TensorFlow objects (e.g. "
                "tf.Variable) captured by functions must be tracked by assigning them to an attribute of a tracked "
                "object or assigned to an attribute of the main object directly."
            )
        return [self._copies[captured] for captured in concrete.captured_inputs]

    def _initialized_resources(self) -> list[Operation]:
        """Returns operations that initialize the resources."""
        operations = []
        with control_dependencies(self._asset_initializers):
            for node in self._numbered.nodes:
                if isinstance(node, CapturableResource):
                    (concrete,) = self._numbered.traces[id(self._view.functions(node)["_initialize"])]
                    operations.append(concrete.called([], self._captures(concrete)).op)
        return operations

    def _signature(self, key: str, concrete: ConcreteFunction) -> Any:
        names = concrete.argument_names
        arguments = {
            name: placeholder(tensor.dtype, tensor.shape, name=f"{key}_{name}")
            for name, tensor in zip(names, concrete.inputs, strict=False)
        }
        outputs = concrete.called(list(arguments.values()), self._captures(concrete))
        inputs, results = (
            {name: build_tensor_info(t) for name, t in tensors.items()} for tensors in (arguments, outputs)
        )
        return build_signature_def(inputs, results, PREDICT_METHOD_NAME)

    def _saveables(self, values: list[dict[str, Any]]) -> list[SaveableObject]:
        """Returns the saveables of the values in the exported graph, and that of the message with the objects."""
        saveables: list[SaveableObject] = []
        for held, described in zip(values, self.objects.nodes, strict=True):
            for attribute in described.attributes:
                copy = self._variables.get(id(held[attribute.name]), held[attribute.name])
                if isinstance(copy, Variable) and copy.graph is not self.graph:
                    raise ValueError(
                        f"The variable {copy} cannot be part of a SavedModel of objects: make it with "
                        "use_resource=True, or call tf.enable_resource_variables() first."
                    )
                saveable = saveable_of(copy, attribute.checkpoint_key)
                if isinstance(saveable, PythonStateSaveable):
                    (value,) = saveable.feed_dict_additions().values()
                    saveable = NoRestoreSaveable(constant(value), attribute.checkpoint_key)
                saveables.append(saveable)
        objects = constant(self.objects.SerializeToString())
        return [*saveables, NoRestoreSaveable(objects, OBJECT_GRAPH_PROTO_KEY)]


def _definitions(functions: Iterable[ConcreteFunction]) -> list[Any]:
    """Returns the FunctionDef messages of functions and of those that they call."""
    found: dict[str, Any] = {}
    for concrete in functions:
        library = graphs_around(concrete.graph)[-1].functions
        waiting = [compat.as_str(concrete.name)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = function_def_with_shapes(library[name])
                waiting += called(found[name])
    return list(found.values())


def _saver_def(saveables: Sequence[SaveableObject]) -> Any:
    """Adds functions that save and restore, and returns the message that names their calls."""
    path = placeholder(dtypes.string, [], name="saver_filename")

    def traced_save(file_prefix: Tensor) -> Tensor:
        return saved_prefix(list(saveables), file_prefix)

    def traced_restore(file_prefix: Tensor) -> Tensor:
        restored = [_restored(saveable, file_prefix) for saveable in saveables]
        with device("cpu:0"), control_dependencies(restored):
            return identity(file_prefix)

    calls = []
    for function in (traced_save, traced_restore):
        made = Function(function, f"_{function.__name__}", [TensorSpec([], dtypes.string)], autograph=False)
        calls.append(made(path))
    save, restore = calls
    return proto.SaverDef(
        filename_tensor_name=path.name,
        save_tensor_name=save.name,
        restore_op_name=restore.op.name,
        version=proto.SaverDef.V2,
    )


def _restored(saveable: SaveableObject, file_prefix: Tensor) -> Any:
    specs = saveable.specs
    with device("cpu:0"):
        tensors = restore_v2(
            file_prefix, [s.name for s in specs], [s.slice_spec for s in specs], [s.dtype for s in specs]
        )
    return saveable.restore(tensors, None)

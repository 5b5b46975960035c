"""A frozen graph as an ONNX model: what no feed changes becomes constants, all else is converted op by op."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow.command_line.onnx_export.calls import Call, NotConvertible
from ferroflow.command_line.onnx_export.table import CONVERSIONS

LEAST_OPSET: Final = 17
# Larger messages than 2 GiB cannot be written.
_LARGEST_MODEL: Final = 2**31 - 1
_INPUTS: Final = ("Placeholder", "PlaceholderV2")
_SIZES: Final = ("Shape", "Size", "Rank")
_CONSTANTS: Final = ("Const",)
# Outputs of these may be without a value.
_FLOW: Final = ("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch")
_WITHOUT_NUMBERS: Final = ("string", "resource", "variant")


def export(graph_def: Any, outputs: Sequence[str], opset: int = LEAST_OPSET) -> bytes:
    """Returns a frozen graph as the bytes of an ONNX model.

    The model's inputs and outputs have the names of TensorFlow's tensors, such as "images:0".

    Args:
        graph_def: GraphDef message, without variables.
        outputs: list of str, names of the nodes or tensors that the model returns.
        opset: int, the version of ONNX's operators; 17.

    Returns:
        bytes.

    Raises:
        NotConvertible: if an operation has no conversion; the text names all such operations with their nodes.
        ValueError: if an output does not exist.
        ModuleNotFoundError: if the package onnx is not installed.
    """
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        wanted = [_tensor_of(graph, name) for name in outputs]
        return _Exporter(graph, wanted, opset).model()


def _tensor_of(graph: Any, name: str) -> Tensor:
    full = name if ":" in name else f"{name}:0"
    try:
        found: Tensor = graph.get_tensor_by_name(full)
    except KeyError:
        raise ValueError(f"the graph has no tensor {full}") from None
    return found


class _Exporter:
    """The model under construction."""

    def __init__(self, graph: Any, outputs: list[Tensor], opset: int) -> None:
        import onnx  # the package is an extra

        self._onnx = onnx
        self._opset = opset
        self._graph = graph
        self._outputs = outputs
        self._nodes: list[Any] = []
        self._initializers: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._count = 0
        self._prefix = ""
        self._ops = _in_order(outputs)
        self._fixed = self._fixed_tensors()

    def model(self) -> bytes:
        """Returns the model's bytes, checked by onnx."""
        self._refuse_unknown()
        inputs = [self._value_info(op.outputs[0]) for op in self._ops if op.type in _INPUTS]
        failures = []
        for op in self._ops:
            if op.type in _INPUTS:
                self._names[op.outputs[0].name] = op.outputs[0].name
            elif not all(tensor.name in self._fixed for tensor in op.outputs):
                try:
                    self._convert(op)
                except NotConvertible as failure:
                    failures.append(str(failure))
                    self._names.update({tensor.name: tensor.name for tensor in op.outputs})
        if failures:
            raise NotConvertible("\n".join(failures))
        helper = self._onnx.helper
        for tensor in self._outputs:
            # A tensor that is an input, a constant or another's alias gets a node that has its name.
            if tensor.op.type in _INPUTS:
                raise NotConvertible(f"the output {tensor.name} is an input of the graph")
            if self._name_of(tensor) != tensor.name:
                self._nodes.append(helper.make_node("Identity", [self._name_of(tensor)], [tensor.name]))
        read = {name for node in self._nodes for name in node.input}
        graph = helper.make_graph(
            self._nodes,
            "ferroflow",
            inputs,
            [self._value_info(tensor) for tensor in self._outputs],
            [tensor for tensor in self._initializers.values() if tensor.name in read],
        )
        model = helper.make_model(
            graph,
            producer_name="ferroflow",
            producer_version=_core.__version__,
            opset_imports=[helper.make_opsetid("", self._opset)],
        )
        # The version of the file format that the operators' version came with.
        model.ir_version = helper.find_min_ir_version_for(model.opset_import)
        model = self._with_output_shapes(model)
        if model.ByteSize() > _LARGEST_MODEL:
            raise NotConvertible("the model takes more than 2 GiB, which one ONNX file cannot hold")
        self._onnx.checker.check_model(model, full_check=True)
        content: bytes = model.SerializeToString()
        return content

    def _with_output_shapes(self, model: Any) -> Any:
        """Returns the model with the shapes of outputs that only ONNX's inference finds."""
        if all(tensor.shape.ndims is not None for tensor in self._outputs):
            return model
        found = self._onnx.shape_inference.infer_shapes(model)
        for end in found.graph.output:
            if not end.type.tensor_type.HasField("shape"):
                raise NotConvertible(f"the rank of the output {end.name} is not known")
        return found

    def _refuse_unknown(self) -> None:
        nodes: dict[str, list[str]] = {}
        for op in self._ops:
            is_fixed = op.outputs and all(tensor.name in self._fixed for tensor in op.outputs)
            if op.type not in CONVERSIONS and op.type not in _INPUTS and not is_fixed:
                nodes.setdefault(op.type, []).append(op.name)
        if nodes:
            raise NotConvertible("\n".join(f"{kind} ({_nodes_text(nodes[kind])}): has no conversion" for kind in nodes))

    def _fixed_tensors(self) -> dict[str, np.ndarray[Any, Any] | None]:
        """Returns the tensors that no feed changes, with the values of those that others read."""
        fixed: dict[str, np.ndarray[Any, Any] | None] = {}
        fed: dict[Tensor, Any] = {}
        for op in self._ops:
            if op.type in _SIZES and op.inputs[0].shape.is_fully_defined():
                fed[op.outputs[0]] = _static_size(op)
                fixed[op.outputs[0].name] = None
            elif op.type in _CONSTANTS or (
                op.inputs
                and op.type not in _FLOW
                and not _core.op_info(op.type)["is_stateful"]
                and all(tensor.name in fixed for tensor in op.inputs)
            ):
                fixed.update({tensor.name: None for tensor in op.outputs})
        read = {
            tensor.name: tensor
            for op in self._ops
            if not (op.outputs and all(tensor.name in fixed for tensor in op.outputs))
            for tensor in op.inputs
            if tensor.name in fixed
        }
        read.update({tensor.name: tensor for tensor in self._outputs if tensor.name in fixed})
        numbers = {name: tensor for name, tensor in read.items() if tensor.dtype.name not in _WITHOUT_NUMBERS}
        with tf.Session(graph=self._graph) as session:
            fixed.update(session.run(numbers, fed))
        return fixed

    def _convert(self, op: Operation) -> None:
        values = {i: self._fixed[tensor.name] for i, tensor in enumerate(op.inputs) if tensor.name in self._fixed}
        self._prefix = op.name
        call = Call(op, [], {i: value for i, value in values.items() if value is not None}, self._add, self._constant)
        call.inputs += [self._name_of(tensor) for tensor in op.inputs]
        made = CONVERSIONS[op.type].convert(call)
        for tensor, name in zip(op.outputs, [made] if isinstance(made, str) else made, strict=True):
            self._names[tensor.name] = name
        for tensor in self._outputs:
            if tensor.op is op and self._nodes and self._nodes[-1].output[0] == self._names[tensor.name]:
                self._nodes[-1].output[0] = self._names[tensor.name] = tensor.name

    def _name_of(self, tensor: Tensor) -> str:
        if tensor.name not in self._names and tensor.name in self._fixed:
            value = self._fixed[tensor.name]
            if value is None:
                raise NotConvertible(f"{tensor.op.type} (node '{tensor.op.name}'): the type {tensor.dtype.name}")
            name = f"{tensor.name}/fixed"
            self._initializers[name] = self._onnx.numpy_helper.from_array(np.asarray(value), name)
            self._names[tensor.name] = name
        return self._names[tensor.name]

    def _constant(self, value: Any) -> str:
        array = np.asarray(value)
        key = f"{array.dtype.str}{list(array.shape)}{array.tobytes().hex()}"
        if key not in self._initializers:
            name = f"constant_{len(self._initializers)}"
            self._initializers[key] = self._onnx.numpy_helper.from_array(array, name)
        name = self._initializers[key].name
        return str(name)

    def _add(self, operator: str, inputs: Sequence[str], count: int, attrs: dict[str, Any]) -> list[str]:
        self._count += 1
        outputs = [f"{self._prefix}/{operator}_{self._count}:{i}" for i in range(count)]
        if "to" in attrs:
            attrs = {**attrs, "to": self._onnx.helper.np_dtype_to_tensor_dtype(attrs["to"])}
        self._nodes.append(
            self._onnx.helper.make_node(
                operator, list(inputs), outputs, f"{self._prefix}/{operator}_{self._count}", **attrs
            )
        )
        return outputs

    def _value_info(self, tensor: Tensor) -> Any:
        if not (tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_bool):
            raise NotConvertible(f"{tensor.op.type} (node '{tensor.op.name}'): the type {tensor.dtype.name}")
        shape = None
        if tensor.shape.ndims is None and tensor.op.type in _INPUTS:
            raise NotConvertible(f"the rank of the input {tensor.name} is not known; give its placeholder a shape")
        if tensor.shape.ndims is not None:
            shape = [f"{tensor.op.name}_{i}" if size is None else size for i, size in enumerate(tensor.shape.as_list())]
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(tensor.dtype.as_numpy_dtype))
        return self._onnx.helper.make_tensor_value_info(tensor.name, kind, shape)


def _in_order(outputs: Iterable[Tensor]) -> list[Operation]:
    """Returns the operations that outputs need, each after its inputs; control inputs do not count."""
    found: dict[Operation, None] = {}
    open_ops: set[Operation] = set()
    stack = [(tensor.op, False) for tensor in reversed(list(outputs))]
    while stack:
        op, are_inputs_done = stack.pop()
        if op in found:
            continue
        if are_inputs_done:
            found[op] = None
            continue
        if op in open_ops:
            # The node is an input of its own, which only happens in a loop; the table lacks the loop's ops.
            continue
        open_ops.add(op)
        stack.append((op, True))
        stack += [(tensor.op, False) for tensor in op.inputs if tensor.op not in found]
    return list(found)


def _static_size(op: Operation) -> np.ndarray[Any, Any]:
    dims = op.inputs[0].shape.as_list()
    value = {"Shape": dims, "Rank": len(dims), "Size": int(np.prod(dims))}[op.type]
    return np.array(value, op.outputs[0].dtype.as_numpy_dtype)


def _nodes_text(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"node{'s' if len(names) > 1 else ''} {shown}{more}"

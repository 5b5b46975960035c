"""Layers of operations that a program adds to tensors of a model without a layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from ferroflow._src.base import dtypes, proto
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.keras.backend import batch_get_value
from ferroflow._src.keras.base_layer import KerasLayer
from ferroflow._src.layers.call_context import is_inside_call
from ferroflow._src.layers.nodes import call_of, one_or_list

_PREFIX: Final = "tf_op_layer_"
# Operations of loops read what is computed after them, so layers cannot repeat them one after the other.
_LOOPS: Final = frozenset(("Enter", "NextIteration"))

# The names of a graph's operations that are known to read no tensor of a model.
_outside: WeakKeyDictionary[Graph, set[str]] = WeakKeyDictionary()


class TensorFlowOpLayer(KerasLayer):
    """An operation as a layer, which repeats it for other inputs.

    Args:
        node_def: NodeDef message of the operation, or dict of it.
        name: str, the name of the operation; that of the layer begins with "tf_op_layer_".
        constants: dict from the places of inputs that come from no layer to tensors or values; None if there are none.
        trainable: bool, accepted: the layer has no variables.
        dtype: DType, accepted.
    """

    def __init__(
        self,
        node_def: Any,
        name: str,
        constants: Mapping[Any, Any] | None = None,
        trainable: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=_PREFIX + name, trainable=trainable, dtype=dtype)
        is_dict = isinstance(node_def, Mapping)
        self.node_def = proto.json_format().ParseDict(node_def, proto.NodeDef()) if is_dict else node_def
        self.constants = {int(place): value for place, value in (constants or {}).items()}
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Adds the operation for other inputs.

        Args:
            inputs: Tensor of the dtype of the operation's input, or list of them.

        Returns:
            Tensor, or list of them.
        """
        given = iter(inputs if isinstance(inputs, (list, tuple)) else [inputs])
        tensors = [
            convert_to_tensor(self.constants[i], dtype=dtype) if i in self.constants else next(given)
            for i, dtype in enumerate(_input_dtypes(self.node_def))
        ]
        attrs = {key: value for key, value in self.node_def.attr.items() if not key.startswith("_")}
        made = tensors[0].graph.create_op(self.node_def.op, tensors, name=self.node_def.op, attrs=attrs)
        return one_or_list(list(made.outputs))

    def connect(self, inputs: Any, outputs: Any) -> None:
        """Makes the operation itself the layer's first call.

        Args:
            inputs: Tensor of the dtype of the operation's input, or list of them; those that come from layers.
            outputs: Tensor of any dtype and shape, or list of them.
        """
        self._keep_call(outputs, inputs, {})

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal layer; tensors that come from no layer are their values.

        Returns:
            dict, whose values JSON can hold.
        """
        tensors = {place: value for place, value in self.constants.items() if isinstance(value, Tensor)}
        values = {**self.constants, **dict(zip(tensors, batch_get_value(list(tensors.values())), strict=True))}
        return {
            "name": self.name.removeprefix(_PREFIX),
            "trainable": self.trainable,
            "dtype": self.dtype,
            "node_def": proto.json_format().MessageToDict(self.node_def),
            "constants": {place: np.asarray(value).tolist() for place, value in values.items()},
        }


def _input_dtypes(node_def: Any) -> Iterator[dtypes.DType]:
    """Yields the dtypes of an operation's inputs."""
    for argument in op_schema(node_def.op)["inputs"]:
        if argument.get("type_list_attr"):
            yield from map(dtypes.as_dtype, node_def.attr[argument["type_list_attr"]].list.type)
            continue
        kind = argument.get("type") or node_def.attr[argument["type_attr"]].type
        number = argument.get("number_attr")
        yield from [dtypes.as_dtype(kind)] * (node_def.attr[number].i if number else 1)


def _reads_model(tensor: Tensor) -> bool:
    """Returns True if a tensor is computed from tensors of a model."""
    outside = _outside.setdefault(tensor.graph, set())
    visited: set[Operation] = set()
    waiting = [tensor.op]
    while waiting:
        op = waiting.pop()
        if op.name in outside or op in visited:
            continue
        visited.add(op)
        for source in op.inputs:
            if call_of(source) is not None:
                return True
            waiting.append(source.op)
    outside |= {op.name for op in visited}
    return False


def _operations_between(tensors: list[Tensor]) -> list[Operation]:
    """Returns the operations between the model's tensors and some tensors, each after those that it reads."""
    ordered: dict[Operation, None] = {}
    waiting = [(tensor.op, False) for tensor in tensors]
    visited: set[Operation] = set()
    while waiting:
        op, is_done = waiting.pop()
        if is_done:
            ordered[op] = None
        elif op not in visited:
            visited.add(op)
            waiting.append((op, True))
            waiting += [(x.op, False) for x in op.inputs if call_of(x) is None and _reads_model(x)]
    return list(ordered)


def make_layers(tensors: list[Tensor]) -> None:
    """Makes layers of the operations between a model's tensors and some tensors that come from no layer.

    Args:
        tensors: list of Tensors of any dtypes and shapes; nothing is done for one that reads no tensor of a model, and
            for one that a loop computes.
    """
    operations = _operations_between([tensor for tensor in tensors if _reads_model(tensor)])
    if any(op.type in _LOOPS for op in operations):
        return
    for op in operations:
        inputs = {i: x for i, x in enumerate(op.inputs) if call_of(x) is not None}
        constants = {i: x for i, x in enumerate(op.inputs) if i not in inputs}
        # TF 1.x: the value of each constant is computed by a function with an operation of its own.
        if not is_inside_call():
            op.graph.count_operations(len(constants))
        layer = TensorFlowOpLayer(op.node_def, op.name, constants)
        layer.connect(one_or_list(list(inputs.values())), one_or_list(list(op.outputs)))

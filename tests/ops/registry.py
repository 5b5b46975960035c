"""What the walk through the registry asks of an op: a node for given element types, and a kernel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ferroflow import _core
from ferroflow._src.base import dtypes, errors, proto
from ferroflow._src.base.dtypes import as_dtype
from ferroflow._src.framework.graph import Graph
from ferroflow._src.session.session import Session

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "registry.json").read_text(encoding="utf-8"))

# Values of attributes that have no default and that no input decides.
_REQUIRED: dict[str, Any] = {
    "block_size": 2,
    "k": 1,
    "limit": 3,
    "message": "m",
    "mode": "REFLECT",
    "num": 1,
    "output_encoding": "UTF-8",
    "row_partition_types": ["ROW_SPLITS"],
    "num_partitions": 1,
    "num_split": 1,
    "padding": "SAME",
    "seq_dim": 0,
    "shape": None,
}
# The same for ops whose attributes must fit each other: two inputs are given to every list argument.
_REQUIRED_BY_OP: dict[str, dict[str, Any]] = {
    "AudioSpectrogram": {"window_size": 8, "stride": 4},
    "Case": {"branches": ["f"]},
    "DecodeProtoV2": {"field_names": ["dtype"], "message_type": "tensorflow.TensorProto"},
    "Einsum": {"equation": "ij,jk->ik"},
    "EncodeProto": {"field_names": ["dtype", "dtype"], "message_type": "tensorflow.TensorProto"},
    "StringFormat": {"template": "%s %s"},
    "SdcaOptimizer": {"loss_type": "squared_loss"},
    "SdcaOptimizerV2": {"loss_type": "squared_loss"},
    "ParseExample": {"dense_shapes": [[], []], "sparse_types": [dtypes.float32] * 2},
    "ParseSequenceExample": {
        "Ncontext_dense": 2,
        "context_dense_keys": ["a", "b"],
        "context_dense_shapes": [[], []],
        "context_sparse_keys": [],
        "feature_list_dense_keys": [],
        "feature_list_dense_missing_assumed_empty": [],
        "feature_list_sparse_keys": [],
    },
    "ParseSingleExample": {
        "dense_keys": ["a", "b"],
        "dense_shapes": [[], []],
        "num_sparse": 1,
        "sparse_keys": ["c"],
        "sparse_types": [dtypes.float32],
    },
    "ParseSingleSequenceExample": {
        "context_dense_shapes": [[], []],
        "context_sparse_types": [dtypes.float32] * 2,
        "feature_list_dense_shapes": [[], []],
        "feature_list_dense_types": [dtypes.float32] * 2,
        "feature_list_sparse_types": [dtypes.float32] * 2,
    },
}
# Their types go together: float32 with complex64, float64 with complex128.
_PAIRED = {
    *("Angle", "Complex", "ComplexAbs", "Imag", "IRFFT", "IRFFT2D", "IRFFT3D", "MaxPool3DGrad", "Real", "RFFT"),
    *("RFFT2D", "RFFT3D", "SparseAdd"),
}
# Shapes that must be known when the graph is built, by op or by argument.
_KNOWN_SHAPES = {"ParallelConcat": [1, 1], "block_shape": [1]}
# Ops whose step ends the process.
_ENDING = ("Abort",)
_NO_KERNEL = "No OpKernel was registered"


def is_for_tests(op_type: str) -> bool:
    """Whether the op is there to test graphs with, and says so."""
    doc: str = _core.op_info(op_type)["doc"]
    return doc.startswith("Computes nothing: it is for tests")


def attr_types(op_type: str) -> dict[str, list[dtypes.DType]]:
    """The types that each type attribute of an op allows: float32 alone where it allows any."""
    found = {}
    for attr in _core.op_info(op_type)["attrs"]:
        if attr["type"] == "type":
            found[attr["name"]] = [as_dtype(t) for t in attr["allowed_types"]] or [dtypes.float32]
    return found


def combinations(op_type: str) -> Iterator[dict[str, dtypes.DType]]:
    """Choices of the type attributes in which every type of each occurs."""
    types = attr_types(op_type)
    first = {name: dtypes.float32 if dtypes.float32 in allowed else allowed[0] for name, allowed in types.items()}
    yield first
    for name, allowed in types.items():
        yield from ({**first, name: dtype} for dtype in allowed if dtype != first[name])


# Types that are only storage here as in TF 1.x: they have no arithmetic.
_STORAGE = ("qint8", "qint16", "qint32", "quint8", "quint16", "resource", "variant")


def promised(op_type: str, choice: dict[str, dtypes.DType]) -> bool:
    """Whether TensorFlow has a kernel for these types: its schemas allow more than its kernels take."""
    if any(dtype.name in _STORAGE for dtype in choice.values()):
        return False
    if op_type in _PAIRED and len({dtype.real_dtype for dtype in choice.values()}) > 1:
        return False
    kernels = GOLDEN["types"].get(op_type, {})
    return all(dtype.name in kernels.get(name, (dtype.name,)) for name, dtype in choice.items())


def _required(op_type: str, attr: str, choice: dict[str, dtypes.DType]) -> Any:
    """A value for an attribute that has no default."""
    if attr == "value":
        return np.zeros((), choice["dtype"].as_numpy_dtype)
    if attr in ("ksize", "ksizes", "rates", "strides"):
        return [1] * (5 if "3D" in op_type or "Volume" in op_type else 4)
    if op_type == "ParallelConcat":
        return {"shape": [2, 1]}.get(attr)
    if attr in _REQUIRED_BY_OP.get(op_type, {}):
        return _REQUIRED_BY_OP[op_type][attr]
    if attr in _REQUIRED:
        return _REQUIRED[attr]
    schema = next(a for a in _core.op_info(op_type)["attrs"] if a["name"] == attr)
    values: dict[str, Any] = {
        "bool": False,
        "float": 1.0,
        "func": "f",
        "int": max(schema["minimum"] or 1, 1),
        "list(float)": [1.0] * 4,
        "list(int)": [1, 2],
        "list(shape)": [None],
        "list(type)": [dtypes.float32],
        "string": "s",
        "type": dtypes.float32,
    }
    return values.get(schema["type"])


def _free_type(info: dict[str, Any], arg: dict[str, Any]) -> dtypes.DType:
    """A type for an input that no chosen attribute decides."""
    allowed = next((a["allowed_types"] for a in info["attrs"] if a["name"] == arg.get("type_attr")), [])
    return as_dtype(allowed[0] if allowed else arg.get("type", "float"))


def add_node(graph: Graph, op_type: str, choice: dict[str, dtypes.DType]) -> tuple[Any, dict[Any, list[int]]]:
    """Adds a node of the op for these types, and placeholders for its inputs.

    Returns:
        The node, and the shape of each placeholder that can be fed; [0] where the op takes any.
    """
    info = _core.op_info(op_type)
    known = {a["name"] for a in info["attrs"] if a["has_default"]} - _REQUIRED_BY_OP.get(op_type, {}).keys()
    attrs: dict[str, Any] = {**choice}
    inputs: list[Any] = []
    feeds: dict[Any, list[int]] = {}
    for number, arg in enumerate(info["inputs"]):
        dtype = choice[arg["type_attr"]] if arg.get("type_attr") in choice else _free_type(info, arg)
        op, name = ("VariableV2", "shape") if arg["is_ref"] else ("Placeholder", "shape")
        shape = _KNOWN_SHAPES.get(arg["name"] if op_type not in _KNOWN_SHAPES else op_type)
        source = graph._add(op, f"in_{number}", [], {"dtype": dtype, name: shape})._outputs[0]
        if not arg["is_ref"] and dtype.name not in _STORAGE:
            feeds[source] = shape or [0]
        inputs.append([source, source] if arg["is_list"] else source)
    for attr in info["attrs"]:
        if attr["name"] not in known and attr["name"] not in attrs:
            attrs[attr["name"]] = _required(op_type, attr["name"], choice)
    decided = {arg.get(kind) for arg in info["inputs"] for kind in ("type_attr", "number_attr")}
    attrs = {name: value for name, value in attrs.items() if name not in decided}
    return graph._add(op_type, "node", inputs, attrs), feeds


def lacks_kernel(op_type: str, choice: dict[str, dtypes.DType]) -> bool:
    """Whether a step with a node of the op for these types finds no kernel."""
    with Graph().as_default() as graph:
        node, shapes = add_node(graph, op_type, choice)
        feeds = {source: np.zeros(shape, source.dtype.as_numpy_dtype) for source, shape in shapes.items()}
        # What waits for an element that never comes has found its kernel.
        with Session(graph=graph, config=proto.ConfigProto(operation_timeout_in_ms=300)) as session:
            try:
                session.run(node, feeds)
            except errors.OpError as error:
                return _NO_KERNEL in error.message
    return False


def missing_kernels(op_type: str) -> list[str]:
    """The types, as text, for which TensorFlow has a kernel and the op here has none."""
    if op_type in _ENDING:
        return []
    missing = []
    for choice in combinations(op_type):
        if promised(op_type, choice) and lacks_kernel(op_type, choice):
            missing.append(", ".join(f"{name}={dtype.name}" for name, dtype in choice.items()))
    return missing


def named_in_tests() -> set[str]:
    """The op types that a test names: one in Python, or one beside the op's kernel."""
    root = Path(__file__).resolve().parents[2]
    texts = [
        path.read_text(encoding="utf-8")
        for path in (root / "tests").rglob("test_*.py")
        if path.name != "test_registry.py"
    ]
    for path in (root / "rust").rglob("*.rs"):
        if path.name.endswith("tests.rs"):
            texts.append(path.read_text(encoding="utf-8"))
        else:
            texts.append(path.read_text(encoding="utf-8").partition("#[cfg(test)]")[2])
    return {name for text in texts for name in re.findall(r'"(_?[A-Z]\w+)"', text)}

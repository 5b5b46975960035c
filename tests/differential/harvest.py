"""A plugin of pytest that notes the ops which tests run, with their inputs: `make_corpus.py` makes the corpus of that.

FERROFLOW_HARVEST=/tmp/harvest.jsonl python -m pytest -p differential.harvest tests/ops
"""

from __future__ import annotations

import atexit
import json
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow import _core
from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.session.session import Session

_MOST_ELEMENTS = 72
_MOST_OF_A_KIND = 3
_found: dict[str, list[dict[str, Any]]] = {}
_seen: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()
_busy = False
_run: Callable[..., Any] = Session.run


def array_data(array: Any) -> dict[str, Any]:
    """{"array": [dtype, shape, elements]} of an array."""
    array = np.asarray(array)
    flat = array.reshape(-1)
    if array.dtype.kind in "OSU":
        texts = [x if isinstance(x, bytes) else str(x).encode() for x in flat.tolist()]
        return {"array": ["string", list(array.shape), [x.decode("latin-1") for x in texts]]}
    if array.dtype.kind == "c":
        return {"array": [array.dtype.name, list(array.shape), [[x.real, x.imag] for x in flat.tolist()]]}
    if array.dtype.name == "bfloat16":
        flat = flat.astype(np.float32)
    return {"array": [array.dtype.name, list(array.shape), flat.tolist()]}


def _attribute(value: Any) -> Any:
    """An attribute's value as a program's data; raises TypeError for values that a program does not have."""
    if isinstance(value, dtypes.DType):
        return {"tf": value.name}
    if isinstance(value, TensorShape):
        return {"shape": None if value.ndims is None else value.as_list()}
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, list):
        return [_attribute(item) for item in value]
    raise TypeError(value)


def _call(op: Any, session: Any, feeds: Any) -> dict[str, Any] | None:
    info = _core.op_info(op.type)
    if any(arg["is_ref"] for arg in info["inputs"]) or not info["has_kernel"]:
        return None
    if any(t.dtype.name.startswith(("resource", "variant")) or t.dtype._is_ref_dtype for t in op.inputs):
        return None
    if any(t.dtype.name in ("resource", "variant") for t in op.outputs) or not (op.outputs or op.inputs):
        return None
    # What waits for others is no single call.
    options = proto.RunOptions(timeout_in_ms=500)
    values = iter([array_data(v) for v in _run(session, list(op.inputs), feeds, options)])
    arguments: dict[str, Any] = {}
    inferred = set()
    for arg in info["inputs"]:
        inferred |= {arg.get("type_attr"), arg["number_attr"]}
        if arg["is_list"]:
            count = op.get_attr(arg["number_attr"]) if arg["number_attr"] else len(op.get_attr(arg["type_attr"]))
            arguments[arg["name"]] = [next(values) for _ in range(count)]
        else:
            arguments[arg["name"]] = next(values)
    attributes = {a["name"]: _attribute(op.get_attr(a["name"])) for a in info["attrs"] if a["name"] not in inferred}
    return {"op": op.type, "inputs": arguments, "attributes": attributes}


def _size(call: dict[str, Any]) -> int:
    return len(json.dumps(call))


def _kind(call: dict[str, Any]) -> str:
    def shape(data: Any) -> Any:
        return [shape(d) for d in data] if isinstance(data, list) else [data["array"][0], len(data["array"][1])]

    return json.dumps([call["op"], {k: shape(v) for k, v in call["inputs"].items()}, call["attributes"]])


def _harvest(session: Any, feeds: Any) -> None:
    seen = _seen.setdefault(session.graph, set())
    for op in session.graph.get_operations():
        if op.name in seen:
            continue
        seen.add(op.name)
        try:
            call = _call(op, session, feeds)
        except Exception:
            continue
        if call is None or any(
            len(d["array"][2]) > _MOST_ELEMENTS
            for v in call["inputs"].values()
            for d in (v if isinstance(v, list) else [v])
        ):
            continue
        calls = _found.setdefault(_kind(call), [])
        if call not in calls and len(calls) < _MOST_OF_A_KIND:
            calls.append(call)


def _running(self: Any, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any) -> Any:
    global _busy
    result = _run(self, fetches, feed_dict, *args, **kwargs)
    if not _busy and len(self.graph.get_operations()) < 3000:
        _busy = True
        try:
            _harvest(self, feed_dict)
        finally:
            _busy = False
    return result


def _write() -> None:
    with open(os.environ["FERROFLOW_HARVEST"], "a") as file:
        for calls in _found.values():
            for call in calls:
                file.write(json.dumps(call) + "\n")


Session.run = _running  # type: ignore[method-assign]
atexit.register(_write)

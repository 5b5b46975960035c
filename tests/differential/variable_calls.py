"""Programs of single ops on variables: updates, assignments and reads, made from the ops' schemas."""

from __future__ import annotations

import functools
import random
import re
from typing import Any

import numpy as np
from differential.call_inputs import Call, numbers
from differential.op_calls import changed
from differential.writing import Data, array, tf

from ferroflow import _core

_RESOURCE = 20
_UPDATES = ("Apply", "SparseApply", "Scatter", "Assign", "StridedSliceAssign", "CountUpTo")
# TensorFlow 1.15 lacks these, or their result is random.
_LEFT_OUT = ("ScatterNd", "ScatterNdNonAliasingAdd")
_SHAPE = (3, 2)
_STEPS = {"begin": [0, 0], "end": [2, 2], "strides": [1, 1]}
_SCALES = {"lr_power": -0.5, "logbase": 1.5, "l1": 0.01, "l2": 0.02, "l2_shrinkage": 0.03, "epsilon": 0.1}
# Sums of squares, and what is divided by.
_POSITIVE = re.compile("accum|accum_update|v|vhat|ms|gradient_squared_accumulator")


def is_variable(argument: dict[str, Any]) -> bool:
    """Returns True if an argument of a schema is a reference to a variable, or a handle."""
    return bool(argument["is_ref"] or argument.get("type") == _RESOURCE)


def _values(op: str, name: str, draw: np.random.RandomState) -> Any:
    if name == "indices":
        if "ScatterNd" in op or op.endswith("GatherNd"):
            return numbers([[0], [2]])
        return numbers([0, 2])
    if name in _STEPS:
        return numbers(_STEPS[name])
    if name == "global_step":
        return numbers(3, "int64")
    rows = 2 if "Scatter" in op or "SparseApply" in op else 3
    if name in ("grad", "delta", "value", "updates"):
        shape = (2, 2) if "StridedSlice" in op else (rows, *_SHAPE[1:])
        return array(draw.uniform(-2, 2, shape), "float32")
    return array(_SCALES.get(name, draw.uniform(0.1, 0.9)), "float32")


def _call(op: str) -> Call:
    info = _core.op_info(op)
    draw = np.random.RandomState(sum(map(ord, op)))
    inputs: dict[str, Data] = {}
    for argument in info["inputs"]:
        name = argument["name"]
        if is_variable(argument):
            low = 0.1 if _POSITIVE.fullmatch(name) and "Apply" in op else -2
            inputs[name] = array(draw.uniform(low, 2, _SHAPE), "float32")
            if op.endswith("CountUpTo"):
                inputs[name] = numbers(3)
        else:
            inputs[name] = _values(op, name, draw)
    attributes: dict[str, Any] = {
        attr["name"]: attr["default"]
        for attr in info["attrs"]
        if attr["type"] in ("int", "bool") and attr["has_default"]
    }
    if op.endswith("CountUpTo"):
        attributes["limit"] = 7
    if op == "ResourceCountUpTo":
        attributes["T"] = tf("int32")
    if any(attr["name"] == "dtype" for attr in info["attrs"]) and "Gather" in op:
        attributes["dtype"] = tf("float32")
    return op, inputs, attributes


@functools.cache
def calls() -> list[Call]:
    """Returns one call of each op; the inputs that are variables stand for their first values."""
    ops = [name for name in _core.op_names() if name.removeprefix("Resource").startswith((*_UPDATES, "Gather"))]
    ops = [name for name in ops if name not in _LEFT_OUT and any(map(is_variable, _core.op_info(name)["inputs"]))]
    return [_call(op) for op in sorted(ops)]


def program(number: int) -> dict[str, Any]:
    """The program of a number: it fills the variables, runs the op twice, and reads the variables after each run."""
    rng = random.Random(number)
    op, inputs, attributes = calls()[number % len(calls())]
    call = {"op": op, "inputs": inputs, "attributes": attributes}
    call = changed(call, rng, rng.choice((0, 1, 1, 2)))
    variables = {argument["name"]: argument for argument in _core.op_info(op)["inputs"] if is_variable(argument)}
    steps: list[Any] = []
    arguments: dict[str, Data] = {}
    filled, read, feed = [], [], []
    is_sized = rng.random() < 0.8
    for name, data in call["inputs"].items():
        dtype, shape, _ = data["array"]
        kind = {"dtype": tf(dtype)}
        if name in variables:
            known = {"shape": shape if is_sized else None}
            named = {**kind, "shape": known, "container": "", "shared_name": name}
            is_reference = variables[name]["is_ref"]
            steps += [
                [name, f"raw_ops.{'VariableV2' if is_reference else 'VarHandleOp'}", [], named],
                [f"first_{name}", "constant", [data], kind],
            ]
            first = {"value": {"ref": f"first_{name}"}}
            if is_reference:
                steps.append([f"fill_{name}", "raw_ops.Assign", [], {"ref": {"ref": name}, **first}])
                steps[-1][3].update(validate_shape=is_sized, use_locking=True)
                read.append({"ref": name})
            else:
                steps.append([f"fill_{name}", "raw_ops.AssignVariableOp", [], {"resource": {"ref": name}, **first}])
                steps.append([f"read_{name}", "raw_ops.ReadVariableOp", [], {"resource": {"ref": name}, **kind}])
                read.append({"ref": f"read_{name}"})
            filled.append({"ref": f"fill_{name}"})
        elif rng.random() < 0.4:
            steps.append([name, "constant", [data], kind])
        else:
            static: Data = {"shape": rng.choice((shape, shape, None, [None for _ in shape]))}
            steps.append([name, "placeholder", [tf(dtype), static], {}])
            feed.append([{"ref": name}, data])
        arguments[name] = {"ref": name}
    steps.append(["y", f"raw_ops.{op}", [], {**arguments, **call["attributes"]}])
    once = [{"fetch": {"ref": "y"}, "feed": feed}, {"fetch": read}]
    runs = [{"fetch": filled}, *once, *once]
    about = {"about": f"variables of {op}", "seed": 1, "exact": False, "changes_variables": True}
    return {**about, "steps": steps, "runs": runs}

"""Definitions of ops say what TensorFlow 1.15's say, but for what is listed here with a reason."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.base import dtypes

GOLDEN: dict[str, Any] = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "op_definitions.json.xz").read_bytes())
)
SHARED = sorted(set(GOLDEN) & set(_core.op_names()))
# Attributes of later TensorFlow, with which kernels here take more types or ways of padding.
LATER_ATTRS = {
    **{f"DepthwiseConv2dNative{suffix}": {"explicit_paddings"} for suffix in ("", "BackpropFilter", "BackpropInput")},
    **{f"{prefix}RFFT{suffix}": {"Treal", "Tcomplex"} for prefix in ("", "I") for suffix in ("", "2D", "3D")},
}
# Arguments whose types later TensorFlow takes from those attributes.
LATER_ARGUMENTS = {
    f"{prefix}RFFT{suffix}": {"input": first, "output": second}
    for prefix, first, second in (("", "Treal", "Tcomplex"), ("I", "Tcomplex", "Treal"))
    for suffix in ("", "2D", "3D")
}
# Types that only later TensorFlow allows, and for which kernels here exist.
LATER_TYPES = {
    ("AsString", "T"): {"bfloat16", "float16", "uint8", "uint16", "uint32", "uint64"},
    ("BatchSvd", "T"): {"float16"},
    ("Conv2D", "T"): {"int32"},
    **{(name, "T"): {"bfloat16"} for name in ("ResizeArea", "ResizeNearestNeighbor", "Xdivy", "Xlogy")},
}
# Types that TensorFlow's definition allows, and for which it has no kernel.
WITHOUT_KERNELS = {
    ("Conj", "T"): {"variant"},
    ("Relu", "T"): {"qint8"},
    ("SelfAdjointEig", "T"): {"float16"},
}


def _argument(op: str, arg: dict[str, Any]) -> list[Any]:
    """Returns what the golden file holds of an argument, without what only later TensorFlow has."""
    dtype = arg["type_attr"] if "type_attr" in arg else dtypes.as_dtype(arg["type"]).name
    if LATER_ARGUMENTS.get(op, {}).get(arg["name"]) == dtype:
        (attr,) = (attr for attr in _core.op_info(op)["attrs"] if attr["name"] == dtype)
        dtype = dtypes.as_dtype(attr["default"]).name
    return [arg["name"], arg["is_ref"], dtype, arg["number_attr"] or ""]


def _default(kind: str, value: Any) -> Any:
    """Returns an attribute's default as the golden file has it."""
    if kind == "tensor":
        return None
    if kind.startswith("list("):
        return [_default(kind[5:-1], item) for item in value]
    if kind == "type":
        return dtypes.as_dtype(value).name
    if kind == "shape":
        return str(None if value is None else list(value))
    return value.decode() if isinstance(value, bytes) else str(value)


def _names(numbers: list[int]) -> set[str]:
    return {dtypes.as_dtype(number).name for number in numbers}


def test_most_ops_are_compared() -> None:
    assert len(SHARED) > 830


@pytest.mark.parametrize("fact", ["is_stateful", "is_commutative", "is_aggregate"])
def test_facts_are_tensorflows(fact: str) -> None:
    assert {name: _core.op_info(name)[fact] for name in SHARED} == {name: GOLDEN[name][fact] for name in SHARED}


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_arguments_are_tensorflows(side: str) -> None:
    ours = {name: [_argument(name, arg) for arg in _core.op_info(name)[side]] for name in SHARED}
    assert ours == {name: GOLDEN[name][side] for name in SHARED}


def test_attributes_are_tensorflows() -> None:
    wrong = []
    for name in SHARED:
        ours = {attr["name"]: attr for attr in _core.op_info(name)["attrs"]}
        theirs = GOLDEN[name]["attrs"]
        if set(ours) - LATER_ATTRS.get(name, set()) != set(theirs):
            wrong.append((name, sorted(ours), sorted(theirs)))
            continue
        for key, want in theirs.items():
            got = ours[key]
            facts = (got["type"], got["has_default"], got["minimum"])
            if facts != (want["type"], want["has_default"], want["minimum"]):
                wrong.append((name, key, facts))
            if want["has_default"] and _default(got["type"], got["default"]) != want["default"]:
                wrong.append((name, key, got["default"], want["default"]))
            types = _names(got["allowed_types"])
            more = types - set(want["types"]) if want["types"] else set()
            if more != LATER_TYPES.get((name, key), set()) or (want["types"] and not types):
                wrong.append((name, key, "more than TensorFlow's", sorted(more)))
            lacking = set(want["types"]) - types - WITHOUT_KERNELS.get((name, key), set())
            is_narrower = bool(types) and not want["types"]
            if (types and lacking) or is_narrower:
                wrong.append((name, key, sorted(lacking)))
            if got["type"] == "string" and key != "padding" and sorted(got["allowed_strings"]) != want["strings"]:
                wrong.append((name, key, got["allowed_strings"]))
    assert wrong == []


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("given", ["float64", "complex128"])
def test_types_of_a_transform_fit_each_other(given: str, rank: int) -> None:
    name = f"{'IRFFT' if given == 'complex128' else 'RFFT'}{f'{rank}D' if rank > 1 else ''}"
    x = tf.zeros([2, 2, 2], given)
    expected = "complex64" if given == "complex128" else "float32"
    with pytest.raises(
        TypeError, match=f"Input 'input' of '{name}' Op has type {given} .* expected type of {expected}"
    ):
        getattr(tf.raw_ops, name)(input=x, fft_length=[2] * rank)
    fitting = getattr(tf.raw_ops, name)(input=x, fft_length=[2] * rank, Treal=tf.float64, Tcomplex=tf.complex128)
    with tf.Session() as session:
        assert not session.run(fitting).any()

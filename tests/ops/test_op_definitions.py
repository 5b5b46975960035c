"""Definitions of ops say what TensorFlow 1.15's say, but for what is listed here with a reason."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

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
# Types that TensorFlow's definition allows, and for which it has no kernel.
WITHOUT_KERNELS = {
    ("Conj", "T"): {"variant"},
    ("Relu", "T"): {"qint8"},
    ("SelfAdjointEig", "T"): {"float16"},
}
# Ops of which TensorFlow allows any type, and has kernels for those alone that the definition here names.
NAMED_TYPES = {("ResourceScatterNdAdd", "T"), ("ResourceScatterNdSub", "T")}


def _names(numbers: list[int]) -> set[str]:
    return {dtypes.as_dtype(number).name for number in numbers}


def test_most_ops_are_compared() -> None:
    assert len(SHARED) > 830


@pytest.mark.parametrize("fact", ["is_stateful", "is_commutative", "is_aggregate"])
def test_facts_are_tensorflows(fact: str) -> None:
    assert {name: _core.op_info(name)[fact] for name in SHARED} == {name: GOLDEN[name][fact] for name in SHARED}


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_arguments_are_tensorflows(side: str) -> None:
    ours = {name: [[arg["name"], arg["is_ref"]] for arg in _core.op_info(name)[side]] for name in SHARED}
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
            types = _names(got["allowed_types"])
            lacking = set(want["types"]) - types - WITHOUT_KERNELS.get((name, key), set())
            is_narrower = bool(types) and not want["types"] and (name, key) not in NAMED_TYPES
            if (types and lacking) or is_narrower:
                wrong.append((name, key, sorted(lacking)))
            if got["type"] == "string" and key != "padding" and sorted(got["allowed_strings"]) != want["strings"]:
                wrong.append((name, key, got["allowed_strings"]))
    assert wrong == []

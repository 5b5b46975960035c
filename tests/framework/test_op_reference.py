"""The functions of `tf.raw_ops` say what they take and give: one tensor, a list, or several lists."""

from __future__ import annotations

import inspect

import pytest

import ferroflow as tf


@pytest.mark.parametrize(
    ("op", "line"),
    [
        ("Neg", "x: Tensor of dtype `T`."),
        ("AddN", "inputs: list of `N` Tensors of dtype `T`."),
        ("Assign", "ref: reference to a Tensor of dtype `T`."),
        ("RefMerge", "inputs: list of `N` references to Tensors of dtype `T`."),
        ("IdentityN", "input: list of Tensors of the dtypes `T`."),
        ("ConcatV2", "N: int, at least 2; None: counted from the inputs."),
        ("ConcatV2", "axis: Tensor of dtype `Tidx`."),
        ("MatMul", "transpose_a: bool; None for False."),
        ("Conv2D", "strides: list of int."),
    ],
)
def test_an_argument_is_described_by_its_kind(op, line):
    assert f"    {line}" in inspect.getdoc(getattr(tf.raw_ops, op)).splitlines()


def test_an_attribute_that_may_be_left_out_is_none():
    parameters = inspect.signature(tf.raw_ops.ConcatV2).parameters
    assert list(parameters) == ["values", "axis", "N", "T", "Tidx", "name"]
    given = [name for name, p in parameters.items() if p.default is inspect.Parameter.empty]
    assert given == ["values", "axis"]
    assert parameters["N"].default is None

"""Law of the optimizers' updates: the error names the first variable that has no value, as TensorFlow 1.15.5 does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.framework.apply import apply_op

_FLOAT, _RESOURCE, _INT64 = (tf.float32.as_datatype_enum, tf.resource.as_datatype_enum, tf.int64.as_datatype_enum)
_UPDATES = [name for name in _core.op_names() if name.startswith(("ResourceApply", "ResourceSparseApply"))]
# By TensorFlow 1.15.5: the slots that an update does not find; of all others it refuses the reference.
_NOT_FOUND = {
    "ResourceApplyAdadelta": ["accum", "accum_update"],
    "ResourceSparseApplyAdadelta": ["accum", "accum_update"],
    "ResourceApplyAdamWithAmsgrad": ["vhat"],
}
_SHAPE = [2, 2]


def _variables(op: str) -> list[str]:
    return [given["name"] for given in _core.op_info(op)["inputs"] if given.get("type") == _RESOURCE]


def _argument(given: dict[str, Any], handles: dict[str, tf.Tensor]) -> Any:
    name = given["name"]
    if name in handles:
        return handles[name]
    if name in ("grad", "delta"):
        return tf.ones(_SHAPE)
    if name == "indices":
        return tf.constant([0, 1])
    if given.get("type") == _INT64:
        return tf.constant(1, tf.int64)
    return tf.constant(-0.5 if name == "lr_power" else 0.25)


def _update(op: str, missing: set[str]) -> None:
    """Runs an update whose variables have values but for those in `missing`, and checks that it changed no other."""
    with tf.Graph().as_default(), tf.Session() as session:
        handles = {
            name: tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=_SHAPE, container="", shared_name=name)
            for name in _variables(op)
        }
        there = [name for name in handles if name not in missing]
        for name in there:
            session.run(tf.raw_ops.AssignVariableOp(resource=handles[name], value=np.ones(_SHAPE, np.float32)))
        update = apply_op(op, [_argument(given, handles) for given in _core.op_info(op)["inputs"]])
        try:
            session.run(update)
        finally:
            values = session.run([tf.raw_ops.ReadVariableOp(resource=handles[n], dtype=tf.float32) for n in there])
            assert not missing or all((value == 1).all() for value in values)


def test_all_updates_are_here() -> None:
    assert len(_UPDATES) == 30
    assert all(_variables(op)[0] == "var" for op in _UPDATES)


@pytest.mark.parametrize("op", _UPDATES)
def test_a_variable_or_slot_without_a_value_is_refused_in_tensorflows_words(op: str) -> None:
    _update(op, set())
    names = _variables(op)
    for place, first in enumerate(names):
        for missing in ({first}, set(names[place:])):
            if first in _NOT_FOUND.get(op, []):
                with pytest.raises(tf.errors.NotFoundError, match=f"Resource localhost/{first}/N10tensorflow3VarE"):
                    _update(op, missing)
            else:
                with pytest.raises(tf.errors.InternalError, match=r"Invalid variable reference\."):
                    _update(op, missing)

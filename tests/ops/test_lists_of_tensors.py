"""Lists of tensors: what the graph knows of their elements, and which elements they refuse, as in TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

raw = tf.raw_ops
_ANY = -1
_ROWS = [[3, 1], [3, 2], [3, 1]]


def _list(shape: Any = _ANY, dtype: Any = tf.int32) -> tf.Tensor:
    """Returns a list of four rows of two numbers, of which the third has no value."""
    return raw.TensorListScatter(tensor=tf.constant(_ROWS, dtype), indices=[0, 1, 3], element_shape=shape)


def _shape(handle: tf.Tensor) -> tf.Tensor:
    return raw.TensorListElementShape(input_handle=handle, shape_type=tf.int32)


def _pop(handle: tf.Tensor, stated: Any = _ANY, dtype: Any = tf.int32) -> Any:
    return raw.TensorListPopBack(input_handle=handle, element_shape=stated, element_dtype=dtype)


def _joined(handle: tf.Tensor, stated: Any, leading: list[int]) -> tf.Tensor:
    lengths = tf.constant(leading, tf.int64)
    options = {"element_shape": stated, "leading_dims": lengths, "element_dtype": tf.int32}
    return raw.TensorListConcatV2(input_handle=handle, **options)[0]


_SAME_ELEMENTS: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "itself": lambda x: x,
    "identity": tf.identity,
    "push": lambda x: raw.TensorListPushBack(input_handle=x, tensor=[1, 2]),
    "pop": lambda x: _pop(x)[0],
    "set": lambda x: raw.TensorListSetItem(input_handle=x, index=0, item=[1, 2]),
    "resize": lambda x: raw.TensorListResize(input_handle=x, size=2),
    "scatter": lambda x: raw.TensorListScatterIntoExistingList(input_handle=x, tensor=[[1, 2]], indices=[0]),
    "join": lambda x: raw.TensorListConcatLists(input_a=x, input_b=x, element_dtype=tf.int32),
    "zeros": tf.zeros_like,
    "sum": lambda x: tf.add_n([x, x]),
    "switch": lambda x: raw.Switch(data=x, pred=True)[1],
}


@pytest.mark.parametrize("change", _SAME_ELEMENTS)
@pytest.mark.parametrize(("stated", "static", "value"), [([2], [1], [2]), ([-1], [1], [-1]), (_ANY, None, -1)])
def test_the_static_shape_of_an_element_shape_is_that_of_its_value(
    change: str, stated: Any, static: list[int] | None, value: Any
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        shape = _shape(_SAME_ELEMENTS[change](_list(stated)))
        assert (None if shape.shape.ndims is None else shape.shape.as_list()) == static
        np.testing.assert_array_equal(session.run(shape), value)


def test_branches_and_loops_may_make_lists_of_other_elements() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        chosen = _shape(tf.cond(tf.constant(False), lambda: _list([2]), _list))
        assert chosen.shape.ndims is None
        assert session.run(chosen) == -1


@pytest.mark.parametrize(
    ("read", "static"),
    [
        (lambda x: _pop(x, [7])[1], [2]),
        (lambda x: raw.TensorListGetItem(input_handle=x, index=0, element_shape=_ANY, element_dtype=tf.int32), [2]),
        (lambda x: raw.TensorListStack(input_handle=x, element_shape=[-1], element_dtype=tf.int32), [None, 2]),
        (
            lambda x: raw.TensorListGather(input_handle=x, indices=[0], element_shape=_ANY, element_dtype=tf.int32),
            [1, 2],
        ),
        (lambda x: _joined(x, _ANY, []), [None]),
    ],
)
def test_what_is_read_has_the_shape_of_the_list(read: Callable[[tf.Tensor], tf.Tensor], static: list[Any]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        element = read(_list([2]))
        assert element.shape.as_list() == static
        assert element.shape.is_compatible_with(session.run(element).shape)


def test_elements_that_are_stated_to_be_scalars_are_joined_to_a_vector() -> None:
    with tf.Graph().as_default():
        assert _joined(_list(), np.zeros([0], np.int32), []).shape.as_list() == [None]


_WRONG: dict[str, Callable[[Any], Any]] = {
    "Trying to push to list with wrong element dtype. List has type int32": lambda x: raw.TensorListPushBack(
        input_handle=x, tensor=[1.0, 2.0]
    ),
    "Trying to read from list with wrong element dtype. List has type int32 but trying to push": lambda x: _pop(
        x, [2], tf.float32
    ),
    "Trying to read from list with wrong element dtype. List has type int32 but expected type float": lambda x: (
        raw.TensorListStack(input_handle=x, element_shape=[2], element_dtype=tf.float32)
    ),
    "Expected list with element dtype float but got list with element dtype int32": lambda x: raw.TensorListGetItem(
        input_handle=x, index=0, element_shape=[2], element_dtype=tf.float32
    ),
    "input_b.type != element_dtype": lambda x: raw.TensorListConcatLists(
        input_a=x, input_b=_list([2], tf.float32), element_dtype=tf.int32
    ),
    "Dimension 0 in both shapes must be equal, but are 3 and 2": lambda x: raw.TensorListSetItem(
        input_handle=x, index=0, item=[1, 2, 3]
    ),
    "Dimension 0 in both shapes must be equal, but are 4 and 2": lambda _: raw.TensorListFromTensor(
        tensor=[[1, 2]], element_shape=[4]
    ),
    "Shapes must be equal rank, but are 1 and 0 for 'TensorListFromTensor'": lambda _: raw.TensorListFromTensor(
        tensor=[1, 2], element_shape=[-1]
    ),
    "Shape must be at least rank 1 but is rank 0": lambda x: raw.TensorListScatterIntoExistingList(
        input_handle=x, tensor=1, indices=[0]
    ),
    "Dimension 0 in both shapes must be equal, but are 2 and 3": lambda x: raw.TensorListGetItem(
        input_handle=x, index=0, element_shape=[3], element_dtype=tf.int32
    ),
}


@pytest.mark.parametrize("message", _WRONG)
def test_elements_of_another_type_are_refused_when_the_graph_is_built(message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        _WRONG[message](_list([2]))


_WRONG_IN_STEPS: dict[str, Callable[[], Any]] = {
    "Tried to append a tensor with incompatible shape to a list": lambda: raw.TensorListLength(
        input_handle=raw.TensorListPushBack(input_handle=_list([2]), tensor=[1, 2, 3])
    ),
    "element shapes are not identical at index 0": lambda: raw.TensorListLength(
        input_handle=raw.TensorListConcatLists(input_a=_list([2]), input_b=_list(), element_dtype=tf.int32)
    ),
    "uninitialized tensor but element_shape is not fully defined": lambda: _pop(_pop(_list())[0])[1],
    "element_shape is not fully defined": lambda: raw.TensorListGather(
        input_handle=_list(), indices=[2], element_shape=_ANY, element_dtype=tf.int32
    ),
    "First entry of element_shape input does not match": lambda: _joined(_list(), [3], []),
}


@pytest.mark.parametrize("message", _WRONG_IN_STEPS)
def test_elements_of_another_shape_are_refused_in_the_step(message: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        wrong = _WRONG_IN_STEPS[message]()
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(wrong)


@pytest.mark.parametrize("listed", [_ANY, [-1], [2]])
@pytest.mark.parametrize("stated", [_ANY, [-1], [2]])
@pytest.mark.parametrize(("leading", "length"), [([], 2), ([9], 2), ([9, 9, 3, 9], 3)])
def test_a_place_without_a_value_is_joined_as_long_as_stated_or_as_all_others(
    listed: Any, stated: Any, leading: list[int], length: int
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        joined = session.run(_joined(_list(listed), stated, leading))
        assert joined.tolist() == [3, 1, 3, 2, *[0] * length, 3, 1]

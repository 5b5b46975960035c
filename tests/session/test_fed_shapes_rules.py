"""Plans for the shapes of feeds rely on rules that hold for every value: steps 1 and 10 of a request are the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest
from session.test_fed_shapes import _general

import ferroflow as tf
from ferroflow.python.framework import function

# Two more than the steps before a plan for the shapes is made.
_STEPS = 10
# The error of a step that finds a variable with another shape than its plan relies on.
_RESHAPED = "and was given one of shape"
_raw = tf.raw_ops
Feeds = dict[Any, Any]
Built = tuple[list[Any], Feeds]


def _ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def _any(dtype: Any = tf.float32, shape: Any = None) -> Any:
    return tf.placeholder(dtype, shape)


def _hidden(tensor: Any) -> Any:
    """Returns the tensor, with a shape that nothing tells."""
    return tf.py_func(lambda value: value, [tensor], tensor.dtype)


def _shape(tensor: Any) -> Any:
    """Returns a tensor's shape; tf.shape would be a constant where the program states the shape."""
    return _raw.Shape(input=tensor, out_type=tf.int32)


def _with_shape(tensor: Any, feeds: Feeds) -> Built:
    return [_shape(tensor), tensor], feeds


def _outcome(session: Any, fetches: Any, feeds: Feeds) -> Any:
    try:
        values = session.run(fetches, feeds)
    except tf.errors.OpError as error:
        return error.message
    return [(np.shape(v), np.asarray(v).tobytes()) for v in tf.contrib.framework.nest.flatten(values)]


def _outcomes(build: Callable[[], Built], feeds_after: Callable[[Feeds], list[Feeds]] | None) -> list[list[Any]]:
    """Returns the outcomes of the steps with, and without, plans for the shapes of feeds."""
    found = []
    for made in (mock.MagicMock(), _general()):
        with tf.Graph().as_default():
            fetches, feeds = build()
            with made:
                session = tf.Session()
            with session:
                session.run(tf.global_variables_initializer())
                steps = [feeds] * _STEPS + (feeds_after(feeds) if feeds_after else [])
                found.append([_outcome(session, fetches, each) for each in steps])
    return found


def _resized(name: str, **more: Any) -> Built:
    gradients, image = _any(), _any()
    made = getattr(_raw, name)(grads=_hidden(gradients), original_image=image, **more)
    return _with_shape(made, {gradients: _ones(1, 2, 2, 3), image: _ones(2, 2, 2, 3)})


def _cross_entropy(hides_logits: bool) -> Built:
    logits, labels = _any(), _any()
    shown = (_hidden(logits), labels) if hides_logits else (logits, _hidden(labels))
    loss, gradient = _raw.SoftmaxCrossEntropyWithLogits(features=shown[0], labels=shown[1])
    rows = (2, 1) if hides_logits else (1, 2)
    feeds = {logits: _ones(rows[0], 3), labels: _ones(rows[1], 3)}
    return [_shape(loss), _shape(gradient), loss, gradient], feeds


def _functions() -> tuple[Any, Any]:
    twice = function.Defun(tf.float32, func_name="twice")(lambda x: tf.concat([x, x], 0))
    same = function.Defun(tf.float32, func_name="same")(lambda x: tf.identity(x))
    for made in (twice, same):
        made.add_to_graph(tf.get_default_graph())
    return twice, same


def _conditional() -> Built:
    twice, same = _functions()
    x, p = _any(), _any(tf.bool, [])
    y = _raw.If(cond=p, input=[x], Tout=[tf.float32], then_branch=twice, else_branch=same, output_shapes=[[2]])[0]
    return _with_shape(y, {x: _ones(2), p: True})


def _case() -> Built:
    twice, same = _functions()
    x, p = _any(), _any(tf.int32, [])
    y = _raw.Case(branch_index=p, input=[x], Tout=[tf.float32], branches=[twice, same], output_shapes=[[2]])[0]
    return _with_shape(y, {x: _ones(2), p: 0})


def _loop() -> Built:
    twice, _ = _functions()
    small = function.Defun(tf.float32, func_name="small")(lambda x: tf.reduce_sum(x) < 10)
    small.add_to_graph(tf.get_default_graph())
    x = _any()
    return _with_shape(_raw.While(input=[x], cond=small, body=twice, output_shapes=[[2]])[0], {x: _ones(2)})


def _mapped() -> Built:
    twice, _ = _functions()
    x = _any()
    made = _raw.MapDefun(arguments=[x], captured_inputs=[], output_types=[tf.float32], output_shapes=[[3]], f=twice)[0]
    return _with_shape(made, {x: _ones(2, 3)})


def _default() -> Built:
    x = _any()
    default = tf.placeholder_with_default(tf.py_func(lambda _: _ones(3), [x], tf.float32), [2])
    return _with_shape(default, {x: _ones(1)})


def _list_item() -> Built:
    x = _any()
    made = _raw.TensorListFromTensor(tensor=x, element_shape=tf.constant([-1]))
    item = _raw.TensorListGetItem(input_handle=made, index=0, element_shape=tf.constant([5]), element_dtype=tf.float32)
    return _with_shape(item, {x: _ones(2, 3)})


_RULES: dict[str, Callable[[], Built]] = {
    "SoftmaxCrossEntropyWithLogits, logits hidden": lambda: _cross_entropy(True),
    "SoftmaxCrossEntropyWithLogits, labels hidden": lambda: _cross_entropy(False),
    "ResizeBilinearGrad": lambda: _resized("ResizeBilinearGrad"),
    "ResizeBicubicGrad": lambda: _resized("ResizeBicubicGrad"),
    "ScaleAndTranslateGrad": lambda: _resized("ScaleAndTranslateGrad", scale=[1.0, 1.0], translation=[0.0, 0.0]),
    "If": _conditional,
    "Case": _case,
    "While": _loop,
    "MapDefun": _mapped,
    "PlaceholderWithDefault": _default,
    "TensorListGetItem": _list_item,
}


@pytest.mark.parametrize("name", _RULES)
def test_a_rule_states_the_shape_that_the_kernel_gives(name: str) -> None:
    shaped, general = _outcomes(_RULES[name], None)
    assert not isinstance(general[0], str), general[0]
    assert shaped == general


def _reshaped() -> tuple[Built, Any]:
    x, n = _any(), _any(tf.int32, [])
    return ([tf.reshape(x, [n, 3])], {x: _ones(2, 3), n: 2}), n


def _tiled() -> tuple[Built, Any]:
    x, n = _any(), _any(tf.int32, [])
    return ([tf.tile(x, [n, 1])], {x: _ones(0, 3), n: 2}), n


def _stretched() -> tuple[Built, Any]:
    x, n = _any(), _any(tf.int32, [])
    return ([tf.broadcast_to(x, [n])], {x: _ones(4), n: 4}), n


def _measured(check: Callable[[Any, Any], Any]) -> Callable[[], tuple[Built, Any]]:
    """Returns a program that fetches only the shape of what checks a number."""

    def build() -> tuple[Built, Any]:
        x, n = _any(), _any(tf.int32, [])
        return ([_shape(check(x, n))], {x: _ones(2, 3), n: 1}), n

    return build


# Programs, and for each a fed number with which it fails.
_CHECKS: dict[str, tuple[Callable[[], tuple[Built, Any]], int]] = {
    "Reshape": (_reshaped, 5),
    "Tile": (_tiled, -1),
    "BroadcastTo": (_stretched, 0),
    "shape of GatherV2": (_measured(tf.gather), 9),
    "shape of StridedSlice": (_measured(lambda x, n: x[n]), 2),
    "shape of Cumsum": (_measured(tf.cumsum), 9),
    "shape of ReverseV2": (_measured(lambda x, n: tf.reverse(x, [n])), 9),
    "shape of BiasAdd": (_measured(lambda x, n: tf.nn.bias_add(x, tf.ones([n * 3]))), 2),
    "shape of MatrixBandPart": (_measured(lambda x, n: tf.linalg.band_part(x, n, n)), 7),
    "shape of EnsureShape": (_measured(lambda x, n: tf.ensure_shape(_hidden(x[:n]), [1, 3])), 2),
}


@pytest.mark.parametrize("name", _CHECKS)
def test_a_step_fails_however_often_it_was_made_before(name: str) -> None:
    build, wrong = _CHECKS[name]
    numbers: list[Any] = []

    def built() -> Built:
        program, number = build()
        numbers.append(number)
        return program

    shaped, general = _outcomes(built, lambda feeds: [{**feeds, numbers[-1]: wrong}])
    assert isinstance(general[-1], str)
    assert shaped == general


def test_the_mean_over_no_axes_flushes_denormals() -> None:
    def build() -> Built:
        x = _any()
        return [tf.reduce_mean(x, []), tf.reduce_mean(x[0])], {x: np.array([1e-45, -1e-40, 1.0], np.float32)}

    shaped, general = _outcomes(build, None)
    assert shaped == general


def test_a_variable_that_a_step_of_python_code_reshapes() -> None:
    """The code runs another step within the step that reads the variable after it."""

    def build() -> Built:
        x, value = _any(), _any()
        variable = tf.Variable(_ones(2), validate_shape=False, use_resource=True)
        assign = _raw.AssignVariableOp(resource=variable.handle, value=value)
        steps: list[Any] = []

        def code(number: Any) -> Any:
            steps.append(None)
            tf.get_default_session().run(assign, {value: _ones(2 + len(steps))})
            return number

        with tf.control_dependencies([tf.py_func(code, [x], tf.float32)]):
            read = _raw.ReadVariableOp(resource=variable.handle, dtype=tf.float32)
        return [_shape(read), read * x], {x: _ones(1)}

    shaped, general = _outcomes(build, None)
    for got, expected in zip(shaped, general, strict=True):
        assert got == expected or _RESHAPED in got


def test_a_variable_that_another_thread_reshapes() -> None:
    with tf.Graph().as_default():
        x, value = _any(), _any()
        variable = tf.Variable(_ones(2), validate_shape=False)
        assign = tf.assign(variable, value, validate_shape=False)
        read = variable + 0.0
        fetches = [_shape(read * x), read * x, tf.gradients(tf.reduce_sum(read * x), x)[0]]
        wrong: list[Any] = []
        done = threading.Event()
        with tf.Session() as session:
            session.run(variable.initializer)

            def run() -> None:
                while not done.is_set():
                    try:
                        shape, product, gradient = session.run(fetches, {x: np.float32(1)})
                    except tf.errors.AbortedError as error:
                        if _RESHAPED not in error.message:
                            wrong.append(error.message)
                        continue
                    if tuple(shape) != product.shape or gradient != product.size:
                        wrong.append((shape, product, gradient))

            threads = [threading.Thread(target=run) for _ in range(3)]
            for thread in threads:
                thread.start()
            for count in range(600):
                session.run(assign, {value: _ones(1 + count % 5)})
                done.wait(0.003 if count % 7 else 0.05)
            done.set()
            for thread in threads:
                thread.join()
        assert wrong == []

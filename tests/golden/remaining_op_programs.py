"""Calls of ops that graphs of TF 1.13 to 1.15 hold and few functions make, and what they give, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from golden.later_op_programs import outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[Any], Any]

__all__ = ["CASES", "outcome"]

_RNG = np.random.RandomState(7)
_IMAGES = _RNG.uniform(-1, 2, (2, 5, 7, 3)).astype(np.float32)
_WEIGHTS = _RNG.uniform(-1, 1, (2, 8, 4, 3)).astype(np.float32)
_ROWS = np.arange(12.0, dtype=np.float32).reshape(4, 3)
_KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")
_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def _scaled(kernel: str, antialias: bool, scale: tuple[float, float], shift: tuple[float, float]) -> Case:
    def case(tf: Any) -> Any:
        images = tf.constant(_IMAGES)
        out = tf.raw_ops.ScaleAndTranslate(
            images=images, size=[8, 4], scale=scale, translation=shift, kernel_type=kernel, antialias=antialias
        )
        return [out, tf.gradients(tf.reduce_sum(out * _WEIGHTS), images)[0]]

    return case


def _resized(method: str, antialias: bool) -> Case:
    def case(tf: Any) -> Any:
        images = tf.constant(_IMAGES)
        out = tf.compat.v2.image.resize(images, [3, 4], method, antialias=antialias)
        kept = tf.compat.v2.image.resize(images[0], [4, 9], method, preserve_aspect_ratio=True, antialias=antialias)
        padded = tf.compat.v2.image.resize_with_pad(images, 6, 4, method, antialias=antialias)
        return [out, kept, padded]

    return case


def _list_of(tf: Any, tensor: Any) -> Any:
    return tf.raw_ops.TensorListFromTensor(tensor=tensor, element_shape=tensor.shape[1:].as_list())


def _stack(tf: Any, values: Any, shape: Any) -> Any:
    return tf.raw_ops.TensorListStack(input_handle=values, element_shape=shape, element_dtype=tf.float32)


def _placed(tf: Any) -> Any:
    x, item = tf.constant(_ROWS), tf.constant([7.0, 8.0, 9.0])
    values = tf.raw_ops.TensorListSetItem(input_handle=_list_of(tf, x), index=2, item=item)
    one = tf.raw_ops.TensorListGetItem(input_handle=values, index=1, element_shape=[3], element_dtype=tf.float32)
    all_of = _stack(tf, values, [3])
    y = tf.reduce_sum(all_of * _ROWS) + tf.reduce_sum(one * one)
    return [all_of, one, *tf.gradients(y, [x, item])]


def _gathered(tf: Any) -> Any:
    x = tf.constant(_ROWS)
    got = tf.raw_ops.TensorListGather(
        input_handle=_list_of(tf, x), indices=[3, 0], element_shape=[3], element_dtype=tf.float32
    )
    return [got, tf.gradients(tf.reduce_sum(got * got), x)[0]]


def _scattered(tf: Any) -> Any:
    x = tf.constant(_ROWS)
    placed = tf.raw_ops.TensorListScatterV2(tensor=x, indices=[4, 0, 2, 1], element_shape=[3], num_elements=6)
    grown = tf.raw_ops.TensorListScatter(tensor=x, indices=[1, 0, 3, 2], element_shape=[3])
    into = tf.raw_ops.TensorListScatterIntoExistingList(input_handle=placed, tensor=x[:2], indices=[5, 0])
    got = _stack(tf, into, [3])
    lengths = [tf.raw_ops.TensorListLength(input_handle=v) for v in (placed, grown, into)]
    return [got, _stack(tf, grown, [3]), *lengths, tf.gradients(tf.reduce_sum(got * got), x)[0]]


def _joined(tf: Any) -> Any:
    x = tf.constant(_ROWS)
    parts = tf.raw_ops.TensorListSplit(tensor=x, element_shape=[-1, 3], lengths=[1, 0, 3])
    whole = tf.raw_ops.TensorListConcatV2(
        input_handle=parts, element_shape=[-1, 3], leading_dims=[1, 0, 3], element_dtype=tf.float32
    )
    twice = tf.raw_ops.TensorListConcatLists(input_a=parts, input_b=parts, element_dtype=tf.float32)
    y = tf.reduce_sum(whole.tensor * whole.tensor)
    return [
        *whole,
        tf.raw_ops.TensorListLength(input_handle=twice),
        tf.raw_ops.TensorListElementShape(input_handle=parts, shape_type=tf.int64),
        tf.gradients(y, x)[0],
    ]


def _resized_list(tf: Any) -> Any:
    x = tf.constant(_ROWS)
    longer = tf.raw_ops.TensorListResize(input_handle=_list_of(tf, x), size=6)
    empty = tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.float32)
    got = _stack(tf, longer, [3])
    return [got, _stack(tf, empty, [2]), tf.gradients(tf.reduce_sum(got * got), x)[0]]


def _wrong_place(tf: Any) -> Any:
    values = _list_of(tf, tf.constant(_ROWS))
    return tf.raw_ops.TensorListGetItem(input_handle=values, index=4, element_shape=[3], element_dtype=tf.float32)


def _wrong_lengths(tf: Any) -> Any:
    parts = tf.raw_ops.TensorListSplit(tensor=_ROWS, element_shape=[-1, 3], lengths=[1, 2])
    return tf.raw_ops.TensorListLength(input_handle=parts)


def _drawn(draw: Callable[[Any, Any], Any]) -> Case:
    def case(tf: Any) -> Any:
        generator = tf.random.experimental.Generator.from_seed(1234)
        numbers = draw(tf, generator)
        with tf.control_dependencies([numbers]):
            state = generator.state.read_value()
        with tf.control_dependencies([generator.state.initializer]):
            ready = tf.no_op()
        tf.compat.v1.get_default_session().run(ready)
        return [numbers, state]

    return case


def _diagonals(tf: Any) -> Any:
    # TensorFlow 1.15.5's functions ignore `k`.
    x, raw = tf.constant(_ROWS), tf.raw_ops
    bands = raw.MatrixDiagV2(diagonal=x[:2], k=(-1, 0), num_rows=4, num_cols=3, padding_value=9.0)
    above = raw.MatrixDiagV2(diagonal=x[0], k=1, num_rows=-1, num_cols=-1, padding_value=0.0)
    parts = raw.MatrixDiagPartV2(input=x, k=(-2, 1), padding_value=-1.0)
    below = raw.MatrixSetDiagV2(input=x, diagonal=x[3, :3], k=-1)
    return [bands, above, parts, below]


def _operators(tf: Any) -> Any:
    x, axis, vector = (tf.constant(a, tf.float64) for a in ([[1.0, 2.0, 2.5]], [3.0, 0.5, 1.0], [1.0, -2.0, 0.25]))
    reflection = tf.linalg.LinearOperatorHouseholder(x)
    banded = tf.linalg.LinearOperatorToeplitz(axis, vector)
    outs = [
        *(reflection.to_dense(), reflection.determinant(), reflection.log_abs_determinant(), reflection.trace()),
        *(reflection.diag_part(), reflection.solvevec([[1.0, 2.0, 3.0]]), reflection.matvec([[1.0, 2.0, 3.0]])),
        *(banded.to_dense(), banded.determinant(), banded.trace(), banded.diag_part(), banded.matvec([1.0, 2.0, 3.0])),
        *(banded.solvevec([1.0, 2.0, 3.0]), banded.matmul(tf.eye(3, dtype=tf.float64), adjoint=True)),
    ]
    return outs


def _skipped(tf: Any) -> Any:
    generator = tf.random.experimental.Generator.from_state([2**62, -1, 5], 1)
    tf.compat.v1.get_default_session().run(generator.state.initializer)
    # TensorFlow's method returns nothing that could be waited for.
    skip = tf.raw_ops.RngSkip(resource=generator.state.handle, algorithm=1, delta=2**58)
    with tf.control_dependencies([skip]):
        return [generator.uniform([2, 2]), generator.key]


CASES: dict[str, Case] = {
    **{f"scale_{k}_{a}": _scaled(k, a, (1.6, 0.55), (0.3, -0.4)) for k in _KERNELS for a in (False, True)},
    "scale_moved_out": _scaled("triangle", True, (0.5, 2.0), (6.0, 9.0)),
    "scale_negative": _scaled("triangle", True, (-0.5, 2.0), (0.0, 0.0)),
    "scale_unknown_kernel": _scaled("sinc", True, (0.5, 2.0), (0.0, 0.0)),
    **{f"resize_{m}_{a}": _resized(m, a) for m in _METHODS for a in (False, True)},
    "list_places": _placed,
    "list_gather": _gathered,
    "list_scatter": _scattered,
    "list_split_concat": _joined,
    "list_resize": _resized_list,
    "list_wrong_place": _wrong_place,
    "list_wrong_lengths": _wrong_lengths,
    "generator_normal": _drawn(lambda tf, g: g.normal([5])),
    "generator_normal_f64": _drawn(lambda tf, g: g.normal([5], 1.0, 2.0, tf.float64)),
    "generator_truncated": _drawn(lambda tf, g: g.truncated_normal([5], dtype=tf.float64)),
    "generator_uniform": _drawn(lambda tf, g: g.uniform([3, 2], -1.0, 4.0)),
    "generator_int32": _drawn(lambda tf, g: g.uniform([7], -3, 9, tf.int32)),
    "generator_int64": _drawn(lambda tf, g: g.uniform([4], -5, 10**12, tf.int64)),
    "generator_full_uint32": _drawn(lambda tf, g: g.uniform_full_int([5], tf.uint32)),
    "generator_full_int32": _drawn(lambda tf, g: g.uniform_full_int([5], tf.int32)),
    "generator_full_uint64": _drawn(lambda tf, g: g.uniform_full_int([3], tf.uint64)),
    "generator_seeds": _drawn(lambda tf, g: g.make_seeds(2)),
    "generator_empty_interval": _drawn(lambda tf, g: g.uniform([4], 3, 3, tf.int32)),
    "generator_skip": _skipped,
    "diagonals": _diagonals,
    "linear_operators": _operators,
}

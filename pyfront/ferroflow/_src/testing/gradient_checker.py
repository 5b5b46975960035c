"""Numeric against symbolic derivatives: `tf.test.compute_gradient` and `compute_gradient_error`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base.progress import Progress, shown
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import identity


def _session() -> Any:
    sess = get_default_session()
    if sess is None:
        raise ValueError("Gradients are checked in a default session: use `with sess.as_default()`.")
    return sess


def _real_view(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns a flat view in which a complex number is two reals."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def theoretical_jacobian(
    x: Tensor,
    x_shape: Any,
    x_data: Any,
    dy: Tensor,
    y_shape: Any,
    dx: Any,
    extra_feed_dict: Any,
    advance: Callable[[int], Any] = lambda steps: None,
) -> np.ndarray[Any, Any]:
    """Returns the Jacobian that the gradient operations compute, one output element at a time: [x elements, y
    elements].
    """
    sess = _session()
    ones = np.zeros(y_shape, dtype=dy.dtype.as_numpy_dtype)
    flat = _real_view(ones)
    columns = []
    for i in range(flat.size):
        flat[i] = 1
        feeds = {**(extra_feed_dict or {}), x: x_data, dy: ones}
        if isinstance(dx, IndexedSlices):
            values, indices = sess.run([dx.values, dx.indices], feeds)
            backprop = np.zeros(x_shape, dtype=x_data.dtype)
            np.add.at(backprop, indices, values)
        else:
            backprop = np.asarray(sess.run(dx, feeds))
        columns.append(_real_view(np.ascontiguousarray(backprop)).copy())
        flat[i] = 0
        advance(1)
    x_size = _real_view(np.zeros(x_shape, dtype=x_data.dtype)).size
    if not columns:
        backprop = np.asarray(sess.run(convert_to_tensor(dx), {**(extra_feed_dict or {}), x: x_data, dy: ones}))
        if backprop.shape != x_data.shape:
            raise ValueError(f"Empty gradient has wrong shape: expected {x_data.shape}, got {backprop.shape}")
        if np.any(backprop):
            raise ValueError("Empty tensor with nonzero gradients")
    return np.stack(columns, axis=1) if columns else np.zeros((x_size, 0), dtype=_real_view(x_data).dtype)


def _numeric(
    x: Tensor, x_data: Any, y: Tensor, y_shape: Any, delta: float, extra_feed_dict: Any, advance: Callable[[int], Any]
) -> np.ndarray[Any, Any]:
    """Returns the Jacobian by central differences, one input element at a time: [x elements, y elements]."""
    sess = _session()
    # In C order, so that the flat view is one of the array itself.
    data = np.array(x_data, order="C")
    flat = _real_view(data)
    rows = []
    step = np.asarray(delta, dtype=flat.dtype)

    def at() -> np.ndarray[Any, Any]:
        value = np.asarray(sess.run(y, {**(extra_feed_dict or {}), x: data}))
        copied: np.ndarray[Any, Any] = _real_view(np.ascontiguousarray(value)).copy()
        return copied

    for i in range(flat.size):
        saved = flat[i].copy()
        flat[i] = saved + step
        above = at()
        flat[i] = saved - step
        below = at()
        flat[i] = saved
        rows.append((above - below) / (2 * step))
        advance(1)
    y_size = _real_view(np.zeros(y_shape, dtype=y.dtype.as_numpy_dtype)).size
    return np.stack(rows) if rows else np.zeros((0, y_size), dtype=flat.dtype)


def derivative(x: Tensor, y: Tensor, y_shape: Any) -> tuple[Any, Tensor]:
    """Returns the gradient of `y` by `x`, and the constant to feed with what it is to be multiplied by."""
    for tensor, what in ((x, "x"), (y, "y")):
        base = tensor.dtype.base_dtype
        if not (base.is_floating or base.is_complex):
            raise AssertionError(f"Don't support type {base.name} for {what}")
    with x.graph.as_default():
        ones = constant(1.0, shape=list(y_shape), dtype=y.dtype)
        # The gradient may be this very tensor, and what is fed cannot be fetched.
        dx = gradients(y, x, identity(ones))[0]
    if dx is None:
        raise AssertionError(f"no gradient of {y} reaches {x}")
    return dx, ones


def _jacobians(
    x: Tensor,
    x_shape: Any,
    dx: Any,
    y: Tensor,
    y_shape: Any,
    dy: Tensor,
    x_init: Any,
    delta: float,
    extra: Any,
    advance: Callable[[int], Any],
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    dtype = x.dtype.base_dtype
    if x_init is None:
        data = np.random.random_sample(x_shape).astype(dtype.as_numpy_dtype)
        if dtype.is_complex:
            data.imag = np.random.random_sample(x_shape)
    else:
        data = np.asarray(x_init, dtype=dtype.as_numpy_dtype)
        if list(data.shape) != list(x_shape):
            raise AssertionError(f"x_shape = {x_shape}, init_data shape = {list(data.shape)}")
    theoretical = theoretical_jacobian(x, x_shape, data, dy, y_shape, dx, extra, advance)
    return theoretical, _numeric(x, data, y, y_shape, delta, extra, advance)


def _reals(tensor: Tensor, shape: Any) -> int:
    """Returns the real numbers in a tensor of a shape."""
    return int(np.prod(shape, dtype=np.int64)) * (2 if tensor.dtype.base_dtype.is_complex else 1)


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
    progress: Progress | None = None,
) -> Any:
    """Returns the theoretical and the numeric Jacobian of `y` with respect to `x`, in the default session.

    Args:
        x: float or complex tensor of any shape, or list of them.
        x_shape: its shape as a list of ints, or list of those.
        y: float or complex tensor of any shape.
        y_shape: its shape as a list of ints.
        x_init_value: array of x's shape to differentiate at, or list of them; by default random in [0, 1).
        delta: step of the central differences, in x's unit.
        init_targets: operations to run first.
        extra_feed_dict: dict of further values to feed, as `Session.run` takes it; that of `x` itself is varied all the
            same.
        progress: `tqdm.tqdm`, or a callable with its arguments, to show how many rows and columns are done; None shows
            nothing.

    Returns:
        Two arrays [elements of x, elements of y] (a complex element counts twice), or a list of such pairs.

    Raises:
        AssertionError: if `x_init_value` does not have the shape `x_shape`, a tensor is neither float nor complex, or
            `y` does not depend on `x`.
        ValueError: if there is no default session, or the gradient of an empty `y` is not zero or has a wrong shape.
    """
    xs, shapes, inits = (x, x_shape, x_init_value) if isinstance(x, list) else ([x], [x_shape], [x_init_value])
    if inits is None:
        inits = [None] * len(xs)
    tensors = [convert_to_tensor(t) for t in xs]
    if init_targets is not None:
        for target in init_targets:
            _session().run(target)
    derivatives = [derivative(t, y, y_shape) for t in tensors]
    total = sum(_reals(t, shape) + _reals(y, y_shape) for t, shape in zip(tensors, shapes, strict=True))
    with shown(progress, total, "gradients", "row") as advance:
        pairs = [
            _jacobians(t, shape, dx, y, y_shape, dy, init, delta, extra_feed_dict, advance)
            for t, shape, (dx, dy), init in zip(tensors, shapes, derivatives, inits, strict=True)
        ]
    return pairs if isinstance(x, list) else pairs[0]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
    progress: Progress | None = None,
) -> float:
    """Returns the largest difference between the theoretical and the numeric Jacobian.

    Args:
        x: float or complex tensor of any shape, or list of them.
        x_shape: its shape as a list of ints, or list of those.
        y: float or complex tensor of any shape.
        y_shape: its shape as a list of ints.
        x_init_value: array of x's shape to differentiate at, or list of them; by default random in [0, 1).
        delta: step of the central differences, in x's unit.
        init_targets: operations to run first.
        extra_feed_dict: dict of further values to feed, as `Session.run` takes it; that of `x` itself is varied all the
            same.
        progress: `tqdm.tqdm`, or a callable with its arguments, to show how many rows and columns are done; None shows
            nothing.

    Returns:
        float; NaN where a Jacobian has one.

    Raises:
        AssertionError, ValueError: on the same conditions as `compute_gradient`.
    """
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict, progress)
    if isinstance(pairs, tuple):
        pairs = [pairs]
    error = 0.0
    for theoretical, numeric in pairs:
        if theoretical.size or numeric.size:
            difference = np.fabs(theoretical - numeric).max()
            # NaN is the worst error there is.
            error = float("nan") if np.isnan(difference) else max(error, float(difference))
    # TF 1.x: a NumPy number, which programs format as they like.
    result: float = np.float64(error)
    return result

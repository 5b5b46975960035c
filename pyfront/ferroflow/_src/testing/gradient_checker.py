"""Numeric against symbolic derivatives: `tf.test.compute_gradient` and `compute_gradient_error`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.tensor import Tensor


def _session() -> Any:
    sess = get_default_session()
    if sess is None:
        raise ValueError("Gradients are checked in a default session: use `with sess.as_default()`.")
    return sess


def _product(shape: Any) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _real_view(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A flat view in which a complex number is two reals."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _theoretical(
    x: Tensor, x_shape: Any, x_data: Any, dy: Tensor, y_shape: Any, dx: Any, extra_feed_dict: Any
) -> np.ndarray[Any, Any]:
    """The Jacobian that the gradient operations compute, one output element at a time: [x elements, y elements]."""
    sess = _session()
    ones = np.zeros(y_shape, dtype=dy.dtype.as_numpy_dtype)
    flat = _real_view(ones)
    columns = []
    for i in range(flat.size):
        flat[i] = 1
        feeds = {x: x_data, dy: ones, **(extra_feed_dict or {})}
        if isinstance(dx, IndexedSlices):
            values, indices = sess.run([dx.values, dx.indices], feeds)
            backprop = np.zeros(x_shape, dtype=x_data.dtype)
            np.add.at(backprop, indices, values)
        else:
            backprop = np.asarray(sess.run(dx, feeds))
        columns.append(_real_view(np.ascontiguousarray(backprop)).copy())
        flat[i] = 0
    x_size = _real_view(np.zeros(x_shape, dtype=x_data.dtype)).size
    return np.stack(columns, axis=1) if columns else np.zeros((x_size, 0), dtype=_real_view(x_data).dtype)


def _numeric(
    x: Tensor, x_data: Any, y: Tensor, y_shape: Any, delta: float, extra_feed_dict: Any
) -> np.ndarray[Any, Any]:
    """The Jacobian by central differences, one input element at a time: [x elements, y elements]."""
    sess = _session()
    # In C order: the flat view must be one of these elements.
    data = np.array(x_data, order="C")
    flat = _real_view(data)
    rows = []
    step = np.asarray(delta, dtype=flat.dtype)

    def at() -> np.ndarray[Any, Any]:
        value = np.asarray(sess.run(y, {x: data, **(extra_feed_dict or {})}))
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
    return np.stack(rows) if rows else np.zeros((0, _product(y_shape)), dtype=flat.dtype)


def _one(
    x: Any, x_shape: Any, y: Tensor, y_shape: Any, x_init: Any, delta: float, init_targets: Any, extra_feed_dict: Any
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    x = convert_to_tensor(x)
    sess = _session()
    if init_targets is not None:
        for target in init_targets:
            sess.run(target)
    dtype = x.dtype.base_dtype
    if x_init is None:
        data = np.random.random_sample(x_shape).astype(dtype.as_numpy_dtype)
        if dtype.is_complex:
            data = data + 1j * np.random.random_sample(x_shape).astype(dtype.as_numpy_dtype)
            data = data.astype(dtype.as_numpy_dtype)
    else:
        data = np.asarray(x_init)
        if list(data.shape) != list(x_shape):
            raise ValueError(f"x_init_value has shape {data.shape}, not {x_shape}")
    dy = constant(np.ones(y_shape, dtype=y.dtype.as_numpy_dtype), name="dy")
    dx = gradients(y, x, grad_ys=dy)[0]
    if dx is None:
        raise AssertionError(f"no gradient of {y} reaches {x}")
    theoretical = _theoretical(x, x_shape, data, dy, y_shape, dx, extra_feed_dict)
    return theoretical, _numeric(x, data, y, y_shape, delta, extra_feed_dict)


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """The theoretical and the numeric Jacobian of `y` with respect to `x`, in the default session.

    Args:
      x: float or complex tensor, or list of them.
      x_shape: its shape as a list of ints, or list of those.
      y: float or complex tensor.
      y_shape: its shape as a list of ints.
      x_init_value: array of x's shape to differentiate at, or list of them; by default random in [0, 1).
      delta: step of the central differences, in x's unit.
      init_targets: operations to run first.
      extra_feed_dict: values of other tensors.

    Returns:
      Two arrays [elements of x, elements of y] (a complex element counts twice), or a list of such pairs.

    Raises:
      ValueError: `x_init_value` has another shape.
    """
    if isinstance(x, list):
        inits = [None] * len(x) if x_init_value is None else x_init_value
        return [
            _one(xi, shape, y, y_shape, init, delta, init_targets, extra_feed_dict)
            for xi, shape, init in zip(x, x_shape, inits, strict=True)
        ]
    return _one(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """The largest difference between the theoretical and the numeric Jacobian; arguments as for `compute_gradient`."""
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    if isinstance(pairs, tuple):
        pairs = [pairs]
    error = 0.0
    for theoretical, numeric in pairs:
        if theoretical.size or numeric.size:
            difference = np.fabs(theoretical - numeric).max()
            # NaN is the worst error there is.
            error = float("nan") if np.isnan(difference) else max(error, float(difference))
    return error

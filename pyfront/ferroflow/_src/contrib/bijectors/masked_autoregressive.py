"""The flow of which each element depends on those before it, and networks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.distributions.static_shapes import known_size
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.layers.dense import Dense
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import exp
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.initializers import GlorotNormal
from ferroflow._src.variables.template import make_template

MASK_INCLUSIVE = "inclusive"
MASK_EXCLUSIVE = "exclusive"


def last_size(x: Any) -> int | None:
    """Returns the size of a tensor's last dimension, or None."""
    static = x.get_shape()
    return None if static.ndims is None else known_size(static.with_rank_at_least(1)[-1])


def scaled_and_shifted(x: Any, shift: Any, log_scale: Any) -> Any:
    """Returns `x * exp(log_scale) + shift`; None stands for 0."""
    if log_scale is not None:
        x = x * exp(log_scale)
    return x if shift is None else x + shift


def unscaled_and_unshifted(y: Any, shift: Any, log_scale: Any) -> Any:
    """Returns `(y - shift) * exp(-log_scale)`; None stands for 0."""
    if shift is not None:
        y = y - shift
    return y if log_scale is None else y * exp(-log_scale)


class MaskedAutoregressiveFlow(Bijector):
    """The function `y[i] = x[i] * exp(log_scale[i]) + shift[i]`, where the two depend on y[0] to y[i - 1].

    `inverse` calls the network once, `forward` once for each element of an event.

    Args:
        shift_and_log_scale_fn: callable of y, a Tensor of shape [..., k], that returns (shift, log_scale), each of the
            shape of y or None.
        is_constant_jacobian: bool. If True, the Jacobian is the same for all arguments, as without a log_scale.
        validate_args: bool, without an effect.
        unroll_loop: bool. If True, `forward` makes the operations of each element; if not, a loop.
        name: str, name scope of its operations.

    Raises:
        ValueError: when `forward` is called; with `unroll_loop`, the size of an event is unknown.

    Source: Papamakarios, Pavlakou, Murray, Masked autoregressive flow for density estimation, 2017.
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[[Any], tuple[Any, Any]],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _forward(self, x: Any) -> Any:
        size = last_size(x)
        y = making.zeros_like(x, name="y0")
        if self._unroll_loop:
            if size is None:
                raise ValueError(
                    "The final dimension of `x` must be known at graph construction time if `unroll_loop=True`. "
                    f"`x.shape: {x.get_shape()!r}`"
                )
            for _ in range(size):
                y = scaled_and_shifted(x, *self._shift_and_log_scale_fn(y))
            return y
        # Variables of the network are made before the loop: in it, they could not be initialized.
        self._shift_and_log_scale_fn(y)

        def step(i: Any, current: Any) -> tuple[Any, Any]:
            after = scaled_and_shifted(x, *self._shift_and_log_scale_fn(current))
            after.set_shape(x.get_shape())
            return i + 1, after

        steps = shaping.shape(x)[-1]
        _, y = while_loop(lambda i, _: i < steps, step, (0, y), maximum_iterations=size)
        return y

    def _inverse(self, y: Any) -> Any:
        return unscaled_and_unshifted(y, *self._shift_and_log_scale_fn(y))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        _, log_scale = self._shift_and_log_scale_fn(y)
        if log_scale is None:
            return constant(0.0, dtype=y.dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)


def gen_mask(num_blocks: int, n_in: int, n_out: int, mask_type: str = MASK_EXCLUSIVE, dtype: Any = None) -> Any:
    """Returns the mask of weights with which a block of outputs depends on the blocks of inputs before it.

    Args:
        num_blocks: int, the number of blocks.
        n_in: int, the number of inputs.
        n_out: int, the number of outputs.
        mask_type: str, "exclusive", or "inclusive" for a block to depend on its own inputs as well.
        dtype: DType; None for float32.

    Returns:
        Array of ones and zeros, of shape [n_out, n_in].
    """
    mask = np.zeros([n_out, n_in], dtype=(dtype or dtypes.float32).as_numpy_dtype)
    rows, columns = n_out // num_blocks, n_in // num_blocks
    first = rows if mask_type == MASK_EXCLUSIVE else 0
    for block in range(num_blocks):
        mask[first + block * rows :, block * columns : (block + 1) * columns] = 1
    return mask


_gen_mask = gen_mask


def masked_dense(
    inputs: Any,
    units: int,
    num_blocks: int | None = None,
    exclusive: bool = False,
    kernel_initializer: Any = None,
    reuse: bool | None = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Applies a dense layer in which each block of outputs depends only on earlier blocks of inputs.

    Args:
        inputs: Tensor of a float dtype, of shape [..., n].
        units: int, the number of outputs.
        num_blocks: int, the number of blocks.
        exclusive: bool. If True, a block does not depend on its own inputs.
        kernel_initializer: initializer of the kernel; None for Glorot's.
        reuse: bool. If True, the variables of that name are used again.
        name: str, name of the layer.
        *args: further arguments of `tf.layers.Dense`.
        **kwargs: further arguments of `tf.layers.Dense`.

    Returns:
        Tensor of the dtype of `inputs`, of shape [..., units].

    Raises:
        NotImplementedError: if the size of the last dimension is unknown.

    Source: Germain, Gregor, Murray, Larochelle, MADE: masked autoencoder for distribution estimation, 2015.
    """
    size = last_size(inputs)
    if size is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    blocks = size if num_blocks is None else num_blocks
    mask = gen_mask(blocks, size, units, MASK_EXCLUSIVE if exclusive else MASK_INCLUSIVE).T
    initializer = GlorotNormal() if kernel_initializer is None else kernel_initializer

    def masked_initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * initializer(shape, dtype, partition_info)

    with name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        masked = {"kernel_initializer": masked_initializer, "kernel_constraint": lambda kernel: mask * kernel}
        named = {"name": name, "dtype": inputs.dtype.base_dtype, "_scope": name, "_reuse": reuse}
        layer = Dense(units, *args, **{**kwargs, **masked, **named})
        return layer.apply(inputs)


def _clipped_with_gradient(x: Any, least: Any, most: Any) -> Any:
    with name_scope(None, "clip_by_value_preserve_grad", [x, least, most]):
        return x + making.stop_gradient(clip_by_value(x, least, most) - x)


def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Callable[[Any], Any] | None = relu,
    log_scale_min_clip: Any = -5.0,
    log_scale_max_clip: Any = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Makes a network of masked dense layers for `MaskedAutoregressiveFlow`.

    Args:
        hidden_layers: list of int, the sizes of the hidden layers.
        shift_only: bool. If True, the network has no log_scale.
        activation: callable, of the hidden layers, or None.
        log_scale_min_clip: Tensor of a float dtype, that broadcasts with the log_scale: its least value.
        log_scale_max_clip: Tensor of a float dtype, that broadcasts with the log_scale: its highest value.
        log_scale_clip_gradient: bool. If True, the gradient is 0 if the log_scale is clipped.
        name: str, name of the template and its variable scope.
        *args: further arguments of `masked_dense`.
        **kwargs: further arguments of `masked_dense`.

    Returns:
        Callable of x, a Tensor of shape [..., k], that returns (shift, log_scale): each of that shape, or None.

    Raises:
        NotImplementedError: when the result is called; the size of the last dimension is unknown.

    Source: Papamakarios, Pavlakou, Murray, Masked autoregressive flow for density estimation, 2017.
    """
    name = name or "masked_autoregressive_default_template"
    with name_scope(name, values=[log_scale_min_clip, log_scale_max_clip]):

        def network(x: Any) -> tuple[Any, Any]:
            size = last_size(x)
            if size is None:
                raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
            shape: Any = x.get_shape().as_list() if x.get_shape().is_fully_defined() else shaping.shape(x)
            for i, units in enumerate(hidden_layers):
                hidden = {"units": units, "num_blocks": size, "exclusive": i == 0, "activation": activation}
                x = masked_dense(*args, **{**kwargs, "inputs": x, **hidden})
            outputs = (1 if shift_only else 2) * size
            last = {"units": outputs, "num_blocks": size, "activation": None}
            x = masked_dense(*args, **{**kwargs, "inputs": x, **last})
            if shift_only:
                return shaping.reshape(x, shape), None
            shift, log_scale = joining.unstack(shaping.reshape(x, joining.concat([shape, [2]], 0)), num=2, axis=-1)
            clip = clip_by_value if log_scale_clip_gradient else _clipped_with_gradient
            return shift, clip(log_scale, log_scale_min_clip, log_scale_max_clip)

        return make_template(name, network)

"""Records of convolutions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from ops.cases.record import REAL_FLOATS, Record, Refused, Values, call

from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.nn import conv, convolution, depthwise


def _padding(size: int, reach: int, stride: int, padding: Any) -> tuple[int, int, int]:
    """(points of the output, zeros before, zeros after)."""
    if padding == "SAME":
        output = -(-size // stride)
        total = max(0, (output - 1) * stride + reach - size)
        return output, total // 2, total - total // 2
    before, after = (0, 0) if padding == "VALID" else padding
    return (size + before + after - reach) // stride + 1, before, after


def _windows(x: Any, space: list[int], strides: Any, padding: Any, dilations: Any) -> Any:
    """[batch, out.., points of a window, channels] of an input with its channels last."""
    places = []
    for i, size in enumerate(space):
        reach = (size - 1) * dilations[i] + 1
        own = padding if isinstance(padding, str) else padding[i]
        output, before, after = _padding(x.shape[1 + i], reach, strides[i], own)
        around = [(0, 0)] * x.ndim
        around[1 + i] = (before, after + strides[i])
        x = np.pad(x, around)
        places.append((output, strides[i], dilations[i]))
    taps = []
    for tap in itertools.product(*[range(size) for size in space]):
        part = x
        for i, (output, stride, dilation) in enumerate(places):
            part = np.take(part, np.arange(output) * stride + tap[i] * dilation, axis=1 + i)
        taps.append(part)
    return np.stack(taps, axis=-2)


def _convolved(x: Any, f: Any, strides: Any, padding: Any, dilations: Any = None) -> Any:
    space = list(f.shape[:-2])
    windows = _windows(x, space, strides, padding, dilations or [1] * len(space))
    return np.einsum("...tc,tco->...o", windows, f.reshape(-1, *f.shape[-2:]), optimize=False)


def _apart(x: Any, f: Any, strides: Any, padding: Any, dilations: Any = None) -> Any:
    space = list(f.shape[:-2])
    windows = _windows(x, space, strides, padding, dilations or [1] * len(space))
    sums = np.einsum("...tc,tcq->...cq", windows, f.reshape(-1, *f.shape[-2:]), optimize=False)
    return sums.reshape(*sums.shape[:-2], -1)


def _layout(reference: Any, space: int, depthwise: bool = False) -> Any:
    """The reference of an op with lists for all dimensions, and a layout."""
    del depthwise

    def function(
        x: Any, f: Any, strides: Any, padding: Any, data_format: str | None = None, dilations: Any = None
    ) -> Any:
        first = data_format is not None and data_format.startswith("NC")
        part = slice(2, None) if first else slice(1, -1)
        around = padding if isinstance(padding, str) else padding[part]
        x = np.moveaxis(x, 1, -1) if first else x
        y = reference(x, f, strides[part], around, dilations and dilations[part])
        assert y.ndim == space + 2
        return np.moveaxis(y, -1, 1) if first else y

    return function


def _transposed(reference: Any) -> Any:
    """The sums that a reference takes of its first argument, turned round: gives the argument's gradient."""

    def function(dy: Any, f: Any, output_shape: Any, **arguments: Any) -> Any:
        basis = np.eye(int(np.prod(output_shape[1:]))).reshape(-1, *output_shape[1:])
        columns = reference(basis, f, **arguments)
        result = np.tensordot(dy.reshape(dy.shape[0], -1), columns.reshape(len(basis), -1), (1, 1))
        return result.reshape(output_shape)

    return function


def _filter_gradient(reference: Any) -> Any:
    """The gradient of a reference's second argument."""

    def function(x: Any, dy: Any, filter_sizes: Any, **arguments: Any) -> Any:
        count = int(np.prod(filter_sizes))
        columns = [np.sum(reference(x, one.reshape(filter_sizes), **arguments) * dy) for one in np.eye(count)]
        return np.array(columns).reshape(filter_sizes)

    return function


def _wide_reference(reference: Any) -> Any:
    return lambda x, f, padding, strides=None, dilation_rate=None: reference(
        x, f, strides or [1] * (x.ndim - 2), padding, dilation_rate
    )


_conv2d, _conv3d = _layout(_convolved, 2), _layout(_convolved, 3)
_depthwise = _layout(_apart, 2)
_X, _F = Values((2, 5, 6, 3)), Values((3, 2, 3, 4))
_AROUND = [[0, 0], [1, 2], [0, 3], [0, 0]]
_SHAPES = {"shapes": "fixed", "lossy": True, "dtypes": REAL_FLOATS}


def _of_shapes(function: Any, *shapes: Any, **arguments: Any) -> Any:
    return lambda: function(*[placeholder("float32", shape) for shape in shapes], **arguments)


def _backprop_input(of: Any) -> Any:
    return lambda dy, f, output_shape, **arguments: of(output_shape, f, dy, **arguments)


def _backprop_filter(of: Any) -> Any:
    return lambda x, dy, filter_sizes, **arguments: of(x, filter_sizes, dy, **arguments)


RECORDS = [
    Record(
        name="conv2d",
        function=conv.conv2d,
        reference=_conv2d,
        variants=(
            call(_X, _F, strides=[1, 1, 1, 1], padding="SAME"),
            call(_X, _F, strides=[1, 2, 3, 1], padding="VALID"),
            call(_X, _F, strides=[1, 3, 2, 1], padding="SAME"),
            call(_X, _F, strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 3, 1]),
            call(_X, _F, strides=[1, 2, 1, 1], padding=_AROUND, dilations=[1, 1, 2, 1]),
            call(Values((2, 3, 5, 6)), _F, strides=[1, 1, 2, 1], padding="SAME", data_format="NCHW"),
            call(Values((2, 4, 5, 17)), Values((1, 1, 17, 33)), strides=[1, 1, 1, 1], padding="VALID"),
            call(Values((1, 2, 2, 1)), Values((4, 5, 1, 2)), strides=[1, 1, 1, 1], padding="SAME"),
        ),
        differentiable=(0, 1),
        refused=(
            Refused(
                _of_shapes(conv.conv2d, [1, 5, 5, 2], [3, 3, 3, 2], strides=[1, 1, 1, 1], padding="SAME"),
                ValueError,
                "Dimensions must be equal, but are 2 and 3",
            ),
            Refused(
                _of_shapes(conv.conv2d, [1, 2, 5, 2], [3, 3, 2, 2], strides=[1, 1, 1, 1], padding="VALID"),
                ValueError,
                "Negative dimension size caused by subtracting 3 from 2",
            ),
            Refused(
                _of_shapes(conv.conv2d, [1, 2, 5], [3, 3, 2, 2], strides=[1, 1, 1, 1], padding="VALID"),
                ValueError,
                "must be rank 4 but is rank 3",
            ),
            Refused(
                _of_shapes(conv.conv2d, None, None, strides=[1, 1, 1], padding="VALID"),
                ValueError,
                "should be of length 1, 2 or 4 but was 3",
            ),
            Refused(
                _of_shapes(conv.conv2d, None, None, strides=[1, 1, 1, 1], padding=[[0, 0], 3]),
                ValueError,
                "index 1 of padding is not a list/tuple",
            ),
        ),
        **_SHAPES,
    ),
    Record(
        name="conv2d_backprop_input",
        function=_backprop_input(conv.conv2d_backprop_input),
        reference=_transposed(_conv2d),
        variants=(
            call(Values((2, 3, 2, 4)), _F, output_shape=[2, 5, 6, 3], strides=[1, 2, 3, 1], padding="SAME"),
            call(
                Values((2, 4, 4, 2)),
                Values((2, 2, 3, 4)),
                output_shape=[2, 3, 5, 6],
                strides=[1, 1, 1, 2],
                padding="VALID",
                data_format="NCHW",
                dilations=[1, 1, 1, 3],
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="conv2d_backprop_filter",
        function=_backprop_filter(conv.conv2d_backprop_filter),
        reference=_filter_gradient(_conv2d),
        variants=(
            call(_X, Values((2, 3, 2, 4)), filter_sizes=[3, 2, 3, 4], strides=[1, 2, 3, 1], padding="SAME"),
            call(
                Values((2, 3, 5, 6)),
                Values((2, 4, 4, 4)),
                filter_sizes=[2, 2, 3, 4],
                strides=[1, 1, 1, 1],
                padding=[[0, 0], [0, 0], [0, 0], [1, 0]],
                data_format="NCHW",
                dilations=[1, 1, 1, 3],
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="conv2d_transpose",
        function=conv.conv2d_transpose,
        reference=_transposed(_conv2d),
        variants=(call(Values((2, 3, 2, 4)), _F, output_shape=[2, 5, 4, 3], strides=[1, 2, 2, 1], padding="SAME"),),
        differentiable=(0, 1),
        refused=(
            Refused(
                _of_shapes(
                    conv.conv2d_transpose, [1, 2, 2, 3], [3, 3, 2, 4], output_shape=[1, 2, 2, 2], strides=[1, 1, 1, 1]
                ),
                ValueError,
                "input channels does not match filter's input channels, 3 != 4",
            ),
            Refused(
                _of_shapes(
                    conv.conv2d_transpose, [1, 2, 2, 4], [3, 3, 2, 4], output_shape=[1, 2, 2, 3], strides=[1, 1, 1, 1]
                ),
                ValueError,
                "output_shape does not match filter's output channels, 3 != 2",
            ),
            Refused(
                _of_shapes(
                    conv.conv2d_transpose, [1, 2, 2, 4], [3, 3, 2, 4], output_shape=[1, 2, 2], strides=[1, 1, 1, 1]
                ),
                ValueError,
                r"output_shape must have shape \(4,\), got \(3,\)",
            ),
        ),
        **_SHAPES,
    ),
    Record(
        name="conv3d",
        function=conv.conv3d,
        reference=_conv3d,
        variants=(
            call(Values((2, 3, 4, 5, 2)), Values((2, 3, 1, 2, 3)), strides=[1, 1, 1, 1, 1], padding="SAME"),
            call(Values((1, 3, 4, 5, 2)), Values((2, 2, 2, 2, 3)), strides=[1, 2, 1, 3, 1], padding="VALID"),
            call(
                Values((1, 2, 3, 4, 5)),
                Values((2, 2, 2, 2, 3)),
                strides=[1, 1, 1, 1, 1],
                padding="SAME",
                data_format="NCDHW",
                dilations=[1, 1, 2, 1, 3],
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="conv3d_backprop_input_v2",
        function=_backprop_input(conv.conv3d_backprop_input_v2),
        reference=_transposed(_conv3d),
        variants=(
            call(
                Values((1, 2, 2, 2, 3)),
                Values((2, 1, 2, 2, 3)),
                output_shape=[1, 3, 2, 4, 2],
                strides=[1, 2, 1, 2, 1],
                padding="SAME",
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="conv3d_backprop_filter_v2",
        function=_backprop_filter(conv.conv3d_backprop_filter_v2),
        reference=_filter_gradient(_conv3d),
        variants=(
            call(
                Values((1, 3, 2, 4, 2)),
                Values((1, 2, 2, 2, 3)),
                filter_sizes=[2, 1, 2, 2, 3],
                strides=[1, 2, 1, 2, 1],
                padding="SAME",
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="conv3d_transpose",
        function=conv.conv3d_transpose,
        reference=_transposed(_conv3d),
        variants=(
            call(
                Values((1, 2, 2, 2, 3)),
                Values((2, 1, 2, 2, 3)),
                output_shape=[1, 3, 2, 3, 2],
                strides=[1, 2, 1, 2, 1],
                padding="SAME",
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="conv1d",
        function=conv.conv1d,
        reference=lambda x, f, stride, padding: _convolved(x, f, [stride], padding),
        variants=(
            call(Values((2, 7, 3)), Values((2, 3, 4)), stride=2, padding="SAME"),
            call(Values((2, 7, 3)), Values((4, 3, 1)), stride=1, padding="VALID"),
        ),
        differentiable=(0, 1),
        refused=(
            Refused(
                _of_shapes(conv.conv1d, [1, 2, 3], [1, 3, 1], stride=1, padding="SAME", data_format="CNW"),
                ValueError,
                'data_format must be "NWC" or "NCW"',
            ),
        ),
        needs="rank",
        **_SHAPES,
    ),
    Record(
        name="conv1d_transpose",
        function=conv.conv1d_transpose,
        reference=lambda x, f, output_shape, strides: _transposed(_convolved)(
            x, f, output_shape, strides=[strides], padding="SAME"
        ),
        variants=(call(Values((2, 4, 3)), Values((2, 5, 3)), output_shape=[2, 7, 5], strides=2),),
        differentiable=(0, 1),
        needs="rank",
        **_SHAPES,
    ),
    Record(
        name="convolution",
        function=convolution.convolution,
        reference=_wide_reference(_convolved),
        variants=(
            call(Values((2, 7, 3)), Values((2, 3, 4)), padding="SAME", strides=[2]),
            call(Values((2, 7, 3)), Values((2, 3, 4)), padding="VALID", dilation_rate=[3]),
            call(_X, _F, padding="SAME", dilation_rate=[2, 3]),
            call(_X, _F, padding="SAME", dilation_rate=[1, 2]),
            call(Values((1, 3, 4, 5, 2)), Values((2, 2, 2, 2, 3)), padding="SAME", dilation_rate=[1, 3, 2]),
        ),
        differentiable=(0, 1),
        refused=(
            Refused(
                _of_shapes(convolution.convolution, None, None, padding="SAME"),
                ValueError,
                "rank of input or filter must be known",
            ),
            Refused(
                _of_shapes(convolution.convolution, [1, 5, 5, 2], [3, 3, 3, 2], padding="SAME"),
                ValueError,
                "number of input channels does not match corresponding dimension of filter, 2 != 3",
            ),
            Refused(
                _of_shapes(
                    convolution.convolution,
                    [1, 5, 5, 2],
                    [3, 3, 2, 2],
                    padding="SAME",
                    strides=[1, 2],
                    dilation_rate=[2, 1],
                ),
                ValueError,
                "strides > 1 not supported in conjunction with dilation_rate > 1",
            ),
        ),
        needs="rank",
        **_SHAPES,
    ),
    Record(
        name="atrous_conv2d",
        function=convolution.atrous_conv2d,
        reference=lambda x, f, rate, padding: _convolved(x, f, [1, 1], padding, [rate, rate]),
        variants=(call(_X, _F, rate=2, padding="SAME"), call(_X, _F, rate=2, padding="VALID")),
        differentiable=(0, 1),
        needs="rank",
        **_SHAPES,
    ),
    Record(
        name="atrous_conv2d_transpose",
        function=conv.atrous_conv2d_transpose,
        reference=lambda x, f, output_shape, rate, padding: _transposed(_convolved)(
            x, f, output_shape, strides=[1, 1], padding=padding, dilations=[rate, rate]
        ),
        variants=(
            call(Values((2, 5, 6, 4)), _F, output_shape=[2, 5, 6, 3], rate=2, padding="SAME"),
            call(Values((2, 1, 4, 4)), _F, output_shape=[2, 5, 6, 3], rate=2, padding="VALID"),
        ),
        differentiable=(0, 1),
        needs="rank",
        **_SHAPES,
    ),
    Record(
        name="depthwise_conv2d_native",
        function=depthwise.depthwise_conv2d_native,
        reference=_depthwise,
        variants=(
            call(_X, Values((3, 2, 3, 2)), strides=[1, 1, 1, 1], padding="SAME"),
            call(_X, Values((3, 2, 3, 1)), strides=[1, 2, 2, 1], padding="VALID"),
            call(
                Values((1, 5, 6, 37)),
                Values((3, 3, 37, 1)),
                strides=[1, 1, 1, 1],
                padding="SAME",
                dilations=[1, 2, 2, 1],
            ),
            call(Values((2, 3, 5, 6)), Values((3, 2, 3, 2)), strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW"),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="depthwise_conv2d_native_backprop_input",
        function=_backprop_input(depthwise.depthwise_conv2d_native_backprop_input),
        reference=_transposed(_depthwise),
        variants=(
            call(
                Values((2, 3, 3, 6)),
                Values((3, 2, 3, 2)),
                output_shape=[2, 5, 6, 3],
                strides=[1, 2, 2, 1],
                padding="SAME",
            ),
        ),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="depthwise_conv2d_native_backprop_filter",
        function=_backprop_filter(depthwise.depthwise_conv2d_native_backprop_filter),
        reference=_filter_gradient(_depthwise),
        variants=(call(_X, Values((2, 3, 3, 6)), filter_sizes=[3, 2, 3, 2], strides=[1, 2, 2, 1], padding="SAME"),),
        differentiable=(0, 1),
        **_SHAPES,
    ),
    Record(
        name="depthwise_conv2d",
        function=depthwise.depthwise_conv2d,
        reference=lambda x, f, strides, padding, rate=None: _depthwise(
            x, f, strides, padding, dilations=rate and [1, *rate, 1]
        ),
        variants=(
            call(_X, Values((3, 2, 3, 2)), strides=[1, 2, 2, 1], padding="SAME"),
            call(_X, Values((3, 2, 3, 2)), strides=[1, 1, 1, 1], padding="SAME", rate=[2, 1]),
        ),
        differentiable=(0, 1),
        needs="rank",
        **_SHAPES,
    ),
    Record(
        name="separable_conv2d",
        function=depthwise.separable_conv2d,
        reference=lambda x, f, p, strides, padding, rate=None: _conv2d(
            _depthwise(x, f, strides, padding, dilations=rate and [1, *rate, 1]), p, [1, 1, 1, 1], "VALID"
        ),
        variants=(
            call(_X, Values((3, 2, 3, 2)), Values((1, 1, 6, 4)), strides=[1, 2, 2, 1], padding="SAME"),
            call(_X, Values((3, 2, 3, 2)), Values((1, 1, 6, 4)), strides=[1, 1, 1, 1], padding="VALID", rate=[2, 2]),
        ),
        differentiable=(0, 1, 2),
        needs="rank",
        **_SHAPES,
    ),
]

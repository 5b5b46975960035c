"""Gradient rules of conversions between colour spaces."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import cast, concat, densified, reduce_sum, term
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.handles import Operation, Tensor

_quotient = term("DivNoNan", 2)
_both = term("LogicalAnd", 2)


def _channels(x: Tensor) -> list[Tensor]:
    """Returns the three channels of an image, each with a last dimension of one."""
    channels = apply_op("Split", [-1, x], {"num_split": 3}).outputs
    if x.shape.ndims is not None:
        for channel in channels:
            channel.set_shape(x.shape[:-1].concatenate(1))
    return channels


def _following(x: Tensor) -> Tensor:
    """Returns in the place of each channel the next one, red after blue."""
    red, green, blue = _channels(x)
    return concat([green, blue, red], -1)


def _rgb_to_hsv(op: Operation, g: Any) -> Tensor:
    """Returns the gradient of hue, saturation and value by red, green and blue.

    Let v be the largest channel, m the smallest, d = v - m, and a and b the two channels after the largest. Then `hue =
    (a - b) / (6 d) + constant` and `saturation = 1 - m / v`.

    TF 1.x: of equal channels the first is the largest and the last the smallest, and a division by zero gives zero.
    Where the largest is not positive the hue has no gradient, and the saturation has none by a channel that is not.
    """
    x = op.inputs[0]
    dtype = x.dtype.base_dtype
    red, green, blue = _channels(x)
    largest = concat(
        [_both(red >= blue, red >= green), _both(green > red, green >= blue), _both(blue > red, blue > green)], -1
    )
    smallest = concat(
        [_both(red < blue, red < green), _both(green <= red, green < blue), _both(blue <= red, blue <= green)], -1
    )
    is_largest, is_smallest = cast(largest, dtype), cast(smallest, dtype)
    positive = cast(x > 0.0, dtype)

    def picked(mask: Tensor, values: Tensor) -> Tensor:
        return reduce_sum(mask * values, [-1], keep_dims=True)

    v, m = picked(is_largest, x), picked(is_smallest, x)
    by_v, by_d = _quotient(1.0, v), _quotient(1.0, v - m)
    next_one = _following(x)
    slope = picked(is_largest, next_one - _following(next_one)) * by_d
    next_is_largest = _following(is_largest)
    by_hue = ((is_smallest - is_largest) * slope + _following(next_is_largest) - next_is_largest) * by_d / 6.0
    by_saturation = positive * (is_largest * m * by_v - is_smallest) * by_v
    to_hue, to_saturation, to_value = _channels(densified(g))
    return to_hue * picked(is_largest, positive) * by_hue + to_saturation * by_saturation + to_value * is_largest


register({"RGBToHSV": _rgb_to_hsv})

"""`tf.compat.v2.summary`: summaries of numbers, distributions, images, sounds and text, as TensorBoard's tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.functional import map_fn
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.version_2.summaries import summary_scope, write
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import lin_space, ones_like, zeros_like
from ferroflow._src.ops.array.shaping import reshape, shape, size
from ferroflow._src.ops.flow.checking import assert_rank, assert_scalar, assert_type
from ferroflow._src.ops.image.coloring import convert_image_dtype
from ferroflow._src.ops.image.decoding import encode_png
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.elementwise import floor
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min
from ferroflow._src.ops.math.segment import unsorted_segment_sum
from ferroflow._src.ops.signal.wav import encode_wav
from ferroflow._src.ops.string.encoding import as_string

_BUCKETS: Final = 30
# `AudioPluginData` with the encoding WAV.
_WAV: Final = b"\x10\x0b"


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> Any:
    data = proto.SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return proto.SummaryMetadata(summary_description=description, plugin_data=data)


def scalar(name: str, data: TensorLike, step: IntLike | None = None, description: str | None = None) -> Tensor:
    """Writes a number.

    Args:
        name: str; with the scopes around it, the tag of the series.
        data: Tensor of a real dtype, of shape [].
        step: int, int64 scalar Tensor or Variable; None for the step of `set_step`.
        description: str, in Markdown.

    Returns:
        bool scalar Tensor: True if it was written, False without a current writer.

    Raises:
        ValueError: if `data` is no scalar, or there is a writer but no step.
    """
    with summary_scope(name, "scalar_summary", [data, step]) as (tag, _):
        assert_scalar(convert_to_tensor(data))
        return write(tag, cast(data, dtypes.float32), step, _metadata("scalars", description))


def histogram(
    name: str,
    data: TensorLike,
    step: IntLike | None = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes how many elements of a tensor are in each bucket between the least and the greatest.

    Args:
        name: str; with the scopes around it, the tag of the series.
        data: Tensor of a real dtype, of any shape.
        step: int, int64 scalar Tensor or Variable; None for the step of `set_step`.
        buckets: int, the number of buckets; None for 30. There is one if all elements are equal, none without elements.
        description: str, in Markdown.

    Returns:
        As `scalar`.

    Raises:
        ValueError: if there is a writer but no step.
    """
    with summary_scope(name, "histogram_summary", [data, buckets, step]) as (tag, _):
        rows = rows_of_buckets(data, _BUCKETS if buckets is None else buckets)
        return write(tag, rows, step, _metadata("histograms", description))


def rows_of_buckets(data: TensorLike, number: int) -> Tensor:
    """Returns the left edge, right edge and count of each bucket: a float64 Tensor of shape [buckets, 3]."""
    values = cast(reshape(data, [-1]), dtypes.float64)

    def none() -> Tensor:
        return constant([], dtypes.float64, [0, 3])

    def one() -> Tensor:
        center = reduce_min(values)
        return stack([center - 0.5, center + 0.5, cast(size(values), dtypes.float64)])[None]

    def several() -> Tensor:
        least, greatest = reduce_min(values), reduce_max(values)
        width = (greatest - least) / float(number)
        bucket = cast(floor((values - least) / width), dtypes.int32)
        last = ones_like(bucket) * (number - 1)
        inside = cast(bucket < last, dtypes.int32)
        counts = unsorted_segment_sum(ones_like(values), bucket * inside + last * (1 - inside), number)
        left = lin_space(least, greatest, number + 1)[:-1]
        return stack([left, concat([left[1:], [greatest]], 0), counts], axis=1)

    def some() -> Tensor:
        chosen: Tensor = cond(equal(reduce_max(values), reduce_min(values)), one, several)
        return chosen

    rows: Tensor = cond(equal(size(values), 0), none, some)
    return rows


def image(
    name: str, data: TensorLike, step: IntLike | None = None, max_outputs: IntLike = 3, description: str | None = None
) -> Tensor:
    """Writes the first images of a batch.

    Args:
        name: str; with the scopes around it, the tag of the series.
        data: Tensor of a real dtype, of shape [batch, height, width, 1 to 4]; floats are in [0, 1].
        step: int, int64 scalar Tensor or Variable; None for the step of `set_step`.
        max_outputs: int, the largest number of images.
        description: str, in Markdown.

    Returns:
        As `scalar`.

    Raises:
        ValueError: if `data` has another rank than 4, or there is a writer but no step.
    """
    with summary_scope(name, "image_summary", [data, max_outputs, step]) as (tag, _):
        assert_rank(data, 4)
        pixels = convert_image_dtype(data, dtypes.uint8, saturate=True)
        encoded = _encoded(encode_png, pixels[:max_outputs], "encode_each_image")
        extent = shape(pixels)
        sizes = stack([as_string(extent[2], name="width"), as_string(extent[1], name="height")], name="dimensions")
        return write(tag, concat([sizes, encoded], 0), step, _metadata("images", description))


def audio(
    name: str,
    data: TensorLike,
    sample_rate: IntLike,
    step: IntLike | None = None,
    max_outputs: IntLike = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes the first clips of a batch.

    Args:
        name: str; with the scopes around it, the tag of the series.
        data: Tensor of float32, of shape [batch, frames, channels], in [-1, 1].
        sample_rate: int or int32 scalar Tensor, in Hertz.
        step: int, int64 scalar Tensor or Variable; None for the step of `set_step`.
        max_outputs: int, the largest number of clips.
        encoding: "wav", or None for the same.
        description: str, in Markdown.

    Returns:
        As `scalar`.

    Raises:
        ValueError: if `encoding` is neither "wav" nor None, the rank of `data` is not 3, or there is a writer but no
            step.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    with summary_scope(name, "audio_summary", [data, sample_rate, max_outputs, step]) as (tag, _):
        assert_rank(data, 3)
        clips = convert_to_tensor(data)[:max_outputs]
        encoded = _encoded(lambda clip: encode_wav(clip, sample_rate), clips, "encode_each_audio")
        labels = zeros_like(encoded)
        return write(tag, stack([encoded, labels], axis=1), step, _metadata("audio", description, _WAV))


def _encoded(encode: Callable[[Tensor], Tensor], elements: Tensor, name: str) -> Tensor:
    strings: Tensor = map_fn(encode, elements, dtype=dtypes.string, name=name)
    return strings


def text(name: str, data: TensorLike, step: IntLike | None = None, description: str | None = None) -> Tensor:
    """Writes text, which TensorBoard shows as Markdown.

    Args:
        name: str; with the scopes around it, the tag of the series.
        data: Tensor of string, of any shape.
        step: int, int64 scalar Tensor or Variable; None for the step of `set_step`.
        description: str, in Markdown.

    Returns:
        As `scalar`.

    Raises:
        TypeError: if `data` is not of string.
        ValueError: if there is a writer but no step.
    """
    with summary_scope(name, "text_summary", [data, step]) as (tag, _):
        strings = convert_to_tensor(data)
        assert_type(strings, dtypes.string)
        return write(tag, strings, step, _metadata("text", description))


PLACES: Final[dict[str, Any]] = {
    "summary.audio": audio,
    "summary.histogram": histogram,
    "summary.image": image,
    "summary.scalar": scalar,
    "summary.text": text,
}

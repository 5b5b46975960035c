"""Operations that turn values of a step into summaries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.summary.tags import collect, summary_scope

_COLLECTIONS = (GraphKeys.SUMMARIES,)


def scalar(
    name: str, tensor: TensorLike, collections: Iterable[str] | None = None, family: str | None = None
) -> Tensor:
    """Returns a serialized summary of a scalar.

    Args:
        name: str, name of the operation, and with the scopes around it the tag of the series.
        tensor: Tensor of a real number dtype, of shape [].
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        family: str, the group in TensorBoard; None for its scope.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if `tensor` is not a scalar.

    Example:
        >>> loss = tf.constant(0.25)
        >>> summary = tf.summary.scalar("loss", loss)
        >>> (value,) = tf.Summary.FromString(sess.run(summary)).value
        >>> print(value.tag, value.simple_value)
        loss 0.25
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return collect(tensor_op("ScalarSummary", [tag, tensor], name=scope), collections, _COLLECTIONS)


def histogram(
    name: str, values: TensorLike, collections: Iterable[str] | None = None, family: str | None = None
) -> Tensor:
    """Returns a serialized summary with a histogram of values.

    Args:
        name: str, name of the operation, and with the scopes around it the tag of the series.
        values: Tensor of a real number dtype, of any shape.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        family: str, the group in TensorBoard; None for its scope.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`. Its buckets grow by a tenth from 1e-12 to 1e20 on
        both sides of zero.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a value is NaN or infinite.

    Example:
        >>> summary = tf.summary.histogram("weights", tf.constant([1.0, 2.0, 6.0]))
        >>> (value,) = tf.Summary.FromString(sess.run(summary)).value
        >>> print(value.tag, value.histo.num, value.histo.sum, value.histo.max)
        weights 3.0 9.0 6.0
    """
    with summary_scope(name, family, default_name="HistogramSummary", values=[values]) as (tag, scope):
        return collect(tensor_op("HistogramSummary", [tag, values], name=scope), collections, _COLLECTIONS)


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Iterable[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Returns a serialized summary with images.

    Bytes are used unchanged. Other numbers are scaled, image by image. Without negative values, the largest becomes
    255; otherwise 0 becomes 128 and the largest magnitude is 127 away from it. Pixels with a value that is not finite
    become red.

    Args:
        name: str, name of the operation; the tags are `name/image` for one image, `name/image/0` and so on for more.
        tensor: Tensor of uint8, half, float32 or float64, of shape [batch, height, width, channels] of 1, 3 or 4.
        max_outputs: int, how many images of the batch are summarized at most.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        family: str, the group in TensorBoard; None for its scope.

    Returns:
        Tensor of string, of shape []: a serialized `Summary` with PNG files.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if `tensor` has a wrong shape.

    Example:
        >>> images = tf.zeros([5, 28, 28, 1])
        >>> summary = tf.Summary.FromString(sess.run(tf.summary.image("digits", images, max_outputs=2)))
        >>> print([(value.tag, value.image.height) for value in summary.value])
        [('digits/image/0', 28), ('digits/image/1', 28)]
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        made = tensor_op("ImageSummary", [tag, tensor], {"max_images": max_outputs}, name=scope)
        return collect(made, collections, _COLLECTIONS)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Iterable[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Returns a serialized summary with audio clips.

    Args:
        name: str, name of the operation; the tags are `name/audio` for one clip, `name/audio/0` and so on for more.
        tensor: Tensor of float32, of shape [batch, frames] or [batch, frames, channels], with values in -1 to 1.
        sample_rate: Tensor of float32, of shape []: frames per second, in hertz.
        max_outputs: int, how many clips of the batch are summarized at most.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        family: str, the group in TensorBoard; None for its scope.

    Returns:
        Tensor of string, of shape []: a serialized `Summary` with WAV files of 16 bits.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if `tensor` has a wrong shape, or the sample rate is not
            positive.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        made = tensor_op("AudioSummaryV2", [tag, tensor, rate], {"max_outputs": max_outputs}, name=scope)
        return collect(made, collections, _COLLECTIONS)


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Iterable[str] | None = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """Returns a serialized summary of a whole tensor, for a plugin to show.

    Args:
        name: str, name of the operation, and with the scopes around it the tag of the series.
        tensor: Tensor of any dtype and shape.
        summary_description: str, the description in Markdown; None to leave it as in `summary_metadata`.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        summary_metadata: `SummaryMetadata` message, which names the plugin; None for an empty one.
        family: str, the group in TensorBoard; None for its scope.
        display_name: str, the series' title in TensorBoard; None to leave it as in `summary_metadata`.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.
    """
    metadata = proto.SummaryMetadata()
    if summary_metadata is not None:
        # TensorBoard's own summaries bring messages of their own class.
        metadata.ParseFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        made = tensor_op("TensorSummaryV2", [tag, tensor, metadata.SerializeToString()], name=scope)
        return collect(made, collections, _COLLECTIONS)


def text(name: str, tensor: Any, collections: Iterable[str] | None = None) -> Tensor:
    """Returns a serialized summary with text, which TensorBoard shows as Markdown; several strings become a table.

    Args:
        name: str, name of the operation, and with the scopes around it the tag of the series.
        tensor: Tensor of string, of any shape.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.

    Raises:
        ValueError: if `tensor` is not of string.
    """
    if tensor.dtype != dtypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    plugin = proto.SummaryMetadata.PluginData(plugin_name="text")
    metadata = proto.SummaryMetadata(plugin_data=plugin)
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)

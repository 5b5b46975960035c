"""Summaries by the names they had before TensorFlow 1.0, where the tag was an argument of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import StringLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.summary import merging
from ferroflow._src.summary.tags import collect

_COLLECTIONS = (GraphKeys.SUMMARIES,)


def _made(
    op_type: str,
    inputs: list[Any],
    collections: Iterable[str] | None,
    name: str | None,
    attrs: dict[str, Any] | None = None,
) -> Tensor:
    with name_scope(name, op_type, inputs) as scope:
        return collect(tensor_op(op_type, inputs, attrs, name=scope), collections, _COLLECTIONS)


@deprecated("tf.summary.scalar", name="tf.scalar_summary")
def scalar_summary(
    tags: StringLike, values: TensorLike, collections: Iterable[str] | None = None, name: str | None = None
) -> Tensor:
    """Returns a serialized summary of numbers.

    Args:
        tags: str, or Tensor of string, of the shape of `values`.
        values: Tensor of a real number dtype, of the shape of `tags`.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.
    """
    return _made("ScalarSummary", [tags, values], collections, name)


@deprecated("tf.summary.histogram", name="tf.histogram_summary")
def histogram_summary(
    tag: StringLike, values: TensorLike, collections: Iterable[str] | None = None, name: str | None = None
) -> Tensor:
    """Returns a serialized summary with a histogram of values.

    Args:
        tag: str or Tensor of string, of shape [].
        values: Tensor of a real number dtype, of any shape, with finite values.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.
    """
    return _made("HistogramSummary", [tag, values], collections, name)


@deprecated("tf.summary.image", name="tf.image_summary")
def image_summary(
    tag: StringLike,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Iterable[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns a serialized summary with images.

    Args:
        tag: str or Tensor of string, of shape [].
        tensor: Tensor of uint8, half, float32 or float64, of shape [batch, height, width, channels] of 1, 3 or 4.
        max_images: int, how many images of the batch are summarized at most.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.
    """
    return _made("ImageSummary", [tag, tensor], collections, name, {"max_images": max_images})


@deprecated("tf.summary.audio", name="tf.audio_summary")
def audio_summary(
    tag: StringLike,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Iterable[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns a serialized summary with audio clips.

    Args:
        tag: str or Tensor of string, of shape [].
        tensor: Tensor of float32, of shape [batch, frames] or [batch, frames, channels], with values in -1 to 1.
        sample_rate: Tensor of float32, of shape []: frames per second, in hertz.
        max_outputs: int, how many clips of the batch are summarized at most.
        collections: list of str, keys of the collections that the summary enters; None for `GraphKeys.SUMMARIES`.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.
    """
    return _made("AudioSummaryV2", [tag, tensor, sample_rate], collections, name, {"max_outputs": max_outputs})


@deprecated("tf.summary.merge", name="tf.merge_summary")
def merge_summary(inputs: Sequence[Any], collections: Iterable[str] | None = None, name: str | None = None) -> Tensor:
    """Merges several summaries into one.

    Args:
        inputs: list of Tensors of string, of shape []: serialized `Summary` messages.
        collections: list of str, keys of the collections that the summary enters, or None.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.
    """
    with name_scope(name, "MergeSummary", inputs) as scope:
        return collect(tensor_op("MergeSummary", [inputs], name=scope), collections, ())


@deprecated("tf.summary.merge_all", name="tf.merge_all_summaries")
def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Tensor | None:
    """Merges all summaries of a collection of the default graph into one.

    Args:
        key: str, key of the collection.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`; None if the collection is empty.
    """
    return merging.merge_all(key)

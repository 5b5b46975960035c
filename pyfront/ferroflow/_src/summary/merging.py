"""Several summaries as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.summary.tags import clean_tag, collect


def merge(inputs: Sequence[Any], collections: Iterable[str] | None = None, name: str | None = None) -> Tensor:
    """Merges several summaries into one.

    Args:
        inputs: list of Tensors of string, of shape []: serialized `Summary` messages.
        collections: list of str, keys of the collections that the summary enters, or None.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if two summaries have one tag.

    Example:
        >>> loss, rate = tf.summary.scalar("loss", 0.5), tf.summary.scalar("rate", 0.01)
        >>> merged = tf.summary.merge([loss, rate])
        >>> print([value.tag for value in tf.Summary.FromString(sess.run(merged)).value])
        ['loss', 'rate']
    """
    name = clean_tag(name)
    with name_scope(name, "Merge", inputs):
        return collect(tensor_op("MergeSummary", [inputs], name=name), collections, ())


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """Merges all summaries of a collection of the default graph into one.

    Args:
        key: str, key of the collection.
        scope: str, a regular expression; only summaries whose names it matches from the start are merged.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a serialized `Summary`; None if the collection is empty.

    Example:
        >>> loss, accuracy = tf.summary.scalar("loss", 0.5), tf.summary.scalar("accuracy", 0.75)
        >>> merged = tf.summary.merge_all()
        >>> print([value.tag for value in tf.Summary.FromString(sess.run(merged)).value])
        ['loss', 'accuracy']
    """
    summaries = get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None

"""Positions of iterators in checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.data.iterator import Iterator, resource_of
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec


class IteratorSaveable(SaveableObject):
    """The dataset of an iterator and its position in it.

    Args:
        iterator_resource: Tensor of resource, of shape [].
    """

    def __init__(self, iterator_resource: Tensor) -> None:
        position = tensor_op("SerializeIterator", [iterator_resource])
        name = iterator_resource.name
        super().__init__(iterator_resource, [SaveSpec(position, "", f"{name}-state")], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Operation:
        """Moves the iterator to the position of a checkpoint, in that checkpoint's dataset."""
        with colocate_with(self.op):
            return apply_op("DeserializeIterator", [self.op, restored_tensors[0]])


def make_saveable_from_iterator(iterator: Iterator) -> IteratorSaveable:
    """Returns the object by which a `Saver` saves the position of an iterator, and restores it.

    Add it to the collection `tf.GraphKeys.SAVEABLE_OBJECTS` before the saver is made. A checkpoint holds the dataset,
    too: its operations, functions and constants, buffered elements, and the state of its random streams. After
    `restore`, the iterator goes on as the saved one would have, even if the graph has another dataset. Its initializer
    starts the graph's own dataset again.

    A position cannot be saved if a function of the dataset has a stateful operation, such as `tf.py_func` or a random
    one, or uses a variable or a table. The step that saves then raises `tf.errors.InvalidArgumentError`.

    Args:
        iterator: Iterator.

    Returns:
        SaveableObject.

    Example:
        >>> iterator = tf.data.Dataset.range(10).shuffle(4).make_initializable_iterator()
        >>> saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        >>> tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
        >>> saver = tf.train.Saver()
    """
    return IteratorSaveable(resource_of(iterator))

"""Messages that are stored in files, inside of other messages or of tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import errors, proto


def stored_message(message_class: Any, content: bytes, place: str) -> Any:
    """Reads a message.

    Args:
        message_class: the message's class.
        content: bytes, the serialized message.
        place: str, the place of the message, for the error.

    Raises:
        tf.errors.DataLossError: if `content` is not such a message.
    """
    try:
        return message_class.FromString(content)
    except proto.decode_errors() as error:
        name = message_class.DESCRIPTOR.full_name
        raise errors.DataLossError(None, None, f"{place} is not a {name} message: {error}") from None


def check_numbers(objects: Any, others: Iterable[int], place: str) -> None:
    """Refuses a message of objects that refers to objects which it does not have.

    Args:
        objects: TrackableObjectGraph or SavedObjectGraph message.
        others: ints, further numbers of objects.
        place: str, the place of the message, for the error.

    Raises:
        tf.errors.DataLossError: if a number is not in [0, the number of objects), or there is no object at all.
    """
    numbers = [0, *others]
    for node in objects.nodes:
        numbers += [edge.node_id for edge in node.children]
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
    count = len(objects.nodes)
    if min(numbers) < 0 or max(numbers) >= count:
        raise errors.DataLossError(
            None, None, f"{place} is damaged: it has {count} objects, and refers to object {max(numbers, key=abs)}"
        )

"""The messages of boosted trees, whose names are too common to stand beside those of other messages."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.symbols import message_class

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor

_FILE = "tensorflow/boosted_trees.proto"


def descriptor() -> FileDescriptor:
    """Returns the descriptor of the file that defines the messages."""
    (found,) = (file for file in load_descriptors().files if file.name == _FILE)
    return found


@functools.cache
def message(name: str) -> Any:
    """Returns the class of a message.

    Args:
        name: str, such as "TreeEnsemble".

    Returns:
        type.

    Raises:
        KeyError: if there is no such message.
    """
    return message_class(descriptor().message_types_by_name[name])

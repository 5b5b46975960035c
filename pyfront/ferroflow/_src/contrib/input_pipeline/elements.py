"""Elements of a list of strings, one for each step."""

from __future__ import annotations

import random
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.state.assigning import assign, count_up_to
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.scope import variable_scope

__all__ = ["obtain_next", "seek_next"]


def obtain_next(string_list_tensor: TensorLike, counter: Any) -> Tensor:
    """Returns the element behind the one that a counter names, and increases the counter; the first follows the last.

    Args:
        string_list_tensor: Tensor of str, of shape [n].
        counter: int64 variable of shape [], the index of the last element that was returned.

    Returns:
        Tensor of str, of shape [].
    """
    with name_scope(None, "ObtainNext", [string_list_tensor]):
        elements = convert_to_tensor(string_list_tensor, dtypes.string)
        size = shaping.size(elements, out_type=dtypes.int64)
        place = assign(counter, (identity(counter) + 1) % size)
        return gather(elements, place)


def _in_order(string_list: list[str], shuffle: bool, seed: int | None, num_epochs: int | None) -> list[str]:
    """Returns the elements of all epochs, or of one if their number is unlimited."""
    if shuffle and seed:
        random.seed(seed)
    found: list[str] = []
    for _ in range(num_epochs or 1):
        if shuffle:
            random.shuffle(string_list)
        found += string_list
    return found


def seek_next(
    string_list: list[str], shuffle: bool = False, seed: int | None = None, num_epochs: int | None = None
) -> Tensor:
    """Returns a Tensor with the next element of a list for each step.

    The variables `obtain_next/obtain_next_counter`, `obtain_next_expanded_list` and, with a number of epochs,
    `obtain_next_filename_counter` hold the position and the elements.

    Args:
        string_list: list of str; it is shuffled in place.
        shuffle: bool. If True, each epoch has an order of its own; without a number of epochs, all have the same.
        seed: int, the seed of Python's random numbers, which give the order.
        num_epochs: int, how often the list is repeated; None for no limit.

    Returns:
        Tensor of str, of shape [].

    Raises:
        tf.errors.OutOfRangeError: when a step runs after all epochs.
    """
    elements = _in_order(string_list, shuffle, seed, num_epochs)
    with variable_scope("obtain_next"):
        counter = get_variable("obtain_next_counter", initializer=constant(-1, dtypes.int64), trainable=False)
        with colocate_with(counter):
            kept = get_variable("obtain_next_expanded_list", initializer=constant(elements), trainable=False)
        if not num_epochs:
            return obtain_next(kept, counter)
        steps = get_variable("obtain_next_filename_counter", initializer=constant(0, dtypes.int64), trainable=False)
        with control_dependencies([count_up_to(steps, len(elements))]):
            return obtain_next(kept, counter)

"""`tensorflow.python.eager.tape`: what programs do with the tapes that record at the moment."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.internals.gradient_tape import GradientTape, recording_tapes

__all__ = [
    "pop_tape",
    "push_new_tape",
    "push_tape",
    "record_operation",
    "should_record",
    "stop_recording",
    "variable_accessed",
    "watch",
    "watch_variable",
]


@contextlib.contextmanager
def stop_recording() -> Iterator[None]:
    """Opens a context whose operations no tape records."""
    with contextlib.ExitStack() as stack:
        for tape in recording_tapes():
            stack.enter_context(tape.stop_recording())
        yield


def push_new_tape(persistent: bool = False, watch_accessed_variables: bool = True) -> GradientTape:
    """Makes a tape that records from now on.

    Args:
        persistent: bool. If True, `gradient` may be called more than once.
        watch_accessed_variables: bool. If False, a variable counts only after `watch`.

    Returns:
        GradientTape.
    """
    return GradientTape(persistent, watch_accessed_variables).__enter__()


def push_tape(tape: GradientTape) -> None:
    """Makes a tape record again.

    Args:
        tape: GradientTape.

    Raises:
        ValueError: if the tape is recording.
    """
    tape.__enter__()


def pop_tape(tape: GradientTape) -> None:
    """Ends the recording of a tape.

    Args:
        tape: GradientTape.
    """
    tape.__exit__(None, None, None)


def watch(tape: GradientTape, tensor: Any) -> None:
    """Makes a tensor count as a source of derivatives.

    Args:
        tape: GradientTape.
        tensor: Tensor of a float or complex dtype.
    """
    tape.watch(tensor)


def watch_variable(tape: GradientTape, variable: Any) -> None:
    """Makes a variable count as a source of derivatives.

    Args:
        tape: GradientTape.
        variable: Variable of a float or complex dtype.
    """
    tape.watch(variable)


def variable_accessed(variable: Any) -> None:
    """Does nothing: tapes find the variables that were read in the graph."""


def should_record(tensors: Sequence[Any]) -> bool:
    """Returns True if a tape is recording that watches one of some tensors.

    Args:
        tensors: list of Tensors.
    """
    return any(tape.watches(tensor) for tape in recording_tapes() for tensor in nest.flatten(list(tensors)))


def record_operation(
    op_type: str, output_tensors: Any, input_tensors: Any, backward_function: Any, forward_function: Any = None
) -> None:
    """Fails while a tape records, which finds gradients by the rules of the graph's operations.

    Args:
        op_type: str, a name of the operation.
        output_tensors: list of Tensors.
        input_tensors: list of Tensors.
        backward_function: function from gradients of outputs to those of inputs.
        forward_function: not used.

    Raises:
        NotImplementedError: if a tape is recording; `tf.custom_gradient` gives operations a gradient.
    """
    if recording_tapes():
        raise NotImplementedError("record_operation: decorate the function with tf.custom_gradient instead.")

"""The exceptions that running a graph raises: one class per status code of TF."""

from __future__ import annotations

import warnings
from typing import Any, Final

from ferroflow._src.base.public_modules import show_as, show_publicly
from ferroflow._src.base.user_frames import definition_lines

# TF's error codes (google.rpc codes): they cross the Rust boundary and the wire.
OK: Final = 0
CANCELLED: Final = 1
UNKNOWN: Final = 2
INVALID_ARGUMENT: Final = 3
DEADLINE_EXCEEDED: Final = 4
NOT_FOUND: Final = 5
ALREADY_EXISTS: Final = 6
PERMISSION_DENIED: Final = 7
RESOURCE_EXHAUSTED: Final = 8
FAILED_PRECONDITION: Final = 9
ABORTED: Final = 10
OUT_OF_RANGE: Final = 11
UNIMPLEMENTED: Final = 12
INTERNAL: Final = 13
UNAVAILABLE: Final = 14
DATA_LOSS: Final = 15
UNAUTHENTICATED: Final = 16


class OpError(Exception):
    """The base class of the errors that running a graph raises.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
        error_code: int, one of the codes of `tf.errors`.
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    @property
    def message(self) -> Any:
        """The error message."""
        return self._message

    @property
    def op(self) -> Any:
        """The `Operation` that failed; None if it is not known or the graph has no such operation."""
        return self._op

    @property
    def error_code(self) -> int:
        """The code of this error, one of the constants of `tf.errors`."""
        return self._error_code

    @property
    def node_def(self) -> Any:
        """The `NodeDef` of the op that failed, or None."""
        return self._node_def

    def __str__(self) -> str:
        if self._op is None:
            return str(self._message)
        lines = [f"{self._message}\n\nCaused by op {self._op.name!r}, defined at:\n"]
        stack = _definition(self._op)
        lines += _definition(self._op, self.__traceback__)
        original = getattr(self._op, "_original_op", None)
        while original is not None:
            lines.append(f"\n...which was originally created as op {original.name!r}, defined at:\n")
            inner_stack = _definition(original)
            lines += _without_shared_start(inner_stack, stack)
            stack = inner_stack
            original = getattr(original, "_original_op", None)
        return "".join(lines).rstrip("\n")

    # The operation stays behind: its graph cannot leave the process.
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restore, (type(self), self._node_def, self._message, self._error_code)


def _restore(cls: type[OpError], node_def: Any, message: Any, error_code: int) -> OpError:
    error = cls.__new__(cls)
    OpError.__init__(error, node_def, None, message, error_code)
    return error


def _definition(op: Any, trace: Any = None) -> list[str]:
    return definition_lines(getattr(op, "traceback", None) or [], trace)


def _without_shared_start(stack: list[str], previous: list[str]) -> list[str]:
    """Returns the lines of `stack`, with the middle of the part that starts `previous` too left out."""
    shared = 0
    for line, previous_line in zip(stack, previous, strict=False):
        if line != previous_line:
            break
        shared += 1
    if shared < 3:
        return stack
    elided = f"[elided {shared - 2} identical lines from previous traceback]\n"
    return [stack[0], elided, *stack[shared - 1 :]]


class CancelledError(OpError):
    """Error: a step or operation was cancelled, because its session or queue was closed or the user interrupted it.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: object, op: object, message: str) -> None:
        super().__init__(node_def, op, message, CANCELLED)


class UnknownError(OpError):
    """Error: the cause is unknown, or its code is not one of TF's.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
        error_code: int, the code that was met.
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int = UNKNOWN) -> None:
        super().__init__(node_def, op, message, error_code)


class InvalidArgumentError(OpError):
    """Error: an operation received an argument with a value or shape that it does not accept.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, INVALID_ARGUMENT)


class DeadlineExceededError(OpError):
    """Error: an operation did not end in time.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: object, op: object, message: str) -> None:
        super().__init__(node_def, op, message, DEADLINE_EXCEEDED)


class NotFoundError(OpError):
    """Error: a requested object, such as a file or a key of a checkpoint, does not exist.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: object, op: object, message: str) -> None:
        super().__init__(node_def, op, message, NOT_FOUND)


class AlreadyExistsError(OpError):
    """Error: an object to create already exists.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, ALREADY_EXISTS)


class PermissionDeniedError(OpError):
    """Error: the caller has no permission, for example to read a file.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, PERMISSION_DENIED)


class UnauthenticatedError(OpError):
    """Error: the caller is not authenticated.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, UNAUTHENTICATED)


class ResourceExhaustedError(OpError):
    """Error: memory, disk space or another resource is exhausted.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED)


class FailedPreconditionError(OpError):
    """Error: the state that an operation needs is missing, for example a variable is not initialized.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, FAILED_PRECONDITION)


class AbortedError(OpError):
    """Error: an operation was aborted because of a concurrent event, such as the loss of a worker.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, ABORTED)


class OutOfRangeError(OpError):
    """Error of an operation that passed the end of its input: end of file, empty closed queue, or finished iterator.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.

    Example:
        >>> element = tf.data.Dataset.range(2).make_one_shot_iterator().get_next()
        >>> try:
        ...     while True:
        ...         print(sess.run(element))
        ... except tf.errors.OutOfRangeError:
        ...     print("end")
        0
        1
        end
    """

    def __init__(self, node_def: object, op: object, message: str) -> None:
        super().__init__(node_def, op, message, OUT_OF_RANGE)


class UnimplementedError(OpError):
    """Error: an operation has no implementation for its types, attributes or arguments.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, UNIMPLEMENTED)


class InternalError(OpError):
    """Error: an invariant of the runtime does not hold, which is a defect.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, INTERNAL)


class UnavailableError(OpError):
    """Error: a part of the runtime, such as another task of the cluster, is currently unreachable.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, UNAVAILABLE)


class UnreachableTaskError(DeadlineExceededError, UnavailableError):
    """Error: a step did not end in time, and a task that it needs does not answer.

    Programs that match on `DeadlineExceededError` see the deadline. Those that wait for lost tasks, such as monitored
    sessions, see that a task is unavailable.

    Args:
        node_def: the `NodeDef` of the op that waited, or None.
        op: the `Operation` that waited, or None.
        message: str, which task does not answer.
    """

    def __init__(self, node_def: Any, op: Any, message: Any) -> None:
        OpError.__init__(self, node_def, op, message, DEADLINE_EXCEEDED)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restore_unreachable, (self._node_def, self._message)


def _restore_unreachable(node_def: Any, message: Any) -> OpError:
    return UnreachableTaskError(node_def, None, message)


class DataLossError(OpError):
    """Error: data is damaged or truncated beyond repair, for example in a checkpoint or record file.

    Args:
        node_def: the `NodeDef` of the op that failed, or None.
        op: the `Operation` that failed, or None.
        message: str, the description of the error.
    """

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, DATA_LOSS)


_CODE_TO_EXCEPTION: Final[dict[int, type[OpError]]] = {
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    UNAUTHENTICATED: UnauthenticatedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
}

show_publicly("ferroflow.errors", OpError, *_CODE_TO_EXCEPTION.values())
show_as(UnreachableTaskError, DeadlineExceededError)

_EXCEPTION_TO_CODE: Final = {cls: code for code, cls in _CODE_TO_EXCEPTION.items()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Returns the exception class of a code.

    Args:
        error_code: int, one of the codes of `tf.errors`.

    Returns:
        A subclass of `OpError`.

    Raises:
        KeyError: if `error_code` is `OK` or not one of TF's codes.
    """
    return _CODE_TO_EXCEPTION[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """Returns the code of an exception class.

    Args:
        cls: a subclass of `OpError`.

    Returns:
        int.

    Raises:
        KeyError: if `cls` is not one of the classes that have a code.
    """
    return _EXCEPTION_TO_CODE[cls]


def make_exception(node_def: Any, op: Any, message: str, error_code: int) -> OpError:
    """Returns the exception, of the class of `error_code`, for a failed op.

    Args:
        node_def: the `NodeDef` of the op, or None.
        op: the `Operation`, or None.
        message: str, the description of the error.
        error_code: int; an unknown code gives a warning and an `UnknownError` with the code.

    Returns:
        The exception, not raised.
    """
    cls: Any = _CODE_TO_EXCEPTION.get(error_code)
    if cls is None:
        warnings.warn(f"Unknown error code: {error_code}", stacklevel=2)
        return UnknownError(node_def, op, message, error_code)
    error: OpError = cls(node_def, op, message)
    return error

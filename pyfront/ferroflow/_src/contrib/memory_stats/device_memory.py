"""Statistics of a GPU's memory, which a CPU lacks."""

from typing import Any, NoReturn

from ferroflow._src.base import errors


def _refuse(name: str) -> NoReturn:
    raise errors.NotFoundError(
        None, None, f"{name} measures the memory of a GPU; there are no GPUs. Use resource.getrusage of Python."
    )


def BytesInUse() -> Any:
    """Raises NotFoundError: the bytes in use are those of a GPU.

    Raises:
        NotFoundError: if it is called. Programs catch it, because a TensorFlow without this operation raises it.
    """
    _refuse("BytesInUse")


def BytesLimit() -> Any:
    """Raises NotFoundError: the limit is that of a GPU.

    Raises:
        NotFoundError: if it is called.
    """
    _refuse("BytesLimit")


def MaxBytesInUse() -> Any:
    """Raises NotFoundError: the largest number of bytes in use is that of a GPU.

    Raises:
        NotFoundError: if it is called.
    """
    _refuse("MaxBytesInUse")

"""`tf.py_func`: a Python function on arrays as an operation."""

from __future__ import annotations

import itertools
import traceback
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ferroflow import _core
from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.default_graph import get_default_graph


class _Registered:
    """A function under its token; only the graph that uses it keeps it alive."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


_functions: weakref.WeakValueDictionary[str, _Registered] = weakref.WeakValueDictionary()
_of_the_engine: dict[str, _Registered] = {}
_numbers = itertools.count()


def _array(value: Any) -> np.ndarray[Any, Any]:
    """Returns a result as an array that the engine reads: text becomes objects, for NumPy would pad it."""
    array = np.asarray(value, order="C")
    kind = array.dtype.kind
    if kind == "S" and array is value:
        # TF 1.x: an array of fixed-length bytes keeps the padding that it came with.
        size = array.dtype.itemsize
        padded: np.ndarray[Any, Any] = np.empty(array.size, object)
        padded[:] = [item.ljust(size, b"\0") for item in array.reshape(-1).tolist()]
        shaped: np.ndarray[Any, Any] = padded.reshape(array.shape)
        return shaped
    if kind in "SU" and array is not value:
        return np.asarray(value, dtype=object, order="C")
    if kind not in "biufcSUO" and array.dtype.name != "bfloat16":
        raise NotImplementedError(f"Unsupported numpy type {array.dtype}")
    return array


def _call(token: str, arguments: list[Any]) -> list[np.ndarray[Any, Any]]:
    registered = _functions.get(token)
    if registered is None:
        raise ValueError(f"callback {token} is not found")
    try:
        result = registered.function(*arguments)
        if result is None:
            return []
        if isinstance(result, tuple | list):
            return [_array(item) for item in result]
        return [_array(result)]
    except BaseException:
        # Only a handler stores the traceback in the exception, where `_describe` finds it.
        raise


def _describe(error: BaseException) -> tuple[int | None, str]:
    """Returns (the error's own code or None, what it says with its traceback)."""
    code = error.error_code if isinstance(error, errors.OpError) else None
    # The first frame is `_call`.
    frames = error.__traceback__ and error.__traceback__.tb_next
    trace = "".join(traceback.format_exception(type(error), error, frames))
    return code, f"{type(error).__name__}: {error}\n{trace}"


_core.set_function_host(_call, _describe)


def registered(function: Callable[..., Any]) -> str:
    """Registers a function for operations of the default graph, which keeps it alive.

    Args:
        function: called with an array for each input; returns an array, a list or tuple of arrays, or None.

    Returns:
        str, the token by which operations name the function.
    """
    token = f"pyfunc_{next(_numbers)}"
    entry = _Registered(function)
    _functions[token] = entry
    owner: Any = get_default_graph()
    while getattr(owner, "outer_graph", None) is not None:
        owner = owner.outer_graph
    owner.__dict__.setdefault("_py_functions", []).append(entry)
    return token


def register_for_engine(token: str, function: Callable[..., Any]) -> None:
    """Registers a function that operations of the engine call in any graph, as long as the process lives.

    Args:
        token: str, the name that the engine uses.
        function: as for `registered`.
    """
    _of_the_engine[token] = _functions[token] = _Registered(function)


def registered_function(token: str) -> Callable[..., Any] | None:
    """Returns the function of a token; None if it is gone, or of another process.

    Args:
        token: str.
    """
    entry = _functions.get(token)
    return None if entry is None else entry.function


def py_func(
    func: Callable[..., Any],
    inp: Iterable[TensorLike],
    Tout: DTypeLike | Sequence[Any],
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Makes an operation of a Python function.

    The function lives as long as the graph and is not part of its GraphDef.

    Functions of one step that no data or control edge orders run at once, on threads of their own, and begin in any
    order. Use `tf.control_dependencies` to order their effects. A function with nothing to run at the same time runs on
    the thread that calls `Session.run`. A step that fails or is late ends after its functions have ended. After Ctrl-C,
    it leaves a function on another thread that goes on for more than a second.

    Args:
        func: called with an array (NumPy scalar or bytes for shape []) for each input; returns an array, a list or
            tuple of arrays, or None for no outputs.
        inp: list of Tensors of any dtype and shape.
        Tout: dtype of the output; list or tuple of dtypes for several outputs or none.
        stateful: bool; False promises that equal arguments give equal results and calls have no effects, so that the
            function may be called less often.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype `Tout`, of unknown shape; list of Tensors where `Tout` is a list or tuple; the Operation
        if it is empty and `stateful`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the results are not as many or not of the dtypes of
            `Tout`, or `func` raised ValueError or TypeError.
        tf.errors.OutOfRangeError: when the step runs, if `func` raised StopIteration.
        tf.errors.ResourceExhaustedError: when the step runs, if `func` raised MemoryError.
        tf.errors.UnimplementedError: when the step runs, if `func` raises NotImplementedError or returns an object that
            is not a tensor.
        tf.errors.UnknownError: when the step runs, if `func` raises another exception, which is the `__cause__` of each
            of these.
    """
    is_list = isinstance(Tout, list | tuple)
    op_type = "PyFunc" if stateful else "PyFuncStateless"
    types = [dtypes.as_dtype(t) for t in (Tout if isinstance(Tout, (list, tuple)) else [Tout])]
    op = apply_op(op_type, [list(inp)], {"token": registered(func), "Tout": types}, name=name)
    if not op.outputs and stateful:
        return op
    return list(op.outputs) if is_list else op.outputs[0]


def numpy_function(
    func: Callable[..., Any], inp: Iterable[TensorLike], Tout: DTypeLike | Sequence[Any], name: str | None = None
) -> Any:
    """Makes an operation of a Python function, as `py_func` with `stateful=True` does.

    Args:
        func: as for `py_func`.
        inp: list of Tensors of any dtype and shape.
        Tout: as for `py_func`.
        name: str, name of the operation.

    Returns:
        As `py_func`.
    """
    return py_func(func, inp, Tout, stateful=True, name=name)

"""`tf.py_function`: a Python function on tensors with values as an operation, with a gradient."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.immediate_graph import ImmediateGraph
from ferroflow._src.base import compat, dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.script.py_func import registered, registered_function


class _Call:
    """A call of a function: the graph of what it did, its arguments and its results."""

    def __init__(self, graph: ImmediateGraph, arguments: list[Tensor], results: list[Tensor]) -> None:
        self.graph = graph
        self.arguments = arguments
        self.results = results


class _Forward:
    """Calls a function on tensors with the values of arrays.

    Args:
        function: the program's function.
        types: the dtypes of its results.
    """

    def __init__(self, function: Callable[..., Any], types: Sequence[dtypes.DType]) -> None:
        self._function = function
        self._types = types
        # True once the graph has a gradient: the last call is kept for it.
        self.keeps_calls = False
        self._last: _Call | None = None
        self._lock = threading.Lock()

    def __call__(self, *values: Any) -> list[Any]:
        graph = ImmediateGraph()
        with graph.as_default():
            arguments = [graph.input(value) for value in values]
            given = self._function(*arguments)
            items = [] if given is None else given if isinstance(given, list | tuple) else [given]
            results = [convert_to_tensor(y, dtype=t) for y, t in zip(items, self._types, strict=False)]
            arrays = graph.values_of(results)
        if self.keeps_calls:
            with self._lock:
                self._last = _Call(graph, arguments, results)
        else:
            graph.close()
        return arrays

    def take_call(self) -> _Call:
        """Returns the last call, which is kept no longer.

        Raises:
            RuntimeError: if the function was not called since the last gradient.
        """
        with self._lock:
            call, self._last = self._last, None
        if call is None:
            raise RuntimeError("the gradient of a tf.py_function needs a call of the function in the same step")
        return call


class _Backward:
    """Computes the gradients of a function's arguments, of its last call.

    Args:
        forward: the function.
    """

    def __init__(self, forward: _Forward) -> None:
        self._forward = forward

    def __call__(self, *arriving: Any) -> list[Any]:
        call = self._forward.take_call()
        graph = call.graph
        graph.reads_shapes = False
        with graph.as_default():
            pairs = [(y, g) for y, g in zip(call.results, arriving, strict=True) if _is_float(y)]
            xs = [x for x in call.arguments if _is_float(x)]
            found: list[Any] = [None] * len(xs)
            if pairs and xs:
                ys = [y for y, _ in pairs]
                found = gradients(ys, xs, [graph.input(g) for _, g in pairs])
            by_argument = dict(zip(xs, found, strict=True))
            # An operation cannot return None.
            results = [
                zeros_like(x) if by_argument.get(x) is None else convert_to_tensor(by_argument[x])
                for x in call.arguments
            ]
            arrays = graph.values_of(results)
        graph.close()
        return arrays


def _is_float(tensor: Tensor) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _operation(function: Callable[..., Any], inp: Any, types: Sequence[dtypes.DType], name: str | None) -> Operation:
    return apply_op("EagerPyFunc", [inp], {"token": registered(function), "Tout": list(types)}, name=name)


def py_function(
    func: Callable[..., Any], inp: Iterable[TensorLike], Tout: DTypeLike | Sequence[Any], name: str | None = None
) -> Any:
    """Makes an operation of a Python function whose arguments are tensors that have values.

    In the function, `x.numpy()`, `bool(x)`, `int(x)`, `float(x)`, `len(x)` and `np.asarray(x)` give the value of a
    tensor. Functions of this package compute further tensors. An operation with effects runs once, when it is created.
    Tensors and variables from outside of the function cannot be used in it; pass them in `inp`.

    The function lives as long as the graph and is not part of its GraphDef. Gradients can be taken once: they are
    derived from the operations of the last call.

    Args:
        func: called with a Tensor for each input; returns a Tensor or what converts to one, a list or tuple of these,
            or None for no outputs.
        inp: list of Tensors of any dtype and shape.
        Tout: dtype of the output; list or tuple of dtypes for several outputs or none.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype `Tout`, of unknown shape; list of Tensors where `Tout` is a list or tuple; the Operation if
        it is empty.

    Raises:
        ValueError: if `func` is not callable.
        tf.errors.InvalidArgumentError: when the step runs, if there are fewer results than `Tout` has dtypes, or
            `func` raises ValueError or TypeError.
        tf.errors.UnknownError: when the step runs, if `func` raises another exception, which is the `__cause__`.

    Example:
        >>> def clipped(x, limit):
        ...     return x if abs(x) <= limit else limit * tf.sign(x)
        >>> y = tf.py_function(clipped, [tf.constant(3.0), tf.constant(2.0)], tf.float32)
        >>> print(sess.run(y))
        2.0
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    is_list = isinstance(Tout, list | tuple)
    types = [dtypes.as_dtype(t) for t in (Tout if isinstance(Tout, (list, tuple)) else [Tout])]
    op = _operation(_Forward(func, types), list(inp), types, name)
    if not op.outputs:
        return op
    return list(op.outputs) if is_list else op.outputs[0]


@RegisterGradient("EagerPyFunc")
def _py_function_gradient(op: Operation, *grads: Tensor) -> list[Tensor]:
    forward = registered_function(compat.as_str(op.get_attr("token")))
    if isinstance(forward, _Backward):
        raise LookupError(
            f"tf.py_function has no second derivative (op '{op.name}'); use operations, or tf.custom_gradient around "
            "the function"
        )
    if not isinstance(forward, _Forward):
        raise LookupError(
            f"The Python function of '{op.name}' is not known in this process, and has no gradient therefore; call "
            "tf.py_function in the program that takes the gradient"
        )
    forward.keeps_calls = True
    with control_dependencies([op]):
        made = _operation(_Backward(forward), list(grads), [x.dtype.base_dtype for x in op.inputs], None)
    for x, gradient in zip(op.inputs, made.outputs, strict=True):
        gradient.set_shape(x.get_shape())
    return list(made.outputs)

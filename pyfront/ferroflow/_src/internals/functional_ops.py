"""`tensorflow.python.ops.functional_ops`: operations that call functions made by `Defun`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function_calls import gradient_of
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.defun import DefinedFunction, Defun

__all__ = ["For", "Gradient", "If", "While", "partitioned_call", "remote_call", "symbolic_gradient"]


def _tensors(values: Sequence[Any], function: Any) -> list[Tensor]:
    """Returns values as Tensors of the dtypes that a function declares for its first arguments."""
    types = [*getattr(function, "declared_input_types", ())][: len(values)]
    types += [None] * (len(values) - len(types))
    return [convert_to_tensor(x, dtype=t) for x, t in zip(values, types, strict=True)]


def _types(function: Any) -> list[Any]:
    return [t.dtype.base_dtype for t in function.library_function().results]


def _name(function: Any) -> str:
    name: str = function.library_function().name
    return name


def If(  # noqa: N802  # TensorFlow's name.
    cond: TensorLike,
    inputs: Sequence[Any],
    then_branch: DefinedFunction,
    else_branch: DefinedFunction,
    name: str | None = None,
) -> list[Tensor]:
    """Returns the results of one of two functions.

    Args:
        cond: Tensor of any dtype, a scalar; a string, number or tensor decides by being empty or zero.
        inputs: list of Tensors, the arguments of both functions.
        then_branch: function made by `Defun`, called if `cond` is true.
        else_branch: function made by `Defun` with the same dtypes, called if `cond` is false.
        name: str, name of the operation.

    Returns:
        list of Tensors.
    """
    attrs = {"then_branch": _name(then_branch), "else_branch": _name(else_branch), "Tout": _types(then_branch)}
    return list(apply_op("If", [cond, _tensors(inputs, then_branch)], attrs, name=name or "If").outputs)


def _with_captures(body: DefinedFunction) -> DefinedFunction:
    """Returns a function that takes and returns the captured tensors of `body`, too."""
    captured = body.captured_inputs
    count = len(body.library_function().all_arguments) - len(captured)
    types = [t.dtype.base_dtype for t in body.library_function().all_arguments]
    skipped = count - len(body.library_function().results)

    def wrapper(*arguments: Tensor) -> Any:
        library = body.library_function()
        results = apply_op(
            "StatefulPartitionedCall", [list(arguments)], {"f": library.name, "Tout": _types(body)}
        ).outputs
        return [*results, *arguments[skipped + len(library.results) :]]

    return Defun(*types, func_name=f"{body.name}_Wrapper")(wrapper)


def _check_pair(cond: DefinedFunction, body: DefinedFunction) -> None:
    if cond.captured_inputs:
        raise ValueError("While op 'cond' argument must be a function without implicitly captured inputs.")
    if cond.declared_input_types != body.declared_input_types:
        raise ValueError(
            "While op 'cond' and 'body' signatures do not match. "
            f"{cond.declared_input_types!r} vs {body.declared_input_types!r}"
        )


def While(  # noqa: N802  # TensorFlow's name.
    input_: Sequence[Any],
    cond: DefinedFunction,
    body: DefinedFunction,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
) -> list[Tensor]:
    """Calls a function with its own results while another one returns true.

    Args:
        input_: list of Tensors, the first arguments.
        cond: function made by `Defun` of these; returns a scalar Tensor of bool.
        body: function made by `Defun` of these; returns Tensors of the same dtypes.
        name: str, name of the operation.
        hostmem: list of int, accepted.

    Returns:
        list of Tensors, the last results; of the shapes of `input_`.

    Raises:
        ValueError: if `cond` captures tensors, or takes other dtypes than `body`.
    """
    del hostmem
    _check_pair(cond, body)
    captured = list(body.captured_inputs)
    values = _tensors(input_, body)
    loop, test = (_with_captures(body), _longer(cond, captured)) if captured else (body, cond)
    given = [*values, *captured]
    attrs = {"cond": _name(test), "body": _name(loop)}
    results = list(apply_op("While", [given], attrs, name=name or "While").outputs)
    for result, value in zip(results, given, strict=True):
        result.set_shape(value.get_shape())
    return results[: len(values)]


def _longer(cond: DefinedFunction, captured: Sequence[Tensor]) -> DefinedFunction:
    """Returns `cond` as a function of more arguments, which it does not read."""
    types = cond.declared_input_types
    more = [t.dtype.base_dtype for t in captured]

    def wrapper(*arguments: Tensor) -> Any:
        return cond(*arguments[: len(types)])

    return Defun(*types, *more, func_name=f"{cond.name}_Wrapper")(wrapper)


def For(  # noqa: N802  # TensorFlow's name.
    start: TensorLike,
    limit: TensorLike,
    delta: TensorLike,
    inputs: Sequence[Any],
    body: DefinedFunction,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
    rewrite_with_while: bool | None = None,
) -> list[Tensor]:
    """Calls a function with each number of a range and its own results.

    Args:
        start: Tensor of int32, scalar, the first number.
        limit: Tensor of int32, scalar, the end of the range, which does not belong to it.
        delta: Tensor of int32, scalar, the step between numbers.
        inputs: list of Tensors, the first values.
        body: function made by `Defun` of a scalar int32 and the values; returns Tensors of the dtypes of the values.
        name: str, name of the operation.
        hostmem: list of int, accepted.
        rewrite_with_while: bool. If True, add a `While` operation.

    Returns:
        list of Tensors, the last results.
    """
    del hostmem
    types = body.declared_input_types[1:]
    values = [convert_to_tensor(x, dtype=t) for x, t in zip(inputs, types, strict=True)] if types else list(inputs)
    values = [convert_to_tensor(x) for x in values]
    if rewrite_with_while:
        return _for_by_while(start, limit, delta, values, body, name)
    captured = list(body.captured_inputs)
    loop = _with_captures(body) if captured else body
    given = [*values, *captured]
    bounds = [constant(x, "int32") if not isinstance(x, Tensor) else x for x in (start, limit, delta)]
    results = apply_op("For", [*bounds, given], {"body": _name(loop)}, name=name or "For").outputs
    return list(results)[: len(values)]


def _for_by_while(
    start: TensorLike, limit: TensorLike, delta: TensorLike, values: list[Tensor], body: Any, name: str | None
) -> list[Tensor]:
    """Adds a `While` over the number, the end, the step, the count and the values."""
    bounds = [convert_to_tensor(x, dtype="int32") for x in (start, limit, delta)]
    n = _count(*bounds)
    types = [*["int32"] * 4, *(t.dtype.base_dtype for t in values)]

    def more(i: Tensor, end: Tensor, *_: Tensor) -> Tensor:
        return i < end

    def step(i: Tensor, end: Tensor, first: Tensor, by: Tensor, *arguments: Tensor) -> list[Any]:
        results = body(first + i * by, *arguments)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        return [i + 1, end, first, by, *results]

    cond = Defun(*types, func_name=f"{body.name}_Cond")(more)
    loop = Defun(*types, func_name=f"{body.name}_Body")(step)
    given = [constant(0, "int32"), n, bounds[0], bounds[2], *values]
    return While(given, cond, loop, name=name)[4:]


def _count(start: Tensor, limit: Tensor, delta: Tensor) -> Tensor:
    """Returns the number of steps of a range, rounded up."""
    distance = limit - start
    count: Tensor = -((-distance) // delta)
    return count


def symbolic_gradient(
    input: Sequence[Any],  # TensorFlow's name.
    Tout: Sequence[Any],  # TensorFlow's name.
    f: Any,
    name: str | None = None,
) -> list[Tensor]:
    """Returns the gradients of a function's arguments.

    Args:
        input: list of Tensors, the arguments and then the gradients of the results.
        Tout: list of DTypes of the arguments.
        f: function made by `Defun`, or the name of one in the graph.
        name: str, name of the operation.

    Returns:
        list of Tensors.
    """
    graph = get_default_graph()
    function = f if isinstance(f, str) else f.library_function().name
    gradient = gradient_of(graph, function)
    attrs = {"f": gradient, "Tout": list(Tout)}
    return list(apply_op("PartitionedCall", [list(input)], attrs, name=name or "SymbolicGradient").outputs)


def Gradient(  # noqa: N802  # TensorFlow's name.
    inputs: Sequence[Any], f: Any, name: str | None = None
) -> list[Tensor]:
    """Returns the gradients of a function's arguments.

    Args:
        inputs: list of Tensors, the arguments and then the gradients of the results.
        f: function made by `Defun`.
        name: str, name of the operation.

    Returns:
        list of Tensors.
    """
    library = f.library_function()
    types = [t.dtype.base_dtype for t in library.all_arguments]
    return symbolic_gradient([convert_to_tensor(x) for x in inputs], types, f, name)


def remote_call(
    target: TensorLike,
    args: Sequence[Any],
    Tout: Sequence[Any],  # TensorFlow's name.
    f: DefinedFunction,
    name: str | None = None,
) -> list[Tensor]:
    """Calls a function on a device.

    Args:
        target: Tensor of string, scalar, the device.
        args: list of Tensors, the arguments.
        Tout: list of DTypes of the results.
        f: function made by `Defun`.
        name: str, name of the operation.

    Returns:
        list of Tensors.
    """
    attrs = {"f": _name(f), "Tout": list(Tout)}
    given = [*_tensors(args, f), *f.captured_inputs]
    return list(apply_op("RemoteCall", [target, given], attrs, name=name or "RemoteCall").outputs)


def partitioned_call(
    args: Sequence[Any],
    f: DefinedFunction,
    tout: Sequence[Any] | None = None,
    executing_eagerly: bool | None = None,
    config: Any = None,
    executor_type: str | None = None,
) -> list[Tensor]:
    """Calls a function.

    Args:
        args: list of Tensors, the arguments.
        f: function made by `Defun`.
        tout: list of DTypes of the results; None for those of the function.
        executing_eagerly: bool, accepted.
        config: str, accepted.
        executor_type: str, accepted.

    Returns:
        list of Tensors; of the shapes that the function's results have.
    """
    del executing_eagerly, config, executor_type
    library = f.library_function()
    given = [*_tensors(args, f), *f.captured_inputs]
    attrs = {"f": library.name, "Tout": list(tout) if tout is not None else _types(f)}
    op_type = "StatefulPartitionedCall" if f.is_stateful else "PartitionedCall"
    results = list(apply_op(op_type, [given], attrs, name=op_type).outputs)
    for result, inner in zip(results, library.results, strict=True):
        result.set_shape(inner.get_shape())
    return results

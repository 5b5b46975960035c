"""Decorators of functions that compute once for several steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function import Function
from ferroflow._src.framework.handles import Tensor

__all__ = ["batch_function", "batch_function_v1"]

_MINUTE = 60 * 1000 * 1000


def _check_tensors(arguments: Sequence[Any]) -> None:
    for argument in arguments:
        if not isinstance(argument, Tensor):
            raise ValueError(
                "All arguments to functions decorated with `batch_function`  are supposed to be Tensors; "
                f"found {argument!r}"
            )


def batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    grad_timeout_micros: int | None = None,
    unbatch_timeout_micros: int | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator of a function that computes the rows of several steps at once.

    Steps that run at the same time share a batch: the first of them computes the function for all.

    Args:
        num_batch_threads: int, number of batches that are computed at the same time.
        max_batch_size: int, most rows of a batch.
        batch_timeout_micros: int, longest time that a batch waits for more rows, in microseconds.
        allowed_batch_sizes: list of int, rising up to `max_batch_size`. A batch is padded with its first row to one of
            these sizes. None for any size.
        grad_timeout_micros: int, microseconds that gradients of other steps are awaited. With it, or the next argument,
            the function is `batch_function_v1`, which has a gradient.
        unbatch_timeout_micros: int, microseconds that results of other steps are awaited.
        max_enqueued_batches: int, most batches that wait.
        autograph: bool, accepted.

    Returns:
        function that decorates a function of Tensors, each of any dtype and shape [rows, ...]. That returns a Tensor or
        a list of Tensors with as many rows.

    Example:
        >>> rows = tf.placeholder(tf.float32, [None, 2])
        >>> @tf.contrib.batching.batch_function(1, 10, 1000)
        ... def doubled(x):
        ...     return 2 * x
        >>> with tf.Session() as session:
        ...     print(session.run(doubled(rows), {rows: [[1, 2]]}))
        [[2. 4.]]
    """
    del autograph
    if grad_timeout_micros is not None or unbatch_timeout_micros is not None:
        return batch_function_v1(
            num_batch_threads,
            max_batch_size,
            batch_timeout_micros,
            allowed_batch_sizes,
            _MINUTE if grad_timeout_micros is None else grad_timeout_micros,
            _MINUTE if unbatch_timeout_micros is None else unbatch_timeout_micros,
            max_enqueued_batches,
        )
    attrs = {
        "num_batch_threads": num_batch_threads,
        "max_batch_size": max_batch_size,
        "batch_timeout_micros": batch_timeout_micros,
        "allowed_batch_sizes": list(allowed_batch_sizes or []),
        "max_enqueued_batches": max_enqueued_batches,
    }

    def decorator(fn: Callable[..., Any]) -> Callable[..., Any]:
        def decorated(*args: Any) -> Any:
            _check_tensors(args)
            graph = get_default_graph()
            structure: list[Any] = []

            def body(*rows: Tensor) -> list[Any]:
                structure[:] = [fn(*rows)]
                return nest.flatten(structure[0])

            shapes = [_any_rows(x) for x in args]
            with graph.name_scope("batch") as scope:
                function = Function.traced("batched", body, [x.dtype.base_dtype for x in args], shapes, graph)
                types = [t.dtype.base_dtype for t in function.results]
                op = apply_op(
                    "BatchFunction",
                    [list(args), function.captured_inputs],
                    {**attrs, "f": function.name, "shared_name": scope, "Tout": types},
                )
            return nest.pack_sequence_as(structure[0], list(op.outputs))

        return decorated

    return decorator


def _any_rows(x: Tensor) -> Any:
    shape = x.get_shape()
    return None if shape.ndims is None else [None, *shape.as_list()[1:]]


def batch_function_v1(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    grad_timeout_micros: int = _MINUTE,
    unbatch_timeout_micros: int = _MINUTE,
    max_enqueued_batches: int = 10,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator of a function that computes the rows of several steps in one of these steps.

    Unlike those of `batch_function`, the operations of the function are part of the graph, and have gradients.

    Args:
        num_batch_threads: int, number of batches that are collected at the same time.
        max_batch_size: int, most rows of a batch.
        batch_timeout_micros: int, longest time that a batch waits for more rows, in microseconds.
        allowed_batch_sizes: list of int, rising up to `max_batch_size`. A batch is padded with its first row to one of
            these sizes. None for any size.
        grad_timeout_micros: int, microseconds that gradients of other steps are awaited.
        unbatch_timeout_micros: int, microseconds that results of other steps are awaited.
        max_enqueued_batches: int, most batches that wait.

    Returns:
        function that decorates a function of Tensors, each of any dtype and shape [rows, ...]. That returns a Tensor or
        a list of Tensors with as many rows.
    """
    attrs = {
        "num_batch_threads": num_batch_threads,
        "max_batch_size": max_batch_size,
        "batch_timeout_micros": batch_timeout_micros,
        "allowed_batch_sizes": list(allowed_batch_sizes or []),
        "grad_timeout_micros": grad_timeout_micros,
        "max_enqueued_batches": max_enqueued_batches,
    }

    def decorator(f: Callable[..., Any]) -> Callable[..., Any]:
        def decorated(*args: Any) -> Any:
            graph = get_default_graph()
            with graph.name_scope("batch") as scope:
                _check_tensors(args)
            outputs = apply_op("Batch", [list(args)], {**attrs, "shared_name": scope}).outputs
            *batched, batch_index, number = outputs
            results = f(*batched)
            given = [results] if isinstance(results, Tensor) else list(results)
            with graph.name_scope("unbatch") as unbatch_scope:
                unbatched = [
                    tensor_op(
                        "Unbatch",
                        [x, batch_index, number],
                        {"timeout_micros": unbatch_timeout_micros, "shared_name": f"{unbatch_scope}/{x.name}"},
                    )
                    for x in given
                ]
            return unbatched[0] if isinstance(results, Tensor) else unbatched

        return decorated

    return decorator

"""Summaries that the graph itself writes to an event file, with the global step as their step."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.typing import FloatLike, IntLike, TensorLike
from ferroflow._src.control_flow.smart_conditional import smart_cond
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    control_dependencies,
    device,
    get_collection,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.graph_keys import SUMMARY_COLLECTION
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.summary.graph_writer import (
    CPU,
    SummaryWriter,
    create_file_writer,
    record_summaries_if,
    should_record_summaries,
    writer_in_force,
)
from ferroflow._src.summary.tags import summary_scope
from ferroflow._src.training.global_step import get_or_create_global_step


@contextmanager
def record_summaries_every_n_global_steps(n: Any, global_step: TensorLike | None = None) -> Iterator[None]:
    """Records the summaries created in a `with` block only in steps whose number is a multiple of `n`.

    Args:
        n: int or int scalar Tensor.
        global_step: Variable or Tensor of int64, of shape []; None for the global step, made if there is none.

    Yields:
        None.
    """
    step = get_or_create_global_step() if global_step is None else global_step
    with device(CPU):
        condition = equal(step % n, 0)
    with record_summaries_if(condition):
        yield


def all_summary_ops() -> list[Any]:
    """Returns the default graph's operations that record summaries; run them in the steps to record."""
    return get_collection(SUMMARY_COLLECTION)


def _step(step: Any) -> Any:
    if step is None:
        return convert_to_tensor(get_or_create_global_step())
    return step if isinstance(step, Tensor) else convert_to_tensor(step, dtypes.int64)


def _record(name: str, tensor: Any, family: str | None, write: Callable[[Tensor, str, str], Operation]) -> Any:
    """Adds a summary: `write` takes the writer, the tag and the name of its operation."""
    writer = writer_in_force()
    if writer is None:
        return no_op()
    scope = get_default_graph().get_name_scope()

    def record() -> Tensor:
        with (
            name_scope(f"{scope}/" if scope else None),
            summary_scope(name, family, values=[tensor]) as (tag, own),
            control_dependencies([write(writer, tag, own)]),
        ):
            return constant(True)

    with device(CPU):
        recorded = smart_cond(should_record_summaries(), record, lambda: constant(False), name="")
        add_to_collection(SUMMARY_COLLECTION, recorded)
    return recorded


def generic(
    name: str, tensor: TensorLike, metadata: Any = None, family: str | None = None, step: IntLike | None = None
) -> Any:
    """Writes a tensor.

    Args:
        name: str, name of the summary.
        tensor: Tensor of any dtype and shape.
        metadata: `SummaryMetadata` message that names the plugin to show it, or string scalar Tensor of one, or
            None.
        family: str, the group in TensorBoard.
        step: int or int64 scalar Tensor; None for the global step.

    Returns:
        bool scalar Tensor; True if it was written; an operation that does nothing without a current writer.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        serialized = metadata
        if metadata is None:
            serialized = constant("")
        elif hasattr(metadata, "SerializeToString"):
            serialized = constant(metadata.SerializeToString())
        return apply_op("WriteSummary", [writer, _step(step), identity(tensor), tag, serialized], name=scope)

    return _record(name, tensor, family, write)


def scalar(name: str, tensor: TensorLike, family: str | None = None, step: IntLike | None = None) -> Any:
    """Writes a number.

    Args:
        name: str, name of the summary.
        tensor: Tensor of a real dtype, of shape [].
        family: str, the group in TensorBoard.
        step: int or int64 scalar Tensor; None for the global step.

    Returns:
        bool scalar Tensor; True if it was written; an operation that does nothing without a current writer.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        return apply_op("WriteScalarSummary", [writer, _step(step), tag, identity(tensor)], name=scope)

    return _record(name, tensor, family, write)


def histogram(name: str, tensor: TensorLike, family: str | None = None, step: IntLike | None = None) -> Any:
    """Writes the histogram of the elements of a tensor.

    Args:
        name: str, name of the summary.
        tensor: Tensor of a real dtype, of any shape.
        family: str, the group in TensorBoard.
        step: int or int64 scalar Tensor; None for the global step.

    Returns:
        bool scalar Tensor; True if it was written; an operation that does nothing without a current writer.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        return apply_op("WriteHistogramSummary", [writer, _step(step), tag, identity(tensor)], name=scope)

    return _record(name, tensor, family, write)


def image(
    name: str,
    tensor: TensorLike,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: IntLike | None = None,
) -> Any:
    """Writes the first images of a batch.

    Args:
        name: str, name of the summary.
        tensor: Tensor of uint8, float16 or float32, [batch, height, width, 1, 3 or 4].
        bad_color: uint8 [4], the colour of pixels that are not finite; None for red.
        max_images: int, the images to write.
        family: str, the group in TensorBoard.
        step: int or int64 scalar Tensor; None for the global step.

    Returns:
        As `generic`.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        color = constant([255, 0, 0, 255], dtype=dtypes.uint8) if bad_color is None else bad_color
        inputs = [writer, _step(step), tag, identity(tensor), color]
        return apply_op("WriteImageSummary", inputs, {"max_images": max_images}, name=scope)

    return _record(name, tensor, family, write)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: FloatLike,
    max_outputs: int,
    family: str | None = None,
    step: IntLike | None = None,
) -> Any:
    """Writes the first clips of a batch.

    Args:
        name: str, name of the summary.
        tensor: Tensor of float32, [batch, frames, channels] or [batch, frames].
        sample_rate: float or scalar Tensor, in Hertz.
        max_outputs: int, the clips to write.
        family: str, the group in TensorBoard.
        step: int or int64 scalar Tensor; None for the global step.

    Returns:
        As `generic`.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        inputs = [writer, _step(step), tag, identity(tensor), sample_rate]
        return apply_op("WriteAudioSummary", inputs, {"max_outputs": max_outputs}, name=scope)

    return _record(name, tensor, family, write)


def graph(param: TensorLike, step: IntLike | None = None, name: str | None = None) -> Operation:
    """Writes a graph, whether or not summaries are recorded.

    Args:
        param: Tensor of string, of shape [], a serialized `GraphDef` message.
        step: int or int64 scalar Tensor; None for the global step.
        name: str, of the operation.

    Returns:
        Operation; one that does nothing without a current writer.

    Raises:
        TypeError: if `param` is not a Tensor.
    """
    if not isinstance(param, Tensor):
        raise TypeError(f"graph() needs a tf.Tensor (e.g. tf.placeholder) in graph mode, but was: {type(param)}")
    writer = writer_in_force()
    if writer is None:
        return no_op()
    with device(CPU):
        return apply_op("WriteGraphSummary", [writer, _step(step), identity(param)], name=name)


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """Returns the folder for the event files of an evaluation.

    Args:
        model_dir: str, folder of the model.
        name: str, of the evaluation; None for the only one.

    Returns:
        str, the path `model_dir`/eval, with an underscore and the name if there is one.
    """
    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")


def create_summary_file_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """Deprecated: `tf.contrib.summary.create_file_writer`.

    Args:
        *args: as for `create_file_writer`.
        **kwargs: as for `create_file_writer`.

    Returns:
        SummaryWriter.
    """
    warn_deprecated("tf.contrib.summary.create_summary_file_writer", "tf.contrib.summary.create_file_writer")
    return create_file_writer(*args, **kwargs)

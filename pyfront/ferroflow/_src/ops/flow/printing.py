"""Tensors shown while a step runs."""

from __future__ import annotations

import pprint
import sys
from typing import Any

from ferroflow._src.base import dtypes, nest, tf_logging
from ferroflow._src.base.typing import TensorLike, TensorLikes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor, is_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.string.formatting import string_format


def Print(  # noqa: N802  # TF's spelling
    input_: TensorLike,
    data: TensorLikes,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns `input_`; each evaluation prints other tensors to standard error.

    Args:
        input_: Tensor of any dtype and shape.
        data: list of Tensors of any dtype and shape to show.
        message: str that comes first; None for nothing.
        first_n: int, how many times tensors are shown; None or a negative number for always.
        summarize: int, how many elements of each are shown; None for 3, a negative number for all.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype, shape and value of `input_`.
    """
    attrs = {
        "message": message or "",
        "first_n": -1 if first_n is None else first_n,
        "summarize": 3 if summarize is None else summarize,
    }
    return tensor_op("Print", [input_, data], attrs, name=name)


def _output_stream(stream: Any) -> str:
    """Returns the op's name of a stream, logging level or file."""
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    levels = {tf_logging.INFO: "log(info)", tf_logging.WARN: "log(warning)", tf_logging.ERROR: "log(error)"}
    if stream is sys.stdout or stream is sys.__stdout__:
        return "stdout"
    if stream is sys.stderr or stream is sys.__stderr__:
        return "stderr"
    if isinstance(stream, int) and stream in levels:
        return levels[stream]
    raise ValueError(
        f"Unsupported output stream, logging level, or file. {stream}. Supported streams are sys.stdout, sys.stderr, "
        "tf.logging.INFO, tf.logging.WARN, tf.logging.ERROR. File needs to be in the form of 'file://<filepath>'."
    )


def _unused_text(inputs: Any) -> str:
    """Returns a placeholder that does not occur in the inputs."""
    shown, place = pprint.pformat(inputs), "{}"
    while place in shown:
        place = "{" + "-" + place[1:]
    return place


def _template(item: Any, place: str, tensors: list[Any]) -> str:
    """Returns the text of one argument, with a placeholder for each of its tensors, which join `tensors`."""
    if isinstance(item, str):
        return item
    leaves: list[Any] = []
    for leaf in nest.flatten(item):
        if isinstance(leaf, SparseTensor):
            tensors.extend([leaf.indices, leaf.values, leaf.dense_shape])
            leaves.append(f"SparseTensor(indices={place}, values={place}, shape={place})")
        elif is_tensor(leaf):
            tensors.append(convert_to_tensor(leaf))
            leaves.append(place)
        else:
            leaves.append(leaf)
    return pprint.pformat(nest.pack_sequence_as(item, leaves))


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """Writes values and tensors as one text when the step runs.

    Args:
        *inputs: Tensors of any dtype and shape, Python values and nested structures of both, to be written in order.
        **kwargs: `output_stream`: sys.stdout, sys.stderr (the default), tf.logging.INFO, WARN or ERROR, or "file://"
            and a path. `summarize`: int, the number of elements to show at the start and at the end of each dimension,
            3 by default, -1 for all. `sep`: str between the inputs, a space by default. `end`: str after them, a new
            line by default. `name`: str, name of the operation.

    Returns:
        Operation that writes.

    Raises:
        ValueError: if a keyword argument is unknown, or the output stream is not one of the listed values.
    """
    stream = _output_stream(kwargs.pop("output_stream", sys.stderr))
    name, summarize = kwargs.pop("name", None), kwargs.pop("summarize", 3)
    separator, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    text: Any
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and _is_one_string(inputs[0]):
        text = inputs[0]
    else:
        tensors: list[Any] = []
        place = _unused_text([item for item in nest.flatten(list(inputs)) if not is_tensor(item)])
        template = separator.join(_template(item, place, tensors) for item in inputs)
        # A structure shows its placeholders as it shows text.
        template = template.replace(f"'{place}'", place)
        text = string_format(template, tensors, place, summarize, name=f"{name}_format" if name else None)
    return apply_op("PrintV2", [text], {"output_stream": stream, "end": end}, name=name)


def _is_one_string(x: Tensor) -> bool:
    return x.dtype.base_dtype == dtypes.string and x.shape.ndims == 0

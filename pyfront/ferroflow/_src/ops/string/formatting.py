"""Tensors in text, and the scripts that text is written in."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Formats a text with summaries of tensors.

    Args:
        template: str, the text.
        inputs: Tensor of any dtype and shape, or list of them: one for each placeholder.
        placeholder: str, the placeholder of a tensor in the text.
        summarize: int, how many elements at the start and at the end of each dimension to show; -1 for all.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [].

    Raises:
        ValueError: if there are more placeholders than tensors, or fewer.
    """
    if is_tensor(inputs):
        inputs = [inputs]
    places = template.count(placeholder)
    if places != len(inputs):
        raise ValueError(
            f"{places} placeholder(s) in template does not match {len(inputs)} tensor(s) provided as input"
        )
    attrs = {"template": template, "placeholder": placeholder, "summarize": summarize}
    return tensor_op("StringFormat", [inputs], attrs, name=name)


@add_dispatch_support
def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """Finds the scripts of code points.

    Args:
        input: Tensor of int32, of any shape: code points.
        name: str, name of the operation.

    Returns:
        Tensor of int32, of the shape of `input`: the numbers that the ICU library gives to scripts (`UScriptCode`); -1
        for other numbers.
    """
    return tensor_op("UnicodeScript", [input], name=name)

"""Letters of strings: length, case, patterns."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import compat
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor


@add_dispatch_support
def string_length(input: TensorLike, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Counts the units of each string.

    Args:
        input: Tensor of string.
        name: str, name of the operation.
        unit: str, "BYTE" or "UTF8_CHAR".

    Returns:
        Tensor of int32.
    """
    return tensor_op("StringLength", [input], {"unit": unit}, name=name)


def string_lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Converts each string to lower case.

    Args:
        input: Tensor of string.
        encoding: str, "utf-8"; empty to change letters of ASCII alone.
        name: str, name of the operation.

    Returns:
        Tensor of string.
    """
    return tensor_op("StringLower", [input], {"encoding": encoding}, name=name)


def string_upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Converts each string to upper case.

    Args:
        input: Tensor of string.
        encoding: str, "utf-8"; empty to change letters of ASCII alone.
        name: str, name of the operation.

    Returns:
        Tensor of string.
    """
    return tensor_op("StringUpper", [input], {"encoding": encoding}, name=name)


@add_dispatch_support
def regex_replace(
    input: TensorLike,
    pattern: Any = None,
    rewrite: Any = None,
    replace_global: bool = True,
    name: str | None = None,
    *,
    source: Any = None,
) -> Tensor:
    """Replaces the matches of a pattern.

    Args:
        input: Tensor of string.
        pattern: str, or Tensor of string of shape []: a regular expression in RE2's syntax.
        rewrite: str, or Tensor of string of shape []: what replaces a match; `\\1` to `\\9` stand for its groups.
        replace_global: bool. If True, all matches are replaced, or the first one.
        name: str, name of the operation.
        source: another name of `input`.

    Returns:
        Tensor of string.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the pattern is malformed.
    """
    input = input if source is None else source
    attrs: dict[str, Any] = {"replace_global": replace_global}
    if isinstance(pattern, compat.bytes_or_text_types) and isinstance(rewrite, compat.bytes_or_text_types):
        attrs |= {"pattern": pattern, "rewrite": rewrite}
        return tensor_op("StaticRegexReplace", [input], attrs, name=name)
    return tensor_op("RegexReplace", [input, pattern, rewrite], attrs, name=name)


@add_dispatch_support
def regex_full_match(input: TensorLike, pattern: Any, name: str | None = None) -> Tensor:
    """Computes whether a pattern matches each string as a whole.

    Args:
        input: Tensor of string.
        pattern: str, or Tensor of string of shape []: a regular expression in RE2's syntax.
        name: str, name of the operation.

    Returns:
        Tensor of bool.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the pattern is malformed.
    """
    if isinstance(pattern, compat.bytes_or_text_types):
        return tensor_op("StaticRegexFullMatch", [input], {"pattern": pattern}, name=name)
    return tensor_op("RegexFullMatch", [input, pattern], name=name)

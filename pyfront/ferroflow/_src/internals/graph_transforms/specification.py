"""The text that names transforms and their parameters, as in `fold_constants(ignore_errors=true) remove_device`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ferroflow._src.base import dtypes, errors

_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_VALUE: Final = re.compile(r"[A-Za-z0-9_./*\-]+")
_BLANK: Final = re.compile(r"[\s,]*")


@dataclass(frozen=True)
class Context:
    """A transform's parameters, and the ends of the graph.

    Attributes:
        inputs: names of the nodes that are fed.
        outputs: names of the nodes that are fetched.
        parameters: by name, the values in the order of the text.
    """

    inputs: Sequence[str]
    outputs: Sequence[str]
    parameters: dict[str, list[str]] = field(default_factory=dict)

    def one(self, name: str, default: str) -> str:
        """Returns the value of a parameter, or the default.

        Raises:
            tf.errors.InvalidArgumentError: if the parameter has several values.
        """
        values = self.parameters.get(name, [])
        if len(values) > 1:
            raise invalid(f"Expected a single '{name}' parameter, but found {len(values)} occurrences")
        return values[0] if values else default

    def needed(self, name: str, transform: str) -> str:
        """Returns the value of a parameter.

        Raises:
            tf.errors.InvalidArgumentError: if the parameter is missing, or has several values.
        """
        if name not in self.parameters:
            raise invalid(f"{transform} expects exactly one '{name}' argument, e.g. {transform}({name}=value)")
        return self.one(name, "")

    def number(self, name: str, default: int) -> int:
        """Returns the value of a parameter as an int.

        Raises:
            tf.errors.InvalidArgumentError: if the value is not an int.
        """
        text = self.one(name, str(default))
        try:
            return int(text)
        except ValueError:
            raise invalid(f"Couldn't interpret the {name} argument as a number:{text}") from None

    def truth(self, name: str, default: bool) -> bool:
        """Returns the value of a parameter as a bool: "true" or "1", "false" or "0".

        Raises:
            tf.errors.InvalidArgumentError: if the value is none of these four texts.
        """
        text = self.one(name, "true" if default else "false")
        if text not in ("true", "1", "false", "0"):
            raise invalid(f"Couldn't interpret the {name} argument as a bool:{text} (expected true, 1, false or 0)")
        return text in ("true", "1")


Transform = Callable[[Any, Context], Any]


def invalid(message: str) -> errors.InvalidArgumentError:
    """Returns the error for a text or a parameter that is not valid."""
    return errors.InvalidArgumentError(None, None, message)


def dtype_of(text: str) -> int:
    """Returns the number of the DType with a name.

    Raises:
        tf.errors.InvalidArgumentError: if there is no DType of that name.
    """
    try:
        return int(dtypes.as_dtype({"float": "float32", "double": "float64"}.get(text, text)).as_datatype_enum)
    except TypeError:
        raise invalid(f"Couldn't understand type argument '{text}'") from None


def shape_of(text: str) -> list[int]:
    """Returns the dimensions in a text such as "1,8,8,3"; -1 is an unknown one.

    Raises:
        tf.errors.InvalidArgumentError: if a dimension is not an int.
    """
    try:
        return [int(part) for part in text.split(",")] if text else []
    except ValueError:
        raise invalid(f"Incorrect format for shape: {text}") from None


def parse(text: str) -> list[tuple[str, dict[str, list[str]]]]:
    """Returns the transforms of a text in order, each with the values of its parameters by their names.

    Raises:
        tf.errors.InvalidArgumentError: if the text has another form.
    """
    found: list[tuple[str, dict[str, list[str]]]] = []
    place = _skip(text, 0)
    while place < len(text):
        name = _NAME.match(text, place)
        if name is None:
            raise invalid(f"Looking for transform name, but found {text[place:]}")
        parameters: dict[str, list[str]] = {}
        place = _skip(text, name.end())
        if text.startswith("(", place):
            place = _skip(text, place + 1)
            while place < len(text) and text[place] != ")":
                place = _skip(text, _parameter(text, place, parameters))
            place = _skip(text, place + 1)
        found.append((name.group(), parameters))
    return found


def _skip(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _parameter(text: str, place: int, parameters: dict[str, list[str]]) -> int:
    """Reads `name=value` or `name="value"`, and returns the place after it."""
    name = _NAME.match(text, place)
    if name is None:
        raise invalid(f"Looking for parameter name, but found {text[place:]}")
    place = name.end()
    if not text.startswith("=", place):
        raise invalid(f"Looking for =, but found {text[place:]}")
    place += 1
    if text.startswith('"', place):
        end = text.find('"', place + 1)
        if end < 0:
            raise invalid(f"Looking for the closing quote, but found {text[place:]}")
        value, place = text[place + 1 : end], end + 1
    else:
        matched = _VALUE.match(text, place)
        if matched is None:
            raise invalid(f"Looking for parameter value, but found {text[place:]}")
        value, place = matched.group(), matched.end()
    parameters.setdefault(name.group(), []).append(value)
    return place

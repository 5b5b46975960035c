"""TensorFlow 1.8's public names and argument lists, of `api_goldens.json.xz`, and how an object differs from them."""

from __future__ import annotations

import ast
import inspect
import json
import lzma
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ferroflow as tf
from ferroflow._src.base import dtypes

ArgumentList = dict[str, Any]
GOLDENS: dict[str, dict[str, Any]] = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "api_goldens.json.xz").read_bytes())
)
ABSENT = object()
# Names of the object that a method belongs to; TensorFlow's decorators write "instance".
_RECEIVERS = ("self", "cls", "instance")


def member(owner: Any, name: str) -> Any:
    """Returns an attribute of a module or class, deprecated ones included; ABSENT if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(owner, name, ABSENT)


def public(path: str) -> Any:
    """Returns the module or class at a path; ABSENT if there is none."""
    found: Any = tf
    for part in path.split(".") if path else ():
        found = member(found, part)
        if found is ABSENT:
            break
    return found


def names(path: str) -> Iterator[tuple[str, Any]]:
    """Yields the public names below a module or class of TensorFlow's, with their argument lists."""
    for name, golden in GOLDENS[path]["members"].items():
        yield name, golden if isinstance(golden, dict) else None


def missing(path: str) -> list[str]:
    """Returns the names that TensorFlow's module or class has and ours has not."""
    owner = public(path)
    return [name for name, _ in names(path) if owner is ABSENT or member(owner, name) is ABSENT]


def _shown(value: Any) -> str:
    """Returns a default as the goldens write it; of an object its class, without the module."""
    if inspect.isfunction(value):
        return f"<function {value.__name__} instance>"
    text = str(value)
    return f"<{type(value).__name__} object instance>" if " at 0x" in text else text


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def _same_default(golden: str, ours: Any) -> bool:
    """True if a default is TensorFlow's; a list stands for a tuple."""
    if isinstance(ours, str):
        return golden in (ours, ours.encode("unicode_escape").decode())
    if golden.endswith(" object instance>"):
        return golden.rpartition(".")[2].lstrip("<") == _shown(ours).lstrip("<")
    if isinstance(ours, dtypes.DType):
        return golden in (str(ours), f"<dtype: '{ours.name}'>")
    wanted = _value(golden)
    if isinstance(wanted, (list, tuple)):
        return isinstance(ours, (list, tuple)) and list(wanted) == list(ours)
    return wanted == ours or golden == _shown(ours)


def _differences(golden: ArgumentList, parameters: list[inspect.Parameter]) -> list[str]:
    """Returns why a call that the golden list allows is not taken, or means something else."""
    wanted = [name for name in golden["args"] if name not in _RECEIVERS]
    optional = dict(zip(reversed(wanted), reversed(golden.get("defaults", [])), strict=False))
    positional = [p for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    ours = {p.name: p for p in parameters}
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    found = []
    for index, name in enumerate(wanted):
        if index < len(positional) and positional[index].name == name:
            continue
        if name not in ours and not takes_all:
            found.append(f"no {name}")
        elif name in ours:
            found.append(f"{name} is not at {index}")
        else:
            found.append(f"{name} is only in **")
    for p in positional[len(wanted) :]:
        if p.default is inspect.Parameter.empty:
            found.append(f"{p.name} is required")
    for name, default in optional.items():
        if name in ours and ours[name].default is inspect.Parameter.empty:
            found.append(f"{name} is required")
        elif name in ours and not _same_default(default, ours[name].default):
            found.append(f"{name}={_shown(ours[name].default)}, not {default}")
    for key, kind in (("varargs", inspect.Parameter.VAR_POSITIONAL), ("keywords", inspect.Parameter.VAR_KEYWORD)):
        if key in golden and not any(p.kind is kind for p in parameters) and not wanted_by_name(golden):
            found.append(f"no {'*' if key == 'varargs' else '**'}{golden[key]}")
    return found


def wanted_by_name(golden: ArgumentList) -> bool:
    """True for the list (*args, **kwargs), which a decorator shows in place of the function's own."""
    return "varargs" in golden and "keywords" in golden


def argument_differences(golden: ArgumentList, ours: Callable[..., Any]) -> list[str]:
    """Returns how an argument list differs from TensorFlow 1.8's; nothing if it agrees with 1.8's or 1.15's."""
    try:
        parameters = [p for p in inspect.signature(ours).parameters.values() if p.name not in _RECEIVERS]
    except (TypeError, ValueError):
        return ["Python can read no argument list"]
    found = _differences(golden, parameters)
    return [] if "later" in golden and not _differences(golden["later"], parameters) else found


def differing(path: str) -> dict[str, list[str]]:
    """Returns the argument lists below a module or class that differ from TensorFlow's, and how."""
    owner, found = public(path), {}
    for name, golden in names(path):
        ours = member(owner, name)
        if golden is not None and ours is not ABSENT:
            if not callable(ours):
                found[name] = ["cannot be called"]
            elif different := argument_differences(golden, ours):
                found[name] = different
    return found

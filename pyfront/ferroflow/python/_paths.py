"""The virtual modules at TensorFlow's paths below `python` and `contrib`, whose names are the public ones."""

from __future__ import annotations

import builtins
import contextlib
import importlib
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.base.virtual_modules import Family
from ferroflow._src.framework.op_schema import op_schema
from ferroflow.compat import _version_2
from ferroflow.python import _table
from ferroflow.python._gradient_functions import gradient_function, gradient_names
from ferroflow.python._modules import ELSEWHERE, GATHERING, KERAS, MOVED
from ferroflow.python._places import INTERNAL
from ferroflow.python._single_places import INTERNAL_NAMES
from ferroflow.python._table import public_attribute, root_attribute

_ROOT = "ferroflow"
_KERAS, _KERAS_BEFORE = KERAS
_GENERATED = ("python.ops.gen_", "python.training.gen_training_ops", "python.training.training_ops")
# Modules that pass every generated name on. Others pass on those that the table has.
_PASSING_ON = (
    "contrib.batching.python.ops.batch_ops",
    "python.ops.data_flow_ops",
    "python.ops.io_ops",
    "python.ops.nn_ops",
    "python.ops.resource_variable_ops",
    "python.ops.state_ops",
)


class TensorFlowModules(Family):
    """Every module that TensorFlow 1.8 or 1.15 has below `tensorflow.python` or `tensorflow.contrib`."""

    def has(self, path: str) -> bool:
        """Returns True for a module of the table."""
        return _table.is_known(path)

    def program(self, path: str) -> str | None:
        """Returns the file that runs one of TensorFlow's tools; None for a module that is no tool."""
        package, _, tool = path.rpartition(".")
        if package != "python.tools":
            return None
        programs = importlib.import_module(f"{_ROOT}._src.internals.tool_commands").PROGRAMS
        return str(Path(__file__).parents[1] / "_src" / "internals" / "tool_program.py") if tool in programs else None

    def functions(self, path: str) -> Collection[str]:
        """Returns the names under which a package has something else than its module of that name."""
        return _table.functions(path)

    def names(self, path: str) -> Iterable[str]:
        """Returns the names that the table has, those of the modules that stand for this one, and its modules."""
        if path in MOVED:
            return self.names(MOVED[path])
        defined = {*_table.members(path), *(name for module, name in INTERNAL_NAMES if module == path)}
        defined |= gradient_names(path)
        if path.startswith((*_GENERATED, *_PASSING_ON)):
            defined |= _generated_types().keys() - vars(builtins).keys()
        for module in INTERNAL.get(path, ()):
            defined |= {name for name, value in vars(importlib.import_module(module)).items() if _is_ours(value)}
        for place in _gathered(path):
            defined |= {*dir(_public(place))}
        return {*defined, *_table.functions(path), *_table.below(path)}

    def find(self, path: str, name: str) -> Any:
        """Returns the object with a name in a module; raises AttributeError if there is none."""
        path = MOVED.get(path, path)
        passed_on = _table.passed_on(path, name)
        if passed_on is not None:
            return importlib.import_module(f"{_ROOT}.{passed_on}")
        if (path, name) in INTERNAL_NAMES:
            module, inner = INTERNAL_NAMES[path, name]
            return getattr(importlib.import_module(f"{_ROOT}._src.{module}"), inner)
        gradient = gradient_function(path, name)
        if gradient is not None:
            return gradient
        for backing in INTERNAL.get(path, ()):
            internal = importlib.import_module(backing)
            if hasattr(internal, name):
                return getattr(internal, name)
        for place in (*_table.public_names(path, name), *_table.public_names(_moved(path), name)):
            try:
                return root_attribute(place)
            except AttributeError:
                continue
        versioned = _of_version(path, name)
        if versioned is not None:
            return versioned
        if path.startswith((*_GENERATED, *_PASSING_ON)):
            generated = _generated(name)
            if generated is not None:
                return generated
        try:
            return _found_elsewhere(path, name)
        except AttributeError:
            generated = _generated(name) if name in _table.members(path) else None
            if generated is None:
                raise
            return generated


def _of_version(path: str, name: str) -> Any:
    """Returns what `tf` or `tf.compat.v2` has for a name such as `reduce_max_v1` or `softmax_v2`; None if nothing."""
    base, _, version = name.rpartition("_")
    for place in _table.public_names(path, base) if version in ("v1", "v2") else ():
        with contextlib.suppress(AttributeError):
            return root_attribute(place) if version == "v1" else _version_2.find(place)
    return None


def _found_elsewhere(path: str, name: str) -> Any:
    for place in (*GATHERING.get(path, ()), *_elsewhere(path)):
        module = _public(place)
        try:
            # A virtual module would search here again.
            found = vars(module)[name] if path.startswith("contrib.") and module else public_attribute(module, name)
        except (AttributeError, KeyError):
            continue
        # A module of `tf` (`tf.nn`) is imported by some modules, which the table lists; it is not a function of theirs.
        if found is not None and (not isinstance(found, ModuleType) or path in GATHERING):
            return found
    raise AttributeError(name)


def _public(place: str) -> Any:
    try:
        return root_attribute(place)
    except AttributeError:
        return None


def _gathered(path: str) -> tuple[str, ...]:
    """Returns the public modules whose names a module has that only gathers names, or of which nothing is known."""
    if path.startswith("contrib."):
        return _elsewhere(path)
    return (_elsewhere(path) if path.startswith(_KERAS) else GATHERING.get(path, ()))[:1]


def _is_ours(value: object) -> bool:
    """Returns False for what a module imports from elsewhere: modules, and the classes of type annotations."""
    module = getattr(value, "__module__", None)
    return not isinstance(value, ModuleType) and (module is None or module.partition(".")[0] == _ROOT)


@cache
def _generated_types() -> dict[str, str]:
    """Returns the op types by the names of the functions that TensorFlow generates for them."""
    raw_ops = root_attribute("raw_ops")
    return {_snake_case(op_type): op_type for op_type in dir(raw_ops) if op_type[:1].isupper()}


def _snake_case(op_type: str) -> str:
    letters = []
    for i, letter in enumerate(op_type):
        after = op_type[i + 1 : i + 2]
        if letter.isupper() and i and (op_type[i - 1].islower() or after.islower()):
            letters.append("_")
        letters.append(letter.lower())
    return "".join(letters)


def _arguments(op_type: str) -> list[str]:
    """Returns the arguments of the generated function, in order: inputs, attributes that no input decides, name."""
    schema = op_schema(op_type)
    decided = {arg.get(kind) for arg in schema["inputs"] for kind in ("type_attr", "number_attr")}
    attrs = [attr for attr in schema["attrs"] if attr["name"] not in decided]
    attrs.sort(key=lambda attr: attr["has_default"])
    return [*(arg["name"] for arg in schema["inputs"]), *(attr["name"] for attr in attrs), "name"]


def _generated(name: str) -> Callable[..., Any] | None:
    op_type = _generated_types().get(name.lstrip("_"))
    if op_type is None:
        return None
    function: Callable[..., Any] = getattr(root_attribute("raw_ops"), op_type)
    order = _arguments(op_type)

    def generated(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(order):
            raise TypeError(f"{name}() takes {len(order)} positional arguments but {len(args)} were given")
        return function(**dict(zip(order, args, strict=False)), **kwargs)

    document(generated, function.__doc__, name=name)
    return generated


def _moved(path: str) -> str:
    """Returns the path that TensorFlow 1.8 had for a module of Keras."""
    return f"{_KERAS_BEFORE}{path.removeprefix(_KERAS)}" if path.startswith(f"{_KERAS}.") else path


def _elsewhere(path: str) -> tuple[str, ...]:
    """Returns the modules that may have the names a module does not define."""
    if path.startswith(_KERAS):
        parts = ["keras", *path.removeprefix(_KERAS_BEFORE).removeprefix(_KERAS).split(".")[1:]]
        return (*(".".join(parts[:n]) for n in range(len(parts), 0, -1)), "keras.layers", "keras.models")
    usual = (".".join(path.split(".")[:2]),) if path.startswith("contrib.") and path.count(".") > 1 else ()
    return next((places for start, places in ELSEWHERE if path.startswith(start)), usual)

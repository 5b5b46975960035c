"""`tf.compat.v2`: the names that TensorFlow 1.15 has there, made from those of version 1."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from ferroflow._src.base.docstrings import document
from ferroflow._src.base.virtual_modules import Family
from ferroflow._src.framework.default_graph import name_scope

_OWN: Final = "ferroflow._src.internals.version_2"
# Files of names with a meaning of their own: for all modules, and for those below `summary`.
_FILES: Final = (f"{_OWN}.objects", f"{_OWN}.functions")
_SUMMARY_FILES: Final = (f"{_OWN}.summaries", f"{_OWN}.plugin_summaries")
# Modules that are those of version 1.
_WHOLE: Final = frozenset(("data", "feature_column", "keras", "raw_ops"))
_DIVIDED: Final = {"partition_strategy": "div"}
# Functions whose place or fixed arguments in version 1 are others: (place, arguments).
_ELSEWHERE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "batch_to_space": ("batch_to_space_nd", {}),
    "cond": ("cond", {"strict": True}),
    "math.in_top_k": ("nn.in_top_k", {}),
    "math.l2_normalize": ("nn.l2_normalize", {}),
    "math.log_softmax": ("nn.log_softmax", {}),
    "math.softmax": ("nn.softmax", {}),
    "linalg.l2_normalize": ("nn.l2_normalize", {}),
    "nn.avg_pool2d": ("nn.avg_pool", {}),
    "nn.embedding_lookup": ("nn.embedding_lookup", _DIVIDED),
    "nn.embedding_lookup_sparse": ("nn.embedding_lookup_sparse", _DIVIDED),
    "nn.nce_loss": ("nn.nce_loss", _DIVIDED),
    "nn.safe_embedding_lookup_sparse": ("nn.safe_embedding_lookup_sparse", _DIVIDED),
    "nn.sampled_softmax_loss": ("nn.sampled_softmax_loss", _DIVIDED),
    "nn.softmax_cross_entropy_with_logits": ("nn.softmax_cross_entropy_with_logits_v2", {}),
    "nn.space_to_batch": ("space_to_batch_nd", {}),
    "random.set_seed": ("set_random_seed", {}),
    "saved_model.load": ("saved_model.load_v2", {}),
    "space_to_batch": ("space_to_batch_nd", {}),
    "while_loop": ("while_loop", {"return_same_structure": True}),
}
# Arguments that have another name in version 1: by function, or for all.
_RENAMED: Final[dict[str, dict[str, str]]] = {
    "device": {"device_name": "device_name_or_function"},
    "nn.erosion2d": {"filters": "kernel", "dilations": "rates"},
    "ones_like": {"input": "tensor"},
    "zeros_like": {"input": "tensor"},
}
# The only value of a required argument that version 1 lacks.
_ONLY: Final = {"data_format": "NHWC"}
_LEFT_OUT: Final = frozenset(("strings.split", "test.compute_gradient"))


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(Path(__file__).with_name("version_2.json").read_text(encoding="utf-8"))
    return table


@cache
def _places() -> dict[str, str]:
    """Returns where version 1 has each name, by dotted name."""
    entries = [(module, entry.partition("=")) for module, names in _table()["names"].items() for entry in names.split()]
    found = {f"{module}.{name}".lstrip("."): place for module, (name, _, place) in entries}
    return {path: place or path for path, place in found.items()}


@cache
def _modules() -> frozenset[str]:
    paths = [*_places(), *_table()["functions"], *(f"{module}." for module in _WHOLE)]
    parts = [path.split(".")[:-1] for path in paths]
    return frozenset(".".join(["compat.v2", *part[:n]]) for part in parts for n in range(len(part) + 1))


def root_attribute(place: str) -> Any:
    """Returns what `tf` has at a dotted place; raises AttributeError if it has nothing."""
    found: Any = sys.modules["ferroflow"]
    for part in place.split("."):
        found = getattr(found, part)
    return found


class Version2(Family):
    """The modules of `tf.compat.v2`."""

    def has(self, path: str) -> bool:
        """Returns True for the path of a module, such as `compat.v2.math`."""
        return path in _modules()

    def names(self, path: str) -> Iterable[str]:
        """Returns the names of a module, its modules included."""
        inner = path.removeprefix("compat.v2").lstrip(".")
        if inner in _WHOLE:
            return dir(root_attribute(inner))
        known = [*_places(), *_table()["functions"]]
        own = [name for name in known if name.rpartition(".")[0] == inner and name not in _LEFT_OUT]
        below = [module.removeprefix(f"{path}.") for module in _modules() if module.startswith(f"{path}.")]
        return {*(name.rpartition(".")[2] for name in own), *(name for name in below if "." not in name)}

    def find(self, path: str, name: str) -> Any:
        """Returns the object with a name in a module; raises AttributeError if there is none."""
        inner = path.removeprefix("compat.v2").lstrip(".")
        if inner.partition(".")[0] in _WHOLE:
            return root_attribute(f"{inner}.{name}")
        return find(f"{inner}.{name}".lstrip("."))


def find(name: str) -> Any:
    """Returns the object with a dotted name in `tf.compat.v2`.

    Args:
        name: str, such as "math.reduce_sum".

    Raises:
        AttributeError: if TensorFlow 1.15, or ferroflow, has none.
    """
    if name in _LEFT_OUT:
        raise AttributeError(name)
    if name == "compat":
        return root_attribute(name)
    for module in _SUMMARY_FILES if name.startswith("summary.") else _FILES:
        own = importlib.import_module(module).PLACES.get(name)
        if own is not None:
            return own
    if name in _table()["functions"]:
        return _function(name)
    if name not in _places():
        raise AttributeError(name)
    return root_attribute(_places()[name])


def _default(value: Any) -> Any:
    is_dtype = isinstance(value, str) and value.startswith("tf.")
    return root_attribute(value[3:]) if is_dtype else value


@cache
def _function(name: str) -> Callable[..., Any]:
    """Makes a function with the arguments of version 2 from that of version 1."""
    place, fixed = _ELSEWHERE.get(name, (name, {}))
    function: Callable[..., Any] = root_attribute(place)
    renamed = _RENAMED.get(name, {})
    listed = {entry[0]: inspect.Parameter.empty if len(entry) == 1 else _default(entry[1]) for entry in _row(name)}
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(key, kind, default=value) for key, value in listed.items()])
    accepted = inspect.signature(function).parameters
    # An argument that version 1 lacks may only have its default.
    lacking = {key: _ONLY.get(key, value) for key, value in listed.items() if renamed.get(key, key) not in accepted}
    has_scope = lacking.pop("name", accepted) is not accepted

    def version_2(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {**bound.arguments, **fixed}
        for key, default in lacking.items():
            value = given.pop(key)
            if value is not default and value != default:
                raise NotImplementedError(f"tf.compat.v2.{name}({key}={value!r}): only {default!r} is offered.")
        scope = given.pop("name") if has_scope else None
        with contextlib.nullcontext() if scope is None else name_scope(scope):
            return function(**{renamed.get(key, key): value for key, value in given.items()})

    version_2.__signature__ = signature  # type: ignore[attr-defined]  # read by `inspect.signature`
    text = f"Does what `tf.{place}` does, with the arguments of version 2."
    document(version_2, text, name=name.rpartition(".")[2])
    return version_2


def _row(name: str) -> list[list[Any]]:
    row: list[list[Any]] = _table()["functions"][name]
    return row

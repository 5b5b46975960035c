"""Modules by TensorFlow's internal paths (`ops.math_ops`), whose names are the public ones."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ferroflow._src.base.absent_names import absent
from ferroflow._src.framework.op_schema import op_schema

_PACKAGE = __package__ or "ferroflow.python"
_ROOT = "ferroflow"

# Modules that only gather names, or whose names are generated: where they are public ("" is `tf` itself).
_GATHERING = {
    "client.client_lib": ("",),
    "client.graph_util": ("graph_util",),
    "estimator.estimator_lib": ("estimator",),
    "estimator.export.export_lib": ("estimator.export",),
    "estimator.inputs.inputs": ("estimator.inputs",),
    "framework.errors": ("errors",),
    "framework.framework_lib": ("",),
    "framework.graph_util": ("graph_util",),
    "layers.layers": ("layers",),
    "lib.io.python_io": ("python_io",),
    "ops.distributions.distributions": ("distributions",),
    "ops.gradients": ("",),
    "ops.image_ops": ("image", ""),
    "ops.initializers_ns": ("initializers",),
    "ops.linalg.linalg": ("linalg",),
    "ops.losses.losses": ("losses",),
    "ops.metrics": ("metrics",),
    "ops.nn": ("nn", ""),
    "ops.rnn_cell": ("nn.rnn_cell",),
    "ops.sets": ("sets",),
    "ops.standard_ops": ("", "nn"),
    "platform.flags": ("flags",),
    "platform.gfile": ("gfile",),
    "pywrap_tensorflow": ("pywrap_tensorflow",),
    "saved_model.builder": ("saved_model.builder",),
    "saved_model.loader": ("saved_model.loader",),
    "saved_model.main_op": ("saved_model.main_op",),
    "saved_model.saved_model": ("saved_model",),
    "saved_model.signature_def_utils": ("saved_model.signature_def_utils",),
    "saved_model.utils": ("saved_model.utils",),
    "training.summary_io": ("train",),
    "training.training": ("train",),
}
# Other modules to search for names, by the start of the module's path, because TensorFlow's modules import from each
# other and pass names on.
_ELSEWHERE = (
    ("estimator.inputs", ("estimator.inputs",)),
    ("estimator.", ("estimator", "estimator.export", "")),
    ("framework.", ("", "errors", "dtypes", "test")),
    ("layers.", ("layers",)),
    ("lib.io.", ("gfile", "python_io")),
    ("ops.lookup_ops", ("contrib.lookup", "lookup", "")),
    ("ops.losses.", ("losses",)),
    ("ops.", ("", "nn", "linalg", "image", "sparse", "strings", "train")),
    ("platform.gfile", ("gfile",)),
    ("platform.", ("", "test", "logging", "app")),
    ("summary.", ("summary",)),
    ("training.", ("train", "")),
    ("util.", ("compat",)),
)
# Names that are not public, by module: where they are here.
_INTERNAL = {
    "client.device_lib": "ferroflow._src.session.devices",
    "client.timeline": "ferroflow._src.session.timeline",
    "framework.smart_cond": "ferroflow._src.control_flow.smart_conditional",
    "framework.tensor_shape": "ferroflow._src.base.tensor_shape",
    "framework.tensor_util": "ferroflow._src.framework.constant",
    "layers.utils": "ferroflow._src.control_flow.smart_conditional",
    "lib.io.file_io": "ferroflow._src.base.files.content",
    "ops.lookup_ops": "ferroflow._src.ops.lookup.vocabulary",
    "ops.resource_variable_ops": "ferroflow._src.variables.resource_variable",
    "training.checkpoint_state_pb2": "ferroflow._src.base.proto",
    "saved_model.signature_def_utils_impl": "ferroflow._src.saved_model.signatures",
    "training.moving_averages": "ferroflow._src.training.moving_averages",
    "ops.resources": "ferroflow._src.variables.resources",
    "util.nest": "ferroflow._src.base.nest",
    "util.tf_contextlib": "contextlib",
    "util.tf_decorator": "ferroflow._src.base.decorators",
}
# The same for single names of modules whose other names are public: (module, name) -> (module here, name there).
_INTERNAL_NAMES = {
    ("client.session", "register_session_run_conversion_functions"): (
        "session.fetches",
        "register_session_run_conversion_functions",
    ),
    ("ops.control_flow_ops", "merge"): ("control_flow.primitives", "merge"),
    ("ops.control_flow_ops", "switch"): ("control_flow.primitives", "switch"),
    ("ops.control_flow_ops", "with_dependencies"): ("ops.flow.grouping", "with_dependencies"),
    ("ops.rnn", "_best_effort_input_batch_size"): ("rnn.steps", "batch_size_of"),
    ("ops.rnn", "_transpose_batch_time"): ("rnn.dynamic_running", "transpose_batch_time"),
    ("ops.rnn_cell_impl", "_Linear"): ("rnn.projection", "Projection"),
    ("ops.rnn_cell_impl", "_concat"): ("rnn.sizes", "joined_sizes"),
    ("ops.rnn_cell_impl", "_like_rnncell"): ("rnn.cell", "is_like_rnn_cell"),
    ("ops.rnn_cell_impl", "_linear"): ("rnn.projection", "linear"),
    ("ops.rnn_cell_impl", "assert_like_rnncell"): ("rnn.cell", "assert_like_rnn_cell"),
    ("training.basic_session_run_hooks", "NeverTriggerTimer"): ("supervision.hooks.timers", "NeverTriggerTimer"),
    ("training.basic_session_run_hooks", "SummaryWriterCache"): ("summary.file_writer_cache", "FileWriterCache"),
    ("training.basic_session_run_hooks", "_as_graph_element"): ("supervision.hooks.graph_element", "as_graph_element"),
    ("training.monitored_session", "USE_DEFAULT"): ("supervision.monitored_training_session", "USE_DEFAULT"),
    ("training.monitored_session", "_CoordinatedSession"): ("supervision.wrapped_session", "CoordinatedSession"),
    ("training.monitored_session", "_HookedSession"): ("supervision.wrapped_session", "HookedSession"),
    ("training.monitored_session", "_MonitoredSession"): ("supervision.monitored_session", "_MonitoredSession"),
    ("training.monitored_session", "_PREEMPTION_ERRORS"): ("supervision.wrapped_session", "PREEMPTION_ERRORS"),
    ("training.monitored_session", "_RecoverableSession"): ("supervision.wrapped_session", "RecoverableSession"),
    ("training.monitored_session", "_WrappedSession"): ("supervision.wrapped_session", "WrappedSession"),
    ("training.saver", "_get_saver_or_default"): ("checkpoint.saver", "get_saver_or_default"),
    ("training.summary_io", "SummaryWriterCache"): ("summary.file_writer_cache", "FileWriterCache"),
    ("training.supervisor", "SVStepCounterThread"): ("supervision.supervisor_services", "SVStepCounterThread"),
    ("training.supervisor", "SVSummaryThread"): ("supervision.supervisor_services", "SVSummaryThread"),
    ("training.supervisor", "SVTimerCheckpointThread"): ("supervision.supervisor_services", "SVTimerCheckpointThread"),
    ("training.training_util", "GLOBAL_STEP_READ_KEY"): ("training.global_step", "GLOBAL_STEP_READ_KEY"),
    ("training.training_util", "_get_or_create_global_step_read"): (
        "training.global_step",
        "get_or_create_global_step_read",
    ),
    ("training.training_util", "_increment_global_step"): ("training.global_step", "increment_global_step"),
}
# Packages whose modules TensorFlow's modules import, and so pass on: `ops.rnn` has `array_ops`.
_PASSED_ON = ("ops", "framework", "training", "util", "platform")
# Keras's modules, which TensorFlow 1.9 moved; those that only gather names are packages of their own.
_KERAS, _KERAS_BEFORE = "keras", "keras._impl.keras"
_KERAS_GATHERING = (
    *("", ".activations", ".backend", ".callbacks", ".constraints", ".datasets", ".engine", ".initializers"),
    *(".layers", ".losses", ".metrics", ".models", ".optimizers", ".preprocessing", ".regularizers", ".utils"),
)
_GENERATED = "ops.gen_"
# Modules that pass generated names on.
_PASSING_ON = ("ops.resource_variable_ops", "ops.state_ops")


@cache
def _defined() -> dict[str, dict[str, str]]:
    """Returns the public name of each name, by module."""
    table: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("paths.json").read_text(encoding="utf-8"))
    later = {
        _KERAS + path.removeprefix(_KERAS_BEFORE): names
        for path, names in table.items()
        if path.startswith(_KERAS_BEFORE)
    }
    return {**table, **later}


@cache
def _known() -> frozenset[str]:
    """Returns every path of a module and of the packages around it."""
    modules = [*_defined(), *_GATHERING, *_INTERNAL]
    modules += [start + end for start in (_KERAS, _KERAS_BEFORE) for end in _KERAS_GATHERING]
    return frozenset(
        ".".join(parts[:n]) for path in modules for parts in [path.split(".")] for n in range(1, 1 + len(parts))
    )


def _is_known(path: str) -> bool:
    return path in _known() or (path.startswith(_GENERATED) and path.endswith("_ops"))


def _public(path: str) -> Any:
    found: Any = importlib.import_module(_ROOT)
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found


@cache
def _generated_types() -> dict[str, str]:
    """Returns the op types by the names of the functions that TensorFlow generates for them."""
    raw_ops = _public("raw_ops")
    return {_snake_case(op_type): op_type for op_type in dir(raw_ops) if op_type[:1].isupper()}


def _snake_case(op_type: str) -> str:
    letters = []
    for i, letter in enumerate(op_type):
        after = op_type[i + 1 : i + 2]
        if letter.isupper() and i and (not op_type[i - 1].isupper() or after.islower()):
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
    function: Callable[..., Any] = getattr(_public("raw_ops"), op_type)
    order = _arguments(op_type)

    def generated(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(order):
            raise TypeError(f"{name}() takes {len(order)} positional arguments but {len(args)} were given")
        return function(**dict(zip(order, args, strict=False)), **kwargs)

    generated.__name__ = generated.__qualname__ = name
    generated.__doc__ = function.__doc__
    return generated


def _found(path: str, name: str) -> Any:
    """Returns the object with a name in a module; raises AttributeError if there is none."""
    if path in _INTERNAL:
        internal = importlib.import_module(_INTERNAL[path])
        if hasattr(internal, name):
            return getattr(internal, name)
    if (path, name) in _INTERNAL_NAMES:
        module, inner = _INTERNAL_NAMES[path, name]
        return getattr(importlib.import_module(f"{_ROOT}._src.{module}"), inner)
    public = _defined().get(path, {}).get(name)
    if public is not None:
        try:
            return _public(public)
        except AttributeError:
            # Names of Keras are public in several modules, of which the table has one.
            if not path.startswith(_KERAS):
                raise
    if path.startswith((_GENERATED, *_PASSING_ON)):
        generated = _generated(name)
        if generated is not None:
            return generated
    for place in (*_GATHERING.get(path, ()), *_elsewhere(path)):
        try:
            return getattr(_public(place), name)
        except AttributeError:
            continue
    for package in _PASSED_ON:
        passed_on = submodule(package, name)
        if passed_on is not None:
            return passed_on
    raise absent(f"{_PACKAGE}.{path}", name)


def _elsewhere(path: str) -> tuple[str, ...]:
    """Returns the modules that may have the names a module does not define."""
    if not path.startswith(_KERAS):
        return next((places for start, places in _ELSEWHERE if path.startswith(start)), ())
    parts = [_KERAS, *path.removeprefix(_KERAS_BEFORE).removeprefix(_KERAS).split(".")[1:]]
    return (*(".".join(parts[:n]) for n in range(len(parts), 0, -1)), "keras.layers", "keras.models")


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix(f"{_PACKAGE}.")
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = submodule(path, name)
        if found is None:
            found = _found(path, name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        path = self.__name__.removeprefix(f"{_PACKAGE}.")
        below = {p[len(path) + 1 :].split(".")[0] for p in _known() if p.startswith(f"{path}.")}
        return sorted({*self.__dict__, *_defined().get(path, ()), *below})


def submodule(path: str, name: str) -> ModuleType | None:
    """Returns the module or package `name` of the package `path`, if there is one."""
    inner = f"{path}.{name}".lstrip(".")
    return importlib.import_module(f"{_PACKAGE}.{inner}") if _is_known(inner) else None


class _Finder:
    """Finder that makes the modules of this package when they are imported."""

    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        inner = fullname.removeprefix(f"{_PACKAGE}.")
        if inner == fullname or not _is_known(inner):
            return None
        return ModuleSpec(fullname, cls, is_package=True)  # type: ignore[arg-type]  # a class is its own loader

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name, f"The names of TensorFlow 1.x's `tensorflow.python{spec.name[len(_PACKAGE) :]}`.")

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Does nothing: names are resolved when they are used."""


def install() -> None:
    """Makes the modules importable."""
    if _Finder not in sys.meta_path:
        files = next((i for i, finder in enumerate(sys.meta_path) if finder is PathFinder), len(sys.meta_path))
        sys.meta_path.insert(files, _Finder)

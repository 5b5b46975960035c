"""The functions of `tf.contrib.autograph`."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import nest, tf_logging
from ferroflow._src.contrib.autograph import operators
from ferroflow._src.contrib.autograph.converter import convert_code, converted_definition
from ferroflow._src.contrib.autograph.side_effects import is_tensor, with_effects
from ferroflow._src.ops.array.joining import stack as stack_tensors

_MARK = "_autograph_converted"
_UNCONVERTED = "_autograph_do_not_convert"
# Packages whose functions are called as they are.
_LIBRARIES = ("ferroflow", "tensorflow", "numpy", "six", "builtins", *sys.stdlib_module_names)


class AutoGraphError(Exception):
    """Error of a function that cannot be converted."""


class Feature(enum.Enum):
    """Parts of the conversion that TensorFlow can leave out; here all are always in."""

    ALL = "ALL"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


class ConversionOptions:
    """Options of a conversion.

    Args:
        recursive: bool. If True, the functions that a converted function calls are converted, too.
        user_requested: bool, accepted for compatibility.
        internal_convert_user_code: bool. If False, nothing is converted.
        optional_features: Feature or tuple of them, accepted for compatibility.
    """

    def __init__(
        self,
        recursive: bool = False,
        user_requested: bool = False,
        internal_convert_user_code: bool = True,
        optional_features: Any = Feature.ALL,
    ) -> None:
        self.recursive = recursive
        self.user_requested = user_requested
        self.internal_convert_user_code = internal_convert_user_code
        self.optional_features = optional_features


class _Calls:
    """The value of the name `ag__` in converted code: the operators, and how functions are called."""

    def __init__(self, recursive: bool, prints: bool = True) -> None:
        self._recursive = recursive
        self._prints = prints

    def __getattr__(self, name: str) -> Any:
        return getattr(operators, name)

    def converted(self, function: Any) -> Any:
        """Returns what is called in place of a function."""
        try:
            replaced = operators.BUILTINS.get(function)
        except TypeError:
            replaced = None
        if replaced is not None:
            return replaced if self._prints or function is not print else function
        return _called(function, self._prints) if self._recursive else function


# By whether functions that are called are converted, and whether `print` is.
_CALLS = {key: _Calls(*key) for key in ((False, True), (True, True), (True, False))}


def _is_of_library(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return str(module).partition(".")[0] in _LIBRARIES


def _call_method(value: Any) -> types.FunctionType | None:
    """Returns the Python method by which an object that is not a class is called."""
    own = None if isinstance(value, type) else vars(type(value)).get("__call__")
    return own if isinstance(own, types.FunctionType) else None


def _called(function: Any, prints: bool = True) -> Any:
    """Returns the converted form of what a converted function calls; the thing itself if it is not converted."""
    if isinstance(function, functools.partial):
        return functools.partial(_called(function.func, prints), *function.args, **function.keywords)
    if isinstance(function, types.MethodType):
        inner = _called(function.__func__, prints)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if not isinstance(function, types.FunctionType):
        own = _call_method(function)
        if own is not None and not _is_of_library(own):
            return types.MethodType(_called(own, prints), function)
        return function
    if _is_of_library(function) or hasattr(function, _MARK) or hasattr(function, _UNCONVERTED):
        return function
    if inspect.isgeneratorfunction(function) or function.__name__ == "<lambda>" or hasattr(function, "__wrapped__"):
        return function
    try:
        return _converted(function, True, prints)
    except NotImplementedError as failure:
        tf_logging.warning("%s It is called as it is.", failure)
        return function


@functools.lru_cache(maxsize=256)
def _converted(function: types.FunctionType, recursive: bool, prints: bool = True) -> Callable[..., Any]:
    inner = convert_code(function, _CALLS[recursive, prints])

    @functools.wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        return with_effects(lambda: inner(*args, **kwargs))

    setattr(converted, _MARK, True)
    return converted


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    verbose: bool = False,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable[..., Any]:
    """Converts a Python function to one whose conditionals and loops may depend on tensors.

    `if`, `while`, `for`, `break`, `continue`, early `return`, `and`, `or`, `not`, `==`, `assert` and `print` are
    converted. They stay Python's where they do not depend on tensors.

    Args:
        entity: function or method.
        recursive: bool. If True, the functions that it calls are converted when they are called; those of libraries are
            not.
        verbose: accepted for compatibility.
        arg_values: accepted for compatibility.
        arg_types: accepted for compatibility.
        experimental_optional_features: accepted for compatibility.

    Returns:
        The converted function, which adds to the default graph.

    Raises:
        NotImplementedError: if it is a class, a generator, a lambda, or has no source.
        TypeError: if it cannot be called.
    """
    del verbose, arg_values, arg_types, experimental_optional_features
    if not callable(entity):
        raise TypeError(f"{entity!r} is neither a function nor a method.")
    if isinstance(entity, types.MethodType):
        return types.MethodType(to_graph(entity.__func__, recursive), entity.__self__)
    if isinstance(entity, types.FunctionType):
        return entity if hasattr(entity, _MARK) else _converted(entity, bool(recursive))
    own = _call_method(entity)
    if own is None:
        raise NotImplementedError(f"AutoGraph: {entity!r} is not a Python function; classes are not converted.")
    return types.MethodType(to_graph(own, recursive), entity)


def traceable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the form of a function that `tf.function` calls.

    Args:
        function: the program's function.

    Returns:
        The converted function, in which `print` stays Python's; `function` where it cannot be converted, as a lambda or
        a function without source.
    """
    if not isinstance(function, types.FunctionType) or function.__name__ == "<lambda>":
        return function
    form: Callable[..., Any] = _called(function, False)
    return form


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """Returns the source of a converted function; `ag__` in it stands for this package's operators.

    Args:
        entity: function or method.
        recursive: bool, accepted for compatibility.
        arg_values: accepted for compatibility.
        arg_types: accepted for compatibility.
        indentation: str, one level of indentation.
        experimental_optional_features: accepted for compatibility.

    Returns:
        str.

    Raises:
        NotImplementedError: if the function cannot be converted.
    """
    del recursive, arg_values, arg_types, experimental_optional_features
    function = inspect.unwrap(getattr(entity, "__func__", entity))
    lines = ast.unparse(converted_definition(function)).splitlines()
    return "\n".join(indentation * ((len(s) - len(s.lstrip(" "))) // 4) + s.lstrip(" ") for s in lines) + "\n"


def convert(
    recursive: bool = False, optional_features: Any = None, user_requested: bool = True, verbose: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that converts a function when it is called, as `to_graph` does.

    Args:
        recursive: bool. If True, the functions that it calls are converted, too.
        optional_features: accepted for compatibility.
        user_requested: accepted for compatibility.
        verbose: accepted for compatibility.

    Returns:
        A decorator.
    """
    del optional_features, user_requested, verbose

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return to_graph(function, recursive)(*args, **kwargs)

        setattr(call, _MARK, True)
        return call

    return decorate


def do_not_convert(func: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Marks a function that converted functions call as it is.

    Args:
        func: function; None to use the result as a decorator.
        **options: accepted for compatibility.

    Returns:
        The function, or a decorator.
    """
    del options
    if not isinstance(func, types.FunctionType | types.MethodType):
        return do_not_convert

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    setattr(call, _UNCONVERTED, True)
    return call


def converted_call(f: Any, options: Any = None, args: Any = (), kwargs: Any = None, *rest: Any) -> Any:
    """Calls a function as converted functions call it.

    Args:
        f: function.
        options: ConversionOptions.
        args: tuple of arguments.
        kwargs: dict of arguments.
        *rest: accepted for compatibility.

    Returns:
        The results of the function.
    """
    del rest
    recursive = options is None or getattr(options, "internal_convert_user_code", True)
    return _CALLS[bool(recursive), True].converted(f)(*args, **(kwargs or {}))


def set_element_type(entity: Any, dtype: Any, shape: Any = None) -> None:
    """States the type of a list's elements; nothing has to be known of them here.

    Args:
        entity: list.
        dtype: DType of the elements.
        shape: TensorShape of the elements.
    """


def set_loop_options(
    parallel_iterations: Any = None, back_prop: Any = None, swap_memory: Any = None, maximum_iterations: Any = None
) -> None:
    """States options of the loop around it, which have no effect here.

    Args:
        parallel_iterations: accepted for compatibility.
        back_prop: accepted for compatibility.
        swap_memory: accepted for compatibility.
        maximum_iterations: accepted for compatibility.

    Raises:
        NotImplementedError: if `maximum_iterations` is given.
    """
    del parallel_iterations, back_prop, swap_memory
    if maximum_iterations is not None:
        raise NotImplementedError("AutoGraph: `maximum_iterations` is not offered: count in the loop's condition.")


def stack(list_or_tensor: Any, element_dtype: Any = None, strict: bool = True) -> Any:
    """Returns the elements of a list as one tensor.

    Args:
        list_or_tensor: list of Tensors of one dtype and shape; or a Tensor.
        element_dtype: DType of the elements, accepted for compatibility.
        strict: bool. If True, values that are no lists are an error.

    Returns:
        Tensor with one more dimension, the first; `list_or_tensor` if it is a Tensor, or is no list and not `strict`.

    Raises:
        ValueError: if there is nothing to stack, and `strict`.
    """
    del element_dtype
    if is_tensor(list_or_tensor):
        return list_or_tensor
    if isinstance(list_or_tensor, Iterable) and nest.is_sequence(list_or_tensor):
        return stack_tensors(list(list_or_tensor))
    if strict:
        raise ValueError(f"unable to stack {list_or_tensor}")
    return list_or_tensor

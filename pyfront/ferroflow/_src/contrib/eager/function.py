"""`tf.function`: Python functions as functions of the graph's library, one for each signature, and their calls."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.contrib.autograph.api import traceable
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction, trace
from ferroflow._src.contrib.eager.signatures import Traces, arrays_as_tensors, tensor_arguments
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph, init_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.saved_functions import SavableFunction
from ferroflow._src.framework.tensor_spec import TensorSpec


class _Method(SavableFunction):
    """The function of one object, which it keeps alive: in `Model().step(x)` nothing else does during the call."""

    def __init__(self, function: Function, owner: Any) -> None:
        functools.update_wrapper(self, function)
        self._function, self._kept = function, owner

    @property
    def saved_function(self) -> SavableFunction:
        """The function of the object."""
        return self._function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class Function(SavableFunction):
    """A Python function that is called with tensors, as `tf.function` makes it.

    The Python function runs once for each signature of arguments, and becomes a function in the graph's library. A call
    adds one operation to the default graph, which calls that function. Operations with effects run in program order,
    whenever the results are computed. Variables may be created when the function runs first; then it runs once more.

    Args:
        python_function: the function.
        name: str, its name.
        input_signature: sequence of TensorSpecs of the arguments, or None.
        autograph: bool. If True, conditionals and loops of the function may depend on tensors.
        owner: the object whose method the function is, or None.
        relaxes_shapes: bool. If True, a further trace has unknown dimensions where the shapes of arguments differ.
    """

    # If True, only the first call creates variables, and the Python function runs once more after it.
    _creates_once = True

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        owner: Any = None,
        relaxes_shapes: bool = False,
    ) -> None:
        self._python_function = python_function
        # A strong reference from the values of `_of_instances` to the keys would keep all objects alive.
        self._owner = None if owner is None else weakref.ref(owner)
        self._name = name
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        signature = inspect.signature(python_function)
        parameters = list(signature.parameters.values())
        self._signature = signature if owner is None else signature.replace(parameters=parameters[1:])
        self._of_instances: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._relaxes_shapes = relaxes_shapes
        # By outermost graph, which the functions do not keep alive.
        self._traced: weakref.WeakKeyDictionary[Any, Traces] = weakref.WeakKeyDictionary()
        self._was_called = False
        self._variables: list[weakref.ref[Any]] = []
        functools.update_wrapper(self, python_function)
        if self._input_signature is not None and not all(isinstance(s, TensorSpec) for s in self._leaves()):
            raise TypeError(
                f"Invalid input_signature {input_signature}; input_signature must be a possibly nested sequence of "
                "TensorSpec objects."
            )

    def _leaves(self) -> list[Any]:
        return nest.flatten(self._input_signature)

    @property
    def specification(self) -> inspect.FullArgSpec:
        """The arguments of the Python function, `self` of a method included; without annotations."""
        function: Any = self._python_function
        is_object = not inspect.isroutine(function) and not isinstance(function, functools.partial)
        found = inspect.getfullargspec(type(function).__call__ if is_object else function)
        return found._replace(args=found.args[1:] if is_object else found.args, annotations={})

    @property
    def is_method(self) -> bool:
        """True for the method of an object."""
        return self._owner is not None

    def concrete_functions(self) -> list[ConcreteFunction]:
        """Returns the functions for all signatures so far; with an `input_signature`, that for it.

        Returns:
            list of ConcreteFunctions.
        """
        if self._input_signature is not None:
            self.get_concrete_function()
        with init_scope():
            known = self._traced.get(get_default_graph())
        return [] if known is None else known.all()

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that was decorated."""
        return self._python_function

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The TensorSpecs of the arguments, a tuple; or None."""
        return self._input_signature

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Returns the function of one object where it is a method."""
        if instance is None:
            return self
        known = self._of_instances.get(instance)
        if known is None:
            known = type(self)(
                self._python_function,
                self._name,
                self._input_signature,
                self._autograph,
                instance,
                self._relaxes_shapes,
            )
            self._of_instances[instance] = known
        return _Method(known, instance)

    def _target(self) -> Callable[..., Any]:
        """Returns what a call runs: the converted function, of the object where it is a method."""
        function = traceable(self._python_function) if self._autograph else self._python_function
        if self._owner is None:
            return function
        owner = self._owner()
        if owner is None:
            raise ReferenceError(f"the object of method {self._name} exists no more")
        return functools.partial(function, owner)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        """Returns the arguments with arrays as tensors, checked against the signature."""
        if self._input_signature is not None and len(args) + len(kwargs) > len(self._input_signature):
            raise TypeError(
                "When input_signature is provided, only pass arguments covered by it. Received "
                f"{len(args) + len(kwargs)} argument(s)."
            )
        if self._input_signature is None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            arrays_as_tensors(bound)
            return bound
        try:
            # Defaults take the places of the signature that a call leaves out.
            passed = self._signature.bind(*args, **kwargs)
            if len(args) + len(kwargs) < len(self._input_signature):
                passed.apply_defaults()
            given = passed.args[: len(self._input_signature)]
            leaves = nest.flatten_up_to(self._input_signature, given)
        except (TypeError, ValueError):
            raise ValueError("Structure of Python function inputs does not match input_signature.") from None
        tensors = [
            _of_spec(value, spec, given, self._input_signature)
            for value, spec in zip(leaves, self._leaves(), strict=True)
        ]
        return self._signature.bind(*nest.pack_sequence_as(self._input_signature, tensors))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Args:
            *args: Tensors, arrays, other values, and structures of these. Arrays become Tensors; with an
                `input_signature`, all leaves do.
            **kwargs: as `args`.

        Returns:
            The structure that the function returns, with a Tensor for each value; an Operation if it returns None.

        Raises:
            ValueError: if the arguments do not fit `input_signature`, or each run creates variables.
            TypeError: if there are more arguments than `input_signature` has, or they do not fit the function.
        """
        bound = self._bound(args, kwargs)
        tensors = [a.tensor for a in tensor_arguments(bound) if a.tensor is not None]
        if self._input_signature is not None:
            bound = self._signature.bind(*self._input_signature)
        return self._concrete(bound).called(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the function for one signature.

        Args:
            *args: TensorSpecs or Tensors for the arguments that are Tensors, other values, and structures of these.
                None are needed with an `input_signature`.
            **kwargs: as `args`.

        Returns:
            ConcreteFunction.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arrays_as_tensors(bound)
        return self._concrete(bound)

    def _concrete(self, bound: inspect.BoundArguments) -> ConcreteFunction:
        """Returns the function for the signature of arguments; it is traced once in each graph."""
        with init_scope():
            graph = get_default_graph()
        known = self._traced.get(graph)
        if known is None:
            known = self._traced[graph] = Traces()
        specs = [a.spec for a in tensor_arguments(bound)]
        found: ConcreteFunction | None = known.find(bound, specs)
        if found is None:
            if self._relaxes_shapes:
                bound = known.relaxed(bound, specs)
            found, variables = trace(self._target(), self._name, bound, self._may_create(), ConcreteFunction)
            self._was_called = True
            self._variables += [weakref.ref(v) for v in variables]
            if variables and self._creates_once:
                # TensorFlow traces such a function once more; what creates variables in every call fails in the first.
                found, _ = trace(self._target(), self._name, bound, False, ConcreteFunction)
            known.add(bound, [a.spec for a in tensor_arguments(bound)], found)
        return found

    def _may_create(self) -> bool:
        """Returns True if a call may create variables: the first one, or where those of the first are gone."""
        return not (self._creates_once and self._was_called) or (
            bool(self._variables) and all(v() is None for v in self._variables)
        )


class SimpleFunction(Function):
    """A Python function that is called with tensors, as `tf.contrib.eager.defun` makes it.

    It differs from `Function`: the Python function may create variables for each signature, and runs once for each.
    """

    _creates_once = False


def _of_spec(value: Any, spec: TensorSpec, given: Any, signature: Any) -> Any:
    """Returns an argument as a tensor that a specification allows."""
    if not isinstance(value, Tensor | SparseTensor | IndexedSlices):
        try:
            value = convert_to_tensor(value, preferred_dtype=spec.dtype)
        except (TypeError, ValueError):
            raise ValueError(
                "When input_signature is provided, all inputs to the Python function must be convertible to "
                f"tensors:\n  inputs: {given}\n  input_signature: {signature}"
            ) from None
    if not spec.is_compatible_with(value):
        raise ValueError(
            f"Python inputs incompatible with input_signature:\n  inputs: {given}\n  input_signature: {signature}"
        )
    return value


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    experimental_autograph_options: object = None,
    experimental_relax_shapes: bool = False,
    experimental_compile: bool | None = None,
) -> Any:
    """Makes a function of tensors of a Python function; also a decorator.

    The Python function runs once for each signature: the dtypes and shapes of Tensors, and other values. A call adds an
    operation that calls the function of that signature. Operations with effects run in program order, and whenever the
    results are computed. Conditionals and loops that depend on tensors become operations. Variables may be created when
    the function runs first; then it runs once more.

    Args:
        func: the function; None to get a decorator.
        input_signature: sequence of TensorSpecs of the arguments, or None. With it, the
            static shapes of arguments are those of their specifications.
        autograph: bool. If False, conditionals and loops of the function cannot depend on tensors.
        experimental_autograph_options: accepted for compatibility.
        experimental_relax_shapes: bool. If True, a further trace has unknown dimensions where the shapes of arguments
            differ.
        experimental_compile: accepted for compatibility.

    Returns:
        `Function`; a decorator if `func` is None.

    Raises:
        TypeError: if `input_signature` has other leaves than TensorSpecs.

    Example:
        >>> @tf.function
        ... def halved(x):
        ...     while x > 1.0:
        ...         x /= 2.0
        ...     return x
        >>> print(sess.run(halved(tf.constant(5.0))))
        0.625
    """
    del experimental_autograph_options, experimental_compile
    return _made(Function, func, input_signature, autograph, experimental_relax_shapes)


def defun(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    experimental_autograph_options: object = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """Makes a function of tensors of a Python function, which may create variables for each signature.

    Args:
        func: the function; None to get a decorator.
        input_signature: sequence of TensorSpecs of the arguments, or None.
        autograph: bool. If False, conditionals and loops of the function cannot depend on tensors.
        experimental_autograph_options: accepted for compatibility.
        experimental_relax_shapes: bool. If True, a further trace has unknown dimensions where the shapes of arguments
            differ.

    Returns:
        `SimpleFunction`; a decorator if `func` is None.

    Raises:
        TypeError: if `input_signature` has other leaves than TensorSpecs.
    """
    del experimental_autograph_options
    return _made(SimpleFunction, func, input_signature, autograph, experimental_relax_shapes)


def _made(kind: type[Function], func: Callable[..., Any] | None, signature: Any, autograph: bool, relaxes: bool) -> Any:
    """Returns a function of a kind, or a decorator that makes it."""

    def decorate(python_function: Callable[..., Any]) -> Function:
        name = getattr(python_function, "__name__", type(python_function).__name__)
        return kind(python_function, name.strip("<>_") or "function", signature, autograph, None, relaxes)

    return decorate if func is None else decorate(func)

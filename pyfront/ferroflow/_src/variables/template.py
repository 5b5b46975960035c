"""`make_template`: functions that make their variables when they are first called and share them from then on."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.variables.scope import pure_variable_scope, variable_scope
from ferroflow._src.variables.variable_scope import VariableScope, open_scopes


class Template:
    """A function wrapped by `make_template`; calls go to the function, inside the template's variable scope."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Callable[..., Any] | None = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._name = name
        self._func = func
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._definition = traceback.format_stack()[:-2]
        self._variables_created = False
        self._variable_scope: VariableScope | None = None
        if create_scope_now:
            scope_name = unique_name or open_scopes().unique_name(name)
            with pure_variable_scope(scope_name, custom_getter=custom_getter) as scope:
                self._variable_scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Raises:
            ValueError: if a call after the first one made trainable variables.
        """
        if self._variable_scope is not None:
            with variable_scope(self._variable_scope, reuse=self._variables_created):
                return self._call(args, kwargs)
        with variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as scope:
            self._variable_scope = scope
            return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before = len(get_collection(GraphKeys.GLOBAL_VARIABLES))
        trainable_before = len(get_collection(GraphKeys.TRAINABLE_VARIABLES))
        try:
            result = self._func(*args, **kwargs)
            if self._variables_created:
                self._check_no_new(before, trainable_before)
        except Exception as error:
            # The message then names the template's place as well as the function's.
            trace = "".join(_own_frames(self._definition, traceback.format_stack()))
            message = error.args[0] if error.args else ""
            error.args = (f"{message}\n\noriginally defined at:\n{trace}", *error.args[1:])
            raise
        self._variables_created = True
        return result

    @staticmethod
    def _check_no_new(before: int, trainable_before: int) -> None:
        hint = "created when calling a template after the first time, perhaps you used tf.Variable when you meant"
        trainable = get_collection(GraphKeys.TRAINABLE_VARIABLES)
        if len(trainable) != trainable_before:
            raise ValueError(f"Trainable variable {hint} tf.get_variable: {trainable[trainable_before:]}")
        variables = get_collection(GraphKeys.GLOBAL_VARIABLES)
        if len(variables) != before:
            tf_logging.info("New variables %s tf.get_variable: %s", hint, variables[before:])

    @property
    def name(self) -> str:
        """The name given to the template."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables; None before the first call."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The prefix of the variables' names, with its final "/"; None before the first call."""
        if self._variable_scope is None:
            return None
        return self._variable_scope.name.removesuffix("/") + "/"

    def _collected(self, key: str) -> list[Any]:
        return get_collection(key, self.variable_scope_name) if self._variables_created else []

    @property
    def global_variables(self) -> list[Any]:
        """The template's global variables."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The template's local variables."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """The template's trainable variables."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The template's global variables that are not trainable."""
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.global_variables if id(v) not in trainable]

    @property
    def variables(self) -> list[Any]:
        """The template's global and local variables."""
        return self.global_variables + self.local_variables

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    @property
    @deprecated("variable_scope", name="var_scope")
    def var_scope(self) -> VariableScope | None:
        """The scope of the variables."""
        return self._variable_scope


def _own_frames(stack: list[str], other: list[str]) -> list[str]:
    """Returns the frames of `stack` from where it differs from `other`; the last one where it does not."""
    for i, (frame, other_frame) in enumerate(zip(stack, other, strict=False)):
        if frame != other_frame:
            return stack[i:]
    return stack[-1:]


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Template:
    """Wraps a function so that its `get_variable` calls make variables in the first call and find them in later ones.

    Args:
        name_: str, the name of the variable scope, made unique.
        func_: callable that makes variables and operations.
        create_scope_now_: bool. If True, open the scope at once, rather than where the template is first called.
        unique_name_: str, a scope name that is not made unique, to share variables between templates.
        custom_getter_: a custom getter for the scope.
        **kwargs: arguments bound to the function.

    Returns:
        A callable, a `Template`.

    Raises:
        ValueError: if `name_` is None.
    """
    func = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, func, create_scope_now_, unique_name_, custom_getter_)

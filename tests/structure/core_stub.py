"""Lists what a stub file declares and what a compiled module has, in one form, so that they can be compared."""

import ast
import inspect
from types import ModuleType
from typing import Any

# What every class has, and what no stub tells.
_OF_EVERY_CLASS = {"__doc__", "__module__", "__weakref__", "__dict__"}


def declared(stub: str) -> dict[str, str]:
    """Maps the names in a stub's source to `class`, `property`, `value`, or the parameters of a function."""
    found: dict[str, str] = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.AnnAssign):
            found[ast.unparse(node.target)] = "value"
        elif isinstance(node, ast.FunctionDef):
            _declare(found, node.name, _declared_parameters(node))
        elif isinstance(node, ast.ClassDef):
            found[node.name] = "class"
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    decorators = {ast.unparse(d) for d in member.decorator_list}
                    bound = 0 if "staticmethod" in decorators else 1
                    what = "property" if "property" in decorators else _declared_parameters(member, bound)
                    _declare(found, f"{node.name}.{member.name}", what)
    return found


def _declare(found: dict[str, str], name: str, what: str) -> None:
    # Overloads of one function may differ in which defaults they leave out: the last one tells all.
    if name in found and _names(found[name]) != _names(what):
        raise ValueError(f"the overloads of {name} have different parameters: {found[name]} and {what}")
    found[name] = what


def _names(parameters: str) -> list[str]:
    return [parameter.split("=")[0] for parameter in parameters.split(", ")]


def _declared_parameters(function: ast.FunctionDef, bound: int = 0) -> str:
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    listed = [
        argument.arg if default is None else f"{argument.arg}={ast.literal_eval(default)!r}"
        for argument, default in zip(positional, defaults, strict=True)
    ][bound:]
    if arguments.vararg is not None:
        listed.append(f"*{arguments.vararg.arg}")
    return ", ".join(listed)


def present(module: ModuleType) -> dict[str, str]:
    """Maps what a module has to the same words as `declared`."""
    found: dict[str, str] = {}
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value):
            found[name] = "class"
            for member, of_class in vars(value).items():
                if member == "__new__":
                    found[f"{name}.__new__"] = _parameters(value)
                elif member == "__call__":
                    # CPython tells no signature of it.
                    found[f"{name}.__call__"] = "*args"
                elif inspect.isgetsetdescriptor(of_class) and member not in _OF_EVERY_CLASS:
                    found[f"{name}.{member}"] = "property"
                elif member not in _OF_EVERY_CLASS:
                    found[f"{name}.{member}"] = _parameters(of_class)
        else:
            found[name] = _parameters(value) if callable(value) else "value"
    return found


def _parameters(function: Any) -> str:
    listed = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
        listed.append(star + parameter.name + default)
    return ", ".join(listed)

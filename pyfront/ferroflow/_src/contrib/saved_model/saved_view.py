"""`SavedView`: the objects of a SavedModel with their functions, numbered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.checkpoint.object_graph import ObjectGraphView
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction
from ferroflow._src.contrib.eager.function import Function
from ferroflow._src.contrib.saved_model.signature_map import ATTRIBUTE, SignatureMap
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.saved_functions import SavableFunction
from ferroflow._src.framework.trackable import (
    Trackable,
    TrackableReference,
    dependencies_of,
    extra_dependencies_of,
    functions_of,
)


class SavedView(ObjectGraphView):
    """The objects that can be reached from one, with the edges and functions that a SavedModel adds.

    Args:
        root: Trackable.
    """

    def __init__(self, root: Any) -> None:
        super().__init__(root)
        self._signatures: SignatureMap | None = None
        self._cache: dict[Any, Any] = {}
        # By `id` of the objects, which the edges keep alive.
        self._functions: dict[int, dict[str, Any]] = {}

    def set_signatures(self, signatures: SignatureMap) -> None:
        """Makes the signatures an attribute of the root in the SavedModel.

        Args:
            signatures: SignatureMap.

        Raises:
            ValueError: if the root has an attribute of that name that holds something else.
        """
        for name, held in dependencies_of(self.root):
            if name == ATTRIBUTE and not isinstance(held, SignatureMap):
                raise ValueError(
                    f"Exporting an object {self.root} which has an attribute named '{ATTRIBUTE}'. This is a reserved "
                    "attribute used to store SavedModel signatures in objects which come from `tf.saved_model.load`. "
                    f"Delete this attribute (e.g. 'del obj.{ATTRIBUTE}') before saving."
                )
        self._signatures = signatures

    def list_dependencies(self, obj: Trackable) -> list[TrackableReference]:
        """Returns the edges of an object.

        Args:
            obj: Trackable.

        Returns:
            list of TrackableReferences.

        Raises:
            ValueError: if an edge of the object has the name of one that the SavedModel adds.
        """
        added = dict(extra_dependencies_of(obj, self._cache))
        own = list(dependencies_of(obj))
        for name, _ in own:
            if name in added:
                raise ValueError(f"The object {obj} has an attribute named {name}, which is reserved: {sorted(added)}.")
        if obj is self.root and self._signatures is not None:
            own = [edge for edge in own if edge.name != ATTRIBUTE]
            added[ATTRIBUTE] = self._signatures
        return [*own, *(TrackableReference(name, ref) for name, ref in added.items())]

    def functions(self, obj: Trackable) -> dict[str, SavableFunction]:
        """Returns the functions of an object by their names, the same at each call.

        Args:
            obj: Trackable.

        Returns:
            dict of SavableFunctions.
        """
        known = self._functions.get(id(obj))
        if known is None:
            listed = functions_of(obj, self._cache)
            known = {
                name: found if isinstance(found, SavableFunction) else _of_python(found)
                for name, found in listed.items()
            }
            self._functions[id(obj)] = known
        return known


def _of_python(function: Callable[[], Any]) -> Function:
    """Returns a function without arguments; one without results returns 1."""

    def with_result() -> Any:
        result = function()
        return constant(1) if result is None else result

    return Function(with_result, getattr(function, "__name__", "function"), (), autograph=False)


class NumberedObjects:
    """The objects and functions of a SavedModel, in the order of their numbers.

    Args:
        view: SavedView.

    Attributes:
        nodes: list of the objects, followed by functions and constants.
        numbers: dict of the numbers by `id` of the nodes.
        concrete: list of the ConcreteFunctions.
        traces: dict of the ConcreteFunctions that a function consists of, by `id` of the functions.
    """

    def __init__(self, view: SavedView) -> None:
        self.nodes: list[Any] = list(view.list_objects())
        self.numbers = {id(node): i for i, node in enumerate(self.nodes)}
        self.concrete: list[ConcreteFunction] = []
        self.traces: dict[int, list[ConcreteFunction]] = {}
        for node in list(self.nodes):
            for function in view.functions(node).values():
                self.add(function)
                self.traces[id(function)] = _concrete_functions_of(function)
                for concrete in self.traces[id(function)]:
                    if concrete not in self.concrete:
                        self.concrete.append(concrete)

    def add(self, node: Any) -> int:
        """Returns the number of a node, which is the next one if it is new.

        Args:
            node: object, function or constant.
        """
        if id(node) not in self.numbers:
            self.numbers[id(node)] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[id(node)]


def _concrete_functions_of(function: SavableFunction) -> list[ConcreteFunction]:
    if isinstance(function, ConcreteFunction):
        return [function]
    return function.concrete_functions() if isinstance(function, Function) else []

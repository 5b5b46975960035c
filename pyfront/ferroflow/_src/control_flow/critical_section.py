"""`CriticalSection`: parts of a graph that run one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes, nest
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    colocate_with,
    control_dependencies,
    get_collection,
    get_default_graph,
    init_scope,
    name_scope,
)
from ferroflow._src.framework.handles import Operation, Tensor, add_control_inputs, node_of
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group, tuple as simultaneous
from ferroflow._src.ops.tensor_array import TensorArray

CRITICAL_SECTIONS = "critical_sections"
CRITICAL_SECTION_EXECUTIONS = "critical_section_executions"


class _ExecutionSignature(NamedTuple):
    """One call of `execute`: the operation that takes the lock, and the resources that the function uses."""

    op: Operation
    handle: Tensor
    resources: list[Tensor]
    exclusive_resource_access: bool


class CriticalSection:
    """A lock that lets functions' operations run one function at a time, also between concurrent steps.

    Args:
        name: str, name scope of the lock.
        shared_name: str. Critical sections of one name use the same lock; the default is the scope's name.
        critical_section_def: protocol message; not supported.
        import_scope: str, ignored.

    Raises:
        NotImplementedError: if `critical_section_def` is given, as in TensorFlow.
        ValueError: if both `critical_section_def` and `name` are given.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def is not None:
            if name is not None:
                raise ValueError("critical_section_def and shared_name are mutually exclusive.")
            raise NotImplementedError("Critical sections are not made from messages; give `shared_name` instead.")
        with name_scope(name, "CriticalSection", []) as scope, init_scope():
            self._handle = tensor_op(
                "MutexV2",
                [],
                {"shared_name": shared_name or scope.rstrip("/")},
                scope,
            )
        add_to_collection(CRITICAL_SECTIONS, self)

    @property
    def name(self) -> str:
        """Returns the name of the lock's operation."""
        return self._handle.op.name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """Adds operations that run while they hold the lock.

        The lock is taken after everything that `fn` uses from outside has been computed, so that two executions never
        wait for each other.

        Args:
            fn: function without arguments that adds the operations; returns a nest of tensors, TensorArrays and
                Operations.
            exclusive_resource_access: bool. If True, no other critical section may use the resources of `fn`.
            name: str, name scope of the operations.

        Returns:
            Nest with the structure of `fn`'s result. Its values exist after the lock is released.

        Raises:
            ValueError: if `fn` executes in the same critical section, or if another critical section uses a resource
                that `fn` uses, and one of the two requires exclusive access.
        """
        graph = get_default_graph()
        with name_scope(name, "critical_section_execute", []):
            lock = tensor_op("MutexLock", [self._handle])
            known = len(graph.get_operations())
            with control_dependencies([lock]):
                result = fn()
            created = graph.get_operations()[known:]
            _wait_for_arguments(lock.op, created)

            resources = {x for op in created for x in op.inputs if x.dtype.base_dtype == dtypes.resource}
            if any(self._shares_lock(x) for x in resources):
                raise ValueError(
                    "The function fn attempts to directly access the CriticalSection in which it would be running.  "
                    "This is illegal and would cause deadlocks."
                )
            self._check_resources(resources, exclusive_resource_access)

            leaves = [_identity(x) for x in nest.flatten(result)]
            with control_dependencies(leaves):
                with colocate_with(self._handle):
                    release = apply_op("ConsumeMutexLock", [lock])
                leaves = simultaneous(nest.flatten(result))
            with control_dependencies([release]):
                outputs = nest.pack_sequence_as(result, [_identity(x) for x in leaves])

            signature = _ExecutionSignature(lock.op, self._handle, list(resources), exclusive_resource_access)
            add_to_collection(CRITICAL_SECTION_EXECUTIONS, signature)
            return outputs

    def _shares_lock(self, handle: Tensor) -> bool:
        ours, other = self._handle.op, handle.op
        return (
            other.type == "MutexV2"
            and other.get_attr("shared_name") == ours.get_attr("shared_name")
            and (other.device == ours.device or other.colocation_groups() == ours.colocation_groups())
        )

    def _check_resources(self, resources: set[Tensor], exclusive: bool) -> None:
        for execution in get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._shares_lock(execution.handle) or not (exclusive or execution.exclusive_resource_access):
                continue
            if common := resources.intersection(execution.resources):
                raise ValueError(
                    f"This execution would access resources: {list(common)}.  Either this lock (CriticalSection: "
                    f"{self._handle.name}) or lock '{execution.op.name}' (CriticalSection: {execution.handle.name}) "
                    "requested exclusive resource access of this resource.  Did you mean to call execute with keyword "
                    "argument exclusive_resource_access=False?"
                )


def _identity(value: Any) -> Any:
    if isinstance(value, TensorArray):
        return value.identity()
    return group(value) if isinstance(value, Operation) else identity(value)


def _wait_for_arguments(lock: Operation, created: Sequence[Operation]) -> None:
    """Adds control inputs to a lock, so that it is taken after all values from outside that new operations read."""
    read = {x.op for op in created for x in op.inputs} | {x for op in created for x in op.control_inputs}
    read.difference_update(created, lock.control_inputs, (x.op for x in lock.inputs), [lock])
    if read:
        # `group` brings operations from outside of a loop or conditional into the lock's context.
        add_control_inputs(lock, group(*sorted(read, key=node_of)))

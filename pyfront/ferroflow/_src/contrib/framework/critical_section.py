"""`tf.contrib.framework.CriticalSection`: the critical section of TensorFlow 1.8, which passes arguments on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.control_flow.critical_section import CriticalSection as _CriticalSection


class CriticalSection(_CriticalSection):
    """A lock that lets functions' operations run one function at a time; `execute` passes arguments to the function.

    Args:
        name: str, name scope of the lock.
        shared_name: str. Critical sections of one name use the same lock; the default is the scope's name.
        critical_section_def: protocol message; not supported.
        import_scope: str, ignored.

    Raises:
        NotImplementedError: if `critical_section_def` is given.
        ValueError: if both `critical_section_def` and `name` are given.
    """

    def execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Adds operations that run while they hold the lock.

        Args:
            fn: function that adds the operations; returns a nest of tensors, TensorArrays and Operations.
            *args: positional arguments of `fn`.
            **kwargs: named arguments of `fn`, but for `exclusive_resource_access` (bool, default True) and `name`,
                which have the meanings of `tf.CriticalSection.execute`.

        Returns:
            Nest with the structure of `fn`'s result. Its values exist after the lock is released.

        Raises:
            ValueError: if `fn` executes in the same critical section, or if another critical section uses a resource
                that `fn` uses, and one of the two requires exclusive access.
        """
        exclusive = kwargs.pop("exclusive_resource_access", True)
        name = kwargs.pop("name", None)
        return super().execute(lambda: fn(*args, **kwargs), exclusive, name)

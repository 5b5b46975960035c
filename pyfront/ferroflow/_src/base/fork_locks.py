"""Locks for use in processes that fork.

The child of a fork has a copy of every lock, but only the thread that forked. A lock that another thread held then is
never released in the child.
"""

from __future__ import annotations

import _thread
import os
import weakref
from typing import Any, NoReturn

from ferroflow._src.base import errors

LOST_MESSAGE = (
    "This process was forked while another thread of its parent was changing the same graph, whose state may be "
    "incomplete here. Make a new graph in the forked process, or fork while no thread changes the graph."
)

# The attribute of the objects of `watch` that is their lock.
_ATTRIBUTE = "_lock"
_renewed: weakref.WeakSet[RenewedLock] = weakref.WeakSet()
_owners: weakref.WeakSet[Any] = weakref.WeakSet()


class RenewedLock(_thread.RLock):  # type: ignore[misc]  # final in the stubs alone
    """A re-entrant lock that is free in every forked process: for changes that are whole at any moment.

    Its `with` statement runs no Python code of its own, in which an interrupt could leave the lock held.
    """

    def __init__(self) -> None:
        super().__init__()
        _renewed.add(self)

    def renew(self) -> None:
        """Releases the lock if the thread that holds it does not exist in this process."""
        if not _is_available(self):
            self._at_fork_reinit()  # type: ignore[attr-defined]  # which the stubs lack


class _LostLock:
    """Replacement of a held lock in a forked process: acquiring it raises an error instead of blocking for ever."""

    def __enter__(self) -> NoReturn:
        raise errors.FailedPreconditionError(None, None, LOST_MESSAGE)

    def __exit__(self, *args: object) -> None:
        pass


def watch(owner: Any) -> None:
    """Replaces the lock `owner._lock` in forked processes where another thread of the parent held it.

    Args:
        owner: object with a `threading.RLock` in its attribute `_lock`. It is not kept alive.
    """
    _owners.add(owner)


def _is_available(lock: Any) -> bool:
    """Returns whether a re-entrant lock is free or held by this thread."""
    if not lock.acquire(blocking=False):
        return False
    lock.release()
    return True


def _after_fork() -> None:
    for renewed in list(_renewed):
        renewed.renew()
    for owner in list(_owners):
        lock = getattr(owner, _ATTRIBUTE)
        if not isinstance(lock, _LostLock) and not _is_available(lock):
            setattr(owner, _ATTRIBUTE, _LostLock())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

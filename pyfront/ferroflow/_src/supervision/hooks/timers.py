"""Timers of hooks: at which steps something is due."""

from __future__ import annotations

import time


class HookTimer:
    """Base of the timers of hooks, which decide at which steps to act."""

    def reset(self) -> None:
        """Resets the timer: the next step triggers."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns True if the trigger fires at a step.

        Args:
            step: int, the number of a step.

        Returns:
            bool.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Records that the action was done.

        Args:
            step: int, the number of the step at which it was done.

        Returns:
            The seconds and the steps since the time before; None and None for the first.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError

    def last_triggered_step(self) -> int | None:
        """Returns the step at which it was done last; None for never.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError


class SecondOrStepTimer(HookTimer):
    """Timer that triggers at the first step, and then in intervals of steps or seconds.

    Args:
        every_secs: float, seconds between two times.
        every_steps: int, steps between two times.

    Raises:
        ValueError: if none or both are given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self._last: tuple[int, float] | None = None

    def reset(self) -> None:
        """Resets the timer: the next step triggers."""
        self._last = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns True if the timer triggers at a step; at most once for each step.

        Args:
            step: int, the number of a step.

        Returns:
            bool.
        """
        if self._last is None:
            return True
        last_step, last_time = self._last
        if step == last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= last_time + self._every_secs
        assert self._every_steps is not None
        return step >= last_step + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Records that the action was done.

        Args:
            step: int, the number of the step at which it was done.

        Returns:
            The seconds and the steps since the time before; None and None for the first.
        """
        now = time.time()
        before, self._last = self._last, (step, now)
        return (None, None) if before is None else (now - before[1], step - before[0])

    def last_triggered_step(self) -> int | None:
        """Returns the step at which it was done last; None for never."""
        return None if self._last is None else self._last[0]


class NeverTriggerTimer(HookTimer):
    """Timer that never triggers."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns False.

        Args:
            step: int, the number of a step.

        Returns:
            bool.
        """
        del step
        return False

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Returns None and None."""
        del step
        return None, None

    def last_triggered_step(self) -> int | None:
        """Returns None."""
        return None

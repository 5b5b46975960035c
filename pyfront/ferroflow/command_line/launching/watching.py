"""Supervision of tasks from the first start to the last end: restarts, stops and the exit status."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from ferroflow.command_line.launching.events import Ended, Printed, Tasks
from ferroflow.command_line.launching.tasks import Task

# Seconds between checks for signals, and seconds that a task has to end by itself.
_LOOK = 0.2
_GRACE = 10.0


# Characters that a terminal obeys rather than shows: control characters of both sets except the tab, and those that
# change the text direction or end a line.
_OBEYED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def harmless(line: bytes) -> str:
    """Returns a line of a task as text that a terminal only shows.

    Args:
        line: bytes, in UTF-8 where the task's program writes text.

    Returns:
        str, with an escape such as `\\x1b` for each control character and each byte that is not UTF-8.
    """
    return _OBEYED.sub(_escaped, line.decode("utf-8", errors="backslashreplace"))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class _Signals:
    """The signals that request the launcher to stop, in the order of arrival."""

    def __init__(self) -> None:
        self.came: list[int] = []
        self._before: dict[int, object] = {}

    def __enter__(self) -> _Signals:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, lambda came, frame: self.came.append(came))
        return self

    def __exit__(self, *exc: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what `signal.signal` returned


def show(event: Printed) -> None:
    """Writes a line of a task after the task's name, where the task wrote it.

    A carriage return begins a line of its own, after the name again: it would write over the name.
    """
    stream = (sys.stderr if event.is_error else sys.stdout).buffer
    parts = event.line.split(b"\r")
    for part in [part for part in parts if part] or [b""]:
        stream.write(f"[{event.task}] {harmless(part)}\n".encode())
    stream.flush()


def tell(text: str) -> None:
    """Writes a line of the launcher itself."""
    print(f"[launch] {text}", file=sys.stderr, flush=True)


def _what_happened(event: Ended) -> str:
    return "was lost with its machine" if event.lost else f"failed with exit status {event.status}"


class Watch:
    """Run of tasks until those that end by themselves have ended.

    Args:
        place: place where the tasks run.
        arguments: function from a task to the program and its arguments.
        environment: function from a task to its variables.
        restarts: int, how many times a task that failed is started again; and how many times all are.
        regroup: function that finds new addresses for all tasks, after which they are started again. None if a lost
            machine ends all tasks.
        together: bool. If True, the failure of one task is that of all: then all are started again.
    """

    def __init__(
        self,
        place: Tasks,
        arguments: Callable[[Task], Sequence[str]],
        environment: Callable[[Task], Mapping[str, str]],
        restarts: int,
        regroup: Callable[[], None] | None = None,
        together: bool = False,
    ) -> None:
        self._place = place
        self._arguments = arguments
        self._environment = environment
        self._restarts = restarts
        self._regroup = regroup
        self._together = together
        self._regroups = 0
        self._running: set[Task] = set()
        self._starts: dict[Task, int] = {}

    def run(self, tasks: Sequence[Task]) -> int:
        """Starts the tasks, and ends them all before it returns.

        Args:
            tasks: the tasks; those that serve are started first, and ended when the others are done.

        Returns:
            int, 0; or the exit status of the first task that failed once too often; or 128 and the number of the signal
            that stopped the launcher.
        """
        with _Signals() as signals:
            try:
                outcome = self._run(tasks, signals)
                self._end(signal.SIGINT if signals.came else signal.SIGTERM, signals)
            except BaseException:
                # Nobody reads what is printed, or a machine was lost: there is nothing to wait for.
                self._end(signal.SIGKILL, None)
                raise
        return outcome

    def _run(self, tasks: Sequence[Task], signals: _Signals) -> int:
        self._start_all(tasks)
        while any(not task.serves for task in self._running):
            for event in self._place.events(_LOOK):
                if isinstance(event, Printed):
                    show(event)
                    continue
                failure = self._ended(event)
                if failure is None:
                    continue
                if not self._starts_again(event, tasks, signals):
                    return 128 + signals.came[0] if signals.came else failure
                # All else that was yielded is about processes that have been ended.
                break
            if signals.came:
                tell(f"{signal.Signals(signals.came[0]).name}: ending {len(self._running)} tasks")
                return 128 + signals.came[0]
        return 0

    def _start_all(self, tasks: Sequence[Task]) -> None:
        for task in sorted(tasks, key=lambda task: not task.serves):
            self._start(task)

    def _starts_again(self, event: Ended, tasks: Sequence[Task], signals: _Signals) -> bool:
        """Ends all tasks and starts them again at new addresses; returns False if that is not to be done."""
        if self._regroup is None or not (event.lost or self._together) or self._regroups >= self._restarts:
            tell(f"{event.task} {_what_happened(event)}: ending all tasks")
            return False
        self._regroups += 1
        tell(
            f"{event.task} {_what_happened(event)}: starting all tasks again at new addresses "
            f"({self._regroups} of {self._restarts})"
        )
        self._end(signal.SIGTERM, signals)
        if signals.came:
            return False
        self._starts.clear()
        self._regroup()
        self._start_all(tasks)
        return True

    def _start(self, task: Task) -> None:
        self._place.start(task, self._arguments(task), self._environment(task))
        self._running.add(task)
        self._starts[task] = self._starts.get(task, 0) + 1

    def _ended(self, event: Ended) -> int | None:
        """Starts a failed task again; the exit status if that was done often enough, or cannot help."""
        self._running.discard(event.task)
        if event.status == 0:
            return None
        again = self._starts[event.task]
        if event.lost or self._together or again > self._restarts:
            return event.status
        tell(f"{event.task} failed with exit status {event.status}: starting it again ({again} of {self._restarts})")
        self._start(event.task)
        return None

    def _end(self, number: int, signals: _Signals | None) -> None:
        """Ends all tasks: by a signal, and by SIGKILL after the grace period or at a second request."""
        asked = len(signals.came) if signals else 0
        deadline = time.monotonic() + (0 if number == signal.SIGKILL else _GRACE)
        for task in self._running:
            self._place.signal(task, number)
        while self._running:
            for event in self._place.events(_LOOK):
                if isinstance(event, Ended):
                    self._running.discard(event.task)
                elif signals is not None:
                    show(event)
            if time.monotonic() > deadline or (signals is not None and len(signals.came) > asked):
                for task in self._running:
                    self._place.signal(task, signal.SIGKILL)

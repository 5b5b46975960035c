"""Setup of a launched process before it becomes a task: it ends when its launcher ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from ferroflow.command_line.main import main

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Makes the system kill this process when the process that started it ends, however that ends.

    Args:
        parent: int, the identifier of that process; if it has ended already, this one ends at once.
    """
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError("prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    sys.exit(main(["run", *sys.argv[2:]]))

"""Programs started as the ranks of an MPI job, by the machine's own launcher."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


class NoLauncher(Exception):
    """Error: there is no `mpiexec`."""


def find_launcher() -> str:
    """Returns the path of `mpiexec`: that of this Python environment (`pip install mpich`), or of the PATH.

    Raises:
        NoLauncher: if there is none.
    """
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for name in ("mpiexec", "mpirun"):
        found = shutil.which(name, path=beside)
        if found:
            return found
    raise NoLauncher("--mpi needs an MPI launcher: pip install 'ferroflow[mpi]', or install mpich or openmpi-bin")


def command(launcher: str, ranks: int, arguments: Sequence[str]) -> list[str]:
    """Returns the command that runs a program as the ranks of a job, each line of its output after the rank.

    Args:
        launcher: str, the path of `mpiexec`.
        ranks: int, how many processes.
        arguments: the program and its arguments, as `ferroflow run` takes them.

    Returns:
        list of str.
    """
    version = subprocess.run([launcher, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if any(name in version.stdout for name in ("Open MPI", "OpenRTE", "PRRTE")):
        # Ranks use several threads each, so a rank is not bound to a core.
        options = ["--tag-output", "--bind-to", "none", "--oversubscribe"]
        if os.geteuid() == 0:
            options.append("--allow-run-as-root")
    elif "HYDRA" in version.stdout:
        options = ["-prepend-rank"]
    else:
        options = []
    return [launcher, *options, "-n", str(ranks), sys.executable, "-m", "ferroflow", "run", *arguments]

"""Launchers of MPI programs: what they say about a process in its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from typing import Final

# Variables with the number of processes, and the launchers that set them.
_SIZES: Final[Mapping[str, str]] = {
    "OMPI_COMM_WORLD_SIZE": "mpirun of Open MPI",
    "PMI_SIZE": "mpirun of MPICH",
    "SLURM_STEP_NUM_TASKS": "srun",
    "PALS_NRANKS": "aprun",
}


# Open MPI's library; this name holds for its versions 4 and 5.
_OPEN_MPI: Final = "libmpi.so.40"


def choose_library_of_launcher(environment: MutableMapping[str, str] = os.environ) -> None:
    """Makes mpi4py load Open MPI's library in a process that Open MPI started, unless the user chose one.

    mpi4py takes MPICH's library wherever the package mpich is installed.

    Args:
        environment: mapping from names of environment variables to their values, which is changed.
    """
    if "OMPI_COMM_WORLD_SIZE" in environment and "MPI4PY_MPIABI" not in environment:
        environment.setdefault("MPI4PY_LIBMPI", _OPEN_MPI)


def launched_size(environment: Mapping[str, str] = os.environ) -> tuple[int, str]:
    """Returns the number of processes that were launched together.

    Args:
        environment: mapping from names of environment variables to their values.

    Returns:
        int, the number, 1 if there is no launcher; and str, the launcher's name.
    """
    found = [(int(environment[name]), launcher) for name, launcher in _SIZES.items() if _is_number(environment, name)]
    # Within the allocation of a shell, Slurm describes the one step of the shell itself.
    return max(found, default=(1, "no launcher"))


def _is_number(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").isdecimal()

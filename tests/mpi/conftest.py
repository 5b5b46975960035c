"""Runs programs as the ranks of an MPI job."""

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow as tf

ROOT = str(Path(tf.__file__).parents[1])
FOLDER = Path(__file__).parent
_BESIDE = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


class Job:
    """The outcome of a job: what each rank reported, and what was printed."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.status = done.returncode
        self.printed = done.stdout + done.stderr
        files = sorted(folder.glob("rank-*.json"), key=lambda path: int(path.stem[5:]))
        self.ranks = [json.loads(path.read_text()) for path in files]

    def reports(self, count: int) -> list[dict]:
        assert self.status == 0, self.printed
        assert len(self.ranks) == count, self.printed
        return self.ranks


def _command(name: str, brand: str, *options: str) -> list[str] | None:
    """Returns a launcher with its options; None where the machine has no launcher of this brand and name."""
    found = shutil.which(name, path=_BESIDE)
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True)
    return [found, *options] if brand in version.stdout else None


def _mpich() -> list[str] | None:
    return _command("mpiexec", "HYDRA")


def _open_mpi() -> list[str] | None:
    # As root, the launcher refuses to run; with fewer cores than ranks, too.
    options = ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    names = ("mpiexec.openmpi", "mpiexec")
    return next(filter(None, (_command(name, "OpenRTE", *options) for name in names)), None)


@pytest.fixture(scope="session", params=["MPICH", "Open MPI"])
def launcher(request) -> list[str]:
    """The command that starts ranks, of each MPI library that the machine has."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed: pip install 'ferroflow[mpi]'")
    command = {"MPICH": _mpich, "Open MPI": _open_mpi}[request.param]()
    if command is None:
        pytest.skip(f"there is no mpiexec of {request.param}")
    return command


def _started(
    launcher: list[str], program: str, ranks: int, arguments: tuple[str, ...], folder: Path, **environment: str
):
    """Returns the arguments of `subprocess.Popen` that start the ranks of a job."""
    env = {**os.environ, "PYTHONPATH": ROOT, "OMP_NUM_THREADS": "1", "REPORTS": str(folder), **environment}
    command = [*launcher, "-n", str(ranks), sys.executable, "-m", "ferroflow", "run", str(FOLDER / program)]
    return {"args": [*command, *arguments], "env": env, "text": True}


@pytest.fixture
def run(launcher, tmp_path):
    """Runs a program of this folder: `run(program, ranks, *arguments, **environment)`."""
    numbers = iter(range(1000))

    def run(program: str, ranks: int, *arguments: str, seconds: float = 100, **environment: str) -> Job:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        started = _started(launcher, program, ranks, arguments, folder, **environment)
        return Job(subprocess.run(**started, capture_output=True, timeout=seconds), folder)

    return run


@pytest.fixture
def start(launcher, tmp_path):
    """Starts a program of this folder, and returns its process: `start(program, ranks, *arguments)`.

    The processes end with the test.
    """
    with contextlib.ExitStack() as stack:

        def start(program: str, ranks: int, *arguments: str) -> subprocess.Popen[str]:
            job = subprocess.Popen(**_started(launcher, program, ranks, arguments, tmp_path), stdout=subprocess.PIPE)
            stack.enter_context(job)
            # A launcher ends its ranks when it is asked to end; killed, it would leave them.
            stack.callback(job.terminate)
            return job

        yield start

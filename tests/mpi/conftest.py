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


@pytest.fixture(scope="session")
def launcher() -> str:
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed: pip install 'ferroflow[mpi]'")
    found = shutil.which("mpiexec", path=_BESIDE)
    if found is None:
        pytest.skip("there is no mpiexec: pip install 'ferroflow[mpi]'")
    version = subprocess.run([found, "--version"], capture_output=True, text=True)
    if "HYDRA" not in version.stdout:
        pytest.skip("mpiexec is not MPICH's, whose options these tests use")
    return found


def _started(launcher: str, program: str, ranks: int, arguments: tuple[str, ...], folder: Path, **environment: str):
    """Returns the arguments of `subprocess.Popen` that start the ranks of a job."""
    env = {**os.environ, "PYTHONPATH": ROOT, "OMP_NUM_THREADS": "1", "REPORTS": str(folder), **environment}
    command = [launcher, "-n", str(ranks), sys.executable, "-m", "ferroflow", "run", str(FOLDER / program)]
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
            # MPICH's launcher ends its ranks when it is asked to end; killed, it would leave them.
            stack.callback(job.terminate)
            return job

        yield start

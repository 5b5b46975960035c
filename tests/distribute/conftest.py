"""Runs programs as the tasks of a cluster that TF_CONFIG describes, without MPI."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow as tf

ROOT = str(Path(tf.__file__).parents[1])
FOLDER = Path(__file__).parent


@pytest.fixture
def run(tmp_path):
    """Runs a program of this folder: `run(program, workers, *arguments)`; returns the processes' reports.

    `workers` is their number, or the options of `ferroflow launch`.
    """
    numbers = iter(range(1000))

    def run(
        program: str,
        workers: int | tuple[str, ...],
        *arguments: str,
        status: int = 0,
        seconds: float = 400,
        **environment: str,
    ):
        reports = tmp_path / f"reports-{next(numbers)}"
        reports.mkdir()
        env = {**os.environ, "PYTHONPATH": ROOT, "REPORTS": str(reports), **environment}
        options = ("--ps", "0", "--workers", str(workers)) if isinstance(workers, int) else workers
        start = ["run"] if workers == 1 else ["launch", *options]
        command = [sys.executable, "-m", "ferroflow", *start, str(FOLDER / program), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=seconds)
        assert done.returncode == status, done.stdout + done.stderr
        found = [json.loads(path.read_text()) for path in reports.glob("*.json")]
        return sorted(found, key=lambda report: report["rank"]), done.stdout + done.stderr

    return run

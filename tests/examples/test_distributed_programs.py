"""The distributed example runs as a user runs it, in processes of its own."""

import os
import subprocess
import sys
from pathlib import Path

import ferroflow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 300


def run(*command):
    path = os.pathsep.join([str(EXAMPLES), str(Path(ferroflow.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def launch_example(name, workers, *arguments):
    options = ["-m", "ferroflow", "launch", "--ps=1", f"--workers={workers}", "--flags"]
    return run(*options, EXAMPLES / name, *arguments)


def test_training_goes_on_from_the_last_checkpoint(tmp_path):
    launch_example("distributed_digits.py", 1, "--steps=60", "--save_steps=20", f"--checkpoints={tmp_path}")
    printed = launch_example("distributed_digits.py", 1, "--steps=90", f"--checkpoints={tmp_path}")
    assert "worker 0 begins at step 60" in printed
    assert "worker 0: 30 steps" in printed

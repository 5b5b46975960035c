"""`ferroflow launch --mpi N`: the ranks of a job, by whichever launcher the machine has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow
from ferroflow.command_line.launching import mpi

ROOT = str(Path(ferroflow.__file__).parents[1])


def _launch(*arguments, **environment):
    env = {**os.environ, "PYTHONPATH": ROOT, **environment}
    command = [sys.executable, "-m", "ferroflow", "launch", *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("launcher", ["MPICH"], indirect=True)
def test_the_ranks_run_the_program_and_their_lines_carry_the_rank(launcher, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, horovod.tensorflow as hvd, tensorflow as tf\n"
        "hvd.init()\n"
        "total = tf.Session().run(hvd.allreduce(tf.constant(hvd.rank() + 1.0), average=False))\n"
        "print('total', total, sys.argv[1:])\n"
        "sys.exit(3 if '--fail' in sys.argv else 0)\n"
    )
    done = _launch("--mpi", 2, program, "--steps=5")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"[{rank}] total 3.0 ['--steps=5']" for rank in range(2)]
    assert _launch("--mpi", 2, program, "--fail").returncode == 3


@pytest.mark.parametrize(
    ("version", "options"),
    [
        ("HYDRA build details:", ["-prepend-rank"]),
        ("mpiexec (OpenRTE) 4.1.4", ["--tag-output", "--bind-to", "none", "--oversubscribe"]),
        ("some other launcher", []),
    ],
)
def test_each_launcher_gets_its_options(tmp_path, monkeypatch, version, options):
    launcher = tmp_path / "mpiexec"
    launcher.write_text(f"#!/bin/sh\necho '{version}'\n")
    launcher.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = mpi.command(str(launcher), 3, ["train.py", "--x"])
    assert found == [str(launcher), *options, "-n", "3", sys.executable, "-m", "ferroflow", "run", "train.py", "--x"]


def test_the_launcher_beside_python_comes_before_that_of_the_path(tmp_path, monkeypatch):
    folders = [tmp_path / "environment", tmp_path / "system"]
    for folder in folders:
        folder.mkdir()
        (folder / "mpiexec").write_text("#!/bin/sh\n")
        (folder / "mpiexec").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folders[0] / "python"))
    monkeypatch.setenv("PATH", str(folders[1]))
    assert mpi.find_launcher() == str(folders[0] / "mpiexec")
    (folders[0] / "mpiexec").unlink()
    assert mpi.find_launcher() == str(folders[1] / "mpiexec")
    (folders[1] / "mpiexec").unlink()
    with pytest.raises(mpi.NoLauncher, match=r"ferroflow\[mpi\]"):
        mpi.find_launcher()


@pytest.mark.parametrize("arguments", [["--mpi", "0"]])
def test_wrong_options_are_errors(arguments, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(json.dumps(None))
    done = _launch(*arguments, program)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--mpi needs a number of processes" in done.stderr

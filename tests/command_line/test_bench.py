"""`ferroflow bench` times whole steps, in processes of their own, and compares results before it compares times."""

import json
import os
import stat
import sys

import pytest

from ferroflow.command_line import bench, bench_steps
from ferroflow.command_line.main import main


@pytest.fixture(autouse=True)
def no_tensorflow(monkeypatch):
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)


def test_every_step_is_timed(capsys):
    assert main(["bench", "--json", "--seconds", "0.01"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"ferroflow"}
    assert set(found["ferroflow"]) == set(bench_steps.STEPS)
    for row in found["ferroflow"].values():
        low, median, high = row["quartiles"]
        assert 0 < low <= median <= high
        assert row["samples"] >= 5


def test_the_table_says_what_was_timed_and_that_there_is_nothing_to_compare(capsys):
    assert main(["bench", "addition", "--seconds", "0.01"]) == 0
    printed = capsys.readouterr().out
    assert "│ addition │" in printed
    assert bench_steps.STEPS["addition"][1] in printed
    assert "TensorFlow is not installed here" in printed
    assert "ratio" not in printed


def _interpreter(tmp_path, check):
    """A program that answers like an interpreter with TensorFlow whose steps take 50 us."""
    row = {"name": "addition", "check": check, "samples": 5, "quartiles": [40.0, 50.0, 60.0]}
    program = tmp_path / "python"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nassert sys.argv[4] == 'tensorflow'\nprint({json.dumps(row)!r})\n",
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_two_libraries_are_compared(tmp_path, capsys):
    assert main(["bench", "addition", "--seconds", "0.01", "--tensorflow", _interpreter(tmp_path, 3.0)]) == 0
    printed = capsys.readouterr().out
    (row,) = (line.split("│") for line in printed.splitlines() if "│ addition" in line)
    median, theirs, ratio = (float(row[i].replace("us", "").replace(",", "")) for i in (2, 4, 5))
    assert theirs == 50.0
    assert ratio == pytest.approx(median / 50.0, abs=0.01)


def test_results_that_differ_fail(tmp_path, capsys):
    assert main(["bench", "addition", "--seconds", "0.01", "--tensorflow", _interpreter(tmp_path, 4.0)]) == 1
    assert "results of addition differ" in capsys.readouterr().err


def test_an_unknown_step_and_an_interpreter_that_fails_are_said(tmp_path, capsys):
    assert main(["bench", "nothing"]) == 2
    assert "no step nothing; there are addition" in capsys.readouterr().err
    assert main(["bench", "addition", "--seconds", "0.01", "--tensorflow", str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.skipif("FERROFLOW_TENSORFLOW_PYTHON" not in os.environ, reason="needs TensorFlow")
def test_tensorflow_gets_the_same_results(capsys):
    assert main(["bench", "--seconds", "0.01", "--tensorflow", os.environ["FERROFLOW_TENSORFLOW_PYTHON"]]) == 0
    assert "ratio" in capsys.readouterr().out

"""The example programs run as a user runs them, and what they print holds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 300


def run_example(name, *args, environment=None):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *args],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def number_after(label, text):
    return float(re.search(re.escape(label) + r" ([0-9.e+-]+)", text).group(1).rstrip("."))


def without_speed(printed):
    return [line for line in printed.splitlines() if "steps/s" not in line and "Plots" not in line]


@pytest.fixture(scope="module")
def digits_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("digits")


@pytest.fixture(scope="module")
def digits_on_one_thread(digits_folder):
    return run_example("digits.py", "--threads=1", f"--out={digits_folder}")


def test_both_digit_classifiers_reach_their_accuracy(digits_on_one_thread):
    softmax, mlp = re.findall(r"test accuracy ([0-9.]+)", digits_on_one_thread)
    assert float(softmax) >= 0.94
    assert float(mlp) >= 0.97


def test_digits_draws_losses_and_misread_digits(digits_on_one_thread, digits_folder):
    assert "Plots:" in digits_on_one_thread
    for name in ("loss.png", "misread.png"):
        assert (digits_folder / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("threads", [1, 2])
def test_digits_prints_the_same_numbers_again_at_any_number_of_threads(digits_on_one_thread, threads, tmp_path):
    again = run_example("digits.py", f"--threads={threads}", f"--out={tmp_path}")
    assert len(without_speed(again)) == 6
    assert without_speed(again) == without_speed(digits_on_one_thread)


def test_digits_goes_on_without_matplotlib(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('no plots here')\n")
    search_path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    out = tmp_path / "out"
    printed = run_example("digits.py", "--epochs=1", f"--out={out}", environment={"PYTHONPATH": search_path})
    assert "No plots: matplotlib is not installed." in printed
    assert not out.exists()


def test_linear_model_learns_and_its_dependent_variables_start_together():
    assert number_after("accuracy", run_example("linear_model.py")) > 0.98


def test_shared_filter_serves_two_inputs_with_four_variables():
    assert run_example("shared_filter.py").startswith("4 variables serve two filters; ")


def test_word_embedding_learns():
    printed = run_example("word_embedding.py")
    assert number_after("->", printed) < number_after("loss", printed) - 1


def test_every_example_is_run_by_a_test():
    programs = {path.name for path in EXAMPLES.glob("*.py")}
    run_here = set(re.findall(r'run_example\(\s*"(\w+\.py)"', Path(__file__).read_text()))
    assert programs == run_here

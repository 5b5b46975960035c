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
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def number_after(label, text):
    return float(re.search(re.escape(label) + r" ([0-9.e+-]+)", text).group(1).rstrip("."))


def without_speed(printed):
    return [line for line in printed.splitlines() if "steps/s" not in line and "Picture" not in line]


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
    assert "Picture:" in digits_on_one_thread
    for name in ("loss.png", "misread.png"):
        assert (digits_folder / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("threads", [1, 2])
def test_digits_prints_the_same_numbers_again_at_any_number_of_threads(digits_on_one_thread, threads, tmp_path):
    again = run_example("digits.py", f"--threads={threads}", f"--out={tmp_path}")
    assert len(without_speed(again)) == 6
    assert without_speed(again) == without_speed(digits_on_one_thread)


def test_digits_goes_on_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").touch()
    printed = run_example("digits.py", "--epochs=1", f"--out={tmp_path / 'file'}")
    assert printed.count("No picture: ") == printed.count("--out=FOLDER chooses another folder.") == 2


def test_digits_goes_on_without_matplotlib(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('no plots here')\n", encoding="utf-8")
    search_path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    out = tmp_path / "out"
    printed = run_example("digits.py", "--epochs=1", f"--out={out}", environment={"PYTHONPATH": search_path})
    assert "No picture: matplotlib is not installed." in printed
    assert not out.exists()


def test_linear_model_learns_and_its_dependent_variables_start_together(tmp_path):
    assert number_after("accuracy", run_example("linear_model.py", f"--out={tmp_path}")) > 0.98
    assert (tmp_path / "weights.png").read_bytes()[:4] == b"\x89PNG"


def test_shared_filter_serves_two_inputs_with_four_variables(tmp_path):
    printed = run_example("shared_filter.py", f"--out={tmp_path}")
    assert printed.startswith("4 variables serve two filters; ")
    assert (tmp_path / "responses.png").read_bytes()[:4] == b"\x89PNG"


def test_word2vec_learns_neighbours(tmp_path):
    printed = run_example("word2vec.py", "--epochs=8", f"--out={tmp_path}")
    assert number_after("loss at last", printed) < 4.5 < number_after("loss at first", printed)
    assert len(re.findall(r"near \w+: (?:[\w']+, ){4}[\w']+", printed)) == 4
    assert (tmp_path / "words.png").read_bytes()[:4] == b"\x89PNG"


def test_linear_regression_by_optimizer_and_by_hand_are_equal(tmp_path):
    printed = run_example("linear_regression.py", "--steps=60", f"--out={tmp_path}")
    optimizer, by_hand = re.findall(r"y = (.*)", printed)
    assert optimizer == by_hand
    assert number_after("loss", printed) < 0.02


def test_the_convolutional_network_reads_digits(tmp_path):
    printed = run_example("convolutional_network.py", "--epochs=12", f"--out={tmp_path}")
    assert number_after("test accuracy", printed) > 0.985
    assert (tmp_path / "misread.png").read_bytes()[:4] == b"\x89PNG"


def test_feeds_queues_and_datasets_train_to_the_same_accuracy(tmp_path):
    printed = run_example("record_pipelines.py", f"--out={tmp_path}")
    accuracies = dict(re.findall(r"(\w+): 1796 steps, test accuracy ([0-9.]+)", printed))
    assert list(accuracies) == ["feeds", "queues", "datasets"]
    reached = [float(accuracy) for accuracy in accuracies.values()]
    assert min(reached) >= 0.965
    assert max(reached) - min(reached) <= 0.015
    assert re.findall(r"(\w+): speed [0-9,]+ steps/s", printed) == list(accuracies)
    assert (tmp_path / "pipelines.png").read_bytes()[:4] == b"\x89PNG"


def test_the_variational_autoencoder_learns_codes(tmp_path):
    printed = run_example("variational_autoencoder.py", "--epochs=15", f"--out={tmp_path}")
    assert number_after("after", printed) < 28 < number_after("before", printed)
    assert (tmp_path / "plane.png").read_bytes()[:4] == b"\x89PNG"


def test_the_adversarial_network_makes_images_near_real_ones(tmp_path):
    printed = run_example("adversarial_network.py", "--epochs=60", f"--out={tmp_path}")
    assert number_after("training image", printed) < 6
    assert (tmp_path / "made.png").read_bytes()[:4] == b"\x89PNG"


@pytest.fixture(scope="module")
def written_on_one_thread(tmp_path_factory):
    folder = tmp_path_factory.mktemp("characters")
    options = ["--epochs=2", "--characters=50", f"--out={folder}"]
    return run_example("character_lstm.py", "--threads=1", *options), folder


def test_character_lstm_learns_draws_its_loss_and_writes(written_on_one_thread):
    printed, folder = written_on_one_thread
    first, last = (float(number) for number in re.search(r"loss (\S+) at first, (\S+) at last", printed).groups())
    assert last < first - 1
    written = re.search(r"at last\n(.*)\nPicture: ", printed, re.DOTALL).group(1)
    assert len(written) == 50
    text = (EXAMPLES / "data" / "coriolanus.txt").read_text(encoding="ascii")
    assert set(written) <= set(text)
    assert (folder / "character_loss.png").read_bytes().startswith(b"\x89PNG")


def test_character_lstm_prints_the_same_with_two_threads(written_on_one_thread, tmp_path):
    again = run_example("character_lstm.py", "--threads=2", "--epochs=2", "--characters=50", f"--out={tmp_path}")
    before, _ = written_on_one_thread
    assert again.split("\nPicture")[0] == before.split("\nPicture")[0]


def test_every_example_is_run_by_a_test():
    programs = {path.name for path in EXAMPLES.glob("*.py")}
    tests = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    run_here = {name for text in tests for name in re.findall(r'(?:run|launch)_example\(\s*"(\w+\.py)"', text)}
    assert programs == run_here


def test_the_supervised_training_goes_on_where_it_stopped_and_where_it_was_killed(tmp_path):
    arguments = [f"--folder={tmp_path}", "--save_steps=100"]
    first = run_example("supervised_training.py", "--steps=200", *arguments)
    assert first.startswith("starts anew\n200 steps, test accuracy ")
    command = [sys.executable, str(EXAMPLES / "supervised_training.py"), "--steps=1000000", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout.readline() == "goes on from step 200\n"
        # The progress bar is redrawn in place: a count is followed by a slash.
        counted = ""
        while not re.search(r"\b(?:[4-9]\d\d|\d{4,})/1000000", counted):
            drawn = process.stderr.read(50)
            assert drawn, counted
            counted = counted[-50:] + drawn
        process.kill()
    again = run_example("supervised_training.py", "--steps=2000", *arguments)
    begun = number_after("goes on from step", again)
    assert begun >= 300
    assert begun % 100 == 0
    assert number_after("2000 steps, test accuracy", again) >= 0.96
    assert (tmp_path / "loss.png").read_bytes()[:4] == b"\x89PNG"

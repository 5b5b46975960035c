"""The command tells about itself and its machine."""

import json
import shutil
import signal
import subprocess
import sys

import pytest

import ferroflow as tf
from ferroflow import _core
from ferroflow.command_line.main import COMMANDS, main


def test_doctor_shows_what_there_is(capsys):
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert _core.__version__ in printed
    assert f"TensorFlow {tf.__version__}" in printed
    assert "threads of a session" in printed
    assert "numpy" in printed


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    assert "usage: ferroflow" in capsys.readouterr().out


def test_the_version_is_shown(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"ferroflow {_core.__version__}\n"


def test_no_command_shows_the_help(capsys):
    assert main([]) == 0
    assert "usage: ferroflow" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_the_exit_status_and_names_as_they_are_written(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert "exit status: " in words
    for name in ("TensorFlow", "SavedModel", "SVG", "TensorBoard"):
        assert name.capitalize() not in words
    assert COMMANDS[command].HELP in words or COMMANDS[command].HELP[1:] in words


def test_a_reader_that_leaves_ends_the_command_silently(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as sess:
        for i in range(2000):
            tf.Variable(0.0, name=f"a_long_name_of_a_variable_{i}")
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, path, write_meta_graph=False)
    command = [sys.executable, "-m", "ferroflow", "inspect", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == -signal.SIGPIPE


def test_doctor_gives_json(capsys):
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["interface"] == f"TensorFlow {tf.__version__}"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("typed", "expected"), [("insp", "inspect"), ("inspect --k", "--key"), ("check a.p", "")])
def test_bash_completes_words(typed, expected, capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    words = typed.split()
    tried = f'{script}COMP_WORDS=(ferroflow {typed}); COMP_CWORD={len(words)}; _ferroflow; echo "${{COMPREPLY[*]}}"'
    done = subprocess.run(["bash", "-c", tried], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_scripts_with_every_command(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)

"""The command tells about itself and its machine."""

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


def test_no_command_is_an_error(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "COMMAND" in capsys.readouterr().err

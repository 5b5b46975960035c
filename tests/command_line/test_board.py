"""`ferroflow board` becomes TensorBoard, or says how to get it."""

import importlib.util
import os
import sys

import pytest

from ferroflow.command_line.main import main


def test_tensorboard_is_started_for_the_folder(tmp_path, monkeypatch):
    pytest.importorskip("tensorboard")
    started = []
    monkeypatch.setattr(os, "execv", lambda *arguments: started.append(arguments))
    main(["board", str(tmp_path), "--port", "0"])
    command = [sys.executable, "-m", "ferroflow.command_line.board_process", "--logdir"]
    assert started == [(sys.executable, [*command, str(tmp_path), "--port", "0"])]


def test_without_tensorboard_it_says_how_to_install_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["board", str(tmp_path)]) == 1
    assert "pip install tensorboard" in capsys.readouterr().err


def test_a_folder_that_is_not_there_fails(tmp_path, capsys):
    assert main(["board", str(tmp_path / "nowhere")]) == 2
    assert "folder does not exist" in capsys.readouterr().err

"""`.ci/run` tests the tree in a folder called `ferroflow`, wherever the tree is."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from file_names import skip_without_file_name

ROOT = Path(__file__).resolve().parents[2]

# Stands for make: prints where it is called, what lies there, and fails.
_MAKE = '#!/bin/sh\npwd\nls -A\necho "$* for $CARGO_TARGET_DIR"\nexit 7\n'


@pytest.fixture
def run(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "make").write_text(_MAKE, encoding="utf-8")
    (tmp_path / "bin" / "make").chmod(0o755)
    (tmp_path / "for copies").mkdir()

    def run_in(name):
        tree = tmp_path / name
        (tree / ".ci").mkdir(parents=True)
        shutil.copy(ROOT / ".ci" / "run", tree / ".ci" / "run")
        (tree / "target").mkdir()
        (tree / "Makefile").touch()
        environment = {
            **{name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"},
            "PATH": os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]),
            "TMPDIR": str(tmp_path / "for copies"),
        }
        script = str(tree / ".ci" / "run")
        ended = subprocess.run([script], env=environment, capture_output=True, encoding="utf-8", check=False)
        assert ended.returncode == 7, ended.stderr
        where, *files, called = ended.stdout.splitlines()
        return tree, Path(where), set(files), called

    return run_in


def test_a_folder_of_the_projects_name_is_tested_itself(run):
    tree, where, files, called = run("ferroflow")
    assert where == tree
    assert files == {".ci", "Makefile", "target"}
    assert called == "test for "


@pytest.mark.parametrize("name", ["main", "with space", "Übung/ferroflow 2"])
def test_a_folder_of_another_name_is_tested_in_a_copy(run, name, tmp_path):
    skip_without_file_name(name)
    tree, where, files, called = run(name)
    assert where.name == "ferroflow"
    assert where.parents[1] == tmp_path / "for copies"
    assert files == {".ci", "Makefile"}
    assert called == f"test for {tree}/target"
    assert list((tmp_path / "for copies").iterdir()) == []

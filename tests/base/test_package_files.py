"""Errors and profiles name the program's lines, wherever the program and this package lie."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from file_names import skip_without_file_name

import ferroflow

_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import ferroflow as tf
x = tf.placeholder(tf.float32, [])
checked = tf.check_numerics(x, "not finite")  # line 6
tf.get_variable("v", [])  # line 7
try:
    tf.get_variable("v", [])
except ValueError as error:
    print(error)
with tf.Session() as sess:
    try:
        sess.run(checked, {x: float("inf")})
    except tf.errors.InvalidArgumentError as error:
        print(error)
options = tf.profiler.ProfileOptionBuilder.trainable_variables_parameter()
options.update({"output": "none", "account_type_regexes": [".*"]})
lines = []
nodes = [tf.profiler.profile(cmd="code", options=options)]
while nodes:
    lines += [node.name for node in nodes]
    nodes = [child for node in nodes for child in node.children]
print(lines)
"""


@pytest.mark.parametrize(
    ("folder", "relative"),
    [("ferroflow", False), ("ferroflow/ferroflow", True), ("Übung 1", False), ("lib/ferroflow 2", False)],
)
def test_the_programs_own_lines_are_named(tmp_path, folder, relative):
    skip_without_file_name(folder)
    library = tmp_path / "lib"
    library.mkdir()
    (library / "ferroflow").symlink_to(Path(ferroflow.__file__).parent)
    program = tmp_path / folder / "program.py"
    program.parent.mkdir(exist_ok=True, parents=True)
    program.write_text(_PROGRAM, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(program), os.path.relpath(library, tmp_path) if relative else str(library)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert f"(defined at {program}:6)" in run.stdout
    assert f'Originally defined at:\n\n  File "{program}", line 7' in run.stdout
    assert "program.py:6:<module>" in run.stdout
    assert "session.py" not in run.stdout

"""Errors show the user's lines alone: not ferroflow's, and not those of what started the program."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

import ferroflow
from ferroflow._src.base import user_frames

PROGRAM = """
import ferroflow as tf

def model(x):
    return tf.layers.dense(x, 2, name="dense")

def main(_):
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.matmul(model(x), tf.placeholder_with_default(tf.zeros([2, 2]), [None, None], name="p"))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(y, {x: [[1, 2, 3, 4]], "p:0": [[1, 2, 3]]})

if __name__ == "__main__":
    tf.app.run()
"""
PACKAGE = os.path.dirname(ferroflow.__file__)
LIBRARY = os.path.dirname(os.__file__)
INSTALLED = sysconfig.get_path("purelib")


def run(path, *launcher, **environment):
    env = {**os.environ, "PYTHONPATH": str(Path(PACKAGE).parent), "FERROFLOW_FULL_TRACEBACK": "", **environment}
    done = subprocess.run(
        [sys.executable, *launcher, str(path)], env=env, capture_output=True, text=True, timeout=120, cwd=path.parent
    )
    assert done.returncode == 1, done.stderr
    return done.stderr


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("launcher", [(), ("-m", "ferroflow", "run")])
def test_a_wrong_feed_shows_the_users_lines_alone(program, launcher):
    text = run(program, *launcher)
    files = {line.split('"')[1] for line in text.splitlines() if line.startswith("  File ")}
    assert files == {str(program)}, text
    # Two frames where the step was run, two where the node was made (two lines each, one with marks), and the message.
    assert len([line for line in text.splitlines() if line.strip(" ^~")]) <= 14, text
    assert "In[0]: [1,2], In[1]: [1,3]" in text


def test_all_frames_are_shown_where_they_are_asked_for(program):
    text = run(program, FERROFLOW_FULL_TRACEBACK="1")
    assert f'File "{PACKAGE}' in text


def test_errors_of_this_package_that_no_program_caused_are_shown_whole():
    try:
        {}["no such key"]
    except KeyError as error:
        here = error.__traceback__
    assert user_frames.trimmed(here).tb_frame.f_code.co_filename == __file__
    code = compile("1 / 0", os.path.join(PACKAGE, "module.py"), "exec")
    try:
        exec(code, {})
    except ZeroDivisionError as error:
        inside = error.__traceback__.tb_next
    assert user_frames.trimmed(inside) is inside
    assert user_frames.user_rows([(inside.tb_frame.f_code.co_filename, 1, "f", None)]) != []


@pytest.mark.parametrize(
    ("file", "is_users"),
    [
        ("/home/me/train.py", True),
        ("/home/me/pytest/train.py", True),
        ("/home/me/ferroflow/train.py", True),
        (f"{INSTALLED}/tensorlayer/layers.py", True),
        (f"{INSTALLED}/absl/app.py", False),
        (f"{INSTALLED}/_pytest/python.py", False),
        (f"{INSTALLED}/IPython/core/interactiveshell.py", False),
        (f"{PACKAGE}/_src/framework/apply.py", False),
        (f"{LIBRARY}/runpy.py", False),
        (f"{LIBRARY}/asyncio/events.py", False),
        (f"{LIBRARY}/contextlib.py", True),
        ("<frozen runpy>", False),
        ("<stdin>", True),
        ("/tmp/ipykernel_6762/1635621690.py", True),
        ("/opt/env/bin/ferroflow", False),
        ("/opt/env/bin/pytest", False),
        ("/opt/env/bin/train", True),
        ("/home/me/pytest", True),
        (f"{LIBRARY}/threading.py", False),
        (f"{LIBRARY}/concurrent/futures/thread.py", False),
    ],
)
def test_a_file_is_the_users_or_not(file, is_users):
    assert user_frames.is_user_file(file) is is_users


EXECNET = f"{INSTALLED}/execnet/gateway_base.py"


@pytest.mark.parametrize(
    ("files", "users"),
    [
        (["<string>", "<string>", EXECNET, f"{INSTALLED}/_pytest/main.py", "/me/test_a.py"], ["/me/test_a.py"]),
        (["<string>", f"{LIBRARY}/multiprocessing/spawn.py", "/me/train.py"], ["/me/train.py"]),
        (["<string>", "/me/train.py"], ["<string>", "/me/train.py"]),
        (["<string>", f"{PACKAGE}/_src/framework/apply.py"], ["<string>"]),
        (["<string>", f"{INSTALLED}/absl/app.py", "<string>"], ["<string>"]),
        (["/me/a.py", "<string>", f"{INSTALLED}/absl/app.py", "/me/b.py"], ["/me/a.py", "<string>", "/me/b.py"]),
        (["<string>"], ["<string>"]),
        ([], []),
    ],
)
def test_the_text_that_starts_a_launcher_is_not_the_users(files, users):
    assert [row[0] for row in user_frames.user_rows([(file, 1, "f", None) for file in files])] == users


def test_an_error_in_a_spawned_process_shows_the_users_lines_alone(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import multiprocessing\nimport ferroflow as tf\n"
        "def work():\n    tf.Session().run(tf.placeholder(tf.float32))\n"
        "if __name__ == '__main__':\n"
        "    child = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    child.start()\n    child.join()\n    raise SystemExit(child.exitcode)\n"
    )
    assert "<string>" not in run(path).split("Caused by op")[1]


def test_a_trimmed_traceback_keeps_the_order_and_lines_of_the_users_frames():
    lines = [f"def f{i}(): return f{i - 1}()" if i else "def f0(): 1 / 0" for i in range(6)]
    names = {}
    for i, line in enumerate(lines):
        exec(compile("\n" * i + line, os.path.join(PACKAGE, "m.py") if i % 2 else "/home/me/m.py", "exec"), names)
    try:
        names["f5"]()
    except ZeroDivisionError as error:
        entry = user_frames.trimmed(error.__traceback__)
    found = []
    while entry is not None:
        found.append((entry.tb_frame.f_code.co_name, entry.tb_lineno))
        entry = entry.tb_next
    assert found[1:] == [("f4", 5), ("f2", 3), ("f0", 1)]


def test_a_cell_has_the_name_that_ipython_gives_it(monkeypatch):
    cells = {"/tmp/ipykernel_1/2.py": ("Cell", "In[3]")}
    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=cells.get))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert user_frames.place("/tmp/ipykernel_1/2.py", 8) == "Cell In[3], line 8"
    assert user_frames.place("/home/me/m.py", 8) == "/home/me/m.py:8"
    rows = [("/tmp/ipykernel_1/2.py", 8, "build", "y = x"), ("/home/me/m.py", 9, "f", "z = y")]
    assert user_frames.definition_lines(rows) == [
        "  Cell In[3], line 8, in build: y = x\n",
        '  File "/home/me/m.py", line 9, in f: z = y\n',
    ]


def test_a_hook_that_was_set_shows_the_trimmed_traceback(monkeypatch):
    shown = []
    monkeypatch.setattr(sys, "excepthook", lambda *arguments: shown.append(arguments))
    user_frames.install_hooks()
    hook = sys.excepthook
    user_frames.install_hooks()
    assert sys.excepthook is hook
    try:
        ferroflow.constant([1, 2]) + ferroflow.constant([1, 2, 3])
    except ValueError as error:
        hook(type(error), error, error.__traceback__)
    ((kind, _, trace),) = shown
    assert (kind, trace.tb_next) == (ValueError, None)

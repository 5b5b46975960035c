"""Tests that type checkers see the types of the public names, refuse wrong calls and accept working programs."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow as tf

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE))
import message_stub  # noqa: E402
import revealed  # noqa: E402

# The names that programs use most, counted over 900 public files.
NAMES = (_HERE / "names.txt").read_text(encoding="utf-8").split()
# The share of these names that are fully typed. It may only rise.
FLOOR = 0.955
_WRONG, _RIGHT = _HERE / "wrong_calls.py", _HERE / "right_programs.py"


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """One run of mypy: the types of all names, and what it prints about the two programs."""
    pytest.importorskip("mypy", reason="mypy is not installed: it checks checkouts (`make venv`), not wheels")
    folder = tmp_path_factory.mktemp("typing")
    names = folder / "names.py"
    names.write_text("import ferroflow as tf\n" + "".join(f"reveal_type({name})\n" for name in NAMES))
    printed = revealed.check(folder, names, _WRONG, _RIGHT)
    return revealed.types_of(printed, names, NAMES), printed


def _wrong_lines():
    (function,) = (node for node in ast.parse(_WRONG.read_text()).body if isinstance(node, ast.FunctionDef))
    return {statement.lineno for statement in function.body}


def test_the_most_used_names_are_typed(answers):
    types, _ = answers
    untyped = {name: revealed.untyped(types.get(name, "error: no answer")) for name in NAMES}
    full = sum(not found for found in untyped.values())
    listed = "\n".join(f"{name}: {', '.join(found)}" for name, found in untyped.items() if found)
    assert len(NAMES) > 640
    assert full / len(NAMES) >= FLOOR, f"{full} of {len(NAMES)} names are typed; not these:\n{listed}"


def test_checkers_see_the_arguments_that_functions_take(answers):
    types, _ = answers
    differing = []
    for name in NAMES:
        value = tf
        for part in name.split(".")[1:]:
            value = getattr(value, part)
        signatures = revealed.parameters(types.get(name, ""))
        if len(signatures) != 1 or not inspect.isfunction(value):
            continue
        seen = [(row[0], row[2]) for row in signatures[0] if row[0].strip("*_") and not row[0].startswith("*")]
        taken = [
            (parameter.name, parameter.default is not parameter.empty)
            for parameter in inspect.signature(value).parameters.values()
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ]
        if seen and taken and [row for row in taken if row[0].strip("_")] != seen:
            differing.append(f"{name}: checkers see {seen}, it takes {taken}")
    assert not differing, "\n".join(differing)


def test_mypy_refuses_wrong_calls_and_accepts_programs(answers):
    _, printed = answers
    refused = {int(line) for line in re.findall(rf"^\S*{_WRONG.name}:(\d+): error", printed, re.MULTILINE)}
    assert len(_wrong_lines()) >= 60
    assert refused == _wrong_lines()
    assert [line for line in printed.splitlines() if _RIGHT.name in line] == []


def test_pyright_refuses_wrong_calls_and_accepts_programs():
    command = shutil.which("pyright", path=str(Path(sys.executable).parent)) or shutil.which("pyright")
    if command is None:
        pytest.skip("pyright is not installed: pip install 'pyright[nodejs]'")
    arguments = [command, "--pythonpath", sys.executable, str(_WRONG), str(_RIGHT)]
    environment = {"PYTHONPATH": str(revealed.REPOSITORY / "pyfront"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=250)
    refused = {int(line) for line in re.findall(rf"{_WRONG.name}:(\d+):\d+ - error", done.stdout)}
    assert refused == _wrong_lines(), done.stdout[-2000:] + done.stderr[-2000:]
    assert re.findall(rf".*{_RIGHT.name}:\d+:\d+ - error.*", done.stdout) == []


def test_the_stub_of_the_messages_is_that_of_their_descriptors():
    written = ast.dump(ast.parse(message_stub.STUB.read_text(encoding="utf-8")))
    assert written == ast.dump(ast.parse(message_stub.stub_text())), "write it: python tests/typing/message_stub.py"


def test_names_of_late_modules_are_those_that_checkers_see():
    for module in (tf, tf.train, tf.summary):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        (block,) = (n for n in tree.body if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test))
        seen = {alias.asname or alias.name for node in block.body for alias in getattr(node, "names", ())}
        late = {*module._MESSAGES, *getattr(module, "_MODULES", ()), *getattr(module, "_LATE", ())}
        assert seen == late


@pytest.mark.parametrize(
    ("revealed_type", "expected"),
    [
        ("Any", ["Any"]),
        ("def (*Any, **Any) -> Any", ["(*Any, **Any)"]),
        ("def (x: Any, y: int =) -> Any", ["x"]),
        ("def (x: int | Any | None =, **kwargs: Any) -> int", ["x"]),
        ("def (f: def (*Any, **Any) -> Any, x: dict[str, Any]) -> None", []),
        ("Overload(def (x: int) -> int, def (x: Any) -> str)", ["x"]),
        ("error: Module has no attribute", ["error: Module has no attribute"]),
    ],
)
def test_what_counts_as_untyped(revealed_type, expected):
    assert revealed.untyped(revealed_type) == expected

"""Runs the code of a documentation page as a reader does: block after block, in an empty folder and a new environment.

A fence's first word decides what happens with a block:

- `python`: the block runs, under IPython if it has a magic (`%load_ext`). Blocks of one page are one program, unless a
  block imports ferroflow or tensorflow: it begins a new one. With `title="FILE"`, the block is written to that file
  and does not run.
- `text`: what the program of the blocks above has printed since the last such block.
- `console`: lines that begin with `$ ` are commands of a shell, and the other lines are what they print.
- `sh`: commands without their output.
- `yaml`: the text must be valid YAML.

All of a page is done at one terminal: after `cd FOLDER`, what follows runs in that folder.

A page may name Python packages that its programs import (`<!-- imports: six -->`) and folders that it starts with
(`<!-- needs: examples -->`). The test is skipped if a package, or the network for `git clone`, is missing.

`...` in expected output stands for any text. Commands that build or install something are only checked: a target of
`make` must exist, and a package named `ferroflow[extra]` must have that extra.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import ferroflow

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 150
_FENCE = re.compile(r"^( *)```(\w+)([^\n]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_BEGINS = re.compile(r"^(import|from) (ferroflow|tensorflow)\b|^%load_ext ferroflow", re.MULTILINE)
_MARK = "----- end of block -----"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    language: str
    file: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """Returns the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        title = _TITLE.search(match.group(3))
        code = textwrap.dedent(match.group(4))
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(line, match.group(2), title.group(1) if title else None, code))
    return found


def matches(expected: str, printed: str) -> bool:
    """Returns True if output is as a page shows it: `...` stands for any text, and spaces at line ends do not count."""
    parts = [re.escape(part) for part in _lines(expected).split("...")]
    return re.fullmatch(".*".join(parts), _lines(printed), re.DOTALL) is not None


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yields the commands of a console block with their expected output."""
    command: str | None = None
    output: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, "\n".join(output)
            command, output = line[2:], []
        elif command is not None and command.endswith("\\"):
            command += "\n" + line
        else:
            output.append(line)
    if command is not None:
        yield command, "\n".join(output)


class Reader:
    """Somebody who types what a page says: a folder, and an environment in which ferroflow is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(parents=True)
        self._left_in = folder / "left_in"
        self._programs = folder / "env" / "bin"
        venv.create(folder / "env", with_pip=False)
        self._python = str(self._programs / "python")
        (site,) = (folder / "env").glob("lib/python*/site-packages")
        paths = [str(Path(ferroflow.__file__).parents[1]), *filter(os.path.isdir, sys.path[1:])]
        (site / "of_the_tests.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
        self._script("ferroflow", f'exec "{self._python}" -m ferroflow "$@"')
        self._script("pip", f'exec "{self._python}" "{Path(__file__).parent / "stand_ins.py"}" pip "$@"')
        self._script("make", f'exec "{self._python}" "{Path(__file__).parent / "stand_ins.py"}" make "$@"')

    def _script(self, name: str, line: str) -> None:
        path = self._programs / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)

    def _environment(self) -> dict[str, str]:
        without = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if name not in without}
        path = f"{self._programs}{os.pathsep}{kept.get('PATH', '')}"
        return {**kept, "PATH": path, "COLUMNS": "150", "TERM": "dumb", "NO_COLOR": "1", "FERROFLOW_ROOT": str(ROOT)}

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"exit status {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        return done.stdout

    def shell(self, command: str) -> str:
        """Runs a command of a shell and returns what it prints; an error of the command is an error here."""
        try:
            printed = self._run(["bash", "-c", f"trap 'pwd > {self._left_in}' EXIT\n{command}"])
        except AssertionError as error:
            if command.startswith("git clone") and "unable to access" in str(error):
                pytest.skip(f"the network does not reach it: {command}")
            raise
        self.folder = Path(self._left_in.read_text(encoding="utf-8").rstrip("\n"))
        return printed

    def program(self, parts: list[str]) -> list[str]:
        """Runs blocks as one program, and returns what each prints."""
        code = f"\nprint({_MARK!r}, flush=True)\n".join(parts)
        is_for_ipython = re.search(r"^%", code, re.MULTILINE) is not None
        file = self.folder / ("page.ipy" if is_for_ipython else "page.py")
        file.write_text(code, encoding="utf-8")
        command = [self._python, *(["-m", "IPython"] if is_for_ipython else []), file.name]
        try:
            return [text.lstrip("\n") for text in self._run(command).split(_MARK)]
        finally:
            file.unlink()


def run(page: Path, folder: Path) -> None:
    """Runs all blocks of a page in an empty folder; AssertionError names the line of the block that fails."""
    reader = Reader(folder)
    text = page.read_text(encoding="utf-8")
    for package in re.findall(r"<!-- imports: (\S+) -->", text):
        pytest.importorskip(package, reason=f"{page.name} needs the package {package}")
    for source in re.findall(r"<!-- needs: (\S+) -->", text):
        shutil.copytree(ROOT / source, reader.folder / Path(source).name)
    program: list[tuple[Block, str | None]] = []

    def finish() -> None:
        """Runs the program of the blocks so far and compares what it prints."""
        if not program:
            return
        first = program[0][0].line
        try:
            printed = reader.program([block.text for block, _ in program])
        except AssertionError as error:
            raise AssertionError(f"{page.name}:{first}: {error}") from None
        for (block, expected), text in zip(program, printed, strict=True):
            if expected is not None:
                assert matches(expected, text), (
                    f"{page.name}:{block.line} prints:\n{text[-3000:]}\ninstead of\n{expected}"
                )
        program.clear()

    for block in blocks(page):
        if block.language == "text":
            assert program, f"{page.name}:{block.line}: no program prints this"
            program[-1] = (program[-1][0], block.text)
            continue
        if block.language != "python" or block.file or _BEGINS.search(block.text):
            finish()
        if block.file:
            path = reader.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            program.append((block, None))
        elif block.language in ("console", "sh"):
            is_shown = block.language == "console"
            for command, expected in commands(block.text) if is_shown else [(block.text, "")]:
                try:
                    printed = reader.shell(command)
                except AssertionError as error:
                    raise AssertionError(f"{page.name}:{block.line}: $ {command}\n{error}") from None
                if is_shown:
                    where = f"{page.name}:{block.line}: $ {command}"
                    assert matches(expected, printed), f"{where}\nprints:\n{printed[-3000:]}\ninstead of\n{expected}"
        elif block.language == "yaml":
            pytest.importorskip("yaml").safe_load(block.text)
        else:
            raise AssertionError(f"{page.name}:{block.line}: no rule for a block of {block.language}")
    finish()

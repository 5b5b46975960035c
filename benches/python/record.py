"""Runs the benches, and writes what they print into benches/README.md: each in the place marked with its name.

    python benches/python/record.py [NAME ...] [--tensorflow1 PYTHON] [--tensorflow2 PYTHON] [--torch PYTHON]
        [--jax PYTHON] [--prefix "chrt --rr 2"]

Without names, all benches run that the interpreters given suffice for. Above the text of each stand the date, the time
and the processor. A bench that fails leaves its place as it is, and the others run.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
PAGE = _HERE.parent / "README.md"


class Bench(NamedTuple):
    """A program of this folder, its arguments and environment; words in braces are the interpreters that it needs."""

    program: str
    arguments: str = ""
    environment: Mapping[str, str] = {}


BENCHES = {
    "steps": Bench(
        "steps.py",
        "--rounds 1 --tensorflow1 {tensorflow1} --tensorflow2 {tensorflow2} --torch {torch} --torch-compile "
        "--jax {jax}",
    ),
    "cases": Bench("run.py", "--rounds 1 --tensorflow1 {tensorflow1} --tensorflow2 {tensorflow2}"),
    "ops": Bench("survey.py", "--rounds 1 --tensorflow {tensorflow2} --highest 30 --lowest 10"),
    "limits": Bench("limits.py"),
    "limits-avx2": Bench("limits.py", "--kernels product|convolution|gradient", {"FERROFLOW_CPU": "avx2"}),
    "pipelines": Bench("pipelines.py", "--tensorflow1 {tensorflow1} --tensorflow2 {tensorflow2}"),
    "span": Bench("span.py"),
    "gates": Bench("gates.py", "--tensorflow1 {tensorflow1} --tensorflow2 {tensorflow2}"),
    "cluster": Bench("cluster.py", "--tensorflow {tensorflow2}"),
}


def processor(info: str) -> str:
    """Returns the name of the processor and the number of its cores, of the text of /proc/cpuinfo."""
    names = re.findall(r"^model name\s*: (.*)$", info, re.MULTILINE)
    extensions = re.search(r"^flags\s*:.*\bavx512f\b", info, re.MULTILINE)
    return f"{names[0] if names else 'a processor'}, {len(names)} cores, {'with' if extensions else 'without'} AVX-512"


def heading(began: datetime, ended: datetime, machine: str) -> str:
    """Returns the line that says when and on which processor a bench ran."""
    return f"{began:%Y-%m-%d}, {began:%H:%M} to {ended:%H:%M} UTC; {machine}."


def replaced(page: str, name: str, text: str) -> str:
    """Returns the page with the text between the marks of a bench.

    Raises:
        ValueError: if the page does not have both marks once.
    """
    first, last = f"<!-- bench: {name} -->", f"<!-- end: {name} -->"
    if page.count(first) != 1 or page.count(last) != 1:
        raise ValueError(f"benches/README.md needs the marks of the bench {name!r} once")
    before, rest = page.split(first)
    _, after = rest.split(last)
    return f"{before}{first}\n\n{text.strip()}\n\n{last}{after}"


def command(bench: Bench, pythons: dict[str, str | None]) -> list[str] | None:
    """Returns the command of a bench; None if it needs an interpreter that is not given."""
    needed = re.findall(r"\{(\w+)\}", bench.arguments)
    if any(not pythons.get(name) for name in needed):
        return None
    return [sys.executable, str(_HERE / bench.program), *bench.arguments.format(**pythons).split()]


def record(names: list[str], run: Callable[[str], str], page: Path = PAGE) -> list[str]:
    """Runs benches and writes their texts; returns the names of those that failed."""
    machine = processor(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    failed = []
    for name in names:
        began = datetime.now(timezone.utc)
        try:
            text = run(name)
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            failed.append(name)
            continue
        when = heading(began, datetime.now(timezone.utc), machine)
        # Read anew: others may edit the page meanwhile.
        changed = replaced(page.read_text(encoding="utf-8"), name, f"{when}\n\n{text}")
        page.write_text(changed, encoding="utf-8")
        print(f"{name}: {when}", flush=True)
    return failed


def main() -> None:
    """Parses the command line, runs the benches, and ends with status 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHES)}")
    for name in ("tensorflow1", "tensorflow2", "torch", "jax"):
        parser.add_argument(f"--{name}", help="an interpreter that has the library")
    parser.add_argument("--prefix", default="", help="a command that starts each bench, with its arguments")
    args = parser.parse_args()
    if unknown := set(args.names) - BENCHES.keys():
        parser.error(f"no bench is named {', '.join(sorted(unknown))}")
    commands = {name: command(BENCHES[name], vars(args)) for name in args.names or BENCHES}
    for name in [name for name, found in commands.items() if found is None]:
        if args.names:
            parser.error(f"{name} needs interpreters: {BENCHES[name].arguments}")
        del commands[name]
        print(f"{name} left out: it needs interpreters that are not given", file=sys.stderr)

    def run(name: str) -> str:
        paths = os.pathsep.join([str(_HERE.parents[1] / "tests"), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [*shlex.split(args.prefix), *(commands[name] or [])],
            stdout=subprocess.PIPE,
            check=True,
            env={**os.environ, **BENCHES[name].environment, "PYTHONPATH": paths},
        )
        return done.stdout.decode()

    if failed := record(list(commands), run):
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()

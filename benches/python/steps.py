"""Times training steps of twenty models, each at two sizes, against other libraries, and prints the ratios.

    python benches/python/steps.py [--tensorflow1 PYTHON] [--tensorflow2 PYTHON] [--torch PYTHON] [--torch-compile]
        [--jax PYTHON] [--models REGEX] [--sizes small,large] [--rounds 2] [--threads 2]

The libraries run by turns, each model in a process of its own. A step's time is the best median of the rounds.
Memory is the most that the process held; it, the first step and building are compared with TensorFlow's only: that of
TensorFlow 2 if it is given. Ratios are ferroflow's figure divided by the other library's. The best is the fastest other
one.

All libraries start from the same weights. TensorFlow's first loss must be ferroflow's. That of torch and JAX must be
ferroflow's with nothing random. What a library does not run, and why, stands after the row.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from libraries import LIBRARIES
from models import MODELS

Row = dict[str, Any]
# Libraries that run the programs for TensorFlow.
_SAME_PROGRAM = {"ferroflow", "tensorflow1", "tensorflow2"}
_HERE = Path(__file__).parent
# torch writes advice below the error.
_ERROR = re.compile(r"[\w.]*(Error|Exception|Exit)\w*: ")


class Failure(Exception):
    """A process that ended with an error, whose last line that names an error is the message."""


def _output(command: list[str]) -> bytes:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"status {done.returncode}"]
        named = [line for line in lines if _ERROR.match(line)]
        raise Failure((named or lines)[-1])
    return done.stdout


def _run(python: str, library: str, name: str, size: str, threads: int, start: str) -> Row:
    if library in _SAME_PROGRAM:
        module = library.rstrip("12")
        command = [python, str(_HERE / "steps_worker.py"), module, name, size, str(threads)]
    else:
        command = [python, str(_HERE / "steps_peer.py"), library, name, size, str(threads), start]
    return json.loads(_output(command).splitlines()[-1])


def measure(
    name: str, size: str, pythons: dict[str, str], rounds: int, threads: int
) -> tuple[dict[str, Row], dict[str, str]]:
    """Returns the best figures of a model by library, and the messages of libraries that failed."""
    best: dict[str, Row] = {}
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        start = str(Path(folder, "start.npz"))
        if pythons.keys() - _SAME_PROGRAM:
            _output([pythons["ferroflow"], str(_HERE / "steps_start.py"), name, size, start])
        for _ in range(rounds):
            for library, python in pythons.items():
                if library in failed:
                    continue
                try:
                    row = _run(python, library, name, size, threads, start)
                except Failure as error:
                    failed[library] = str(error)
                    best.pop(library, None)
                    continue
                old = best.setdefault(library, row)
                for key in old.keys() & {"build", "first", "step", "memory"}:
                    old[key] = min(old[key], row[key])
    return best, failed


def agree(ours: float, theirs: float) -> bool:
    """Returns whether first losses are equal up to rounding, which batch norms of few values enlarge.

    Later losses of such models differ as much between two runs of TensorFlow with other numbers of threads.
    """
    return math.isclose(ours, theirs, rel_tol=1e-4)


def notes(best: dict[str, Row], failed: dict[str, str]) -> list[str]:
    """Returns which libraries failed or have other first losses, and these."""
    found = [f"{LIBRARIES[library]} failed: {message}" for library, message in failed.items()]
    for library, row in best.items():
        pair = row.get("exact") or (row["losses"][0], best.get("ferroflow", row)["losses"][0])
        if not agree(*pair):
            found.append(f"{LIBRARIES[library]} has the loss {pair[0]:.6g}, ferroflow {pair[1]:.6g}")
    return found


class Table:
    """The rows of a table in Markdown, and the ratios that its last rows have the geometric means of."""

    def __init__(self, libraries: list[str]) -> None:
        self._others = [library for library in libraries if library != "ferroflow"]
        self._compared = next((library for library in ("tensorflow2", "tensorflow1") if library in libraries), None)
        self._ratios = [*self._others, *["best"] * (len(self._others) > 1)]
        self._found: dict[str, list[dict[str, float]]] = {}

    def head(self) -> str:
        """Returns the first two lines."""
        cells = ["model and size", *(LIBRARIES[library] for library in ("ferroflow", *self._others))]
        cells += [f"to {LIBRARIES.get(key, 'the ' + key)}" for key in self._ratios]
        if self._compared:
            cells.append(f"memory, first step, building to {LIBRARIES[self._compared]}")
        return f"| {' | '.join(cells)} |\n|" + "---|" * len(cells)

    def row(self, name: str, size: str, best: dict[str, Row]) -> str:
        """Returns the line of a model, with empty cells for libraries without figures, and keeps its ratios."""
        steps = [f"{best[library]['step']:.2f}" if library in best else "" for library in ("ferroflow", *self._others)]
        ratios = self._of(best)
        self._found.setdefault(size, []).append(ratios)
        return self._line([f"{name}, {size}", *steps], ratios)

    def means(self) -> list[str]:
        """Returns lines of geometric means: of each size where there are several, and of all models."""
        parts = [(f"geometric mean, {size}", found) for size, found in self._found.items()] * (len(self._found) > 1)
        parts.append(("geometric mean", [ratios for found in self._found.values() for ratios in found]))
        return [self._line([name, *[""] * (1 + len(self._others))], _means(found)) for name, found in parts]

    def _line(self, cells: list[str], ratios: dict[str, float]) -> str:
        def shown(key: str) -> str:
            return f"{ratios[key]:.2f}" if key in ratios else ""

        cells = [*cells, *map(shown, self._ratios)]
        if self._compared:
            cells.append("; ".join(map(shown, ("memory", "first", "build"))))
        return f"| {' | '.join(cells)} |"

    def _of(self, best: dict[str, Row]) -> dict[str, float]:
        ours = best.get("ferroflow")
        others = {library: best[library] for library in self._others if library in best}
        if not ours or not others:
            return {}
        found = {library: ours["step"] / row["step"] for library, row in others.items()}
        found["best"] = ours["step"] / min(row["step"] for row in others.values())
        if self._compared in others:
            found |= {key: ours[key] / others[self._compared][key] for key in ("memory", "first", "build")}
        return found


def _means(found: list[dict[str, float]]) -> dict[str, float]:
    keys = {key for ratios in found for key in ratios}
    of_key = {key: [math.log(ratios[key]) for ratios in found if key in ratios] for key in keys}
    return {key: math.exp(sum(logs) / len(logs)) for key, logs in of_key.items()}


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", help="regular expression of names")
    parser.add_argument("--sizes", default="small,large")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tensorflow1", help="an interpreter that has TensorFlow 1.15")
    parser.add_argument("--tensorflow2", help="an interpreter that has TensorFlow 2")
    parser.add_argument("--torch", help="an interpreter that has torch and NumPy")
    parser.add_argument("--torch-compile", action="store_true", help="torch with torch.compile, too; needs --torch")
    parser.add_argument("--jax", help="an interpreter that has JAX")
    args = parser.parse_args()
    if args.torch_compile and not args.torch:
        parser.error("--torch-compile needs --torch")
    given = {"ferroflow": sys.executable, "tensorflow1": args.tensorflow1, "tensorflow2": args.tensorflow2}
    given |= {"torch": args.torch, "torch.compile": args.torch if args.torch_compile else None, "jax": args.jax}
    pythons = {library: python for library, python in given.items() if python}
    table = Table(list(pythons))
    print(table.head(), flush=True)
    remarks = []
    for name in [name for name in MODELS if re.search(args.models, name)]:
        for size in args.sizes.split(","):
            best, failed = measure(name, size, pythons, args.rounds, args.threads)
            print(table.row(name, size, best), flush=True)
            remarks += [f"{name}, {size}: {remark}" for remark in notes(best, failed)]
    print("\n".join([*table.means(), *(["", *remarks] if remarks else [])]))


if __name__ == "__main__":
    main()

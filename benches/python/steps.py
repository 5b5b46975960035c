"""Times training steps of twenty models, each at two sizes, against TensorFlow, and prints the ratios.

    python benches/python/steps.py --tensorflow /path/to/python [--models REGEX] [--sizes small,large] [--rounds 2]

The libraries run by turns, each model in a process of its own. A step's time is the best median of the rounds;
memory is the most that the process held. The first losses are compared: both libraries draw the same initial weights.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from models import MODELS


def _run(python: str, library: str, name: str, size: str, threads: int) -> dict[str, Any]:
    worker = str(Path(__file__).with_name("steps_worker.py"))
    done = subprocess.run([python, worker, library, name, size, str(threads)], capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise SystemExit(f"{library} does not run {name} ({size}): {lines[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(name: str, size: str, pythons: dict[str, str], rounds: int, threads: int) -> dict[str, dict[str, Any]]:
    """Returns the best figures of a model by library."""
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for library, python in pythons.items():
            row = _run(python, library, name, size, threads)
            old = best.setdefault(library, row)
            for key in ("build", "first", "step", "memory"):
                old[key] = min(old[key], row[key])
    return best


def agree(ours: list[float], theirs: list[float]) -> bool:
    """Returns whether the first losses are equal up to rounding, which batch norms of few values enlarge.

    Later losses of such models differ as much between two runs of TensorFlow with other numbers of threads.
    """
    return math.isclose(ours[0], theirs[0], rel_tol=1e-4)


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", help="regular expression of names")
    parser.add_argument("--sizes", default="small,large")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tensorflow", required=True, help="an interpreter that has TensorFlow, 1.15 or 2")
    args = parser.parse_args()
    pythons = {"ferroflow": sys.executable, "tensorflow": args.tensorflow}
    print(
        "| model | nodes | step, ms | TensorFlow's | ratio | memory | first step | building |\n|" + "---|" * 8,
        flush=True,
    )
    ratios: dict[str, list[float]] = {key: [] for key in ("step", "memory", "first", "build")}
    for name in [name for name in MODELS if re.search(args.models, name)]:
        for size in args.sizes.split(","):
            best = measure(name, size, pythons, args.rounds, args.threads)
            ours, theirs = best["ferroflow"], best["tensorflow"]
            for key, found in ratios.items():
                found.append(ours[key] / theirs[key])
            cells = [f"{name}, {size}", str(ours["nodes"]), f"{ours['step']:.2f}", f"{theirs['step']:.2f}"]
            cells += [f"{found[-1]:.2f}" for found in ratios.values()]
            note = "" if agree(ours["losses"], theirs["losses"]) else f" losses {ours['losses']}, {theirs['losses']}"
            print(f"| {' | '.join(cells)} |{note}", flush=True)
    means = [f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}" for found in ratios.values()]
    print(f"| geometric mean | | | | {' | '.join(means)} |")


if __name__ == "__main__":
    main()

"""The `ferroflow` command: chooses one of its commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ferroflow import _core
from ferroflow.command_line import alias, bench, board, check, convert, doctor, freeze, graph, inspect, launch, run

__all__ = ["COMMANDS", "main"]

COMMANDS = {
    "run": run,
    "alias": alias,
    "launch": launch,
    "check": check,
    "inspect": inspect,
    "graph": graph,
    "freeze": freeze,
    "convert": convert,
    "board": board,
    "bench": bench,
    "doctor": doctor,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: list of str, the arguments; None for the process's.

    Returns:
        int, the exit status.
    """
    parser = argparse.ArgumentParser("ferroflow", description="TensorFlow 1.x programs without TensorFlow.")
    parser.add_argument("--version", action="version", version=f"ferroflow {_core.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        module.add_arguments(commands.add_parser(name, help=module.HELP, description=module.HELP.capitalize() + "."))
    args = parser.parse_args(argv)
    status: int = COMMANDS[args.command].run(args)
    return status

"""The `ferroflow` command: chooses one of its commands."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Sequence

from ferroflow import _core
from ferroflow.command_line import (
    alias,
    bench,
    board,
    check,
    completion,
    convert,
    doctor,
    freeze,
    graph,
    inspect,
    launch,
    run,
)

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
    "completion": completion,
}
# Commands that print and end. In the others, SIGPIPE may come from a program or a connection, and is an error.
_REPORTS = frozenset(("alias", "check", "completion", "convert", "doctor", "freeze", "graph", "inspect"))


def make_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line, with a parser for each command."""
    parser = argparse.ArgumentParser("ferroflow", description="TensorFlow 1.x programs without TensorFlow.")
    parser.add_argument("--version", action="version", version=f"ferroflow {_core.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, module in COMMANDS.items():
        description = f"{module.HELP[:1].upper()}{module.HELP[1:]}."
        epilog = f"exit status: {module.EXIT_STATUS}."
        module.add_arguments(commands.add_parser(name, help=module.HELP, description=description, epilog=epilog))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; without one, shows the help.

    Args:
        argv: list of str, the arguments; None for the process's.

    Returns:
        int, the exit status.
    """
    parser = make_parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help()
        return 0
    if args.command == completion.NAME:
        args.parser = parser
    if argv is None and args.command in _REPORTS and hasattr(signal, "SIGPIPE"):
        # If the reader of the output (such as `head`) ends first, the process ends silently, as other tools do.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    status: int = COMMANDS[args.command].run(args)
    return status

"""`ferroflow run`: a TensorFlow 1.x program, unchanged."""

from __future__ import annotations

import argparse
import os
import sys
from runpy import run_module, run_path
from types import TracebackType

from ferroflow.command_line import tensorflow_alias
from ferroflow.command_line.failure_hints import add_hint

__all__ = ["HELP", "add_arguments", "run"]

_FRAMES_OF_OURS = (__file__, run_module.__code__.co_filename)
HELP = "run a TensorFlow 1.x program, whose `import tensorflow` gives ferroflow"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module's name, not a file")
    parser.add_argument("program", metavar="PROGRAM", help="a Python file, or a folder with __main__.py")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="arguments of the program")


def run(args: argparse.Namespace) -> int:
    """Runs the program in this process, as Python would; its exceptions and exit status are the command's.

    Args:
        args: the command's arguments.

    Returns:
        int, 0; 1 where it raised an error, which is shown; 2 where there is no such file.
    """
    tensorflow_alias.install()
    sys.argv = [args.program, *args.arguments]
    try:
        return _run_program(args)
    except Exception as error:
        shown = error.with_traceback(_own_frames(error.__traceback__))
        add_hint(shown, args.program)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        return 1


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first frame on, as Python itself would show it."""
    while trace is not None and trace.tb_frame.f_code.co_filename in _FRAMES_OF_OURS:
        trace = trace.tb_next
    return trace


def _run_program(args: argparse.Namespace) -> int:
    if args.module:
        sys.path[0] = os.getcwd()
        run_module(args.program, run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(args.program):
        print(f"ferroflow run: no such file: {args.program}", file=sys.stderr)
        return 2
    sys.path[0] = os.path.dirname(os.path.abspath(args.program))
    run_path(args.program, run_name="__main__")
    return 0

"""`ferroflow run`: runs an unchanged TensorFlow 1.x program."""

from __future__ import annotations

import argparse
import builtins
import code
import io
import os
import runpy
import sys
from types import ModuleType, TracebackType

from ferroflow._alias import install_as_tensorflow, install_for_children
from ferroflow._src.horovod.launchers import launched_size
from ferroflow.command_line import notebook
from ferroflow.command_line.failure_hints import add_hint

_OWN_FILES = (__file__, notebook.__file__, runpy.__file__, runpy.run_module.__code__.co_filename)
HELP = "run a TensorFlow 1.x program; its `import tensorflow` imports ferroflow"
EXIT_STATUS = "that of the program; 2 if the file does not exist or cannot be read"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module's name, not a file")
    kind.add_argument("-c", dest="code", action="store_true", help="PROGRAM is Python code, as for `python -c`")
    parser.add_argument(
        "program",
        metavar="PROGRAM",
        help="a Python file, a folder with __main__.py, or a notebook (.ipynb); - for standard input",
    )
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="arguments of the program")


def run(args: argparse.Namespace) -> int:
    """Runs the program in this process, as Python would; its exceptions and exit status are the command's.

    Children get the alias, too, whether the program forks, spawns or starts them as commands.

    Args:
        args: the command's arguments.

    Returns:
        int, 0; 1 if it raised an error, which is shown; 2 if there is no such file, or it cannot be read.
    """
    install_as_tensorflow()
    sys.argv = ["-c" if args.code else args.program, *args.arguments]
    sys.path[0] = _first_path(args)
    install_for_children()
    if launched_size()[0] > 1:
        _print_whole_lines()
    try:
        return _run_program(args)
    except notebook.NotebookError as error:
        print(f"ferroflow run: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        shown = error.with_traceback(_program_frames(error.__traceback__))
        add_hint(shown, args.program)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        return 1


def _print_whole_lines() -> None:
    """Writes each line at once, also with PYTHONUNBUFFERED: a launcher mixes the parts that its processes write."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(line_buffering=True, write_through=False)


def _first_path(args: argparse.Namespace) -> str:
    """Returns what Python itself would put first on `sys.path`."""
    if args.module:
        return os.getcwd()
    if args.code or args.program == "-":
        return ""
    program: str = os.path.abspath(args.program)
    return os.path.dirname(program)


def _program_frames(trace: TracebackType | None) -> TracebackType | None:
    """Returns the traceback from the program's first frame on, as Python itself would show it."""
    while trace is not None and trace.tb_frame.f_code.co_filename in _OWN_FILES:
        trace = trace.tb_next
    return trace


def _run_program(args: argparse.Namespace) -> int:
    if args.module:
        runpy.run_module(args.program, run_name="__main__", alter_sys=True)
        return 0
    if args.code:
        _run_text(args.program, "<string>")
        return 0
    if args.program == "-":
        if sys.stdin.isatty():
            code.interact(local=_main_module().__dict__)
        else:
            _run_text(sys.stdin.read(), "<stdin>")
        return 0
    if not os.path.exists(args.program):
        print(f"ferroflow run: no such file: {args.program}", file=sys.stderr)
        return 2
    if args.program.endswith(".ipynb"):
        return notebook.run(args.program, _main_module())
    runpy.run_path(args.program, run_name="__main__")
    return 0


def _main_module() -> ModuleType:
    """Returns a fresh `__main__`, so that the program does not see the command's names."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    return main


def _run_text(text: str, name: str) -> None:
    exec(compile(text, name, "exec"), _main_module().__dict__)

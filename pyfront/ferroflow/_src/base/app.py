"""`tf.app`: the start of a program with flags."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from ferroflow._src.base import flags


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Parses the flags, calls `main` with the remaining arguments, and exits.

    `--help` shows the flags of the main module, `--helpfull` those of all modules.

    Args:
        main: callable with one argument, the rest of `argv`; None for `main` of the main module.
        argv: list of str, the program and its arguments; None for `sys.argv`.

    Raises:
        SystemExit: on every call, with the result of `main`, or 1 after help or a wrong flag.

    Example:
        >>> def main(argv):
        ...     print(argv)
        >>> try:
        ...     tf.app.run(main, argv=["train.py", "data"])
        ... except SystemExit:
        ...     print("done")
        ['train.py', 'data']
        done
    """
    # Not absl.app: it defines flags of its own, among them `log_dir`, which many programs define too.
    _define_help_flags()
    try:
        rest = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    except flags.Error as error:
        sys.stderr.write(f"FATAL Flags parsing error: {error}\n")
        sys.stderr.write("Pass --helpshort or --helpfull to see help on flags.\n")
        sys.exit(1)
    sys.exit((main or sys.modules["__main__"].main)(rest))


def _define_help_flags() -> None:
    if "help" in flags.FLAGS:
        return

    class HelpFlag(flags.BooleanFlag):  # type: ignore[misc]
        """A flag that shows help as soon as it is read."""

        def __init__(self, name: str, words: str, main_module_only: bool, short_name: str | None = None) -> None:
            super().__init__(name, False, words, short_name=short_name)
            self.main_module_only = main_module_only

        def parse(self, arguments: Any) -> None:
            if self._parse(arguments):
                _show_usage(self.main_module_only)
                sys.exit(1)

    flags.DEFINE_flag(HelpFlag("help", "show this help", True, None if "h" in flags.FLAGS else "h"))
    flags.DEFINE_flag(HelpFlag("helpshort", "show this help", True))
    flags.DEFINE_flag(HelpFlag("helpfull", "show full help", False))


def _show_usage(main_module_only: bool) -> None:
    program = sys.argv[0]
    doc = sys.modules["__main__"].__doc__
    if doc:
        # In a docstring, %s stands for the program.
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            doc = doc % ((program,) * (doc.count("%") - 2 * doc.count("%%")))
    else:
        doc = f"\nUSAGE: {program} [flags]\n"
    listing = flags.FLAGS.main_module_help() if main_module_only else str(flags.FLAGS)
    # A reader such as `head` may close the pipe early.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(f"{doc}\nflags:\n{listing}\n" if listing else f"{doc}\n")
        if main_module_only:
            sys.stdout.write("\nTry --helpfull to get a list of all flags.\n")

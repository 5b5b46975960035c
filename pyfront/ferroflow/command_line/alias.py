"""`ferroflow alias`: makes `import tensorflow` import ferroflow in every process of this Python environment."""

from __future__ import annotations

import argparse
import sys

from ferroflow._alias.environment import ALIASES, AliasError, install, remove, site_packages, state

HELP = "make `import tensorflow` import ferroflow in all processes of this Python environment"
EXIT_STATUS = (
    "0; 1 for --status if `import tensorflow` does not import ferroflow; 2 if another package has the name, or the "
    "environment cannot be written"
)

_WORDS = {
    "installed": "gives ferroflow",
    "incomplete": "is half installed: run `ferroflow alias --install` again, or --remove",
    "other": "is another package",
    "absent": "is not installed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument(
        "--install",
        action="store_true",
        help="install packages `tensorflow` and `horovod` that import ferroflow into the environment",
    )
    action.add_argument(
        "--remove", action="store_true", help="remove the packages, and the alias `keras` if it is installed"
    )
    action.add_argument(
        "--status",
        action="store_true",
        help="show which packages `tensorflow`, `horovod` and `keras` are in this environment",
    )
    parser.add_argument(
        "--keras", action="store_true", help="with --install: also install `keras`, which imports tf.keras"
    )


def run(args: argparse.Namespace) -> int:
    """Installs, removes or shows the aliases.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 for --status if `import tensorflow` does not import ferroflow; 2 if another package has the name,
        or the environment cannot be written.
    """
    if args.status:
        return _show_status()
    try:
        if args.remove:
            removed = [alias.name for alias in ALIASES if remove(alias)]
            print(f"Removed from {site_packages()}: {', '.join(removed) or 'nothing, no alias was installed'}")
            return 0
        for alias in ALIASES:
            kind, place = state(alias)
            if alias.name == "horovod" and kind == "other":
                # The finder of `import tensorflow` comes before it.
                print(f"horovod stays ({place}); after `import tensorflow`, `import horovod` imports ferroflow's")
            elif alias.name != "keras" or args.keras:
                print(f"`import {alias.name}` now imports ferroflow: {install(alias)} ({alias.name} {alias.version})")
        return 0
    except AliasError as failure:
        print(f"ferroflow alias: {failure}", file=sys.stderr)
        return 2


def _show_status() -> int:
    kinds = {}
    for alias in ALIASES:
        kind, place = state(alias)
        kinds[alias.name] = kind
        print(f"{alias.name} {_WORDS[kind]}: {place}")
    return 0 if kinds["tensorflow"] == "installed" else 1

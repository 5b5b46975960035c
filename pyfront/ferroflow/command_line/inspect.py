"""`ferroflow inspect`: shows the contents of a checkpoint, a graph, a SavedModel, an event file or a record file."""

from __future__ import annotations

import argparse
import sys

from ferroflow._src.base import errors
from ferroflow.command_line.contents import checkpoints, events, graphs, records
from ferroflow.command_line.model_files import FileKind, NotReadable, kind_of

__all__ = ["HELP", "add_arguments", "run"]

HELP = "show the contents of a checkpoint, graph, SavedModel, event file or record file"

_CONTENTS = {
    FileKind.CHECKPOINT: checkpoints,
    FileKind.GRAPH: graphs,
    FileKind.META_GRAPH: graphs,
    FileKind.SAVED_MODEL: graphs,
    FileKind.EVENTS: events,
    FileKind.RECORDS: records,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "path",
        metavar="PATH",
        help="a file, a checkpoint's prefix, or a folder with a checkpoint, SavedModel or event files",
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        help="print only the values of one part: a checkpoint's tensor, a graph's node, signature or collection, a"
        " summary's tag, a feature or a record's index; may be given several times",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the contents.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 where a key is not there or the file is damaged; 2 where it cannot be read.
    """
    try:
        contents = _CONTENTS[kind_of(args.path)]
        if not args.key:
            contents.show(args.path)
        missing = [key for key in args.key if not contents.show_key(args.path, key)]
    except (NotReadable, OSError) as failure:
        print(f"ferroflow inspect: {failure}", file=sys.stderr)
        return 2
    except errors.OpError as failure:
        print(f"ferroflow inspect: {failure.message}", file=sys.stderr)
        return 1
    for key in missing:
        print(f"ferroflow inspect: {args.path} has no {key}", file=sys.stderr)
    return 1 if missing else 0

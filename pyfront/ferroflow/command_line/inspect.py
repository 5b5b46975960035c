"""`ferroflow inspect`: shows the contents of a checkpoint, graph, SavedModel, event file, record file or npz file."""

from __future__ import annotations

import argparse
import difflib
import json
import sys

from ferroflow._src.base import errors
from ferroflow.command_line.contents import arrays, checkpoints, events, graphs, records
from ferroflow.command_line.model_files import FileKind, NotReadable, kind_of
from ferroflow.command_line.tables import as_report

HELP = "show the contents of a checkpoint, graph, SavedModel, event file, record file or npz file"
EXIT_STATUS = "0; 1 if a key does not exist or the file is damaged; 2 if the file cannot be read"

_CONTENTS = {
    FileKind.CHECKPOINT: checkpoints,
    FileKind.GRAPH: graphs,
    FileKind.META_GRAPH: graphs,
    FileKind.SAVED_MODEL: graphs,
    FileKind.EVENTS: events,
    FileKind.RECORDS: records,
    FileKind.ARRAYS: arrays,
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
        help="print only the values of one part: a checkpoint's tensor, an npz file's array, a graph's node,"
        " signature or collection, a summary's tag, a feature or a record's index; may be given several times",
    )
    parser.add_argument("--json", action="store_true", help="print the contents as JSON")


def run(args: argparse.Namespace) -> int:
    """Prints the contents.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 if a key does not exist or the file is damaged; 2 if the file cannot be read.
    """
    try:
        if args.json:
            return _print_json(args)
        return _show(args)
    except (NotReadable, OSError) as failure:
        print(f"ferroflow inspect: {failure}", file=sys.stderr)
        return 2
    except errors.OpError as failure:
        print(f"ferroflow inspect: {failure.message}", file=sys.stderr)
        return 1


def _show(args: argparse.Namespace) -> int:
    contents = _CONTENTS[kind_of(args.path)]
    if not args.key:
        contents.show(args.path)
        return 0
    missing = [key for key in args.key if not contents.show_key(args.path, key)]
    known = contents.keys(args.path) if missing else []
    for key in missing:
        near = difflib.get_close_matches(key, known, 3)
        # A part of a name is what people remember.
        near += [name for name in known if key in name and name not in near][: 3 - len(near)]
        advice = f"; near are {', '.join(near)}" if near else ""
        print(f"ferroflow inspect: {args.path} has no {key}{advice}", file=sys.stderr)
    return 1 if missing else 0


def _print_json(args: argparse.Namespace) -> int:
    with as_report() as report:
        status = _show(args)
    found = {"path": args.path, "kind": kind_of(args.path).value, **vars(report)}
    print(json.dumps(found, indent=1))
    return status

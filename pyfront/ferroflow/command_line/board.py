"""`ferroflow board`: TensorBoard for a folder of event files."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys

HELP = "start TensorBoard, if it is installed"
EXIT_STATUS = "that of TensorBoard; 1 if TensorBoard is not installed; 2 if the folder does not exist"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("logdir", metavar="LOGDIR", help="the folder with the event files; subfolders are included")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="arguments of TensorBoard")


def run(args: argparse.Namespace) -> int:
    """Starts TensorBoard in place of this process.

    Args:
        args: the command's arguments.

    Returns:
        int: 1 if TensorBoard is not installed, 2 if there is no such folder; otherwise TensorBoard's status.
    """
    if not os.path.isdir(args.logdir):
        print(f"ferroflow board: folder does not exist: {args.logdir}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("tensorboard") is None:
        print(
            f"ferroflow board: TensorBoard is not installed. Install it with\n    {sys.executable} -m pip install"
            " tensorboard",
            file=sys.stderr,
        )
        return 1
    command = [sys.executable, "-m", "ferroflow.command_line.board_process", "--logdir", args.logdir]
    command += args.arguments
    sys.stdout.flush()
    # In place of this process: its signals, output and status are TensorBoard's.
    os.execv(sys.executable, command)

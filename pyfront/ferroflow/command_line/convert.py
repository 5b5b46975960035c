"""`ferroflow convert`: tensors from a checkpoint, an npz or a safetensors file into another of these."""

from __future__ import annotations

import argparse
import sys

from ferroflow._src.base import errors
from ferroflow.command_line.model_files import NotReadable
from ferroflow.command_line.tensor_files import format_of, read, types_of, write

HELP = "write the tensors of a checkpoint, npz or safetensors file in another of these formats"
EXIT_STATUS = (
    "0; 1 if the target's format lacks a tensor's type or data are damaged; 2 if a file cannot be read or written"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "source", metavar="SOURCE", help="a .npz or .safetensors file, or a checkpoint's prefix or folder"
    )
    parser.add_argument("target", metavar="TARGET", help="a .npz or .safetensors file; else a checkpoint's prefix")
    parser.add_argument(
        "--skip", action="store_true", help="skip tensors whose type the target's format lacks, instead of failing"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the target.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 if the target's format lacks a tensor's type (nothing is written), or data are damaged; 2 if a
        file cannot be read or written.
    """
    kind = format_of(args.target)
    if kind is None:
        print(
            f"ferroflow convert: {args.target}: the target's name ends with .npz or .safetensors; a checkpoint's "
            "prefix has no ending, or .ckpt or .ckpt-STEP",
            file=sys.stderr,
        )
        return 2
    try:
        tensors = read(args.source)
        fitting = [tensor for tensor in tensors if tensor.dtype in types_of(kind)]
        lacking = [tensor for tensor in tensors if tensor.dtype not in types_of(kind)]
        for tensor in lacking:
            reason = f"{tensor.name}: {tensor.dtype.name}, a type that {kind} files lack"
            print(f"{'left out: ' if args.skip else ''}{reason}", file=sys.stderr)
        if lacking and not args.skip:
            print("ferroflow convert: nothing was written (--skip skips these tensors)", file=sys.stderr)
            return 1
        write(args.target, fitting)
    except (NotReadable, OSError) as failure:
        print(f"ferroflow convert: {failure}", file=sys.stderr)
        return 2
    except errors.OpError as failure:
        print(f"ferroflow convert: {failure.message}", file=sys.stderr)
        return 1
    left_out = f", {len(lacking)} left out" if lacking else ""
    print(f"{args.target}: {len(fitting)} tensors{left_out}")
    return 0

"""`ferroflow convert`: tensors from a checkpoint, npz or safetensors file into another; frozen graphs into ONNX."""

from __future__ import annotations

import argparse
import os
import sys

from ferroflow._src.base import errors
from ferroflow._src.framework.graph_files import replace_file
from ferroflow.command_line.interface import interface
from ferroflow.command_line.model_files import NotReadable, meta_graph_of
from ferroflow.command_line.onnx_export.calls import NotConvertible
from ferroflow.command_line.onnx_export.export import export
from ferroflow.command_line.tables import print_table, size_text
from ferroflow.command_line.tensor_files import format_of, read, types_of, write

HELP = "write tensors as a checkpoint, npz or safetensors file, or a frozen graph as ONNX"
EXIT_STATUS = (
    "0; 1 if the target's format lacks a tensor's type or an operation, or data are damaged; "
    "2 if a file cannot be read or written"
)
_ONNX = ".onnx"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a .npz or .safetensors file, or a checkpoint's prefix or folder; for ONNX a file with a frozen graph",
    )
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="a .npz, .safetensors or .onnx file; else a checkpoint's prefix; with --to, SOURCE with that ending",
    )
    parser.add_argument("--to", choices=["onnx"], help="the target's format, where no TARGET is given")
    parser.add_argument(
        "--outputs", help="for ONNX: names of the output nodes, separated by commas; default: those that no node reads"
    )
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
    if args.target is None:
        if args.to is None:
            print("ferroflow convert: the target is missing: give a file, or --to onnx", file=sys.stderr)
            return 2
        args.target = os.path.splitext(args.source)[0] + _ONNX
    if args.target.endswith(_ONNX):
        return _to_onnx(args)
    if args.to is not None:
        print(f"ferroflow convert: {args.target}: --to onnx needs a name that ends with {_ONNX}", file=sys.stderr)
        return 2
    kind = format_of(args.target)
    if kind is None:
        print(
            f"ferroflow convert: {args.target}: the target's name ends with .npz, .safetensors or .onnx; a "
            "checkpoint's prefix has no ending, or .ckpt or .ckpt-STEP",
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


def _to_onnx(args: argparse.Namespace) -> int:
    """Writes a frozen graph as an ONNX file; nothing is written unless all of it converts."""
    try:
        graph_def = meta_graph_of(args.source).graph_def
        if args.outputs:
            outputs = [name.strip() for name in args.outputs.split(",")]
        else:
            outputs = [end.name for end in interface(graph_def) if end.kind == "output"]
        if not outputs:
            raise NotReadable(f"{args.source}: a graph without outputs; name them with --outputs")
        content = export(graph_def, outputs)
        replace_file(args.target, content)
    except ModuleNotFoundError as failure:
        if failure.name != "onnx":
            raise
        print("ferroflow convert: ONNX needs the package onnx: pip install 'ferroflow[onnx]'", file=sys.stderr)
        return 2
    except (NotReadable, OSError) as failure:
        print(f"ferroflow convert: {failure}", file=sys.stderr)
        return 2
    except NotConvertible as failure:
        for line in str(failure).splitlines():
            print(f"ferroflow convert: {line}", file=sys.stderr)
        print("ferroflow convert: nothing was written; docs/onnx.md lists what converts", file=sys.stderr)
        return 1
    except (errors.OpError, ValueError) as failure:
        print(f"ferroflow convert: {getattr(failure, 'message', failure)}", file=sys.stderr)
        return 1
    print(f"{args.target}: {size_text(len(content))}, for {', '.join(outputs)}")
    ends = [
        (end.kind, end.name, end.dtype, end.shape) for end in interface(graph_def, [_node(name) for name in outputs])
    ]
    print_table(("", "name", "dtype", "shape"), ends)
    return 0


def _node(tensor: str) -> str:
    return tensor.partition(":")[0]

"""`ferroflow doctor`: shows the properties of this machine and this installation."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path

from ferroflow import _core
from ferroflow._src.base.version import VERSION
from ferroflow.command_line.tables import print_table

HELP = "show versions, processors and the installed packages"
EXIT_STATUS = "0; 1 if a package that ferroflow needs is missing"

_FEATURES = ("avx2", "fma", "f16c", "avx512f", "avx512vl", "avx512_bf16")
_NEEDED = ("numpy", "protobuf", "absl-py", "rich")
# The packages of the extras, and that of progress bars.
_OPTIONAL = ("fsspec", "h5py", "ml_dtypes", "mpi4py", "onnx", "ray", "tensorboard", "tqdm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _processor() -> tuple[str, list[str]]:
    """Returns the processor's name and which of the features that kernels use it has."""
    name, flags = platform.processor() or platform.machine(), set()
    information = Path("/proc/cpuinfo")
    for line in information.read_text(encoding="utf-8").splitlines() if information.exists() else ():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
        elif key.strip() == "flags":
            flags = set(value.split())
    return name, [feature for feature in _FEATURES if feature in flags]


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(args: argparse.Namespace) -> int:
    """Prints the installation.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 if a package that ferroflow needs is missing.
    """
    processor, features = _processor()
    rows = [
        ("ferroflow", f"{_core.__version__}, {len(_core.op_names())} operations"),
        ("interface", f"TensorFlow {VERSION}"),
        ("Python", f"{platform.python_version()} at {sys.executable}"),
        ("system", platform.platform()),
        ("processor", processor),
        ("vector instructions", ", ".join(features) or "none that kernels use"),
        ("threads of a session", str(len(os.sched_getaffinity(0)))),
    ]
    missing = False
    for package in (*_NEEDED, *_OPTIONAL):
        version = _version(package)
        missing |= version is None and package in _NEEDED
        rows.append((package, version or ("missing" if package in _NEEDED else "not installed (optional)")))
    if args.json:
        print(json.dumps(dict(rows), indent=1))
    else:
        print_table((), rows)
    return int(missing)

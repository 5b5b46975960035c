"""Graphs written to files."""

from __future__ import annotations

import os

from ferroflow import _core
from ferroflow._src.base import proto
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.framework.graph import Graph


def local_path(name: str | os.PathLike[str]) -> str:
    """Returns the path of a file name, which may begin with the scheme of local files."""
    return os.fspath(name).removeprefix("file://")


def replace_file(name: str, contents: bytes) -> None:
    """Writes a file whole: who reads meanwhile, or after a crash, finds the old contents or the new ones.

    Raises:
        tf.errors.OpError: if the file cannot be written, with the class for the system's error.
    """
    with engine_errors():
        _core.replace_file(name, contents)


def write_graph(graph_or_graph_def: Graph | proto.GraphDef, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file; the folder is made if it is missing.

    Args:
        graph_or_graph_def: a `Graph`, or a message such as a `GraphDef`.
        logdir: str, the folder.
        name: str, the file's name.
        as_text: bool. If True, write protobuf's text format rather than its binary one.

    Returns:
        str, the file's path.
    """
    message = graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) else graph_or_graph_def
    folder = local_path(logdir)
    if folder:
        os.makedirs(folder, exist_ok=True)
    path = os.path.join(logdir, name)
    contents = proto.text_format().MessageToString(message).encode() if as_text else message.SerializeToString()
    replace_file(path, contents)
    return path

"""Graphs written to files."""

from __future__ import annotations

import os

from ferroflow import _core
from ferroflow._src.base import proto
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.base.files.failures import path_of
from ferroflow._src.base.files.remote import RemoteFile
from ferroflow._src.base.files.system import make_directories
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.framework.graph import Graph


def local_path(name: str | os.PathLike[str]) -> str:
    """Returns the path of a file name, which may begin with the scheme of local files.

    Raises:
        tf.errors.UnimplementedError: if the name is a URL of another scheme.
    """
    return path_of(name)


def replace_file(name: str, contents: bytes) -> None:
    """Writes a file whole: who reads meanwhile, or after a crash, finds the old contents or the new ones.

    Args:
        name: str, a path or URL.
        contents: bytes.

    Raises:
        tf.errors.OpError: if the file cannot be written, with the class for the system's error.
    """
    if is_remote(name):
        RemoteFile(name).replace(contents)
        return
    with engine_errors():
        _core.replace_file(name, contents)


def write_graph(graph_or_graph_def: Graph | proto.GraphDef, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file; the folder is made if it is missing.

    Args:
        graph_or_graph_def: a `Graph`, or a message such as a `GraphDef`.
        logdir: str, the folder; a path or URL.
        name: str, the file's name.
        as_text: bool. If True, write protobuf's text format rather than its binary one.

    Returns:
        str, the file's path.
    """
    message = graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) else graph_or_graph_def
    if is_remote(logdir):
        make_directories(logdir)
    elif local_path(logdir):
        os.makedirs(local_path(logdir), exist_ok=True)
    path = os.path.join(logdir, name)
    contents = proto.text_format().MessageToString(message).encode() if as_text else message.SerializeToString()
    replace_file(path, contents)
    return path

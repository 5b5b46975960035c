"""Assets: files that a graph reads, such as vocabularies, and that a SavedModel contains."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes, errors, proto, tf_logging
from ferroflow._src.base.files.staging import fetched, fetched_folder, kept
from ferroflow._src.base.files.system import copy as copy_file, exists, make_directories
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.base.stored_messages import stored_message
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.scope_names import prepend_name_scope
from ferroflow._src.saved_model import constants

_TYPE_URL = "type.googleapis.com/tensorflow.AssetFileDef"


def _path_of(tensor: Any) -> str:
    """Returns the path that a constant holds."""
    if not isinstance(tensor, Tensor):
        raise TypeError("Asset path tensor must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError("Asset path tensor must be of type constant.")
    if tensor.dtype != dtypes.string:
        raise TypeError("Asset path tensor must be of dtype string.")
    value = constant_value(tensor)
    if value.size != 1:
        raise TypeError("Asset path tensor must be a scalar.")
    path = os.fsdecode(value.item())
    if not path:
        raise ValueError(f"Invalid asset filepath tensor {tensor}")
    return path


def file_name(path: str, sources: dict[str, str]) -> str:
    """Returns the name under which a file is kept: its own, with a number if another file has that already.

    Args:
        path: str, the file.
        sources: dict of the paths of other files by the names that they are kept under.

    Raises:
        tf.errors.NotFoundError: if two files of one name must be compared, and one is missing.
    """
    own = os.path.basename(path)
    name = own
    number = 0
    while name in sources and not _same_content(path, sources[name]):
        number += 1
        name = f"{own}_{number}"
    return name


def _same_content(path: str, other: str) -> bool:
    if path == other:
        return True
    # Names, so that the copies stay until they are compared.
    copy, other_copy = fetched(path), fetched(other)
    try:
        return filecmp.cmp(copy.path, other_copy.path, shallow=False)
    except FileNotFoundError as failure:
        raise _missing(failure) from None


def _missing(failure: FileNotFoundError) -> errors.NotFoundError:
    return errors.NotFoundError(None, None, f"{failure.filename}; No such file or directory")


def add_assets(graph: Graph, tensors: Iterable[Any] | None) -> dict[str, str]:
    """Adds the names of assets to their collection of the graph.

    Args:
        graph: the `Graph`.
        tensors: scalar string constants with the paths of files, or None.

    Returns:
        Dict of the files' paths by the names that they are kept under.

    Raises:
        TypeError: if an asset is not a scalar string constant.
        ValueError: if an asset's path is empty.
        tf.errors.NotFoundError: if two files of one name must be compared, and one is missing.
    """
    sources: dict[str, str] = {}
    for tensor in tensors or ():
        path = _path_of(tensor)
        name = file_name(path, sources)
        sources[name] = path
        asset = proto.AssetFileDef(filename=name, tensor_info=proto.TensorInfo(name=tensor.name))
        held = proto.CollectionDef.AnyList().value.add(type_url=_TYPE_URL, value=asset.SerializeToString())
        # A graph that is added several times, with other tags, names its assets once.
        if held not in graph.get_collection(constants.ASSETS_KEY):
            graph.add_to_collection(constants.ASSETS_KEY, held)
    return sources


def copy_assets(sources: dict[str, str], export_dir: str) -> None:
    """Copies files to the folder of assets; TF 1.x: an existing file is not replaced.

    Args:
        sources: dict of paths by the names to give them.
        export_dir: str, the SavedModel's folder.

    Raises:
        tf.errors.NotFoundError: if a file is missing.
        tf.errors.OpError: if a copy cannot be written, of the subclass for the cause.
    """
    if not sources:
        tf_logging.info("No assets to write.")
        return
    folder = os.path.join(export_dir, constants.ASSETS_DIRECTORY)
    make_directories(folder)
    for name, path in sources.items():
        copy = os.path.join(folder, name)
        if not exists(copy):
            copy_file(path, copy)
    tf_logging.info("Assets written to: %s", folder)


def asset_paths(meta_graph_def: Any, export_dir: str, import_scope: str | None) -> dict[str, str]:
    """Returns the paths of a loaded graph's assets by the names of the tensors that read them.

    Args:
        meta_graph_def: the graph's message.
        export_dir: str, the SavedModel's folder; of a URL, the paths are those of local copies.
        import_scope: str, the name scope that the graph was imported into.
    """
    # TF 1.13 and later may have them in a field of their own.
    assets = list(meta_graph_def.asset_file_def)
    if not assets and constants.ASSETS_KEY in meta_graph_def.collection_def:
        held = meta_graph_def.collection_def[constants.ASSETS_KEY].any_list.value
        assets = [stored_message(proto.AssetFileDef, item.value, f"{export_dir}: an asset") for item in held]
    folder = os.path.join(export_dir, constants.ASSETS_DIRECTORY)
    if assets and is_remote(folder):
        folder = kept(fetched_folder(folder))
    return {
        prepend_name_scope(asset.tensor_info.name, import_scope): os.path.join(folder, asset.filename)
        for asset in assets
    }

"""SavedModels read from folders and loaded into sessions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import errors, proto, tf_logging
from ferroflow._src.base.files.staging import fetched
from ferroflow._src.base.files.system import exists
from ferroflow._src.base.files.urls import shown_name
from ferroflow._src.checkpoint.meta_graph import import_meta_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.scope_names import prepend_name_scope
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.assets import asset_paths
from ferroflow._src.session.session import BaseSession

# The collections that name what to run after loading, first to last, and the message if one names several.
_INITIALIZERS = (
    (constants.MAIN_OP_KEY, "Expected exactly one SavedModel main op."),
    (constants.LEGACY_INIT_OP_KEY, "Expected exactly one legacy serving init op."),
)


def _files(export_dir: str | os.PathLike[str]) -> tuple[str, str]:
    """Returns the paths of the binary and of the text file."""
    folder = shown_name(export_dir)
    return (
        os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB),
        os.path.join(folder, constants.SAVED_MODEL_FILENAME_PBTXT),
    )


def maybe_saved_model_directory(export_dir: str | os.PathLike[str]) -> bool:
    """Returns True if a folder has the file of a SavedModel, which may still be damaged.

    Args:
        export_dir: str, the folder.

    Returns:
        bool.
    """
    return any(exists(path) for path in _files(export_dir))


def _content(name: str) -> bytes:
    copy = fetched(name)
    with open(copy.path, "rb") as file:
        return file.read()


def parse_saved_model(export_dir: str | os.PathLike[str]) -> Any:
    """Reads the file of a SavedModel: the binary one, or else that in text format.

    Args:
        export_dir: str, the folder.

    Returns:
        A SavedModel message.

    Raises:
        IOError: if the file does not exist, or it cannot be parsed.
    """
    binary, text = _files(export_dir)
    message = proto.SavedModel()
    if exists(binary):
        content = _content(binary)
        try:
            message.ParseFromString(content)
        except Exception as error:
            # protobuf's classes of errors differ by its implementations.
            raise OSError(f"Cannot parse file {binary}: {error}.") from None
        return message
    if exists(text):
        content = _content(text)
        text_format = proto.text_format()
        try:
            text_format.Merge(content.decode("utf-8"), message)
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {text}: {error}.") from None
        return message
    names = f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
    raise OSError(f"SavedModel file does not exist at: {os.fsdecode(export_dir)}/{names}")


def meta_graph_with_tags(saved_model: Any, tags: Iterable[str]) -> Any:
    """Returns the MetaGraphDef message of a SavedModel that has exactly the given tags.

    Args:
        saved_model: SavedModel message.
        tags: iterable of str.

    Raises:
        RuntimeError: if no graph has these tags.
    """
    wanted = set(tags)
    for message in saved_model.meta_graphs:
        if set(message.meta_info_def.tags) == wanted:
            return message
    available = [sorted(message.meta_info_def.tags) for message in saved_model.meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in SavedModel, which has the "
        f"tag-sets {available}. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: "
        "`saved_model_cli`"
    )


def initializer_of(graph: Graph, meta_graph_def: Any, scope: str | None) -> Any:
    """Returns the operation that the graph runs after loading, or None.

    Args:
        graph: the `Graph` that has the nodes.
        meta_graph_def: MetaGraphDef message.
        scope: str, the name scope of the nodes, or None.

    Raises:
        RuntimeError: if the message names several operations.
        tf.errors.NotFoundError: if the graph lacks the operation.
    """
    key = constants.INIT_OP_SIGNATURE_KEY
    if key in meta_graph_def.signature_def:
        name = meta_graph_def.signature_def[key].outputs[key].name
        try:
            return graph.as_graph_element(prepend_name_scope(name, scope))
        except KeyError:
            raise errors.NotFoundError(None, None, f"The key {key} could not be found in the graph.") from None
    for key, complaint in _INITIALIZERS:
        if key in meta_graph_def.collection_def:
            names = meta_graph_def.collection_def[key].node_list.value
            if len(names) != 1:
                raise RuntimeError(complaint)
            return graph.as_graph_element(prepend_name_scope(names[0], scope))
    return None


def load(
    sess: BaseSession,
    tags: Iterable[str],
    export_dir: str | os.PathLike[str],
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Adds a graph of a SavedModel to a session's graph, restores its variables and runs its initializer.

    Args:
        sess: the session.
        tags: the graph's tags, all of them.
        export_dir: str, the SavedModel's folder, a path or URL.
        import_scope: str, a name scope for all that is added; names in the result are without it.
        **saver_kwargs: further arguments of `tf.train.import_meta_graph`.

    Returns:
        The graph's MetaGraphDef message, which has its signatures.

    Raises:
        IOError: if the folder has no file of a SavedModel, or a damaged one.
        RuntimeError: if no graph has these tags, or it names several initializers.
        tf.errors.NotFoundError: if a variable is not among the saved ones, or an asset is missing.
        tf.errors.DataLossError: if the variables are damaged.
    """
    graph = sess.graph
    folder = shown_name(export_dir)
    with graph.as_default():
        message = meta_graph_with_tags(parse_saved_model(export_dir), tags)
        # The scope that the import will make unique.
        scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else None
        saver = import_meta_graph(message, import_scope=import_scope, **saver_kwargs)
        if saver is not None:
            prefix = os.path.join(folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
            saver.restore(sess, prefix)
        else:
            tf_logging.info("The specified SavedModel has no variables; no checkpoints were restored.")
        initializer = initializer_of(graph, message, scope)
        if initializer is not None:
            sess.run(initializer, feed_dict=asset_paths(message, folder, scope))
    return message

"""`tensorflow.python.tools.saved_model_utils`: the messages of a SavedModel's file."""

from __future__ import annotations

from typing import Any

from ferroflow._src.saved_model.loader import meta_graph_with_tags, parse_saved_model as read_saved_model

__all__ = ["get_meta_graph_def", "get_saved_model_tag_sets", "read_saved_model"]


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """Returns the tags of each graph in a SavedModel.

    Args:
        saved_model_dir: str, its folder.

    Returns:
        list of lists of str.

    Raises:
        IOError: if the folder has no SavedModel, or its file cannot be parsed.
    """
    return [list(message.meta_info_def.tags) for message in read_saved_model(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir: str, tag_set: str) -> Any:
    """Returns the graph of a SavedModel that has exactly the given tags.

    Args:
        saved_model_dir: str, its folder.
        tag_set: str, the tags, separated by commas.

    Returns:
        MetaGraphDef message.

    Raises:
        IOError: if the folder has no SavedModel, or its file cannot be parsed.
        RuntimeError: if no graph has these tags.
    """
    return meta_graph_with_tags(read_saved_model(saved_model_dir), tag_set.split(","))

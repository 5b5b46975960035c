"""The messages of SavedModels, and the tags of their graphs."""

from __future__ import annotations

import os
from typing import Any

from ferroflow._src.saved_model.loader import parse_saved_model

__all__ = ["get_saved_model_tag_sets", "read_saved_model"]


def read_saved_model(saved_model_dir: str | os.PathLike[str]) -> Any:
    """Reads the file of a SavedModel.

    Args:
        saved_model_dir: str, the folder.

    Returns:
        SavedModel message.

    Raises:
        IOError: if the file does not exist, or it cannot be parsed.
    """
    return parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: str | os.PathLike[str]) -> list[list[str]]:
    """Returns the tags of each graph of a SavedModel.

    Args:
        saved_model_dir: str, the folder.

    Returns:
        list of lists of str, one list for each graph.

    Raises:
        IOError: if the file does not exist, or it cannot be parsed.
    """
    return [list(graph.meta_info_def.tags) for graph in read_saved_model(saved_model_dir).meta_graphs]

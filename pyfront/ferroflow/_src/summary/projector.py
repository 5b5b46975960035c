"""Configuration of TensorBoard's embedding projector, in a file next to the events."""

from __future__ import annotations

import os

from ferroflow._src.base import proto
from ferroflow._src.base.files.urls import shown_name
from ferroflow._src.framework.graph_files import replace_file
from ferroflow._src.summary.file_writer import FileWriter

# The name that the projector reads.
_FILE_NAME = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: FileWriter, config: object) -> None:
    """Writes the projector's configuration into a writer's folder.

    Args:
        summary_writer: `FileWriter`.
        config: `ProjectorConfig` message; without the path of a checkpoint the latest one of that folder is shown.

    Raises:
        ValueError: if the writer has no folder.
        tf.errors.OpError: if the file cannot be written.

    Example:
        >>> projector = tf.contrib.tensorboard.plugins.projector
        >>> config = projector.ProjectorConfig()
        >>> embedding = config.embeddings.add(tensor_name="words", metadata_path="words.tsv")
        >>> projector.visualize_embeddings(tf.summary.FileWriter("logs"), config)
        >>> print(tf.gfile.Exists("logs/projector_config.pbtxt"))
        True
    """
    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    text = proto.text_format().MessageToString(config)
    replace_file(os.path.join(shown_name(folder), _FILE_NAME), text.encode("utf-8"))

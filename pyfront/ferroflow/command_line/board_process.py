"""TensorBoard, as `ferroflow board` starts it: its projector reads checkpoints by ferroflow."""

from __future__ import annotations

import importlib
import sys

import ferroflow


def main() -> None:
    """Runs TensorBoard with the process's arguments.

    Event files are read by TensorBoard's own reader, which follows files that grow; TensorFlow's would be called for
    functions that TensorFlow 1.15 lacks.
    """
    plugin = importlib.import_module("tensorboard.plugins.projector.projector_plugin")
    plugin.tf = ferroflow  # type: ignore[attr-defined]  # the name by which it imports TensorFlow
    sys.argv[0] = "tensorboard"
    importlib.import_module("tensorboard.main").run_main()


if __name__ == "__main__":
    main()

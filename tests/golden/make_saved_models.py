"""Writes the SavedModels of saved_model_programs.py.

Run with TensorFlow 2.21: `python tests/golden/make_saved_models.py`.
"""

from __future__ import annotations

import pathlib
import shutil
import tempfile

import saved_model_programs
import tensorflow.compat.v1 as tf

OUT = pathlib.Path(__file__).with_name("saved_models")

if __name__ == "__main__":
    tf.disable_v2_behavior()
    shutil.rmtree(OUT, ignore_errors=True)
    # The graph has the asset's path at the time of saving in it, which is not to be found when it is loaded.
    with tempfile.TemporaryDirectory() as folder:
        saved_model_programs.save(tf, folder)
        pathlib.Path(folder, "words.txt").unlink()
        shutil.copytree(folder, OUT)

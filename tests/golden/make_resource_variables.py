"""Writes resource_variables: what the programs of resource_variable_programs.py find, and the files that one writes.

Run with TensorFlow 2.21: `python tests/golden/make_resource_variables.py`.
"""

from __future__ import annotations

import json
import pathlib
import shutil

import resource_variable_programs as programs
import tensorflow.compat.v1 as tf

OUT = pathlib.Path(__file__).with_name("resource_variables")

if __name__ == "__main__":
    tf.disable_v2_behavior()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    found = {"files": programs.save(tf, str(OUT)), "training": {}}
    for name in programs.OPTIMIZERS:
        found["training"][name] = programs.build_and_train(tf, name)
    (OUT / "found.json").write_text(json.dumps(found, indent=1) + "\n")

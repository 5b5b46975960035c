"""Writes contrib_models.json.xz: what programs of parts of `tf.contrib` that train models give on TensorFlow 1.15.

/path/to/tensorflow-1.15/bin/python tests/golden/make_contrib_models.py
"""

import json
import lzma
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import contrib_model_programs
import contrib_pruning_programs
import tensorflow as tf
import worker_optimizer_programs as workers

FOUND = {
    "pruning": {name: contrib_pruning_programs.run(tf, p) for name, p in contrib_pruning_programs.PROGRAMS.items()},
    "models": {name: contrib_model_programs.run(tf, p) for name, p in contrib_model_programs.PROGRAMS.items()},
    "alone": {kind: workers.alone(tf, kind) for kind in workers.KINDS},
    "cluster": {kind: workers.cluster(tf, kind) for kind in workers.KINDS},
}
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_models.json.xz")
with lzma.open(FILE, "wt") as golden:
    json.dump(FOUND, golden, indent=1)

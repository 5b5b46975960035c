"""Writes rare_ops.json: what TensorFlow 1.15.5 makes of `rare_op_programs`."""

import json
import lzma
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import tensorflow.compat.v1 as tf  # noqa: E402
from golden.rare_op_programs import CASES, LMDB_CASES, lmdb_case, outcome  # noqa: E402

if __name__ == "__main__":
    made = {name: outcome(tf, case) for name, case in CASES.items()}
    with tempfile.TemporaryDirectory() as folder:
        with lzma.open(os.path.join(HERE, "lmdb", "data.mdb.xz")) as packed:
            contents = packed.read()
        with open(os.path.join(folder, "data.mdb"), "wb") as plain:
            plain.write(contents)
        made.update({name: outcome(tf, lmdb_case(folder, name)) for name in LMDB_CASES})
    with open(os.path.join(HERE, "rare_ops.json"), "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")

"""Writes parsing.json and records.json: what TensorFlow makes of `parsing_programs`, and record files it wrote.

Run with a Python that has TensorFlow 2.
"""

import base64
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from parsing_programs import CASES, outcome  # noqa: E402

RECORDS = [b"", b"one", b"\x00\xff" * 20, b"last"]


def _record_file(compression: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with tf.python_io.TFRecordWriter(path, compression) as writer:
            for record in RECORDS:
                writer.write(record)
        with open(path, "rb") as file:
            return base64.b64encode(file.read()).decode()


def _write(name: str, value: object) -> None:
    with open(os.path.join(HERE, name), "w") as file:
        json.dump(value, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    tf.disable_v2_behavior()
    _write("parsing.json", {name: outcome(tf, case) for name, case in CASES.items()})
    files = {compression: _record_file(compression) for compression in ("", "ZLIB", "GZIP")}
    _write("records.json", {"records": [record.decode("latin-1") for record in RECORDS], "files": files})

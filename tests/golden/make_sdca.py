"""Writes sdca.json: the results of the programs in sdca_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_sdca.py`.
"""

import json
import pathlib

import tensorflow as tf
from sdca_programs import results

OUT = pathlib.Path(__file__).with_name("sdca.json")

if __name__ == "__main__":
    rows = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in results(tf).items())
    OUT.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")

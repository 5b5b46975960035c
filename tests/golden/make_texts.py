"""Writes texts.json: what TensorFlow makes of `text_programs`.

With TensorFlow 2, `python make_texts.py` writes all cases. With TensorFlow 1.15.5, `python make_texts.py regex_replace`
then writes those whose names hold this word: there, groups that a pattern lacks are empty.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from text_programs import CASES, outcome  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    path = os.path.join(HERE, "texts.json")
    made = {}
    if len(sys.argv) > 1:
        with open(path) as file:
            made = json.load(file)
    made.update({name: outcome(tf, case) for name, case in CASES.items() if all(word in name for word in sys.argv[1:])})
    with open(path, "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")

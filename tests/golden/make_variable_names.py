"""Writes variable_names.json, scopes.json and initial_values.json: what TensorFlow 2 makes of `variable_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from variable_programs import (  # noqa: E402
    INITIALIZERS,
    PROGRAMS,
    RANDOM_PROGRAMS,
    describe,
    initial_value,
    random_scopes,
)


def write(name, content):
    """Writes JSON of one line for each key."""
    lines = [f"{json.dumps(key)}:{json.dumps(content[key], separators=(',', ':'))}" for key in sorted(content)]
    with open(os.path.join(HERE, name), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    tf.disable_v2_behavior()
    write("variable_names.json", {program.__name__: describe(tf, program) for program in PROGRAMS})
    write("scopes.json", {f"{seed:03}": random_scopes(tf, seed) for seed in range(RANDOM_PROGRAMS)})
    write("initial_values.json", {case: initial_value(tf, tf.initializers, case) for case in INITIALIZERS})

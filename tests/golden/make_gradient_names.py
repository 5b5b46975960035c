"""Writes gradient_names.json: the graphs that TensorFlow makes of `gradient_programs`.

With TensorFlow 1.15 it writes the part "1.15"; with 2.21 the part "2.21", of the programs whose gradients take fewer
nodes in TensorFlow 2 and here. Gradients of means are TensorFlow 1.15's in these programs as well; the part "means of
1.15" has them.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from gradient_programs import PROGRAMS, describe, with_first_seeds  # noqa: E402

if __name__ == "__main__":
    path = os.path.join(HERE, "gradient_names.json")
    with open(path) as file:
        made = json.load(file)
    is_first = tf.__version__.startswith("1.")
    if not is_first:
        tf.disable_v2_behavior()
    part = made["1.15" if is_first else "2.21"]
    for program in PROGRAMS:
        if program.__name__ in part:
            found = describe(tf, program)
            part[program.__name__] = found if is_first else with_first_seeds(found)
    if is_first:
        for program in PROGRAMS:
            if program.__name__ in made["means of 1.15"]:
                nodes = describe(tf, program)["nodes"]
                made["means of 1.15"][program.__name__] = [n for n in nodes if n[0].startswith("gradients/Mean_grad/")]
    with open(path, "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")

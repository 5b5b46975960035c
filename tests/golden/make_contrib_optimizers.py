"""Writes contrib_optimizers.json: what TensorFlow makes of `contrib_optimizer_programs`.

Run with TensorFlow 1.15.5: `PYTHONPATH=tests python tests/golden/make_contrib_optimizers.py`.
"""

import json
import pathlib

import tensorflow as tf
from golden.contrib_optimizer_programs import CASES, describe

OUT = pathlib.Path(__file__).with_name("contrib_optimizers.json")


def main() -> None:
    lines = [f"{json.dumps(case)}: {json.dumps(describe(tf, case))}" for case in CASES]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

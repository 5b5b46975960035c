"""Writes recent.json: what programs of the names of TF 1.13 to 1.15 find.

Run with TensorFlow 1.15.5: `PYTHONPATH=tests python tests/golden/make_recent.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from golden import (
    dataset_option_programs,
    keras_optimizer_programs,
    keras_recent_programs,
    recent_function_programs,
    sequence_column_programs,
)
from golden.recent_runs import result_of

MODULES = {
    "dataset_options": dataset_option_programs,
    "keras_optimizers": keras_optimizer_programs,
    "keras_recent": keras_recent_programs,
    "recent_functions": recent_function_programs,
    "sequence_columns": sequence_column_programs,
}


def main() -> None:
    out = pathlib.Path(__file__).with_name("recent.json")
    lines = []
    for subject, module in MODULES.items():
        for name, program in module.PROGRAMS.items():
            lines.append(f"{json.dumps(f'{subject}: {name}')}: {json.dumps(result_of(tf, program))}")
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

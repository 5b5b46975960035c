"""Writes keras_datasets.json: the results of the programs in keras_dataset_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_datasets.py`.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import tempfile
from typing import Any

import numpy as np
import tensorflow as tf
from keras_dataset_programs import files_of_data, programs

OUT = pathlib.Path(__file__).with_name("keras_datasets.json")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:

        def get_file(fname: str, *args: Any, **kwargs: Any) -> str:
            return str(pathlib.Path(folder) / fname)

        for name in ("boston_housing", "imdb", "reuters"):
            importlib.import_module(f"tensorflow.python.keras.datasets.{name}").get_file = get_file
        for file, arrays in files_of_data().items():
            np.savez(pathlib.Path(folder) / file, **arrays)
        made = {name: program() for name, program in programs(tf).items()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in made.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

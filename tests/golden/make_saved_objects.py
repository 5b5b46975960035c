"""Writes saved_objects.tar.xz: the SavedModels of saved_object_programs.py as TensorFlow 1.15.5 writes them.

Run with a Python that has TensorFlow 1.15.5: `python tests/golden/make_saved_objects.py`. The archive also has the
results, and the contents of the SavedModels for comparison. With a folder as the argument, the script writes nothing.
It then checks that TensorFlow computes the same results with the SavedModels in the folder, which ferroflow wrote.
"""

import json
import pathlib
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import tensorflow as tf  # noqa: E402
from saved_object_programs import CALLS, described, results, write  # noqa: E402
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402


def contents(folder, name):
    saved = saved_model_pb2.SavedModel.FromString((folder / name / "saved_model.pb").read_bytes())
    meta_graph_def = saved.meta_graphs[0]
    if not meta_graph_def.HasField("object_graph_def"):
        return None
    return described(meta_graph_def, meta_graph_def.object_graph_def)


def main():
    if len(sys.argv) > 1:
        with tarfile.open(HERE / "saved_objects.tar.xz") as archive:
            expected = json.load(archive.extractfile("results.json"))
        for name in CALLS:
            assert results(tf, name, pathlib.Path(sys.argv[1])) == expected[name]["results"], name
            print(name)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        found = {}
        for name in CALLS:
            write(tf, name, folder)
            found[name] = {"results": results(tf, name, folder), "contents": contents(folder, name)}
        (folder / "results.json").write_text(json.dumps(found, indent=1) + "\n")
        with tarfile.open(HERE / "saved_objects.tar.xz", "w:xz") as archive:
            for name in [*CALLS, "results.json"]:
                archive.add(folder / name, name)


if __name__ == "__main__":
    main()

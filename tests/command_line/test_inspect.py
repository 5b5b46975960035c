"""`ferroflow inspect` tells what files hold, whatever their names, and says plainly what it cannot read."""

import json

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.command_line.main import main
from ferroflow.command_line.model_files import FileKind, kind_of


@pytest.fixture
def inspect(model, capsys):
    """Runs the command on a path below the model's folder; its status, output and errors."""

    def ran(path, *options):
        status = main(["inspect", str(model / path), *options])
        return status, *capsys.readouterr()

    return ran


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("checkpoint", FileKind.CHECKPOINT),
        ("checkpoint/model-3", FileKind.CHECKPOINT),
        ("checkpoint/model-3.index", FileKind.CHECKPOINT),
        ("checkpoint/model-3.data-00000-of-00001", FileKind.CHECKPOINT),
        ("checkpoint/model-3.meta", FileKind.META_GRAPH),
        ("graph.pb", FileKind.GRAPH),
        ("graph.pbtxt", FileKind.GRAPH),
        ("saved", FileKind.SAVED_MODEL),
        ("saved/saved_model.pb", FileKind.SAVED_MODEL),
        ("events", FileKind.EVENTS),
        ("records", FileKind.RECORDS),
        ("recordsGZIP", FileKind.RECORDS),
        ("recordsZLIB", FileKind.RECORDS),
    ],
)
def test_a_kind_is_told_by_contents(model, path, kind):
    assert kind_of(str(model / path)) is kind


def test_names_of_files_do_not_matter(model, tmp_path):
    (event_file,) = (model / "events").iterdir()
    files = {"a": model / "graph.pb", "b": model / "checkpoint" / "model-3.meta", "c": event_file}
    for name, file in files.items():
        (tmp_path / name).write_bytes(file.read_bytes())
    assert [kind_of(str(tmp_path / name)) for name in "abc"] == [FileKind.GRAPH, FileKind.META_GRAPH, FileKind.EVENTS]


def test_a_checkpoint_of_the_first_format_is_known(tmp_path, capsys):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([1.5, 2.5], name="v")
        session.run(tf.global_variables_initializer())
        tf.train.Saver(write_version=1).save(session, str(tmp_path / "old"), write_state=False, write_meta_graph=False)
    assert main(["inspect", str(tmp_path / "old"), "--key", "v"]) == 0
    assert capsys.readouterr().out == "v (float32) [2]\n[1.5 2.5]\n"


def test_a_checkpoint_is_a_table_of_tensors(inspect):
    status, printed, _ = inspect("checkpoint")
    assert status == 0
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]
    assert rows == [
        ["hidden/bias", "float32", "[4]", "16 bytes"],
        ["hidden/kernel", "float32", "[3, 4]", "48 bytes"],
        ["out/bias", "float32", "[2]", "8 bytes"],
        ["out/kernel", "float32", "[4, 2]", "32 bytes"],
    ]
    assert printed.endswith("4 tensors, 26 elements, 104 bytes\n")


@pytest.mark.parametrize("name", ["arrays.npz", "arrays"])
def test_an_npz_file_is_a_table_of_arrays(tmp_path, capsys, name):
    path = tmp_path / name
    with path.open("wb") as file:
        np.savez(file, weights=np.ones([2, 3], np.float32), words=np.array(["a", "é"]), step=np.int64(7))
    assert kind_of(str(path)) is FileKind.ARRAYS
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]
    assert rows == [
        ["step", "int64", "[]", "8 bytes"],
        ["weights", "float32", "[2, 3]", "24 bytes"],
        ["words", "string", "[2]", ""],
    ]
    assert printed.endswith("3 tensors, 9 elements, 32 bytes\n")
    assert main(["inspect", str(path), "--key", "step"]) == 0
    assert capsys.readouterr().out == "step (int64) []\n7\n"
    assert main(["inspect", str(path), "--json", "--key", "words"]) == 0
    assert json.loads(capsys.readouterr().out)["values"][0]["values"] == ["a", "é"]
    assert main(["inspect", str(path), "--key", "weight"]) == 1
    assert "has no weight; near are weights" in capsys.readouterr().err


@pytest.mark.parametrize("kept", [0, 5, 60, -1])
def test_a_damaged_npz_file_is_named(tmp_path, capsys, kept):
    np.savez(tmp_path / "whole.npz", a=np.ones(3))
    path = tmp_path / "damaged.npz"
    path.write_bytes((tmp_path / "whole.npz").read_bytes()[:kept])
    assert main(["inspect", str(path)]) == 2
    assert "an empty file" in (said := capsys.readouterr().err) or "not an npz file, or a damaged one" in said


def test_an_npz_file_without_arrays_is_an_empty_table(tmp_path, capsys):
    np.savez(tmp_path / "none.npz")
    assert main(["inspect", str(tmp_path / "none.npz")]) == 0
    assert capsys.readouterr().out.endswith("0 tensors, 0 elements, 0 bytes\n")


def test_a_key_prints_all_values(inspect, model):
    status, printed, _ = inspect("checkpoint", "--key", "hidden/kernel")
    assert status == 0
    heading, _, values = printed.partition("\n")
    assert heading == "hidden/kernel (float32) [3, 4]"
    expected = tf.train.load_variable(str(model / "checkpoint"), "hidden/kernel")
    np.testing.assert_allclose(
        np.array(values.replace("[", " ").replace("]", " ").split(), np.float32).reshape(3, 4), expected, rtol=1e-6
    )


@pytest.mark.parametrize("path", ["graph.pb", "graph.pbtxt", "checkpoint/model-3.meta"])
def test_a_graph_tells_its_operations_inputs_and_variables(inspect, path):
    status, printed, _ = inspect(path)
    assert status == 0
    for row in ("│ MatMul", "│ input", "│ variable", "hidden/kernel", "│ (?, 3)"):
        assert row in printed


def test_a_node_and_a_constant_are_printed(inspect):
    assert inspect("graph.pb", "--key", "numbers")[1] == "numbers (int32) [3]\n[1 2 3]\n"
    status, printed, _ = inspect("graph.pb", "--key", "hidden/MatMul:0")
    assert status == 0
    assert 'op: "MatMul"' in printed


def test_a_saved_model_tells_its_signature_and_variables(inspect):
    status, printed, _ = inspect("saved")
    assert status == 0
    assert "tags: serve" in printed
    assert "│ serving_default │ output │ y" in printed
    assert 'method_name: "tensorflow/serving/predict"' in inspect("saved", "--key", "serving_default")[1]
    assert inspect("saved", "--key", "out/bias")[1] == "out/bias (float32) [2]\n[0. 0.]\n"


def test_events_are_a_table_of_tags(inspect):
    status, printed, _ = inspect("events")
    assert status == 0
    rows = [[cell.strip() for cell in line.split("│")[1:6]] for line in printed.splitlines() if "│" in line]
    assert rows == [["loss_value", "scalar", "5", "0", "40"], ["weights", "histogram", "5", "0", "40"]]
    assert "graph_def (1)" in printed
    shown = inspect("events", "--key", "loss_value")[1]
    assert [line.split("│")[1].strip() for line in shown.splitlines() if "│" in line] == ["0", "10", "20", "30", "40"]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_tell_their_features(inspect, compression):
    status, printed, _ = inspect(f"records{compression}")
    assert status == 0
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]
    assert rows == [["counts", "int64", "3", "0 to 2", "7"], ["words", "bytes", "3", "1", "b'word'"]]
    assert printed.splitlines()[-1].startswith("3 records")
    values = inspect(f"records{compression}", "--key", "counts")[1]
    assert [line.split("│")[2].strip() for line in values.splitlines() if "│" in line] == ["", "7", "7, 7"]
    assert 'value: "word"' in inspect(f"records{compression}", "--key", "2")[1]


def test_records_that_are_no_examples_are_counted(tmp_path, capsys):
    with tf.python_io.TFRecordWriter(str(tmp_path / "r")) as writer:
        writer.write(b"\xff\xfe not a message")
        writer.write(b"")
    assert main(["inspect", str(tmp_path / "r")]) == 0
    assert "2 records, 0 of them Examples" in capsys.readouterr().out
    assert main(["inspect", str(tmp_path / "r"), "--key", "0"]) == 0
    assert capsys.readouterr().out == "b'\\xff\\xfe not a message'\n"


@pytest.mark.parametrize("path", ["checkpoint", "graph.pb", "saved", "events", "records"])
def test_a_key_that_is_not_there_fails(inspect, path):
    status, printed, complaint = inspect(path, "--key", "nowhere")
    assert (status, printed) == (1, "")
    assert "has no nowhere" in complaint


def test_what_cannot_be_read_is_said(tmp_path, capsys):
    (tmp_path / "text").write_text("just words\n", encoding="utf-8")
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    words = {
        "text": "no checkpoint, graph",
        "empty": "an empty file",
        "folder": "a folder without",
        "nowhere": "no such file",
    }
    for name, complaint in words.items():
        assert main(["inspect", str(tmp_path / name)]) == 2
        assert complaint in capsys.readouterr().err


def test_a_cut_event_file_shows_what_is_whole_and_fails(model, tmp_path, capsys):
    (whole,) = (model / "events").iterdir()
    cut = tmp_path / "events.out.tfevents.1"
    cut.write_bytes(whole.read_bytes()[:-5])
    assert main(["inspect", str(cut)]) == 1
    printed, complaint = capsys.readouterr()
    (loss,) = (line.split("│") for line in printed.splitlines() if "loss_value" in line)
    assert loss[3].strip() == "4"
    assert "truncated" in complaint
    # What the events hold is no longer known; the record is.
    damaged = bytearray((model / "records").read_bytes())
    damaged[-5] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    assert main(["inspect", str(tmp_path / "damaged")]) == 1
    assert "corrupted record" in capsys.readouterr().err


def test_names_with_brackets_are_shown_as_they_are(tmp_path, capsys):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="[red]a[/]", simple_value=1.0)]), 1)
    assert main(["inspect", str(tmp_path)]) == 0
    assert "│ [red]a[/] │" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["graph.pb", "graph.pbtxt"])
def test_a_graph_lists_its_ends_with_shapes(model, path, capsys):
    assert main(["inspect", "--json", str(model / path)]) == 0
    report = json.loads(capsys.readouterr().out)
    (ends,) = (t["rows"] for t in report["tables"] if t["title"] == "inputs, variables and outputs")
    assert {"node": "input", "name": "x", "dtype": "float32", "shape": "(?, 3)"} in ends
    assert {"node": "output", "name": "numbers", "dtype": "int32", "shape": "(3,)"} in ends
    assert next(row["name"] for row in ends if row["node"] == "variable") == "hidden/kernel"


@pytest.mark.parametrize(
    ("path", "key", "near"),
    [
        ("checkpoint/model-3", "hidden/kernal", "hidden/kernel"),
        ("graph.pb", "numberz", "numbers"),
        ("events", "loss", "loss_value"),
        ("records", "word", "words"),
        ("saved", "servingdefault", "serving_default"),
    ],
)
def test_a_key_that_is_not_there_suggests_near_ones(model, path, key, near, capsys):
    assert main(["inspect", str(model / path), "--key", key]) == 1
    assert near in capsys.readouterr().err.partition("near are")[2]


@pytest.mark.parametrize("path", ["checkpoint/model-3", "saved", "events", "records"])
def test_contents_are_given_as_json(model, path, capsys):
    assert main(["inspect", "--json", str(model / path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["path"] == str(model / path)
    assert any(table["rows"] for table in report["tables"])


def test_values_are_given_as_json(model, capsys):
    assert main(["inspect", "--json", str(model / "graph.pb"), "--key", "numbers"]) == 0
    (value,) = json.loads(capsys.readouterr().out)["values"]
    assert value == {"name": "numbers", "dtype": "int32", "shape": [3], "values": [1, 2, 3]}

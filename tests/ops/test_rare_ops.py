"""Operations that few programs have give what TensorFlow 1.15.5 gives; damaged databases and messages are refused."""

import contextlib
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.rare_op_programs import CASES, LMDB_CASES, lmdb_case, outcome

import ferroflow as tf
from ferroflow import _core

_FOLDER = Path(__file__).parent.parent / "golden"
GOLDEN = json.loads((_FOLDER / "rare_ops.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lmdb") / "data.mdb"
    path.write_bytes(lzma.decompress((_FOLDER / "lmdb" / "data.mdb.xz").read_bytes()))
    return path


def test_golden_data_has_every_case() -> None:
    assert sorted(GOLDEN) == sorted([*CASES, *LMDB_CASES])


def _assert_same(got: Any, want: Any) -> None:
    if isinstance(want, str):
        assert got == want
        return
    assert len(got) == len(want)
    for (shape, values, dtype), (want_shape, want_values, want_dtype) in zip(got, want, strict=True):
        assert (list(shape), dtype) == (want_shape, want_dtype)
        if dtype == "string":
            assert values == want_values
        else:
            assert [float(v) for v in values] == [float(v) for v in want_values]


@pytest.mark.parametrize("name", CASES)
def test_values_and_errors_are_tensorflows(name: str) -> None:
    _assert_same(outcome(tf, CASES[name]), GOLDEN[name])


@pytest.mark.parametrize("name", LMDB_CASES)
def test_a_database_has_the_entries_that_tensorflow_reads(name: str, database: Path) -> None:
    _assert_same(outcome(tf, lmdb_case(str(database.parent), name)), GOLDEN[name])


def _entries(path: Any, op_type: str = "LMDBDataset") -> list[tuple[bytes, bytes]]:
    with tf.Graph().as_default(), tf.Session() as session:
        scalars = (tf.TensorSpec([], tf.string),) * 2
        attrs = {"output_types": [tf.string] * 2, "output_shapes": [[], []]}
        variant = getattr(tf.raw_ops, op_type)(filenames=[str(path)], **attrs)
        dataset = tf.data.experimental.from_variant(variant, scalars)
        step = dataset.make_one_shot_iterator().get_next()
        found = []
        try:
            while True:
                found.append(tuple(session.run(step)))
        except tf.errors.OutOfRangeError:
            return found


@pytest.mark.parametrize("op_type", ["LMDBDataset", "ExperimentalLMDBDataset"])
def test_the_dataset_and_the_reader_read_the_same_entries_of_file_and_folder(op_type: str, database: Path) -> None:
    keys, values = (bytes_of for _, bytes_of, _ in GOLDEN["lmdb_file"][:2])
    expected = [(bytes.fromhex(k), bytes.fromhex(v)) for k, v in zip(keys, values, strict=True)]
    assert _entries(database, op_type) == expected
    assert _entries(database.parent, op_type) == expected
    with tf.Graph().as_default(), tf.Session() as session:
        names = [str(database), str(database.parent)]
        step = tf.contrib.data.LMDBDataset(names).batch(1000).make_one_shot_iterator().get_next()
        assert session.run(step)[0].tolist() == [k for k, _ in expected] * 2


def test_a_missing_database_and_other_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="missing"):
        _entries(tmp_path / "missing.mdb")
    (tmp_path / "other").write_bytes(b"x" * 10000)
    with pytest.raises(tf.errors.DataLossError, match="another format"):
        _entries(tmp_path / "other")


def test_damaged_databases_end_in_an_error_or_in_entries(database: Path, tmp_path: Path) -> None:
    contents = database.read_bytes()
    rng = np.random.default_rng(0)
    for number in range(60):
        damaged = bytearray(contents)
        if number % 3 == 0:
            damaged = damaged[: int(rng.integers(0, len(damaged)))]
        for place in rng.integers(0, max(len(damaged), 1), 30):
            if damaged:
                damaged[int(place)] = int(rng.integers(0, 256))
        path = tmp_path / "damaged.mdb"
        path.write_bytes(bytes(damaged))
        with contextlib.suppress(tf.errors.DataLossError, tf.errors.UnimplementedError):
            _entries(path)


def test_temporary_variables_of_steps_at_the_same_time_are_apart() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        ref = tf.raw_ops.TemporaryVariable(shape=[], dtype=tf.float32, var_name="v")
        slow = tf.py_func(lambda v: v, [tf.assign(ref, x)], tf.float32)
        with tf.control_dependencies([slow]):
            added = tf.assign_add(ref, 1.0)
        y = tf.raw_ops.DestroyTemporaryVariable(ref=added, var_name="v")
    with tf.Session(graph=graph) as session:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda i: float(session.run(y, {x: float(i)})), range(200)))
    assert got == [i + 1.0 for i in range(200)]


def test_a_conditional_that_saved_graphs_have_may_contain_fake_parameters() -> None:
    assert _core.op_info("FakeParam")["has_kernel"]
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.raw_ops.FakeParam(dtype=tf.int32, shape=[2])
        assert session.run(value).shape == (2,)


def test_abort_ends_the_process() -> None:
    import subprocess
    import sys

    def code(**attrs: Any) -> int:
        program = f"import ferroflow as tf\nwith tf.Session() as s: s.run(tf.raw_ops.Abort(**{attrs!r}))\n"
        return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True).returncode

    assert code(exit_without_error=True) == 0
    assert code(error_msg="on purpose") != 0


def test_text_and_sanitized_messages_are_refused_in_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for attrs in ({"message_format": "text"}, {"sanitize": True}):
            decoded = tf.io.decode_proto([b""], "tensorflow.TensorProto", ["dtype"], [tf.int32], **attrs)
            with pytest.raises(tf.errors.UnimplementedError):
                session.run(decoded.sizes)


def test_messages_are_described_by_a_file_or_by_bytes(tmp_path: Path) -> None:
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto(name="own.proto", package="own", syntax="proto2")
    outer = file.message_type.add(name="Outer")
    inner = outer.nested_type.add(name="Inner")
    for number, (name, kind, label, default) in enumerate(
        [
            ("u32", 13, 1, "7"),
            ("u64", 4, 3, ""),
            ("s32", 17, 3, ""),
            ("f64", 6, 3, ""),
            ("text", 9, 1, "none"),
            ("real", 1, 1, "1.5"),
            ("flag", 8, 1, "true"),
            ("group", 10, 1, ""),
        ],
        1,
    ):
        field = inner.field.add(name=name, number=number, type=kind, label=label)
        if default:
            field.default_value = default
        if kind == 10:
            field.type_name = ".own.Outer"
    descriptors = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    path = tmp_path / "own.pb"
    path.write_bytes(descriptors)
    names = ["u32", "u64", "s32", "f64", "text", "real", "flag", "group"]
    types = [tf.int64, tf.uint64, tf.int32, tf.uint64, tf.string, tf.float64, tf.bool, tf.string]
    values: list[Any] = [
        np.array([[2**32 - 1]]),
        np.array([[1, 2**64 - 1]], np.uint64),
        np.array([[-1, 5]], np.int32),
        np.array([[2**63, 4]], np.uint64),
        np.array([["é"]]),
        np.array([[-0.5]]),
        np.array([[False]]),
        np.array([[b"\x08\x01"]]),
    ]
    sizes = [[1, 2, 2, 2, 1, 1, 1, 1]]
    with tf.Graph().as_default(), tf.Session() as session:
        for source in (str(path), b"bytes://" + descriptors):
            given = [tf.constant(v, t) for v, t in zip(values, types, strict=True)]
            message = tf.io.encode_proto(sizes, given, names, "own.Outer.Inner", source)
            got = session.run(tf.io.decode_proto(message, "own.Outer.Inner", names, types, source))
            assert got.sizes.tolist() == sizes
            for one, other in zip(got.values, values, strict=True):
                assert [v.decode() if isinstance(v, bytes) else v for v in one.ravel().tolist()] == [
                    v.decode() if isinstance(v, bytes) else v for v in other.ravel().tolist()
                ]
            empty = session.run(tf.io.decode_proto([b""], "own.Outer.Inner", names, types, source))
            assert [v.ravel().tolist() for v in empty.values] == [[7], [0], [0], [0], [b"none"], [1.5], [True], [b""]]

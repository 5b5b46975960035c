"""Tensors go from each format to each other with every bit; what a format lacks is said, never lost in silence."""

import os
import struct
import subprocess

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.command_line.main import main
from ferroflow.command_line.tensor_files import read

_RNG = np.random.RandomState(0)
# By TensorFlow's names: all types that NumPy has too.
_PLAIN = {
    name: _RNG.randint(0, 256, (2, 3, np.dtype(name).itemsize)).astype(np.uint8).view(name)
    for name in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
}
_PLAIN |= {name: _RNG.standard_normal((3, 2)).astype(name) for name in ("float16", "float32", "float64", "complex64")}
_PLAIN |= {
    "bool": np.array([True, False, True]),
    "scope/scalar": np.array(1.5, np.float32),
    "scope/none": np.zeros((0, 3), np.int64),
    "nan": np.array([np.nan, -0.0, np.inf], np.float64),
    "inner[0]/é": np.array([1], np.int32),
}
_BITS = np.array([0x3F80, 0xC000, 0x7FC1], np.uint16)
_STRINGS = np.array([[b"one", b""], [b"\x00\xff", b"four\x00"]], object)


def _save(path, extra=()):
    """A checkpoint of all plain types and those of `extra`."""
    with tf.Graph().as_default(), tf.Session() as session:
        values = {name: tf.constant(value) for name, value in _PLAIN.items()}
        if "bfloat16" in extra:
            values["bfloat16"] = tf.bitcast(tf.constant(_BITS), tf.bfloat16)
        if "qint8" in extra:
            values["qint8"] = tf.bitcast(tf.constant(np.array([-1, 5], np.int8)), tf.qint8)
        if "string" in extra:
            values["string"] = tf.constant(_STRINGS)
        if "complex128" in extra:
            values["complex128"] = tf.constant(np.array([1 + 2j]))
        names = sorted(values)
        tensors = [values[name] for name in names]
        session.run(
            tf.raw_ops.SaveV2(prefix=str(path), tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors)
        )
    return str(path)


def _contents(path):
    return {t.name: (t.dtype, t.shape, t.array().tobytes()) for t in read(str(path)) if t.dtype != tf.string}


@pytest.mark.parametrize("through", ["a.npz", "a.safetensors", "folder/a.ckpt"])
def test_all_plain_types_come_back_bit_by_bit(tmp_path, capsys, through):
    source = _save(tmp_path / "source")
    assert main(["convert", source, str(tmp_path / through)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / through}: {len(_PLAIN)} tensors\n"
    assert main(["convert", str(tmp_path / through), str(tmp_path / "back")]) == 0
    assert _contents(tmp_path / through) == _contents(tmp_path / "back") == _contents(source)
    reader = tf.train.load_checkpoint(str(tmp_path / "back"))
    for name, value in _PLAIN.items():
        np.testing.assert_array_equal(reader.get_tensor(name), value, err_msg=name)


def test_bfloat16_goes_through_safetensors(tmp_path):
    source = _save(tmp_path / "source", ["bfloat16"])
    assert main(["convert", source, str(tmp_path / "a.safetensors")]) == 0
    assert main(["convert", str(tmp_path / "a.safetensors"), str(tmp_path / "back")]) == 0
    assert _contents(tmp_path / "back") == _contents(source)
    assert _contents(tmp_path / "back")["bfloat16"] == (tf.bfloat16, (3,), _BITS.tobytes())


@pytest.mark.parametrize(
    ("extra", "target"),
    [
        (["bfloat16"], "a.npz"),
        (["qint8"], "a.npz"),
        (["qint8"], "a.safetensors"),
        (["string"], "a.npz"),
        (["string"], "a.safetensors"),
        (["complex128"], "a.safetensors"),
    ],
)
def test_a_type_that_a_format_lacks_is_named_and_left_out_only_when_asked(tmp_path, capsys, extra, target):
    source = _save(tmp_path / "source", extra)
    assert main(["convert", source, str(tmp_path / target)]) == 1
    assert f"{extra[0]}: {extra[0]}, a type that {target[2:]} files lack" in capsys.readouterr().err
    assert not (tmp_path / target).exists()
    assert main(["convert", source, str(tmp_path / target), "--skip"]) == 0
    printed, complaint = capsys.readouterr()
    assert f"{len(_PLAIN)} tensors, 1 left out" in printed
    assert complaint.startswith(f"left out: {extra[0]}")
    assert _contents(tmp_path / target).keys() == _PLAIN.keys()


def test_a_checkpoint_becomes_another_with_everything(tmp_path):
    every = ["bfloat16", "qint8", "string", "complex128"]
    source = _save(tmp_path / "source", every)
    assert main(["convert", source, str(tmp_path / "copy")]) == 0
    assert _contents(tmp_path / "copy") == _contents(source)
    assert tf.train.load_variable(str(tmp_path / "copy"), "string").tolist() == _STRINGS.tolist()


def test_a_checkpoint_of_the_first_format_becomes_one_of_the_second(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([1.5, 2.5], name="v")
        session.run(tf.global_variables_initializer())
        tf.train.Saver(write_version=1).save(session, str(tmp_path / "old"), write_state=False)
    assert main(["convert", str(tmp_path / "old"), str(tmp_path / "new")]) == 0
    assert (tmp_path / "new.index").exists()
    assert tf.train.load_variable(str(tmp_path / "new"), "v").tolist() == [1.5, 2.5]


def test_numpy_and_the_safetensors_package_agree(tmp_path):
    source = _save(tmp_path / "source")
    assert main(["convert", source, str(tmp_path / "a.npz")]) == 0
    with np.load(tmp_path / "a.npz") as arrays:
        assert set(arrays) == set(_PLAIN)
        for name, value in _PLAIN.items():
            np.testing.assert_array_equal(arrays[name], value)
    safetensors = pytest.importorskip("safetensors.numpy")
    known = {name: value for name, value in _PLAIN.items() if value.dtype != np.complex64}
    assert main(["convert", source, str(tmp_path / "a.safetensors")]) == 0
    # The package's own reader by NumPy lacks complex numbers; opening checks the whole header.
    with safetensors.safe_open(tmp_path / "a.safetensors", "numpy") as opened:
        assert set(opened.keys()) == set(_PLAIN)
        for name, value in known.items():
            np.testing.assert_array_equal(opened.get_tensor(name), value)
    safetensors.save_file(known, tmp_path / "b.safetensors", {"made": "elsewhere"})
    assert main(["convert", str(tmp_path / "b.safetensors"), str(tmp_path / "back")]) == 0
    assert _contents(tmp_path / "back") == {n: v for n, v in _contents(source).items() if n in known}


def test_strings_of_numpy_become_strings(tmp_path):
    np.savez(tmp_path / "a.npz", s=np.array([b"one", b"four"]), u=np.array("é"))
    assert main(["convert", str(tmp_path / "a.npz"), str(tmp_path / "c")]) == 0
    assert tf.train.load_variable(str(tmp_path / "c"), "s").tolist() == [b"one", b"four"]
    assert tf.train.load_variable(str(tmp_path / "c"), "u") == "é".encode()


def _safe(header, data=b""):
    return struct.pack("<Q", len(header)) + header + data


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1234567",
        struct.pack("<Q", 2**60) + b"{}",
        _safe(b"[]"),
        _safe(b'{"a":1}'),
        _safe(b"{\xff}"),
        _safe(b'{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}', b"1"),
        _safe(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"123"),
        _safe(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', b"1234"),
        _safe(b'{"a":{"dtype":"F32","shape":[-1],"data_offsets":[4,0]}}', b"1234"),
        _safe(b'{"a":{"dtype":"F32","shape":["x"],"data_offsets":[0,4]}}', b"1234"),
    ],
)
def test_damaged_safetensors_are_refused(tmp_path, capsys, content):
    (tmp_path / "a.safetensors").write_bytes(content)
    assert main(["convert", str(tmp_path / "a.safetensors"), str(tmp_path / "c")]) == 2
    assert "a.safetensors" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.safetensors"]


def test_other_sources_and_places_that_cannot_be_written_fail(tmp_path, capsys):
    np.savez(tmp_path / "objects.npz", a=np.array([None], object))
    np.savez(tmp_path / "dates.npz", a=np.array(["2020-01-01"], "datetime64[D]"))
    (tmp_path / "zip.npz").write_bytes(b"PK no archive")
    for name in ("objects.npz", "dates.npz", "zip.npz", "nowhere.npz", "nowhere"):
        assert main(["convert", str(tmp_path / name), str(tmp_path / "c")]) == 2
        assert name in capsys.readouterr().err
    source = _save(tmp_path / "source")
    assert main(["convert", source, str(tmp_path / "no" / "folder" / "a.npz")]) == 2
    assert not (tmp_path / "no").exists()
    assert not list(tmp_path.glob("*.tmp"))


_IN_TENSORFLOW = """
import sys
import numpy as np
import tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
np.savez(sys.argv[2], **{name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()})
"""


@pytest.mark.skipif("FERROFLOW_TENSORFLOW_PYTHON" not in os.environ, reason="needs TensorFlow")
def test_tensorflow_reads_the_converted_checkpoint(tmp_path):
    assert main(["convert", _save(tmp_path / "source"), str(tmp_path / "a.npz")]) == 0
    assert main(["convert", str(tmp_path / "a.npz"), str(tmp_path / "checkpoint")]) == 0
    python = os.environ["FERROFLOW_TENSORFLOW_PYTHON"]
    arguments = [python, "-c", _IN_TENSORFLOW, str(tmp_path / "checkpoint"), str(tmp_path / "read.npz")]
    subprocess.run(arguments, check=True, capture_output=True)
    with np.load(tmp_path / "read.npz") as read:
        assert set(read) == set(_PLAIN)
        for name, value in _PLAIN.items():
            np.testing.assert_array_equal(read[name], value)


@pytest.mark.parametrize("name", ["w.h5", "w.pb", "w.npy", "w.pt", "model.index"])
def test_an_unknown_ending_is_refused(tmp_path, capsys, name):
    np.savez(tmp_path / "a.npz", x=np.ones(2))
    assert main(["convert", str(tmp_path / "a.npz"), str(tmp_path / name)]) == 2
    assert "ends with .npz, .safetensors or .onnx" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npz"]
    for prefix in ("model", "model.ckpt", "model.ckpt-12"):
        assert main(["convert", str(tmp_path / "a.npz"), str(tmp_path / prefix)]) == 0

"""Keras's data sets are read from their files, in TensorFlow 1.15's order and with its choice of words."""

import gzip
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from golden.keras_dataset_programs import files_of_data, programs

import ferroflow as tf
from ferroflow._src.datasets import keras_arrays

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_datasets.json").read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    def get_file(fname, origin, untar=False, file_hash=None, cache_subdir="datasets"):
        return str(tmp_path / fname)

    monkeypatch.setattr(keras_arrays, "get_file", get_file)
    return tmp_path


@pytest.mark.parametrize("name", GOLDEN)
def test_arrays_are_tensorflows(name, folder):
    for file, arrays in files_of_data().items():
        np.savez(folder / file, **arrays)
    assert json.loads(json.dumps(programs(tf)[name]())) == GOLDEN[name]


def test_words_have_numbers(folder):
    for name in ("imdb", "reuters"):
        (folder / f"{name}_word_index.json").write_text(json.dumps({"the": 1}), encoding="utf-8")
        assert getattr(tf.keras.datasets, name).get_word_index() == {"the": 1}


def test_other_arguments_are_refused(folder):
    with pytest.raises(TypeError, match="Unrecognized keyword"):
        tf.keras.datasets.imdb.load_data(number=3)
    with pytest.raises(AssertionError, match="test_split"):
        tf.keras.datasets.boston_housing.load_data(test_split=2)
    with pytest.raises(ValueError, match="label_mode"):
        tf.keras.datasets.cifar100.load_data("finest")


def batch(path, count, **labels):
    data = np.arange(count * 3072, dtype=np.int64).astype(np.uint8).reshape(count, 3072)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pickle.dumps({b"data": data, **{k.encode(): v for k, v in labels.items()}}, protocol=2))
    return data


def test_pictures_of_ten_classes(folder):
    for i in range(1, 6):
        data = batch(folder / "cifar-10-batches-py" / f"data_batch_{i}", 2, labels=[i, i + 1])
    batch(folder / "cifar-10-batches-py" / "test_batch", 1, labels=[3])
    (x, y), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
    assert (x.shape, y.shape, x_test.shape, y_test.tolist()) == ((10, 32, 32, 3), (10, 1), (1, 32, 32, 3), [[3]])
    assert (x[0, 1, 2] == data[0].reshape(3, 32, 32)[:, 1, 2]).all()


def test_pictures_of_a_hundred_classes(folder):
    for name in ("train", "test"):
        batch(folder / "cifar-100-python" / name, 2, fine_labels=[7, 8], coarse_labels=[1, 2])
    assert tf.keras.datasets.cifar100.load_data()[0][1].tolist() == [[7], [8]]
    assert tf.keras.datasets.cifar100.load_data("coarse")[1][1].tolist() == [[1], [2]]


def test_a_file_that_is_no_file_of_pictures_is_refused(folder):
    path = folder / "cifar-100-python" / "train"
    path.parent.mkdir()
    for contents in (b"", b"nothing", pickle.dumps({b"data": print}), pickle.dumps([1])):
        path.write_bytes(contents)
        with pytest.raises(tf.errors.DataLossError, match="no file of CIFAR"):
            tf.keras.datasets.cifar100.load_data()


def test_pictures_of_clothes(folder):
    for name, count in (("train", 3), ("t10k", 2)):
        with gzip.open(folder / f"{name}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + bytes(range(count)))
        with gzip.open(folder / f"{name}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + bytes([5]) * 784 * count)
    (x, y), (x_test, y_test) = tf.keras.datasets.fashion_mnist.load_data()
    assert (x.shape, y.tolist(), x_test.shape, y_test.tolist()) == ((3, 28, 28), [0, 1, 2], (2, 28, 28), [0, 1])

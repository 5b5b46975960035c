"""MNIST's files are read as they are, and batches go through whole epochs in shuffled order."""

import gzip
import struct

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.examples.tutorials.mnist import input_data, mnist

COUNTS = {"train": 50, "t10k": 20}


def images_of(count):
    return (np.arange(count * 16, dtype=np.int64) % 251).astype(np.uint8).reshape(count, 4, 4)


@pytest.fixture
def folder(tmp_path):
    for part, count in COUNTS.items():
        images, labels = images_of(count), (np.arange(count) % 10).astype(np.uint8)
        with gzip.open(tmp_path / f"{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">4I", 2051, *images.shape) + images.tobytes())
        with gzip.open(tmp_path / f"{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">2I", 2049, count) + labels.tobytes())
    return str(tmp_path)


def test_images_and_labels_are_those_of_the_files(folder):
    data = input_data.read_data_sets(folder, one_hot=True, validation_size=10)
    assert [part.num_examples for part in data] == [40, 10, 20]
    np.testing.assert_array_equal(data.validation.images, images_of(50)[:10].reshape(10, 16) * np.float32(1 / 255))
    np.testing.assert_array_equal(data.train.labels.argmax(1), np.arange(10, 50) % 10)
    raw = input_data.read_data_sets(folder, dtype=tf.uint8, reshape=False, validation_size=0)
    np.testing.assert_array_equal(raw.train.images, images_of(50)[..., None])
    assert raw.train.labels.dtype == np.uint8


def test_every_epoch_hands_out_every_image_once(folder):
    train = input_data.read_data_sets(folder, dtype=tf.uint8, validation_size=0, seed=3).train
    seen = [tuple(image) for _ in range(10) for image in train.next_batch(15)[0]]
    assert train.epochs_completed == 2
    wanted = {tuple(image) for image in images_of(50).reshape(50, 16)}
    for epoch in range(3):
        assert set(seen[50 * epoch : 50 * (epoch + 1)]) == wanted
    assert seen[:50] != seen[50:100]


def test_the_order_is_the_seeds(folder):
    def order(seed):
        train = input_data.read_data_sets(folder, validation_size=0, seed=seed).train
        return [train.next_batch(7)[1].tolist() for _ in range(12)]

    assert order(1) == order(1) != order(2)


def test_images_keep_their_labels(folder):
    train = input_data.read_data_sets(folder, dtype=tf.uint8, validation_size=0).train
    label_of = {tuple(image): i % 10 for i, image in enumerate(images_of(50).reshape(50, 16))}
    for _ in range(9):
        images, labels = train.next_batch(12)
        assert [label_of[tuple(image)] for image in images] == labels.tolist()


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b"\x00" * 40, lambda b: gzip.compress(b"\x00\x00")])
def test_a_damaged_file_is_named(folder, tmp_path, damage):
    path = tmp_path / "t10k-labels-idx1-ubyte.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=r"t10k-labels"):
        input_data.read_data_sets(folder, validation_size=0)


def test_what_is_missing_and_cannot_be_fetched_is_named(tmp_path):
    with pytest.raises(tf.errors.UnavailableError, match=r"train-images-idx3-ubyte\.gz is missing"):
        input_data.read_data_sets(str(tmp_path), source_url="file:///nowhere/")
    assert list(tmp_path.iterdir()) == []


def test_files_are_fetched_once(folder, tmp_path_factory):
    fetched = tmp_path_factory.mktemp("fetched")
    first = input_data.read_data_sets(str(fetched), validation_size=0, source_url=f"file://{folder}/")
    again = input_data.read_data_sets(str(fetched), validation_size=0, source_url="file:///nowhere/")
    np.testing.assert_array_equal(first.test.images, again.test.images)


def test_fake_data_needs_no_files():
    train = input_data.read_data_sets("nowhere", fake_data=True, one_hot=True).train
    images, labels = train.next_batch(3, fake_data=True)
    assert (np.shape(images), labels) == ((3, 784), [[1] + [0] * 9] * 3)


def test_the_tutorials_model_learns():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        random = np.random.RandomState(1)
        images, labels = random.normal(size=[40, mnist.IMAGE_PIXELS]).astype(np.float32), random.randint(0, 10, 40)
        logits = mnist.inference(tf.constant(images), 32, 16)
        loss = mnist.loss(logits, labels)
        train_op = mnist.training(loss, 0.3)
        correct = mnist.evaluation(logits, labels)
        assert [v.name for v in tf.global_variables()][:2] == ["hidden1/weights:0", "hidden1/biases:0"]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(60):
                sess.run(train_op)
            assert sess.run(correct) == 40

"""`tf.contrib.slim`'s data sets: decoders of examples, parallel readers, providers."""

import numpy as np
import pytest

import ferroflow as tf

slim = tf.contrib.slim
decoder = slim.tfexample_decoder


def feature(*values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(**features):
    named = {name.replace("__", "/"): found for name, found in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=named)).SerializeToString()


def decoded(serialized, features, handlers, items=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        found = decoder.TFExampleDecoder(features, handlers).decode(tf.constant(serialized), items)
        sess.run(tf.tables_initializer())
        return sess.run(found)


@pytest.mark.parametrize("kind", ["png", "jpeg", "raw", "RAW"])
def test_pictures(kind):
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    with tf.Session(graph=tf.Graph()) as sess, sess.graph.as_default():
        encode = {"png": tf.image.encode_png, "jpeg": tf.image.encode_jpeg}.get(kind)
        data = pixels.tobytes() if encode is None else sess.run(encode(pixels))
        expected = pixels if kind != "jpeg" else sess.run(tf.image.decode_jpeg(data))
    features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="jpeg"),
    }
    shape = (4, 4, 3) if encode is None else None
    serialized = example(image__encoded=feature(data), image__format=feature(kind.encode()))
    (found,) = decoded(serialized, features, {"image": decoder.Image(shape=shape)})
    np.testing.assert_array_equal(found, expected)


def test_tensors_boxes_and_sparse_tensors():
    serialized = example(
        numbers=feature(1, 2, 3, 4, 5, 6),
        rows=feature(2),
        columns=feature(3),
        box__ymin=feature(0.25, 0.5),
        box__xmin=feature(0.125, 0.0),
        box__ymax=feature(0.75, 1.0),
        box__xmax=feature(0.5, 0.625),
        positions=feature(1, 3),
        weights=feature(0.5, 0.25),
        words=feature(b"b", b"a"),
    )
    ints, floats = tf.VarLenFeature(tf.int64), tf.VarLenFeature(tf.float32)
    sides = {f"box/{side}": floats for side in ("ymin", "xmin", "ymax", "xmax")}
    features = {
        "numbers": tf.FixedLenFeature((6,), tf.int64),
        **{"rows": ints, "columns": ints, "positions": ints, "weights": floats, "words": tf.VarLenFeature(tf.string)},
        **sides,
    }
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
        handlers = {
            "matrix": decoder.Tensor("numbers", shape_keys=["rows", "columns"]),
            "given": decoder.Tensor("numbers", shape=[3, 2]),
            "boxes": decoder.BoundingBox(prefix="box/"),
            "dense": decoder.SparseTensor("positions", "weights", shape=[5], densify=True),
            "known": decoder.LookupTensor("words", table),
            "sum": decoder.ItemHandlerCallback(["numbers"], lambda found: tf.reduce_sum(found["numbers"])),
        }
        made = decoder.TFExampleDecoder(features, handlers)
        assert made.list_items() == list(handlers)
        values = made.decode(tf.constant(serialized))
        sess.run(tf.tables_initializer())
        matrix, given, boxes, dense, known, total = sess.run(values)
    assert matrix.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert given.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert boxes.tolist() == [[0.25, 0.125, 0.75, 0.5], [0.5, 0.0, 1.0, 0.625]]
    assert dense.tolist() == [0.0, 0.5, 0.0, 0.25, 0.0]
    assert (known.tolist(), total) == ([1, 0], 21)


def test_backups_stand_in_for_empty_items():
    features = {"first": tf.VarLenFeature(tf.int64), "second": tf.VarLenFeature(tf.int64)}
    handlers = {"item": decoder.BackupHandler(decoder.Tensor("first"), decoder.Tensor("second"))}
    assert decoded(example(second=feature(7)), features, handlers)[0].tolist() == [7]
    assert decoded(example(first=feature(5), second=feature(7)), features, handlers)[0].tolist() == [5]
    with pytest.raises(ValueError, match="ItemHandler"):
        decoder.BackupHandler(1, 2)
    with pytest.raises(ValueError, match="4 keys"):
        decoder.BoundingBox(["a"])
    with pytest.raises(ValueError, match="both"):
        decoder.Tensor("a", shape_keys="b", shape=[1])


@pytest.fixture
def files(tmp_path):
    for name, values in (("one", (1, 2)), ("two", (3, 4))):
        with tf.python_io.TFRecordWriter(str(tmp_path / f"{name}.records")) as writer:
            for value in values:
                writer.write(example(number=feature(value)))
    return str(tmp_path / "*.records")


def test_a_provider_gives_every_record_once(files):
    with tf.Graph().as_default(), tf.Session() as sess:
        made = decoder.TFExampleDecoder(
            {"number": tf.FixedLenFeature((), tf.int64)}, {"number": decoder.Tensor("number")}
        )
        dataset = slim.dataset.Dataset(files, tf.TFRecordReader, made, 4, {"number": "A number."}, num_classes=5)
        assert (dataset.num_classes, dataset.num_samples) == (5, 4)
        provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=2, num_epochs=1, seed=1)
        assert provider.list_items() == ["number", "record_key"]
        assert provider.num_samples() == 4
        number, key = provider.get(["number", "record_key"])
        with pytest.raises(ValueError, match="invalid"):
            provider.get(["nothing"])
        with pytest.raises(ValueError, match="list or tuple"):
            provider.get("number")
        with pytest.raises(ValueError, match="record_key"):
            slim.dataset_data_provider.DatasetDataProvider(dataset, record_key="number")
        sess.run(tf.local_variables_initializer())
        found = []
        with slim.queues.QueueRunners(sess):
            with pytest.raises(slim.queues.NestedQueueRunnerError), slim.queues.QueueRunners(sess):
                pass
            found += [sess.run([number, key]) for _ in range(4)]
    assert sorted(value for value, _ in found) == [1, 2, 3, 4]
    assert len({key for _, key in found}) == 4


def test_one_pass_and_prefetching(files):
    with tf.Graph().as_default(), tf.Session() as sess:
        _, record = slim.parallel_reader.single_pass_read(files, tf.TFRecordReader)
        number = tf.parse_single_example(record, {"number": tf.FixedLenFeature((), tf.int64)})["number"]
        ahead = slim.prefetch_queue.prefetch_queue({"number": number, "double": 2 * number}, capacity=2).dequeue()
        sess.run(tf.local_variables_initializer())
        with slim.queues.QueueRunners(sess):
            found = [sess.run(ahead) for _ in range(4)]
    assert sorted(one["number"] for one in found) == [1, 2, 3, 4]
    assert all(one["double"] == 2 * one["number"] for one in found)
    with pytest.raises(ValueError, match="No data files"):
        slim.parallel_reader.get_data_files(files + "nothing*")

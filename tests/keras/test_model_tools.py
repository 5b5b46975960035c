"""Tools around Keras models: queues of batches, drawings, files of rows, volumes, callbacks and descriptions."""

import http.server
import itertools
import json
import sys
import threading
import urllib.parse

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
backend = keras.backend


def value(tensor):
    with tf.Session() as session:
        return session.run(tensor)


class Numbers(keras.utils.Sequence):
    def __init__(self, count, failing=None):
        self.count, self.failing, self.passes = count, failing, 0

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index == self.failing:
            raise RuntimeError(f"no batch {index}")
        return index

    def on_epoch_end(self):
        self.passes += 1


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("size", [1, 3])
def test_batches_of_a_sequence_keep_their_order(workers, size):
    sequence = Numbers(7)
    enqueuer = keras.utils.OrderedEnqueuer(sequence)
    enqueuer.start(workers, size)
    assert enqueuer.is_running()
    found = list(itertools.islice(enqueuer.get(), 20))
    enqueuer.stop()
    assert not enqueuer.is_running()
    assert found == [i % 7 for i in range(20)]
    assert sequence.passes >= 2


@pytest.mark.parametrize("workers", [1, 3])
def test_a_generators_batches_keep_their_order_and_end(workers):
    enqueuer = keras.utils.GeneratorEnqueuer(iter(range(30)))
    enqueuer.start(workers, 2)
    assert list(enqueuer.get()) == list(range(30))
    enqueuer.stop()


def test_errors_of_batches_reach_the_reader():
    enqueuer = keras.utils.OrderedEnqueuer(Numbers(5, failing=3))
    enqueuer.start(2)
    with pytest.raises(RuntimeError, match="no batch 3"):
        list(enqueuer.get())
    with pytest.raises(RuntimeError, match="not running"):
        next(keras.utils.GeneratorEnqueuer(iter([])).get())

    def failing():
        yield 1
        raise KeyError("lost")

    enqueuer = keras.utils.GeneratorEnqueuer(failing())
    enqueuer.start()
    with pytest.raises(KeyError, match="lost"):
        list(enqueuer.get())


def test_rows_of_a_file(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    rows = np.arange(20).reshape(10, 2)
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["x"] = rows
    matrix = keras.utils.HDF5Matrix(str(tmp_path / "rows.h5"), "x", 2, 9, normalizer=lambda x: x * 2.0)
    assert (len(matrix), matrix.shape, matrix.ndim, matrix.size, str(matrix.dtype)) == (7, (7, 2), 2, 14, "float64")
    np.testing.assert_array_equal(matrix[1:3], rows[3:5] * 2)
    np.testing.assert_array_equal(matrix[[0, 4]], rows[[2, 6]] * 2)
    np.testing.assert_array_equal(matrix[6], rows[8] * 2)
    for outside in (7, slice(0, 8), [0, 7]):
        with pytest.raises(IndexError, match="outside"):
            matrix[outside]


def nested():
    layers = keras.layers
    inner = keras.models.Sequential([layers.Dense(2, input_shape=(3,), name="inside")], name="inner")
    inputs = layers.Input((3,), name="start")
    both = layers.Concatenate(name="joined")([inner(inputs), layers.Dense(1, name="beside")(inputs)])
    return keras.models.Model(inputs, both)


@pytest.mark.parametrize("is_open", [False, True])
def test_a_drawing_has_all_layers_and_edges(is_open, tmp_path):
    keras.utils.plot_model(nested(), str(tmp_path / "model.dot"), show_shapes=True, expand_nested=is_open)
    text = (tmp_path / "model.dot").read_text(encoding="utf-8")
    assert text.count("->") == (5 if is_open else 4)
    assert ("inside: Dense" in text) == is_open
    assert ("cluster" in text) == is_open
    assert "joined: Concatenate" in text
    assert "{input:|output:}|{{(?, 3)}|{(?, 2)}}" in text


def wrapped():
    layers = keras.layers
    inner = keras.models.Sequential([layers.Dense(2, input_shape=(3,)), layers.Dense(1, name="end")], name="inner")
    x = layers.Input((4, 3), name="x")
    return keras.models.Model(x, layers.TimeDistributed(inner, name="times")(x))


def test_a_model_becomes_an_object_of_pydot(monkeypatch):
    pydot = pytest.importorskip("pydot")
    monkeypatch.setattr(pydot.Dot, "create", lambda dot: b"")
    dot = keras.utils.model_to_dot(wrapped(), show_shapes=True, dpi=50, rankdir="LR")
    # The labels, attributes and edges are TensorFlow 1.15's.
    labels = [node.get_label().strip('"') for node in dot.get_nodes() if node.get_label()]
    assert labels == [
        "x: InputLayer\n|{input:|output:}|{{[(?, 4, 3)]}|{[(?, 4, 3)]}}",
        "times(inner): TimeDistributed(Sequential)\n|{input:|output:}|{{(?, 4, 3)}|{(?, 4, 1)}}",
    ]
    assert (dot.get("dpi"), dot.get("rankdir"), len(dot.get_edges())) == (50, "LR", 1)
    opened = keras.utils.model_to_dot(wrapped(), expand_nested=True)
    assert [part.get("label") for part in opened.get_subgraphs()] == ["inner"]
    assert len(opened.get_edges()) == 2
    assert isinstance(keras.utils.model_to_dot(wrapped(), subgraph=True), pydot.Cluster)


def test_what_pydot_needs_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydot_ng", None)
    monkeypatch.setitem(sys.modules, "pydotplus", None)
    monkeypatch.setitem(sys.modules, "pydot", None)
    with pytest.raises(ImportError, match="Failed to import pydot"):
        keras.utils.model_to_dot(nested())


def test_what_draws_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImportError, match="Graphviz"):
        keras.utils.plot_model(nested(), str(tmp_path / "model.png"))
    with pytest.raises(ValueError, match="not yet been built"):
        keras.utils.plot_model(keras.models.Sequential([keras.layers.Dense(1)]), str(tmp_path / "model.dot"))


def test_kernels_are_turned():
    model = keras.models.Sequential([keras.layers.Conv2D(2, (2, 3), input_shape=(4, 4, 1)), keras.layers.Flatten()])
    before = model.get_weights()
    keras.utils.convert_all_kernels_in_model(model)
    after = model.get_weights()
    np.testing.assert_array_equal(after[0], before[0][::-1, ::-1])
    np.testing.assert_array_equal(after[1], before[1])


def test_several_devices_are_refused():
    with pytest.raises(ValueError, match="gpus >= 2"):
        keras.utils.multi_gpu_model(nested(), 1)
    with pytest.raises(ValueError, match="expect the following devices"):
        keras.utils.multi_gpu_model(nested(), 2)


def test_yaml_needs_its_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(ImportError, match="pyyaml"):
        nested().to_yaml()


def test_a_model_is_described_in_yaml():
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    again = keras.models.model_from_yaml(nested().to_yaml())
    assert again.output_shape == (None, 3)


def test_a_model_has_a_layers_attributes():
    model = nested()
    assert model.trainable_variables == model.trainable_weights
    assert model.non_trainable_variables == model.non_trainable_weights == []
    assert model.variables == model.weights
    assert (model.dtype, model.stateful, model.state_updates, model.activity_regularizer) == (
        "float32",
        False,
        [],
        None,
    )
    assert model.input_spec.shape == (None, 3)
    assert model.compute_output_shape((None, 3)).as_list() == [None, 3]
    assert model.compute_mask(model.inputs[0]) is None
    assert model.apply(keras.layers.Input((3,))).get_shape().as_list() == [None, 3]
    assert model.get_losses_for(None) == []
    counter = tf.Variable(0, trainable=False)
    model.add_update(tf.assign_add(counter, 1))
    model.compile("sgd", "mse")
    model.train_on_batch(np.ones((2, 3)), np.ones((2, 3)))
    assert backend.get_value(counter) == 1


def test_volumes():
    random = np.random.RandomState(0)
    x, kernel = random.normal(size=(2, 4, 5, 6, 3)), random.normal(size=(2, 2, 2, 3, 4))
    theirs = value(tf.nn.conv3d(tf.constant(x), tf.constant(kernel), [1, 1, 2, 1, 1], "SAME"))
    np.testing.assert_array_equal(value(backend.conv3d(x, kernel, (1, 2, 1), "same")), theirs)
    padded = value(backend.spatial_3d_padding(x, ((1, 0), (2, 1), (0, 3))))
    np.testing.assert_array_equal(padded, np.pad(x, ((0, 0), (1, 0), (2, 1), (0, 3), (0, 0))))
    first = np.moveaxis(x, -1, 1)
    padded = value(backend.spatial_3d_padding(first, data_format="channels_first"))
    np.testing.assert_array_equal(padded, np.pad(first, ((0, 0), (0, 0), (1, 1), (1, 1), (1, 1))))
    grown = value(backend.resize_volumes(x, 2, 1, 3, "channels_last"))
    np.testing.assert_array_equal(grown, x.repeat(2, 1).repeat(3, 3))
    blocks = x[:, :4, :4, :6].reshape(2, 2, 2, 2, 2, 3, 2, 3)
    for mode, reduce in (("max", np.max), ("avg", np.mean)):
        pooled = value(backend.pool3d(x.astype("f"), (2, 2, 2), (2, 2, 2), pool_mode=mode))
        np.testing.assert_allclose(pooled, reduce(blocks, axis=(2, 4, 6)), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="Invalid pooling mode"):
        backend.pool3d(x, (2, 2, 2), pool_mode="sum")


def test_a_transposed_convolution_is_the_gradient_of_a_convolution():
    random = np.random.RandomState(0)
    image, kernel, change = (tf.constant(random.normal(size=s)) for s in ((2, 6, 6, 3), (3, 3, 3, 4), (2, 3, 3, 4)))
    (gradient,) = tf.gradients(backend.conv2d(image, kernel, (2, 2), "same"), image, change)
    enlarged = backend.conv2d_transpose(change, kernel, (None, 6, 6, 3), (2, 2), "same")
    np.testing.assert_allclose(*value([gradient, enlarged]), rtol=1e-6)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_a_dilated_transposed_convolution_is_the_gradient_of_a_dilated_convolution(data_format):
    random = np.random.RandomState(0)
    image, kernel, change = (tf.constant(random.normal(size=s)) for s in ((2, 6, 6, 3), (3, 3, 3, 4), (2, 6, 6, 4)))
    convolved = backend.conv2d(image, kernel, padding="same", data_format="channels_last", dilation_rate=(2, 2))
    (gradient,) = tf.gradients(convolved, image, change)
    is_first = data_format == "channels_first"
    inputs, shape = (tf.transpose(change, [0, 3, 1, 2]), (2, 3, 6, 6)) if is_first else (change, (2, 6, 6, 3))
    enlarged = backend.conv2d_transpose(inputs, kernel, shape, (1, 1), "same", data_format, (2, 2))
    enlarged = tf.transpose(enlarged, [0, 2, 3, 1]) if is_first else enlarged
    np.testing.assert_allclose(*value([gradient, enlarged]), rtol=1e-6)
    with pytest.raises(ValueError, match="must be equal"):
        backend.conv2d_transpose(inputs, kernel, shape, (1, 1), "same", data_format, (1, 2))


def test_norms_are_moved_into_their_limits():
    w = np.array([[3.0, 0.1], [4.0, 0.1]], "f")
    norms = np.linalg.norm(w, axis=0)
    constraint = keras.constraints.MinMaxNorm(0.5, 2.0, rate=0.5)
    expected = w * (0.5 * np.clip(norms, 0.5, 2.0) + 0.5 * norms) / norms
    np.testing.assert_allclose(value(constraint(tf.constant(w))), expected, rtol=1e-5)
    assert (
        keras.constraints.deserialize(keras.constraints.serialize(constraint)).get_config() == constraint.get_config()
    )


def test_means_of_an_epoch():
    logger = keras.callbacks.BaseLogger(stateful_metrics=["last"])
    logger.set_params({"metrics": ["loss", "last", "absent"]})
    logger.on_epoch_begin(0)
    logger.on_batch_end(0, {"size": 3, "loss": 1.0, "last": 5.0})
    logger.on_batch_end(1, {"size": 1, "loss": 3.0, "last": 7.0})
    logs = {}
    logger.on_epoch_end(0, logs)
    assert logs == {"loss": 1.5, "last": 7.0}


@pytest.mark.parametrize("as_json", [False, True])
def test_values_are_sent_to_a_server(as_json):
    received = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # noqa: N802  # the server's name
            received.append((self.path, self.headers["X-Own"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        root = f"http://127.0.0.1:{server.server_port}"
        monitor = keras.callbacks.RemoteMonitor(root, "/here", headers={"X-Own": "1"}, send_as_json=as_json)
        monitor.on_epoch_end(2, {"loss": np.float32(0.5)})
        thread.join()
    path, own, body = received[0]
    text = body.decode() if as_json else urllib.parse.parse_qs(body.decode())["data"][0]
    assert (path, own, json.loads(text)) == ("/here", "1", {"epoch": 2, "loss": 0.5})
    monitor.on_epoch_end(3, {"loss": 0.5})  # nobody listens: a warning


def test_images_are_transformed_and_reversed():
    pytest.importorskip("scipy", reason="SciPy is not installed")
    image = np.arange(18.0).reshape(2, 3, 3)
    np.testing.assert_array_equal(keras.preprocessing.image.flip_axis(image, 1), image[:, ::-1])
    shifted = keras.preprocessing.image.apply_transform(image, [[1, 0, 1], [0, 1, 0], [0, 0, 1]], fill_mode="constant")
    np.testing.assert_allclose(shifted[:, :-1], image[:, 1:])
    assert (shifted[:, -1] == 0).all()


def test_numbers_are_weighted_by_their_rareness():
    tokenizer = keras.preprocessing.text.Tokenizer(num_words=5)
    tokenizer.fit_on_sequences([[1, 2, 2], [1], [1, 3]])
    assert tokenizer.document_count == 3
    found = tokenizer.sequences_to_matrix([[1, 2, 2]], mode="tfidf")
    expected = [0, np.log(1 + 3 / 4), (1 + np.log(2)) * np.log(1 + 3 / 2), 0, 0]
    np.testing.assert_allclose(found, [expected])
    with pytest.raises(TypeError, match="Unrecognized keyword"):
        keras.preprocessing.text.Tokenizer(words=3)


def test_variables_are_initialized_by_the_program():
    backend.manual_variable_initialization(True)
    try:
        v = tf.Variable(3.0)
        with pytest.raises(tf.errors.FailedPreconditionError):
            backend.get_session().run(v)
    finally:
        backend.manual_variable_initialization(False)
    assert backend.get_session().run(v) == 3.0
    assert backend.backend() == "tensorflow"


def test_models_without_weights_are_trained_without_effect():
    model = tf.keras.Sequential([tf.keras.layers.Activation("relu", input_shape=(2,))])
    model.compile(tf.train.RMSPropOptimizer(0.1), "mse")
    assert model.train_on_batch(np.ones((3, 2)), np.zeros((3, 2))) == 1.0


def test_layers_of_steps_update_the_layers_inside():
    tf.keras.backend.clear_session()
    layer = tf.keras.layers.TimeDistributed(tf.keras.layers.BatchNormalization(), input_shape=(10, 2))
    model = tf.keras.Sequential([layer])
    model.compile("rmsprop", "mse")
    model.train_on_batch(np.full((1, 10, 2), 3.0), np.zeros((1, 10, 2)))
    assert (layer.get_weights()[2] != 0).all()
    assert len(layer.updates) == 2
    layer.trainable = False
    assert layer.updates == []
    assert layer.get_updates_for(model.inputs) == []


def test_copies_are_made_on_variables():
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,))])
    start = tf.keras.backend.variable(np.ones((2, 4)))
    copied = tf.keras.models.clone_model(model, input_tensors=start)
    copied.compile("sgd", "mse")
    assert copied.train_on_batch(None, np.ones((2, 3))) > 0


def test_biases_of_other_ranks_are_refused():
    x = tf.zeros([2, 3, 4])
    assert tf.keras.backend.bias_add(x, tf.zeros([3, 4])).shape.as_list() == [2, 3, 4]
    with pytest.raises(ValueError, match="Unexpected bias dimensions 3"):
        tf.keras.backend.bias_add(x, tf.zeros([1, 3, 4]))
    with pytest.raises(ValueError, match="Unknown data_format"):
        tf.keras.backend.bias_add(x, tf.zeros([4]), data_format="rows")


def test_losses_of_programs_are_made_of_their_configurations():
    class Part(tf.keras.losses.Loss):
        def __init__(self, part, name=None):
            super().__init__(name=name)
            self.part = part

        def call(self, y_true, y_pred):
            return self.part * tf.abs(y_true - y_pred)

        def get_config(self):
            return {"part": self.part, "name": self.name}

    described = tf.keras.losses.serialize(Part(0.3))
    with tf.keras.utils.custom_object_scope({"Part": Part}):
        made = tf.keras.losses.deserialize(described)
    assert (type(made), made.part) == (Part, 0.3)
    with tf.keras.backend.learning_phase_scope(1) as phase:
        assert phase == 1

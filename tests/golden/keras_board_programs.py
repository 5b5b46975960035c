"""Events that `tf.keras.callbacks.TensorBoard` writes, which TensorFlow 1.15.5 gave."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def _described(value: Any) -> Any:
    if value.HasField("histo"):
        histo = value.histo
        return ["histo", histo.num, float(histo.min), float(histo.max), float(histo.sum)]
    if value.HasField("image"):
        return ["image", value.image.height, value.image.width, value.image.colorspace]
    return ["number", value.simple_value]


def _events(tf: Any, folder: pathlib.Path) -> Iterator[Any]:
    """Yields the step and the values of each event; those of one step that are written one after the other together."""
    for path in sorted(folder.glob("events.out.*")):
        for event in tf.train.summary_iterator(str(path)):
            if event.summary.value:
                yield [[event.step, value.tag, *_described(value)] for value in event.summary.value]


def _model(tf: Any) -> Any:
    layers = tf.keras.layers
    convolution = layers.Conv1D(2, 2, input_shape=(3, 2), name="first")
    model = tf.keras.Sequential([convolution, layers.Flatten(), layers.Dense(1, name="second")])
    random = np.random.RandomState(3)
    model.set_weights([random.uniform(-1, 1, size=w.shape) for w in model.get_weights()])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def _written(tf: Any, validation: bool, **options: Any) -> Iterator[Any]:
    random = np.random.RandomState(4)
    x, y = random.uniform(size=(10, 3, 2)), random.uniform(size=(10, 1))
    model = _model(tf)
    with tempfile.TemporaryDirectory() as folder:
        watch = tf.keras.callbacks.TensorBoard(folder, **options)
        # TensorFlow shuffles what validates, too.
        same = (np.repeat(x[:1], 5, 0), np.repeat(y[:1], 5, 0))
        data = {"validation_data": same} if validation else {}
        model.fit(x, y, 4, 3, shuffle=False, verbose=0, callbacks=[watch], **data)
        yield from _events(tf, pathlib.Path(folder))


def _initialize(tf: Any) -> None:
    made = [v for v in tf.global_variables() if v.name.endswith("_embedding:0")]
    tf.keras.backend.get_session().run(tf.variables_initializer(made))


def _embedded(tf: Any, names: Any, metadata: Any) -> Iterator[Any]:
    layers = tf.keras.layers
    parts = [layers.Embedding(5, 2, input_length=3, name="words"), layers.Flatten(), layers.Dense(1, name="last")]
    model = tf.keras.Sequential(parts)
    random = np.random.RandomState(5)
    weights = [random.uniform(-1, 1, size=w.shape) for w in model.get_weights()]
    model.set_weights(weights)
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    x, y = random.randint(5, size=(7, 3)), np.zeros((7, 1))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        watch = tf.keras.callbacks.TensorBoard(
            name,
            batch_size=3,
            embeddings_freq=2,
            embeddings_layer_names=names,
            embeddings_metadata=metadata,
            embeddings_data=x,
        )
        # TensorFlow 1.15 does not initialize the variables of embeddings.
        start = tf.keras.callbacks.LambdaCallback(on_train_begin=lambda logs: _initialize(tf))
        model.fit(x, y, epochs=3, verbose=0, callbacks=[watch, start])
        yield (folder / "projector_config.pbtxt").read_text().split("\n")
        yield sorted({path.name.split(".data")[0] for path in folder.glob("keras_embedding.ckpt*")})
        reader = tf.train.load_checkpoint(str(folder / "keras_embedding.ckpt-2"))
        for variable, shape in sorted(reader.get_variable_to_shape_map().items()):
            yield [variable, list(shape)]
            yield np.round(reader.get_tensor(variable).astype(np.float64), 6).tolist()


def programs(tf: Any) -> dict[str, Callable[[], Iterator[Any]]]:
    """The programs by name; each yields lists of numbers and names."""
    kinds: dict[str, dict[str, Any]] = {
        "epochs": {"validation": False},
        "validated": {"validation": True},
        "batches": {"validation": True, "update_freq": "batch"},
        "samples": {"validation": False, "update_freq": 6},
        "histograms": {"validation": True, "histogram_freq": 2},
        "histograms without data": {"validation": False, "histogram_freq": 1},
        "gradients": {"validation": True, "histogram_freq": 1, "write_grads": True, "write_images": True},
    }
    found: dict[str, Callable[[], Iterator[Any]]] = {}
    for name, options in kinds.items():
        found[name] = lambda options=options: _written(tf, write_graph=False, **options)
    found["embeddings"] = lambda: _embedded(tf, None, "words.tsv")
    found["embeddings of layers"] = lambda: _embedded(tf, ["words", "last"], {"last": "last.tsv"})
    return found


def results(tf: Any, program: Callable[[], Iterator[Any]]) -> list[Any]:
    """The results of a program in a graph of its own, as JSON holds them."""
    tf.keras.backend.clear_session()
    return list(program())

"""Locally connected layers, tokenizers and input specifications of tf.keras, whose results TensorFlow 1.15.5 gave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def _local(tf: Any, kind: str, implementation: int, padding: str, data_format: str) -> Iterator[Any]:
    keras = tf.keras
    places: tuple[int, ...] = (6,) if kind == "LocallyConnected1D" else (5, 6)
    shape = (2, *places) if data_format == "channels_first" else (*places, 2)
    # Strides are not part of the places that TensorFlow's "same" covers.
    strides: Any = 1 if padding == "same" or len(places) == 1 else (2, 1)
    size = 2 if len(places) == 1 else (2, 3)
    layer = getattr(keras.layers, kind)(
        3,
        size,
        strides,
        padding,
        data_format,
        bias_initializer="ones",
        implementation=implementation,
        input_shape=shape,
    )
    model = keras.Sequential([layer])
    random = np.random.RandomState(1)
    model.set_weights([random.uniform(-0.5, 0.5, size=a.shape) for a in model.get_weights()])
    yield [f"{v.name} {v.shape.as_list()}" for v in model.weights]
    yield tf.TensorShape(layer.compute_output_shape((None, *shape))).as_list()[1:]
    x = random.uniform(size=(2, *shape))
    before = model.predict(x)
    yield before
    model.compile(keras.optimizers.SGD(0.1), "mse")
    yield model.train_on_batch(x, np.zeros_like(before))
    yield from model.get_weights()
    yield layer.get_config()["implementation"]


_TEXTS: list[Any] = ["the cat sat on the mat", "the dog; a Cat", ["the", "x y", "Cat"]]


def _tokens(tf: Any, **options: Any) -> Iterator[Any]:
    made = tf.keras.preprocessing.text.Tokenizer(**options)
    made.fit_on_texts(_TEXTS)
    made.fit_on_sequences([[1, 2], [2, 11]])
    yield [[key, value] for key, value in made.word_index.items()]
    yield sorted([key, value] for key, value in made.index_docs.items())
    yield made.document_count
    yield from made.texts_to_sequences(["the cat zebra mat", ["dog", "none"], ""])
    yield made.sequences_to_texts([[1, 2, 99], [3, 4], [0]])
    for mode in ("binary", "count", "freq", "tfidf"):
        yield made.texts_to_matrix(["the cat the zebra mat", "a"], mode)
    for config in (made.get_config(), json.loads(made.to_json())["config"]):
        for name, value in sorted(config.items()):
            # Texts are counted by sets of words, whose order differs between processes.
            is_text = isinstance(value, str) and value[:1] == "{"
            yield [name, sorted(json.loads(value).items()) if is_text else value]
    yield list(json.loads(made.to_json(indent=1)))


def programs(tf: Any) -> dict[str, Callable[[], Iterator[Any]]]:
    """The programs by name; each yields arrays, numbers and lists of names."""
    found: dict[str, Callable[[], Iterator[Any]]] = {}
    for kind in ("LocallyConnected1D", "LocallyConnected2D"):
        for implementation in (1, 2, 3):
            for padding in ("valid", "same") if implementation > 1 else ("valid",):
                for data_format in ("channels_last", "channels_first"):
                    options = (kind, implementation, padding, data_format)
                    found[" ".join(map(str, options))] = lambda options=options: _local(tf, *options)
    for name, given in {
        "tokenizer": {},
        "tokenizer of some": {"num_words": 4},
        "tokenizer with others": {"oov_token": "<u>"},
        "tokenizer of some with others": {"num_words": 3, "oov_token": "<u>"},
        "tokenizer of characters": {"char_level": True, "lower": False, "num_words": 6},
    }.items():
        found[name] = lambda given=given: _tokens(tf, **given)
    return found


def results(tf: Any, program: Callable[[], Iterator[Any]]) -> list[Any]:
    """The results of a program in a graph of its own, as JSON holds them."""
    tf.keras.backend.clear_session()
    made = [value if isinstance(value, list) else np.round(np.float64(value), 6).tolist() for value in program()]
    again: list[Any] = json.loads(json.dumps(made))
    return again

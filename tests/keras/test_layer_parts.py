"""Locally connected layers, tokenizers and input specifications, as those of TensorFlow 1.15.5."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.keras_part_programs import programs, results

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "keras_parts.json").read_text(encoding="utf-8"))
layers, text = tf.keras.layers, tf.keras.preprocessing.text


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(name: str) -> None:
    found = results(tf, programs(tf)[name])
    assert len(found) == len(GOLDEN[name])
    for ours, theirs in zip(found, GOLDEN[name], strict=True):
        if "tokenizer" in name:
            np.testing.assert_equal(ours, theirs)
        elif np.asarray(theirs).dtype.kind == "U":
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("implementation", [2, 3])
@pytest.mark.parametrize("stride", [1, 2])
def test_other_layouts_of_weights_compute_the_same(implementation: int, stride: int) -> None:
    """The weights of each place's matrix, put where the other layouts have them, give the same outputs."""
    tf.keras.backend.clear_session()
    x = np.random.default_rng(0).normal(size=(3, 7, 2)).astype(np.float32)
    models = [
        tf.keras.Sequential([layers.LocallyConnected1D(4, 3, stride, implementation=i, input_shape=(7, 2))])
        for i in (1, implementation)
    ]
    kernel, bias = models[0].get_weights()
    count = kernel.shape[0]
    dense = np.zeros((7, 2, count, 4), np.float32)
    for place in range(count):
        dense[place * stride : place * stride + 3, :, place] = kernel[place].reshape(3, 2, 4)
    used = np.zeros_like(dense, bool)
    for place in range(count):
        used[place * stride : place * stride + 3, :, place] = True
    by_output = dense.reshape(14, -1).T[used.reshape(14, -1).T]
    models[1].set_weights([dense if implementation == 2 else by_output, bias])
    np.testing.assert_allclose(models[0].predict(x), models[1].predict(x), rtol=1e-4, atol=1e-5)
    # Elements of the one matrix that connect nothing are not trained.
    if implementation == 2:
        models[1].compile("sgd", "mse")
        models[1].train_on_batch(x, np.ones((3, count, 4)))
        changed = models[1].get_weights()[0] != dense
        assert not changed[~used].any()
        assert changed[used].any()


def test_wrong_arguments_of_locally_connected_layers_are_refused() -> None:
    with pytest.raises(ValueError, match='only "valid" is supported if implementation is 1'):
        layers.LocallyConnected1D(3, 2, padding="same")
    with pytest.raises(ValueError, match="`padding` argument"):
        layers.LocallyConnected2D(3, 2, padding="causal")
    with pytest.raises(ValueError, match="Unknown data_format"):
        layers.LocallyConnected2D(3, 2, data_format="rows")
    with pytest.raises(ValueError, match="Unrecognized implementation mode: 4"):
        layers.LocallyConnected1D(3, 2, implementation=4)(tf.keras.Input((6, 4)))


@pytest.mark.parametrize("options", [{}, {"num_words": 3, "oov_token": "u"}, {"char_level": True}])
def test_a_tokenizer_made_of_its_json_is_equal(options: Any) -> None:
    made = text.Tokenizer(**options)
    made.fit_on_texts(["the cat sat", "a dog and a cat"])
    again = text.tokenizer_from_json(made.to_json())
    assert vars(again) == vars(made)
    assert again.texts_to_sequences(["a cat or dog"]) == made.texts_to_sequences(["a cat or dog"])
    # A tokenizer that was read counts on.
    again.fit_on_texts(["an owl"])
    assert again.document_count == 3
    assert again.texts_to_matrix(["a cat"], "tfidf").shape[0] == 1


def test_input_specifications_are_made_of_their_configurations() -> None:
    spec = layers.InputSpec(shape=(None, 3), dtype="float32", axes={-1: 3})
    assert spec.get_config() == {
        "dtype": "float32",
        "shape": (None, 3),
        "ndim": 2,
        "max_ndim": None,
        "min_ndim": None,
        "axes": {-1: 3},
    }
    assert repr(layers.InputSpec.from_config(spec.get_config())) == repr(spec)
    assert layers.InputSpec(ndim=3, axes={"1": 2}).axes == {1: 2}
    with pytest.raises(TypeError, match="keys in axes must be integers"):
        layers.InputSpec(axes={"last": 2})
    with pytest.raises(ValueError, match="Axis 3 is greater than the maximum allowed value: 1"):
        layers.InputSpec(ndim=2, axes={3: 2})

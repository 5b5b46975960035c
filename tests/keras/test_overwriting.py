"""A model that is saved asks before it replaces a file, and saves with the operations of its first save."""

import os

import numpy as np
import pytest

import ferroflow as tf

FORMS = [("weights.h5", "weights.h5", "weights"), ("weights", "weights.index", "weights"), ("model.h5", "", "model")]
FORMS += [("folder", "", "folder")]


@pytest.fixture
def model():
    tf.keras.backend.clear_session()
    return tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])


def save(model, path, kind, overwrite):
    if kind == "weights":
        model.save_weights(path, overwrite=overwrite)
    else:
        model.save(path, overwrite=overwrite, save_format="tf" if kind == "folder" else None)


@pytest.mark.parametrize(("name", "written", "kind"), FORMS)
@pytest.mark.parametrize(("answers", "is_replaced"), [(["Y "], True), (["n"], False), (["", "yes", "y"], True)])
def test_an_existing_file_is_replaced_if_the_answer_is_y(
    tmp_path, monkeypatch, capsys, model, name, written, kind, answers, is_replaced
):
    pytest.importorskip("h5py")
    path, asked = str(tmp_path / name), []

    def answer(prompt):
        asked.append(prompt)
        return answers[len(asked) - 1]

    monkeypatch.setattr("builtins.input", answer)
    save(model, path, kind, overwrite=False)
    assert asked == []
    before = model.get_weights()
    model.set_weights([np.full_like(value, 7) for value in before])
    save(model, path, kind, overwrite=False)
    # The prompts are TensorFlow's.
    where = str(tmp_path / (written or name))
    again = ['Enter "y" (overwrite) or "n" (cancel).'] * (len(answers) - 1)
    assert asked == [f"[WARNING] {where} already exists - overwrite? [y/n]", *again]
    assert ("[TIP] Next time specify overwrite=True!" in capsys.readouterr().out) == is_replaced
    if kind != "folder":
        model.load_weights(path)
        assert bool((model.get_weights()[0] == 7).all()) == is_replaced


def test_weights_are_saved_and_loaded_with_the_operations_of_the_first_time(tmp_path, model):
    path = os.fspath(tmp_path / "weights")
    model.save_weights(path)
    model.load_weights(path)
    graph = tf.get_default_graph()
    model.get_weights()
    before = len(graph.get_operations())
    for _ in range(3):
        model.save_weights(path)
        model.load_weights(path)
    assert len(graph.get_operations()) == before

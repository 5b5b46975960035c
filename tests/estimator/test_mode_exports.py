"""Exports of an estimator in several modes, and estimators of such exports."""

import json
import uuid
from pathlib import Path

import numpy as np
import pytest
from estimator.test_heads import compare
from golden.mode_export_programs import PROGRAMS, result_of

import ferroflow as tf
from ferroflow._src.estimator import export_folders

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "mode_exports.json").read_text(encoding="utf-8"))
made = tf.contrib.estimator


def _flat(value):
    """Returns a result without empty lists, which `compare` does not take."""
    if isinstance(value, dict):
        return {key: _flat(part) for key, part in value.items() if part != []}
    return [str(part) for part in value] if isinstance(value, list) and value and isinstance(value[0], list) else value


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_tensorflows_results(name, tmp_path):
    ours = json.loads(json.dumps(result_of(tf, name, str(tmp_path))))
    if name == "signatures":
        assert ours == GOLDEN[name]
    else:
        compare(_flat(ours), _flat(GOLDEN[name]), name)


def _model_fn(features, labels, mode):
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(features * weight - labels)) if labels is not None else None
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step) if loss is not None else None
    return tf.estimator.EstimatorSpec(mode, {"y": features * weight}, loss, train)


def _inputs():
    return tf.constant([1.0, 2.0]), tf.constant([2.0, 4.0])


def test_one_mode_is_exported(tmp_path):
    model = tf.estimator.Estimator(_model_fn, str(tmp_path / "model")).train(_inputs, steps=1)
    receiver = made.build_supervised_input_receiver_fn_from_input_fn(_inputs)
    path = model.export_saved_model(str(tmp_path / "train"), receiver, experimental_mode="train").decode()
    again = made.SavedModelEstimator(path, str(tmp_path / "again"))
    weight = model.get_variable_value("weight")

    def named():
        return {"input": tf.constant([1.0, 2.0])}, {"label": tf.constant([2.0, 4.0])}

    again.train(named, steps=1)
    np.testing.assert_allclose(again.get_variable_value("weight"), weight + 0.5 * (2.0 - weight), rtol=1e-6)
    with pytest.raises(RuntimeError, match="eval mode is not available"):
        again.evaluate(named, steps=1)
    with pytest.raises(ValueError, match='Key "label" not found'):
        again.train(lambda: {"input": tf.constant([1.0, 2.0])}, steps=1)
    with pytest.raises(ValueError, match="Expected dtype: <dtype: 'float32'>"):
        again.train(lambda: ({"input": tf.constant([1, 2])}, tf.constant([1.0, 2.0])), steps=1)


def test_what_cannot_be_exported_is_refused(tmp_path):
    model = tf.estimator.Estimator(_model_fn, str(tmp_path / "model"))
    with pytest.raises(ValueError, match="Couldn't find trained model"):
        model.experimental_export_all_saved_models(str(tmp_path), {})
    model.train(_inputs, steps=1)
    with pytest.raises(ValueError, match="No valid modes"):
        made.export_all_saved_models(model, str(tmp_path), {"other": _inputs})
    with pytest.raises(ValueError, match="must be defined"):
        made.export_saved_model_for_mode(model, str(tmp_path), None, mode="eval")
    with pytest.raises(ValueError, match="overlapping keys"):
        made.build_raw_supervised_input_receiver_fn({"a": 1}, {"a": 2})
    with pytest.raises(ValueError, match="invalid SavedModel format"):
        made.SavedModelEstimator(str(tmp_path))


def test_a_warm_start_is_also_that_of_an_evaluation(tmp_path):
    first = tf.estimator.Estimator(_model_fn, str(tmp_path / "first")).train(_inputs, steps=3)
    second = tf.estimator.Estimator(_model_fn, str(tmp_path / "second"), warm_start_from=str(tmp_path / "first"))
    assert second.evaluate(_inputs, steps=1)["loss"] == first.evaluate(_inputs, steps=1)["loss"]
    predicted = next(second.predict(lambda: tf.data.Dataset.from_tensors(tf.constant([1.0]))))
    assert predicted["y"] == first.get_variable_value("weight")


def test_an_export_leaves_the_files_of_another_one_that_took_its_folder_first(monkeypatch):
    base = f"memory://{uuid.uuid4().hex}"

    def builder(folder):
        with tf.gfile.GFile(f"{folder}/saved_model.pb", "w") as file:
            file.write("the other export")
        return tf.saved_model.builder.SavedModelBuilder(folder)

    monkeypatch.setattr(export_folders, "SavedModelBuilder", builder)
    with pytest.raises(AssertionError, match="isn't empty"):
        export_folders.write_saved_model(base, lambda builder: None, None, False)
    assert len(tf.gfile.Glob(f"{base}/*/saved_model.pb")) == 1

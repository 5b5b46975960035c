"""Programs of `tf.contrib.learn` train, export and read files as on TensorFlow 1.15.5."""

import json
from pathlib import Path

import numpy as np
import pytest
from estimator.test_heads import compare
from golden.learn_run_programs import PROGRAMS, result_of

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "learn_runs.json").read_text(encoding="utf-8"))
learn = tf.contrib.learn


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_tensorflows_results(name, tmp_path):
    ours = json.loads(json.dumps(result_of(tf, name, str(tmp_path))))
    errors = {key: ours.pop(key) for key in list(ours) if key.startswith("error")}
    theirs = {key: value for key, value in GOLDEN[name].items() if key not in errors}
    compare(ours, theirs, name)
    assert errors == {key: GOLDEN[name][key] for key in errors}


def test_summaries_of_a_training_have_their_interval(tmp_path):
    with tf.Graph().as_default() as graph:
        step = tf.train.create_global_step()
        loss = tf.get_variable("v", [], initializer=tf.ones_initializer()) ** 2
        tf.summary.scalar("loss", loss)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    learn.train(graph, str(tmp_path), train, loss, steps=7, supervisor_save_summaries_steps=3)
    (file,) = tmp_path.glob("*tfevents*")
    steps = [
        event.step for event in tf.train.summary_iterator(str(file)) for v in event.summary.value if v.tag == "loss"
    ]
    assert steps == [1, 4, 7]


def test_a_loss_that_is_no_number_ends_training(tmp_path):
    with tf.Graph().as_default() as graph:
        step = tf.train.create_global_step()
        loss = tf.log(tf.get_variable("v", [], initializer=tf.zeros_initializer()) - 1.0)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    with pytest.raises(learn.NanLossDuringTrainingError):
        learn.train(graph, str(tmp_path), train, loss, steps=3)


def test_a_strategy_passes_what_its_function_takes():
    seen = []
    learn.ExportStrategy("a", lambda estimator, path: seen.append((estimator, path))).export(1, "p", "c", {})
    learn.ExportStrategy("b", lambda e, p, checkpoint_path, eval_result: seen.append(eval_result)).export(
        1, "p", "c", 3
    )
    assert seen == [(1, "p"), 3]
    with pytest.raises(ValueError, match="must also accept checkpoint_path"):
        learn.ExportStrategy("c", lambda e, p, eval_result: None).export(1, "p")


def test_tables_of_pandas_become_arrays():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    assert learn.extract_pandas_data(table).tolist() == [[1.0, 0.5], [2.0, 1.5]]
    assert learn.extract_pandas_matrix(table).shape == (2, 2)
    assert learn.extract_pandas_labels(table[["a"]]).tolist() == [[1], [2]]
    array = np.zeros(2)
    assert learn.extract_pandas_data(array) is array
    with pytest.raises(ValueError, match="Only one column"):
        learn.extract_pandas_labels(table)
    with pytest.raises(ValueError, match="must be int, float, or bool"):
        learn.extract_pandas_data(pandas.DataFrame({"a": ["x"]}))


def test_tables_of_dask_get_divisions():
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    table = frames.from_pandas(pandas.DataFrame({"a": range(7)}), npartitions=3).reset_index(drop=True)
    counted = learn.extract_dask_data(table)
    assert counted.known_divisions
    assert counted.compute().index.tolist() == list(range(7))


def test_dynamic_rnns_refuse_what_does_not_fit():
    kinds = learn.ProblemType
    with pytest.raises(ValueError, match="prediction_type must be one of"):
        learn.DynamicRnnEstimator(kinds.CLASSIFICATION, 3, [])
    with pytest.raises(ValueError, match="num_classes must be specified"):
        learn.DynamicRnnEstimator(kinds.CLASSIFICATION, 1, [])
    with pytest.raises(ValueError, match="only be set to True"):
        learn.DynamicRnnEstimator(kinds.LINEAR_REGRESSION, 1, [], predict_probabilities=True)

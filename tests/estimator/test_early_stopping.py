"""Hooks end a training when the metrics of evaluations say so, and evaluate within a training."""

import numpy as np
import pytest

import ferroflow as tf

COLUMNS = [tf.feature_column.numeric_column("x")]
experimental = tf.estimator.experimental


def _input():
    return {"x": tf.constant([[1.0], [2.0]])}, tf.constant([[2.0], [4.0]])


def _estimator(folder, **config):
    return tf.estimator.LinearRegressor(COLUMNS, str(folder), config=tf.estimator.RunConfig(**config))


def _write(folder, values):
    with tf.summary.FileWriter(str(folder)) as writer:
        for step, value in values.items():
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="accuracy", simple_value=value)]), step)


# The metric by steps, the hook and its arguments, and True if the training stops at once.
CASES = [
    ({0: 0.5, 10: 0.9}, "stop_if_higher_hook", (0.8,), {}, True),
    ({0: 0.5, 10: 0.9}, "stop_if_higher_hook", (0.9,), {}, False),
    ({0: 0.9, 10: 0.5}, "stop_if_higher_hook", (0.8,), {"min_steps": 5}, False),
    ({0: 0.5, 10: 0.9}, "stop_if_lower_hook", (0.6,), {}, True),
    ({0: 0.5, 10: 0.9}, "stop_if_lower_hook", (0.6,), {"min_steps": 1}, False),
    ({0: 0.9, 10: 0.8, 20: 0.9}, "stop_if_no_increase_hook", (20,), {}, True),
    ({0: 0.9, 10: 0.8, 20: 0.95}, "stop_if_no_increase_hook", (20,), {}, False),
    ({0: 0.9, 10: 0.8, 20: 0.9}, "stop_if_no_increase_hook", (20,), {"min_steps": 5}, False),
    ({0: 0.2, 10: 0.3, 20: 0.2}, "stop_if_no_decrease_hook", (20,), {}, True),
    ({0: 0.2, 10: 0.3, 20: 0.1}, "stop_if_no_decrease_hook", (20,), {}, False),
    ({}, "stop_if_no_decrease_hook", (20,), {}, False),
]


@pytest.mark.parametrize(("values", "name", "arguments", "more", "stops"), CASES)
def test_a_metric_stops_the_training(tmp_path, values, name, arguments, more, stops):
    estimator = _estimator(tmp_path)
    if values:
        _write(estimator.eval_dir(), values)
    hook = getattr(experimental, name)(
        estimator, "accuracy", *arguments, run_every_secs=None, run_every_steps=1, **more
    )
    estimator.train(_input, steps=3, hooks=[hook])
    assert estimator.get_variable_value("global_step") == (1 if stops else 3)
    assert estimator.get_variable_value("signal_early_stopping/STOP") == stops


def test_metrics_of_another_folder_count(tmp_path):
    estimator = _estimator(tmp_path / "model")
    _write(tmp_path / "other", {0: 1.0})
    hook = tf.contrib.estimator.stop_if_higher_hook(estimator, "accuracy", 0.5, eval_dir=str(tmp_path / "other"))
    estimator.train(_input, steps=3, hooks=[hook])
    assert estimator.get_variable_value("global_step") == 1
    assert tf.contrib.estimator.read_eval_metrics(str(tmp_path / "other")) == {0: {"accuracy": 1.0}}


def test_an_own_function_stops_the_training(tmp_path):
    estimator, calls = _estimator(tmp_path), []

    def should_stop():
        calls.append(1)
        return len(calls) == 2

    hook = experimental.make_early_stopping_hook(estimator, should_stop, run_every_secs=None, run_every_steps=2)
    estimator.train(_input, steps=10, hooks=[hook])
    assert estimator.get_variable_value("global_step") == 3


def test_what_does_not_fit_is_refused(tmp_path):
    estimator = _estimator(tmp_path)
    with pytest.raises(TypeError, match=r"must have type `tf\.estimator\.Estimator`"):
        experimental.make_early_stopping_hook("x", lambda: True)
    with pytest.raises(ValueError, match="Only one of `run_every_secs` and `run_every_steps`"):
        experimental.make_early_stopping_hook(estimator, lambda: True, 1, 1)
    with pytest.raises(TypeError, match="`should_stop_fn` must be callable"):
        experimental.make_early_stopping_hook(estimator, 1)
    with pytest.raises(ValueError, match="invalid every_n_iter=0"):
        experimental.InMemoryEvaluatorHook(estimator, _input, every_n_iter=0)


def test_a_chief_stops_at_a_step(tmp_path):
    estimator = _estimator(tmp_path)
    hook = experimental.make_stop_at_checkpoint_step_hook(estimator, 2)
    estimator.train(_input, hooks=[hook])
    assert estimator.get_variable_value("global_step") == 2


def test_an_evaluation_within_a_training_has_the_values_of_then(tmp_path):
    estimator = _estimator(tmp_path / "model", save_checkpoints_steps=1, keep_checkpoint_max=None)
    inner = []

    class Counting(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            inner.append(1)

    hook = experimental.InMemoryEvaluatorHook(
        estimator, _input, steps=2, hooks=[Counting()], name="own", every_n_iter=2
    )
    estimator.train(_input, steps=5, hooks=[hook])
    found = tf.contrib.estimator.read_eval_metrics(estimator.eval_dir("own"))
    assert list(found) == [0, 2, 4, 5]
    assert len(inner) == 2 * len(found)
    for step in found:
        path = str(tmp_path / "model" / f"model.ckpt-{step}")
        expected = estimator.evaluate(_input, steps=2, checkpoint_path=path)
        for name, value in found[step].items():
            np.testing.assert_allclose(value, expected[name], rtol=1e-6, err_msg=f"{name} at {step}")

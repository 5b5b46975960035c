"""A model is trained, evaluated at its checkpoints and exported, by one program or by the tasks of a cluster."""

import json
import os
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.estimator import train_and_evaluate

X = np.arange(12, dtype=np.float32).reshape(6, 2)
Y = X @ np.array([[0.5], [-0.25]], np.float32) + 1


def dataset(epochs=None):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(epochs).batch(3)


def linear(features, labels, mode, params):
    predicted = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer(), name="layer")
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"twice": tf.estimator.export.PredictOutput({"twice": predicted * 2})}
        return tf.estimator.EstimatorSpec(mode, predictions={"y": predicted}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, predicted)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def estimator(path, rate=0.01, **config):
    config = tf.estimator.RunConfig(str(path), log_step_count_steps=None, **config)
    return tf.estimator.Estimator(linear, config=config, params={"rate": rate})


def receiver():
    return tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 2])})()


class Recording(tf.estimator.Exporter):
    """Keeps what it is called with."""

    def __init__(self, name="recording"):
        self.name_, self.calls = name, []

    @property
    def name(self):
        return self.name_

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        self.calls.append((export_path, os.path.basename(checkpoint_path), eval_result, is_the_final_export))
        return len(self.calls)


def run(model, steps, **kwargs):
    train_spec = tf.estimator.TrainSpec(dataset, max_steps=steps)
    kwargs = {"steps": None, "throttle_secs": 0, **kwargs}
    eval_spec = tf.estimator.EvalSpec(lambda: dataset(1), **kwargs)
    return tf.estimator.train_and_evaluate(model, train_spec, eval_spec)


def test_each_checkpoint_is_evaluated_and_exported(tmp_path):
    exporter = Recording()
    model = estimator(tmp_path, 0.001, save_checkpoints_steps=4)
    metrics, exports = run(model, 10, exporters=exporter)
    assert [call[1] for call in exporter.calls] == ["model.ckpt-4", "model.ckpt-8", "model.ckpt-10"]
    assert [call[3] for call in exporter.calls] == [False, False, True]
    assert {call[0] for call in exporter.calls} == {str(tmp_path / "export" / "recording")}
    losses = [call[2]["loss"] for call in exporter.calls]
    assert losses == sorted(losses, reverse=True)
    assert metrics is exporter.calls[-1][2]
    assert metrics["global_step"] == 10
    assert exports == [3]
    # The training went on as if nothing had been evaluated.
    other = estimator(tmp_path / "alone", 0.001)
    other.train(dataset, max_steps=10)
    assert other.get_variable_value("layer/kernel").tolist() == model.get_variable_value("layer/kernel").tolist()
    assert run(model, 10) == (None, None)


def test_evaluations_keep_their_distance_and_the_last_is_made(tmp_path):
    exporter = Recording()
    run(estimator(tmp_path, save_checkpoints_steps=2), 9, exporters=[exporter], throttle_secs=600)
    assert [call[1] for call in exporter.calls] == ["model.ckpt-2", "model.ckpt-9"]


def test_the_final_and_the_latest_models_are_exported(tmp_path, monkeypatch):
    times = iter(range(1_500_000_000, 1_500_000_100))
    monkeypatch.setattr("ferroflow._src.estimator.export_folders.time.time", lambda: next(times))
    exporters = [
        tf.estimator.FinalExporter("final", receiver),
        tf.estimator.LatestExporter("latest", receiver, exports_to_keep=2),
    ]
    _, made = run(estimator(tmp_path, save_checkpoints_steps=2), 8, exporters=exporters)
    assert len(list((tmp_path / "export" / "final").iterdir())) == 1
    kept = sorted(os.listdir(tmp_path / "export" / "latest"))
    assert len(kept) == 2
    assert os.fsencode(tmp_path / "export" / "latest" / kept[-1]) == made[1]
    served = tf.contrib.predictor.from_saved_model(made[0].decode())({"x": X[:1]})
    predicted = next(iter(estimator(tmp_path).predict(lambda: dataset(1))))["y"]
    np.testing.assert_allclose(served["twice"], [predicted * 2], rtol=1e-5)


def exported_steps(model, exporter, losses, first_step=1):
    """The steps at which models with these losses are exported."""
    steps = []
    for step, loss in enumerate(losses, first_step):
        writer = tf.summary.FileWriter(model.eval_dir())
        summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=loss)])
        writer.add_summary(summary, step)
        writer.close()
        if exporter.export(model, "somewhere", "checkpoint", {"loss": loss, "global_step": step}, False):
            steps.append(step)
    return steps


def test_the_best_models_are_exported(tmp_path, monkeypatch):
    model = estimator(tmp_path)
    monkeypatch.setattr(model, "export_savedmodel", lambda *args, **kwargs: b"made", raising=True)
    monkeypatch.setattr("ferroflow._src.estimator.exporters.list_directory", lambda base: [])
    best = tf.estimator.BestExporter(serving_input_receiver_fn=receiver)
    assert exported_steps(model, best, [3.0, 4.0, 2.0, 2.0, 1.0]) == [1, 3, 5]
    # A new program knows the evaluations of the one before it.
    again = tf.estimator.BestExporter(serving_input_receiver_fn=receiver)
    assert exported_steps(model, again, [1.5, 0.5, 0.75], 6) == [7]
    anew = tf.estimator.BestExporter(serving_input_receiver_fn=receiver, event_file_pattern=None)
    assert exported_steps(model, anew, [9.0, 10.0], 9) == [9]

    def larger(best_eval_result, current_eval_result):
        return current_eval_result["loss"] > best_eval_result["loss"]

    other = tf.estimator.BestExporter("other", receiver, compare_fn=larger)
    assert exported_steps(model, other, [8.0, 12.0], 11) == [12]
    with pytest.raises(ValueError, match="no loss is found"):
        best.export(model, "somewhere", "checkpoint", {"accuracy": 1.0}, False)


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda: tf.estimator.TrainSpec(3), TypeError, "`input_fn` must be callable"),
        (lambda: tf.estimator.TrainSpec(dataset, 0), ValueError, "max_steps > 0"),
        (lambda: tf.estimator.TrainSpec(dataset, hooks=[3]), TypeError, "SessionRunHook"),
        (lambda: tf.estimator.EvalSpec(dataset, 0), ValueError, "steps > 0"),
        (lambda: tf.estimator.EvalSpec(dataset, name=3), TypeError, "`name` must be string"),
        (lambda: tf.estimator.EvalSpec(dataset, throttle_secs=-1), ValueError, "throttle_secs >= 0"),
        (lambda: tf.estimator.EvalSpec(dataset, start_delay_secs=-1), ValueError, "start_delay_secs >= 0"),
        (lambda: tf.estimator.EvalSpec(dataset, exporters=3), TypeError, "must be an Exporter"),
        (lambda: tf.estimator.EvalSpec(dataset, exporters=[3]), TypeError, "must be an Exporter"),
        (lambda: tf.estimator.EvalSpec(dataset, exporters=Recording("")), ValueError, "`None` or empty"),
        (lambda: tf.estimator.EvalSpec(dataset, exporters=[Recording()] * 2), ValueError, "unique names"),
        (lambda: tf.estimator.LatestExporter("a", receiver, exports_to_keep=0), ValueError, "exports_to_keep"),
        (lambda: tf.estimator.BestExporter("a", receiver, compare_fn=None), ValueError, "must not be None"),
        (lambda: tf.estimator.BestExporter("a", receiver, compare_fn=min), ValueError, "best_eval_result|signature"),
        (lambda: tf.estimator.Exporter(), TypeError, "abstract"),
    ],
)
def test_what_is_asked_for_is_checked(make, error, reason):
    with pytest.raises(error, match=reason):
        make()


def test_types_are_checked(tmp_path):
    train_spec, eval_spec = tf.estimator.TrainSpec(dataset), tf.estimator.EvalSpec(dataset)
    model = estimator(tmp_path)
    for arguments in ((3, train_spec, eval_spec), (model, eval_spec, eval_spec), (model, train_spec, None)):
        with pytest.raises(TypeError, match="must have type"):
            tf.estimator.train_and_evaluate(*arguments)


def test_one_feature_is_served_as_it_is(tmp_path):
    def doubled(features, labels, mode):
        assert isinstance(features, tf.Tensor)
        return tf.estimator.EstimatorSpec(
            mode,
            predictions=features,
            export_outputs={"out": tf.estimator.export.PredictOutput({"twice": features * tf.get_variable("two", [])})},
        )

    with tf.Graph().as_default(), tf.Session() as sess:
        step, two = tf.train.create_global_step(), tf.get_variable("two", initializer=2.0)
        sess.run([step.initializer, two.initializer])
        tf.train.Saver().save(sess, str(tmp_path / "model.ckpt"), 0)

    def serving():
        fed = tf.placeholder(tf.float32, [None], name="fed")
        return tf.estimator.export.TensorServingInputReceiver(fed, fed)

    folder = tf.estimator.Estimator(doubled, str(tmp_path)).export_saved_model(str(tmp_path / "out"), serving)
    served = tf.contrib.predictor.from_saved_model(folder.decode())({"input": [1.5]})
    assert served["twice"].tolist() == [3.0]
    for features, receivers, reason in (
        (None, None, "features must be defined"),
        ({}, None, "must be a Tensor or SparseTensor"),
    ):
        with pytest.raises(ValueError, match=reason):
            tf.estimator.export.TensorServingInputReceiver(features, receivers)


def test_a_saved_model_has_the_checkpoint_that_is_given(tmp_path):
    def model_fn(features, labels, mode):
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        step = tf.train.get_global_step()
        outputs = {"out": tf.estimator.export.PredictOutput({"weight": features["x"] * 0.0 + weight})}
        return tf.estimator.EstimatorSpec(
            mode,
            predictions=features,
            loss=weight + 0.0,
            train_op=tf.group(weight.assign_add(1.0), tf.assign_add(step, 1)),
            export_outputs=outputs,
        )

    def serving():
        fed = tf.placeholder(tf.float32, [None], name="fed")
        return tf.estimator.export.ServingInputReceiver({"x": fed}, {"x": fed})

    model = tf.estimator.Estimator(model_fn, str(tmp_path / "model"))
    model.train(lambda: tf.data.Dataset.from_tensors({"x": [1.0]}).repeat(), steps=2)
    first = tf.train.latest_checkpoint(str(tmp_path / "model"))
    model.train(lambda: tf.data.Dataset.from_tensors({"x": [1.0]}).repeat(), steps=3)
    for checkpoint, weight in ((first, 2.0), (None, 5.0)):
        folder = model.export_saved_model(str(tmp_path / "out"), serving, checkpoint_path=checkpoint)
        assert tf.contrib.predictor.from_saved_model(folder.decode())({"x": [1.0]})["weight"].tolist() == [weight]


def test_the_delay_before_the_first_evaluation_is_logged_and_waited(tmp_path, monkeypatch, caplog):
    slept = []
    estimator(tmp_path).train(dataset, steps=2)
    clock = types.SimpleNamespace(sleep=slept.append, monotonic=time.monotonic)
    monkeypatch.setattr(train_and_evaluate, "time", clock)
    monkeypatch.setenv(
        "TF_CONFIG", json.dumps({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})
    )
    with caplog.at_level("INFO", logger="tensorflow"):
        tf.estimator.train_and_evaluate(
            estimator(tmp_path),
            tf.estimator.TrainSpec(dataset, max_steps=2),
            tf.estimator.EvalSpec(lambda: dataset(1), steps=1, start_delay_secs=7, throttle_secs=0),
        )
    assert slept == [7]
    assert "Waiting 7.000000 secs before starting eval." in caplog.text


PROGRAM = """
import sys
import numpy as np
import ferroflow as tf
from ferroflow._src.estimator import train_and_evaluate

def model_fn(features, labels, mode):
    predicted = tf.layers.dense(features, 1, name="layer")
    loss = tf.losses.mean_squared_error(labels, predicted)
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def data():
    x = np.arange(6, dtype=np.float32).reshape(6, 1)
    return tf.data.Dataset.from_tensors((x, 2 * x)).repeat()

config = tf.estimator.RunConfig(sys.argv[1], save_checkpoints_steps=20, experimental_max_worker_delay_secs=0)
train_spec = tf.estimator.TrainSpec(data, max_steps=60)
eval_spec = tf.estimator.EvalSpec(data, steps=1, start_delay_secs=0, throttle_secs=0)
result = tf.estimator.train_and_evaluate(tf.estimator.Estimator(model_fn, config=config), train_spec, eval_spec)
print(config.task_type, result)
"""


def test_the_tasks_of_a_cluster_train_and_an_evaluator_evaluates(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    path = os.pathsep.join([str(Path(tf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    cluster = {"chief": ["unused:1"]}
    evaluator = json.dumps({"cluster": cluster, "task": {"type": "evaluator", "index": 0}})
    launch = [sys.executable, "-m", "ferroflow", "launch", "--chief", "--workers", "1"]
    with subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "model")],
        env={**environment, "TF_CONFIG": evaluator},
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as evaluating:
        trained = subprocess.run(
            [*launch, str(program), str(tmp_path / "model")],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert trained.returncode == 0, trained.stderr
        assert {"chief None", "worker None"} <= {line.split("] ")[-1].strip() for line in trained.stdout.splitlines()}
        out, _ = evaluating.communicate(timeout=120)
    assert evaluating.returncode == 0
    assert out == "evaluator None\n"
    steps = [
        event.step
        for path in (tmp_path / "model" / "eval").iterdir()
        for event in tf.train.summary_iterator(str(path))
        if event.HasField("summary")
    ]
    assert steps
    assert max(steps) >= 60
    tf.summary.FileWriterCache.clear()

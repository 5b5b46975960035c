"""Recurrent estimators, replicated models and columns of sequences have TensorFlow 1.15.5's results."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from estimator.test_heads import compare
from golden.estimator_part_programs import programs, result_of

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "estimator_parts.json").read_text(encoding="utf-8"))
made, columns = tf.contrib.estimator, tf.contrib.feature_column


@pytest.mark.parametrize("name", programs(tf))
def test_results_are_those_of_tensorflow(name):
    compare(json.loads(json.dumps(result_of(programs(tf)[name]))), GOLDEN[name], name)


def test_a_recurrent_estimator_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="must not be specified"):
        made.RNNClassifier([], num_units=[1], rnn_cell_fn=lambda mode: None)
    with pytest.raises(ValueError, match="_SequentialHead"):
        made.RNNEstimator(made.regression_head(), [], num_units=[1], return_sequences=True)


def test_a_recurrent_classifier_learns(tmp_path):
    column = columns.sequence_numeric_column("x")
    model = made.RNNClassifier([column], num_units=[4], model_dir=str(tmp_path), optimizer="Adam")

    def inputs():
        values = np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, 0.5], [-0.5, -2.0]], np.float32)
        return {"x": tf.contrib.layers.dense_to_sparse(tf.constant(values))}, tf.constant([[1], [0], [1], [0]])

    model.train(inputs, steps=60)
    assert model.evaluate(inputs, steps=1)["accuracy"] == 1.0


def test_columns_of_sequences_refuse_others():
    with pytest.raises(ValueError, match="_SequenceDenseColumn"):
        columns.sequence_input_layer({}, [tf.feature_column.numeric_column("x")])
    plain = tf.feature_column.categorical_column_with_identity("x", 3)
    ids = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1])
    with pytest.raises(ValueError, match="In indicator_column: x_indicator"):
        columns.sequence_input_layer({"x": ids}, [tf.feature_column.indicator_column(plain)])
    with pytest.raises(ValueError, match="dtype must be convertible to float"):
        columns.sequence_numeric_column("x", dtype=tf.string)
    with pytest.raises(TypeError, match="normalizer_fn must be a callable"):
        columns.sequence_numeric_column("x", normalizer_fn=1)


def test_replicas_refuse_what_they_cannot_divide():
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.square(tf.get_variable("v", []) - features))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss) if mode == "train" else None
        return tf.estimator.EstimatorSpec(mode, {"x": features}, loss, step)

    with pytest.raises(ValueError, match="need to be reduced"):
        made.replicate_model_fn(model_fn, tf.losses.Reduction.NONE)
    replicated = made.replicate_model_fn(model_fn, devices=["/cpu:0", "/cpu:1"])
    with pytest.raises(ValueError, match="Batch size 3 needs to be divisible"):
        replicated(tf.zeros([3]), None, "eval")
    with pytest.raises(ValueError, match="wrap optimizers with TowerOptimizer"):
        replicated(tf.zeros([4]), None, "train")


REPLICATING = importlib.import_module("ferroflow.contrib.estimator.python.estimator.replicate_model_fn")


@pytest.mark.parametrize("size", [4, 3])
def test_replicas_divide_batches_of_an_unknown_size_when_they_run(size):
    features, labels = REPLICATING._split_batch(
        {"x": tf.placeholder_with_default(np.arange(size), [None])}, tf.ones([2, 1]), 2, "/cpu:0"
    )
    with tf.Session() as session:
        if size % 2:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(features)
        else:
            assert [part["x"].tolist() for part in session.run(features)] == [[0, 1], [2, 3]]
        assert [part.tolist() for part in session.run(labels)] == [[[1.0]], [[1.0]]]


DEVICES = [f"/device:CPU:{i}" for i in range(3)]


@pytest.mark.parametrize(
    ("mode", "places"),
    [("SHARED_ROUND_ROBIN", DEVICES + DEVICES[:1]), ("SHARED_LOCAL_PARAMETER_SERVER", ["/device:CPU:0"] * 4)],
)
def test_variables_are_spread_over_devices_in_turn(mode, places):
    def model_fn(features, labels, mode):
        variables = [tf.get_variable(f"v{i}", initializer=float(i)) for i in range(4)]
        return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features) + tf.add_n(variables))

    replicated = REPLICATING._replicate_model_fn_with_mode(
        model_fn, tf.losses.Reduction.SUM, DEVICES, getattr(REPLICATING._VariableDistributionMode, mode)
    )
    with tf.Graph().as_default() as graph:
        spec = replicated(tf.ones([6]), None, "eval")
        # Each replica uses the same four variables.
        assert [variable.device for variable in tf.global_variables()] == places
        name, initialize = spec.loss.name, tf.global_variables_initializer().name
    with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(initialize)
        assert session.run(name) == 6.0 + 3 * 6.0


def test_metrics_of_one_replica_stay():
    total = tf.metrics.mean(tf.constant([1.0, 3.0]))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(total[1])
        session.run(REPLICATING._reduce_metric_variables(1))
        assert session.run(total[0]) == 2.0


def test_sums_of_rows_have_no_name():
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    with pytest.raises(ValueError, match="name argument is not expected"):
        REPLICATING._compute_sum_on_device([rows, rows], "/cpu:0", "sum")


def test_a_receiver_of_labels_serves(tmp_path):
    def model_fn(features, labels, mode):
        step = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.estimator.EstimatorSpec(mode, features * 2.0, tf.reduce_sum(labels), step)

    def receiver_fn():
        x = tf.placeholder(tf.float32, [None], name="x")
        return tf.estimator.experimental.build_raw_supervised_input_receiver_fn(x, tf.ones([2]))()

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path / "model"))
    estimator.train(lambda: (tf.ones([2]), tf.ones([2])), steps=1)
    folder = estimator.export_saved_model(str(tmp_path / "export"), receiver_fn)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], folder.decode())
        signature = meta.signature_def["serving_default"]
        (output,) = (info.name for info in signature.outputs.values())
        assert session.run(output, {signature.inputs["input"].name: [1.0, 4.0]}).tolist() == [2.0, 8.0]


def test_an_estimator_for_tpus_takes_the_arguments_of_tensorflow_115(tmp_path):
    config = tf.contrib.tpu.RunConfig(model_dir=str(tmp_path))

    def model_fn(features, labels, mode, params):
        raise NotImplementedError

    assert tf.contrib.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, export_to_cpu=False)
    with pytest.raises(NotImplementedError):
        tf.contrib.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, embedding_config_spec=object())

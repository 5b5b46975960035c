"""Trains with `train_and_evaluate`: each worker reads its part of the record files, an evaluator evaluates beside."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

folder, kind = Path(sys.argv[1]), sys.argv[2]
tf.logging.set_verbosity(tf.logging.ERROR)
task = json.loads(os.environ["TF_CONFIG"])["task"]
together = kind == "workers"
strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy() if together else None
config = tf.estimator.RunConfig(
    model_dir=str(folder / "model"),
    train_distribute=strategy,
    save_checkpoints_steps=5,
    experimental_max_worker_delay_secs=0,
)
seen = set()


def parse(record):
    row = tf.decode_raw(record, tf.float32)
    # A label of file number n is 1000 n and a fraction.
    return row[:3], row[3]


def input_fn(mode, input_context=None):
    files = tf.data.Dataset.list_files(str(folder / "part-*.tfrecord"), shuffle=False)
    if mode == tf.estimator.ModeKeys.TRAIN:
        # Each worker reads files of its own.
        if input_context is None:
            count, number = config.num_worker_replicas, config.global_id_in_cluster
        else:
            count, number = input_context.num_input_pipelines, input_context.input_pipeline_id
        files = files.shard(count, number)
    dataset = files.interleave(tf.data.TFRecordDataset, cycle_length=2).map(parse)
    if mode == tf.estimator.ModeKeys.TRAIN:
        dataset = dataset.shuffle(100).repeat()
    return dataset.batch(10)


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
    predicted = tf.reduce_sum(features * w, axis=1)
    loss = tf.losses.mean_squared_error(tf.floormod(labels, 1000.0), predicted)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean(tf.abs(tf.floormod(labels, 1000.0) - predicted))}
    if mode == tf.estimator.ModeKeys.TRAIN:

        class Seen(tf.train.SessionRunHook):
            def before_run(self, run_context):
                return tf.train.SessionRunArgs(labels)

            def after_run(self, run_context, run_values):
                seen.update(np.floor(run_values.results / 1000).astype(int).tolist())

        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, training_hooks=[Seen()])
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)


estimator = tf.estimator.Estimator(model_fn, config=config)
evaluations = []


class Evaluated(tf.train.SessionRunHook):
    def end(self, session):
        evaluations.append(int(session.run(tf.train.get_global_step())))


train = tf.estimator.TrainSpec(input_fn, max_steps=20)
evaluation = tf.estimator.EvalSpec(input_fn, steps=None, hooks=[Evaluated()], start_delay_secs=0, throttle_secs=0)
tf.estimator.train_and_evaluate(estimator, train, evaluation)
report = {"rank": f"{task['type']}/{task['index']}", "seen": sorted(seen), "evaluations": evaluations}
(Path(os.environ["REPORTS"]) / f"{task['type']}{task['index']}.json").write_text(json.dumps(report))

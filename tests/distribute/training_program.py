"""Trains a small model in one of several ways; each process reports what it learned."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

way, strategy_name, folder = sys.argv[1:4]
tf.logging.set_verbosity(tf.logging.ERROR)
random = np.random.RandomState(0)
images = random.standard_normal((8 * 16, 6)).astype(np.float32)
labels = random.randint(0, 4, (8 * 16)).astype(np.int64)
BATCH = 16


def make_strategy():
    return {
        "mirrored": tf.distribute.MirroredStrategy,
        "workers": tf.distribute.experimental.MultiWorkerMirroredStrategy,
        "contrib": tf.contrib.distribute.CollectiveAllReduceStrategy,
        "none": tf.distribute.get_strategy,
    }[strategy_name]()


strategy = make_strategy()
rank, size = strategy.extended.replicas
# Replicas begin with different variables, until the strategy makes them equal.
seed = 1 if rank == 0 else 100 + rank


def initial(number):
    # The numbers of the nodes, which differ between the ways, do not matter to a seed of an operation.
    return tf.glorot_uniform_initializer(seed=seed + number)


def model(x):
    hidden = tf.layers.dense(x, 10, name="hidden", use_bias=False, kernel_initializer=initial(0))
    hidden = tf.nn.tanh(tf.layers.batch_normalization(hidden, training=True, name="norm") if way == "norm" else hidden)
    return tf.layers.dense(hidden, 4, name="logits", kernel_initializer=initial(1))


def custom():
    """`experimental_run` in a session of the program's own."""
    with strategy.scope():
        tf.set_random_seed(seed)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        step = tf.train.get_or_create_global_step()
        iterator = strategy.make_dataset_iterator(
            tf.data.Dataset.from_tensor_slices((images, labels)).batch(BATCH, drop_remainder=True)
        )

        def train(batch):
            x, y = batch
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x))
            loss = tf.reduce_sum(losses) / BATCH
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            with tf.control_dependencies([optimizer.minimize(loss, global_step=step), *updates]):
                return tf.identity(loss)

        loss = strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.experimental_run(train, iterator))
        following = iterator.get_next()
    if way == "monitored":
        saved = str(Path(folder) / "checkpoints") if rank == 0 else None
        with strategy.scope():
            session = tf.train.MonitoredTrainingSession(
                checkpoint_dir=saved, save_checkpoint_steps=4, save_checkpoint_secs=None, log_step_count_steps=None
            )
        with session as sess:
            raw = sess._tf_sess()
            raw.run(iterator.initialize())
            for _ in range(int(raw.run(step))):
                raw.run(following)
            values = [float(sess.run(loss)) for _ in range(4)]
            return values, variables(raw)
    with tf.Session() as sess:
        sess.run(iterator.initialize())
        sess.run(tf.global_variables_initializer())
        values = [float(sess.run(loss)) for _ in range(8)]
        return values, variables(sess)


def variables(sess):
    return {v.op.name: sess.run(v).ravel().astype(float).tolist() for v in tf.global_variables()}


def estimator():
    """`RunConfig(train_distribute=...)`."""

    def input_fn(input_context=None):
        dataset = tf.data.Dataset.from_tensor_slices((images, labels))
        if way == "context" and input_context is not None:
            dataset = dataset.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
            return dataset.batch(input_context.get_per_replica_batch_size(BATCH))
        return dataset.batch(BATCH // size)

    def model_fn(features, labels, mode):
        loss = tf.losses.sparse_softmax_cross_entropy(labels, model(features))
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf.train.get_global_step())
        metrics = {"accuracy": tf.metrics.accuracy(labels, tf.argmax(model_again(features), -1))}
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)

    def model_again(x):
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            return model(x)

    losses = []

    class Losses(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

        def after_run(self, run_context, run_values):
            losses.append(float(run_values.results))

    config = tf.estimator.RunConfig(
        train_distribute=None if strategy_name == "none" else strategy,
        tf_random_seed=seed,
        save_checkpoints_steps=4,
        model_dir=str(Path(folder) / (f"model-{rank}" if way == "unshared" else "model")),
    )
    trained = tf.estimator.Estimator(model_fn, config=config)
    # The second call continues from the checkpoint of the first process.
    for steps in (4, 8):
        spec = tf.estimator.TrainSpec(input_fn, max_steps=steps, hooks=[Losses()])
        evaluation = tf.estimator.EvalSpec(lambda: input_fn(), steps=None, throttle_secs=0)
        tf.estimator.train_and_evaluate(trained, spec, evaluation)
    names = trained.get_variable_names() if rank == 0 else []
    return losses, {name: trained.get_variable_value(name).ravel().astype(float).tolist() for name in names}


def keras():
    """`compile` and `fit` in the scope."""
    np.random.seed(seed)
    with strategy.scope():
        tf.set_random_seed(seed)
        layers = [
            tf.keras.layers.Dense(10, "tanh", input_shape=(6,), kernel_initializer=initial(0)),
            tf.keras.layers.Dense(4, "softmax", kernel_initializer=initial(1)),
        ]
        if way == "keras_norm":
            layers.insert(1, tf.keras.layers.BatchNormalization())
        network = tf.keras.Sequential(layers)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9) if way == "keras_graph" else tf.keras.optimizers.SGD(0.1, 0.9)
        network.compile(optimizer, "sparse_categorical_crossentropy", ["accuracy"])
    saved = Path(folder) / f"weights-{rank}"
    checkpoint = tf.keras.callbacks.CSVLogger(str(saved))
    # The last batch has 2 examples.
    history = network.fit(
        images[:114], labels[:114], BATCH, 3, 0, [checkpoint], shuffle=True, validation_data=(images, labels)
    )
    assert saved.exists() == (rank == 0)
    weights = {str(i): w.ravel().astype(float).tolist() for i, w in enumerate(network.get_weights())}
    found = [*history.history["loss"], *history.history["acc"], *history.history["val_loss"]]
    return [float(value) for value in found], weights


ways = {"custom": custom, "monitored": custom, "norm": custom, "context": estimator, "unshared": estimator}
values, weights = ways.get(way, keras)()
report = {"rank": rank, "size": size, "values": values, "weights": weights}
(Path(os.environ["REPORTS"]) / f"{rank}.json").write_text(json.dumps(report))

"""Trains a classifier of handwritten digits in several processes that share the variables of a parameter server.

Every task is started with the addresses of all and its own place among them, here three on one machine:

    python examples/distributed_digits.py --job_name=ps --task_index=0 &
    python examples/distributed_digits.py --job_name=worker --task_index=0 &
    python examples/distributed_digits.py --job_name=worker --task_index=1

or all at once, which also ends the parameter server when the workers are done:

    ferroflow launch --ps=1 --workers=2 --flags examples/distributed_digits.py

Workers update the variables independently of each other, or together with `--sync`: then every step is that of one
process with the batches of all workers.
"""

import json
import os

import numpy as np
from gallery.digits import SIDE, load_digits

import ferroflow as tf

PIXELS = SIDE * SIDE
CLASSES = 10
SEED = 1

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("ps_hosts", "127.0.0.1:2222", "Addresses of the parameter servers, host:port with commas between.")
flags.DEFINE_string("worker_hosts", "127.0.0.1:2223,127.0.0.1:2224", "Addresses of the workers.")
flags.DEFINE_string("job_name", "worker", "What this task is: ps or worker.")
flags.DEFINE_integer("task_index", 0, "Which of them it is.")
flags.DEFINE_integer("steps", 1000, "Updates of the variables, by all workers together.")
flags.DEFINE_integer("batch", 32, "Images that one worker reads in a step.")
flags.DEFINE_float("learning_rate", 0.2, "Learning rate.")
flags.DEFINE_boolean("sync", False, "Whether the workers update the variables together.")
flags.DEFINE_string("checkpoints", "", "Folder of the checkpoints, from which training goes on; empty for none.")
flags.DEFINE_integer("save_steps", 100, "Updates between two checkpoints.")
flags.DEFINE_string("losses", "", "Folder for the losses that each worker saw, by update; empty for none.")


def dense(inputs, units, name):
    """Multiplies by a weight matrix and adds a bias; both are variables in the scope `name`."""
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [inputs.get_shape()[1], units])
        biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(inputs, weights), biases)


def perceptron(images):
    return dense(tf.nn.relu(dense(images, 64, "hidden")), CLASSES, "logits")


def batch_of(step, workers, labels):
    """The numbers of this worker's training images in a step: with `--sync` its part of what all read."""
    if FLAGS.sync:
        chosen = np.random.RandomState([SEED, step]).randint(len(labels), size=FLAGS.batch * workers)
        return chosen[FLAGS.task_index * FLAGS.batch :][: FLAGS.batch]
    return np.random.RandomState([SEED, step, FLAGS.task_index]).randint(len(labels), size=FLAGS.batch)


def work(cluster, server):
    """Trains until all workers together have made their updates."""
    is_chief = FLAGS.task_index == 0
    workers = cluster.num_tasks("worker")
    training, test = load_digits(SEED)
    tf.set_random_seed(SEED)
    # Variables are on the parameter servers, all else is on this worker.
    place = tf.train.replica_device_setter(worker_device=f"/job:worker/task:{FLAGS.task_index}", cluster=cluster)
    with tf.device(place):
        images = tf.placeholder(tf.float32, [None, PIXELS], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        logits = perceptron(images)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
        global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.GradientDescentOptimizer(FLAGS.learning_rate)
        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
        if FLAGS.sync:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=workers)
            # Tokens to begin with let all go on when a chief comes back; their first gradients are dropped.
            num_tokens = -1 if FLAGS.checkpoints else 0
            hooks.append(optimizer.make_session_run_hook(is_chief, num_tokens))
        train_op = optimizer.minimize(loss, global_step=global_step)

    losses = {}
    # The chief makes the variables, or restores them from the last checkpoint; the others wait for it.
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.checkpoints or None,
        save_checkpoint_steps=FLAGS.save_steps,
        save_checkpoint_secs=None,
        hooks=hooks,
        config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{FLAGS.task_index}"]),
    ) as session:
        # `global_step` counts the updates of all; where there is a checkpoint it does not begin with 0.
        step = session.run_step_fn(lambda step_context: step_context.session.run(global_step))
        print(f"worker {FLAGS.task_index} begins at step {step}", flush=True)
        while not session.should_stop():
            batch = batch_of(step, workers, training[1])
            feeds = {images: training[0][batch], labels: training[1][batch]}
            updated, losses[int(step)], step = session.run([train_op, loss, global_step], feeds)
            if FLAGS.sync:
                # The token that let this worker go on: the number of the update that its gradients are part of.
                step = updated
    last = f", the last loss {losses[max(losses)]:.4f}" if losses else ""
    print(f"worker {FLAGS.task_index}: {len(losses)} steps{last}", flush=True)
    if FLAGS.losses:
        with open(os.path.join(FLAGS.losses, f"worker{FLAGS.task_index}.json"), "w", encoding="utf-8") as file:
            json.dump({seen: float(value) for seen, value in losses.items()}, file)
    if is_chief:
        # The variables are still on the parameter servers: any session sees them.
        with tf.Session(server.target) as session:
            reached, steps = session.run([accuracy, global_step], {images: test[0], labels: test[1]})
        print(f"after {steps} updates: test accuracy {reached:.4f}", flush=True)


def main(argv):
    del argv
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    else:
        work(cluster, server)


if __name__ == "__main__":
    tf.app.run(main)

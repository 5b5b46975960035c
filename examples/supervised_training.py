"""Trains a digit classifier under supervision: stopped or killed at any moment, it goes on from its last checkpoint.

    python examples/supervised_training.py --steps=3000 --folder=examples/out/supervised
    tensorboard --logdir examples/out/supervised

Run it again with more steps and it goes on from there. A picture shows the losses of all runs, read from the summaries.
"""

import glob
import os

from gallery.digits import SIDE, load_digits
from gallery.pictures import draw_curves
from tqdm import tqdm

import ferroflow as tf

CLASSES = 10
BATCH = 32
SEED = 1
HERE = os.path.dirname(os.path.abspath(__file__))

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 3000, "The step to train to, in all runs together.")
flags.DEFINE_integer("save_steps", 500, "Steps between two checkpoints.")
flags.DEFINE_string("folder", os.path.join(HERE, "out", "supervised"), "Folder of the checkpoints and summaries.")


class Progress(tf.train.SessionRunHook):
    """Draws a progress bar over all runs, with the loss."""

    def __init__(self, last_step, loss):
        self.last_step = last_step
        self.loss = loss

    def begin(self):
        self.step = tf.train.get_global_step()

    def after_create_session(self, session, coord):
        first = session.run(self.step)
        print(f"goes on from step {first}" if first else "starts anew", flush=True)
        self.bar = tqdm(total=self.last_step, initial=first, unit="step")

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.bar.update()
        if self.bar.n % 100 == 0:
            self.bar.set_postfix(loss=f"{run_values.results:.4f}")

    def end(self, session):
        self.bar.close()


def classifier(images):
    """Logits of images; each call uses the same variables."""
    with tf.variable_scope("classifier", reuse=tf.AUTO_REUSE):
        hidden = tf.layers.dense(images, 128, tf.nn.relu, name="hidden")
        return tf.layers.dense(hidden, CLASSES, name="logits")


def losses_of_runs(folder):
    """Reads the losses by step from the event files of a folder, a file for each run."""
    runs = {}
    for file in sorted(glob.glob(os.path.join(folder, "events.*"))):
        events = list(tf.train.summary_iterator(file))
        values = ((event.step, value) for event in events for value in event.summary.value)
        losses = {step: value.simple_value for step, value in values if value.tag == "loss"}
        if losses:
            runs[f"run {len(runs) + 1}"] = losses
    return runs


def main(argv):
    del argv
    training, test = load_digits(SEED)
    tf.set_random_seed(SEED)
    dataset = tf.data.Dataset.from_tensor_slices(training).shuffle(len(training[1]), seed=SEED).repeat().batch(BATCH)
    images, labels = dataset.make_one_shot_iterator().get_next()
    images = tf.reshape(images, [-1, SIDE * SIDE])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, classifier(images))
    tf.summary.scalar("loss", loss)
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(0.001).minimize(loss, global_step=global_step)
    right = tf.equal(tf.argmax(classifier(tf.constant(test[0])), 1), test[1])
    result = tf.train.FinalOpsHook([global_step, tf.reduce_mean(tf.cast(right, tf.float32))])

    hooks = [
        tf.train.StopAtStepHook(last_step=FLAGS.steps),
        tf.train.NanTensorHook(loss),
        Progress(FLAGS.steps, loss),
        result,
    ]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=FLAGS.folder, hooks=hooks, save_checkpoint_steps=FLAGS.save_steps
    ) as sess:
        while not sess.should_stop():
            sess.run(train_op)
    steps, accuracy = result.final_ops_values
    print(f"{steps} steps, test accuracy {accuracy:.3f}")
    draw_curves(os.path.join(FLAGS.folder, "loss.png"), losses_of_runs(FLAGS.folder), "step", "loss", "log")


if __name__ == "__main__":
    tf.app.run(main)

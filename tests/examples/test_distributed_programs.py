"""The distributed example runs as a user runs it, in processes of its own, and learns what one process learns."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ferroflow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 300

# One session that trains with the batches of all workers.
ALONE = """
import json, sys
import distributed_digits as example
import ferroflow as tf
workers, steps, batch = map(int, sys.argv[1:])
training, _ = example.load_digits(example.SEED)
tf.set_random_seed(example.SEED)
images = tf.placeholder(tf.float32, [None, example.PIXELS])
labels = tf.placeholder(tf.int64, [None])
logits = example.perceptron(images)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
losses = []
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    example.FLAGS(["", "--sync", f"--batch={workers * batch}"])
    for step in range(steps):
        chosen = example.batch_of(step, 1, training[1])
        feeds = {images: training[0][chosen], labels: training[1][chosen]}
        losses.append(float(session.run([loss, train_op], feeds)[0]))
print(json.dumps(losses))
"""


def run(*command):
    path = os.pathsep.join([str(EXAMPLES), str(Path(ferroflow.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def launch_example(name, workers, *arguments):
    options = ["-m", "ferroflow", "launch", "--ps=1", f"--workers={workers}", "--flags"]
    return run(*options, EXAMPLES / name, *arguments)


def test_workers_train_the_digits_independently():
    # Stale gradients cost a little accuracy, more on a loaded machine: the steps leave room for it.
    printed = launch_example("distributed_digits.py", 2, "--steps=3000")
    assert float(re.search(r"test accuracy ([0-9.]+)", printed).group(1)) > 0.95
    updates = int(re.search(r"after ([0-9]+) updates", printed).group(1))
    taken = [int(steps) for steps in re.findall(r"worker \d: ([0-9]+) steps", printed)]
    assert updates >= 3000
    # A worker may come when the other is done, and may be in a step when the chief counts.
    assert len(taken) == 2
    assert 0 < sum(taken) <= updates + 2


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_that_update_together_have_the_losses_of_one_process(tmp_path, workers):
    steps, batch = 40, 16
    # On a busy machine a fast worker may take the token of a slow one, as in TensorFlow. The update then has two of its
    # gradients, and says nothing about sums.
    for _ in range(5):
        launch_example(
            "distributed_digits.py", workers, "--sync", f"--steps={steps}", f"--batch={batch}", f"--losses={tmp_path}"
        )
        seen = [json.loads((tmp_path / f"worker{i}.json").read_text(encoding="utf-8")) for i in range(workers)]
        if all(len(losses) == steps for losses in seen):
            break
    means = [np.mean([losses[str(step)] for losses in seen]) for step in range(steps)]
    np.testing.assert_allclose(means, json.loads(run("-c", ALONE, workers, steps, batch)), rtol=1e-5)
    assert means[-1] < 0.7 * means[0]


def test_training_goes_on_from_the_last_checkpoint(tmp_path):
    launch_example("distributed_digits.py", 1, "--steps=60", "--save_steps=20", f"--checkpoints={tmp_path}")
    printed = launch_example("distributed_digits.py", 1, "--steps=90", f"--checkpoints={tmp_path}")
    assert "worker 0 begins at step 60" in printed
    assert "worker 0: 30 steps" in printed

"""Trains a number with two processes, slowly enough that a machine can be lost meanwhile."""

import sys
import time
from pathlib import Path

import ferroflow as tf
import ferroflow.horovod.tensorflow as hvd

folder, steps = Path(sys.argv[1]), int(sys.argv[2])
hvd.init()
tf.logging.set_verbosity(tf.logging.ERROR)
step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", initializer=0.0)
# Each rank pulls to another number, which depends on the step.
loss = tf.square(w - tf.cast(step, tf.float32) * (hvd.rank() + 1.0))
train = hvd.DistributedOptimizer(tf.train.GradientDescentOptimizer(0.05)).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=str(folder / "checkpoints") if hvd.rank() == 0 else None,
    save_checkpoint_steps=5,
    save_checkpoint_secs=None,
    log_step_count_steps=None,
    hooks=[hvd.BroadcastGlobalVariablesHook(0), tf.train.StopAtStepHook(last_step=steps)],
) as session:
    print("begins at", session.run(step), flush=True)
    while not session.should_stop():
        _, now, value = session.run([train, step, w])
        print("step", now, flush=True)
        time.sleep(0.1)
(folder / f"{hvd.rank()}.txt").write_text(f"{hvd.size()} {value}")

"""Trains until a step under supervision, printing each step and a state that depends on all steps before it.

`python killed_training.py FOLDER monitored|supervisor LAST_STEP`; it is killed while it runs, and run again. It does
one step for each line that it reads.
"""

from __future__ import annotations

import sys
from typing import Any

import ferroflow as tf

SAVE_STEPS = 4
MODULUS = 1_000_003


def next_state(state: Any) -> Any:
    """What a step makes of the state."""
    return (state * 31 + 7) % MODULUS


def train(sess: Any, train_op: Any, should_stop: Any) -> None:
    while not should_stop():
        sys.stdin.readline()
        step, state = sess.run(train_op)
        print(step, state, flush=True)


def main(folder: str, how: str, last_step: int) -> None:
    counter = tf.train.create_global_step()
    state = tf.get_variable("state", initializer=tf.constant(1, tf.int64))
    with tf.control_dependencies([tf.assign(state, next_state(state))]):
        count = tf.assign_add(counter, 1)
        train_op = [count, state.read_value()]
    tf.summary.scalar("state", state)
    if how == "monitored":
        hooks = [tf.train.StopAtStepHook(last_step=last_step)]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=SAVE_STEPS, save_summaries_steps=SAVE_STEPS
        ) as sess:
            train(sess, train_op, sess.should_stop)
        return
    supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0.01, save_summaries_secs=0.01)
    with supervisor.managed_session() as sess:

        def should_stop() -> bool:
            return supervisor.should_stop() or sess.run(counter) >= last_step

        train(sess, train_op, should_stop)
        supervisor.saver.save(sess, supervisor.save_path, global_step=counter)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

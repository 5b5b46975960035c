"""Saves checkpoints in processes that are killed at random moments, and looks at what they leave.

`python killed_saves.py FOLDER MODE KILLS SEED` prints one line with what was found.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import ferroflow as tf

_SIZE = 20_000
_NAMES = ("a", "b", "c", "d")


class Model:
    """Variables that all hold one number, and a session of them that has no threads, so that it survives a fork."""

    def __init__(self, mode: str, folder: str) -> None:
        self.mode, self.folder = mode, folder
        self.values = []
        for i, name in enumerate(_NAMES):
            with tf.device(f"/cpu:{i % 2}"):
                self.values.append(tf.Variable(np.zeros(_SIZE, np.int64), name=name))
        self.number = tf.placeholder(tf.int64, [])
        self.write = [tf.assign(v, tf.fill([_SIZE], self.number)) for v in self.values]
        self.saver = tf.train.Saver(sharded=mode == "sharded", max_to_keep=3)
        config = tf.ConfigProto(device_count={"CPU": 2}, intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        self.session = tf.Session(config=config)
        self.save(1)

    def save(self, number: int) -> None:
        self.session.run(self.write, {self.number: number})
        step = number if self.mode == "names" else None
        self.saver.save(self.session, f"{self.folder}/model", global_step=step, write_meta_graph=False)

    def save_on(self) -> None:
        """Saves higher and higher numbers, from the one that was saved last."""
        number = self.recover()
        while True:
            number += 1
            self.save(number)

    def recover(self) -> int:
        """Takes over the checkpoints that there are; the number saved last."""
        state = tf.train.get_checkpoint_state(self.folder)
        self.saver.recover_last_checkpoints(list(state.all_model_checkpoint_paths))
        return self.check()

    def check(self) -> int:
        """The number in the latest checkpoint, which must be whole, as must all that the state file names."""
        state = tf.train.get_checkpoint_state(self.folder)
        for path in state.all_model_checkpoint_paths:
            number = _number(path)
        if self.mode == "names":
            assert state.model_checkpoint_path == f"{self.folder}/model-{number}"
        return number


def _number(path: str) -> int:
    reader = tf.train.NewCheckpointReader(path)
    found = {int(n) for name in _NAMES for n in np.unique(reader.get_tensor(name))}
    assert len(found) == 1, f"{path} holds {found}"
    return found.pop()


def _left(folder: str) -> list[str]:
    """Files of no checkpoint that the state file names."""
    names = {path.name for path in Path(folder).iterdir()} - {"checkpoint"}
    state = tf.train.get_checkpoint_state(folder)
    named = {os.path.basename(path) for path in state.all_model_checkpoint_paths}
    return sorted(name for name in names if name.partition(".")[0] not in named)


def main(folder: str, mode: str, kills: int, seed: int) -> Any:
    """Kills as many processes; the number saved last, and what is left when one more is saved."""
    rng = random.Random(seed)
    model = Model(mode, folder)
    # How long a process takes here to its first save's end, so that the kills hit all moments of one.
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        model.save(model.recover() + 1)
        os._exit(0)
    os.waitpid(child, 0)
    pace = time.monotonic() - began
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            model.save_on()
        time.sleep(rng.uniform(0.0, 3 * pace))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        model.check()
    last = model.recover()
    model.save(last + 1)
    return last, model.check() - last, _left(folder)


if __name__ == "__main__":
    print(*main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))

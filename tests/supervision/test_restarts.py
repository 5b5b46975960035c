"""A supervised training that is killed goes on from its last checkpoint, with all of its state as of one step."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from pathlib import Path

import pytest
from supervision.killed_training import SAVE_STEPS, next_state

import ferroflow as tf

PROGRAM = Path(__file__).with_name("killed_training.py")
LAST_STEP = 40
KILLS = 6


def states() -> list[int]:
    """The state after each step of a training that nobody interrupts."""
    return list(itertools.accumulate(range(LAST_STEP), lambda state, _: next_state(state), initial=1))


def run(folder: Path, how: str, steps: int, killed_after: int | None) -> list[tuple[int, int]]:
    """What a training prints that may do some steps, until it ends, or is killed when it has printed some lines."""
    command = [sys.executable, "-W", "ignore", str(PROGRAM), str(folder), how, str(LAST_STEP)]
    with (
        (folder / "errors.txt").open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8", bufsize=1
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n" * steps)
        process.stdin.flush()
        printed = list(itertools.islice(process.stdout, killed_after))
        if killed_after is not None:
            process.kill()
        printed += process.stdout
    assert killed_after is not None or process.returncode == 0, (folder / "errors.txt").read_text(encoding="utf-8")
    return [(int(step), int(state)) for step, state in (line.split() for line in printed)]


@pytest.mark.parametrize("how", ["monitored", "supervisor"])
def test_a_training_that_is_killed_again_and_again_comes_to_its_end(how: str, tmp_path: Path) -> None:
    chance = random.Random(1)
    expected = states()
    reached = 0
    for _ in range(KILLS):
        allowed = chance.randint(1, 6)
        printed = run(tmp_path, how, allowed, killed_after=chance.randint(0, allowed))
        for step, state in printed:
            assert state == expected[step]
        steps = [step for step, _ in printed]
        if steps:
            assert steps == list(range(steps[0], steps[0] + len(steps)))
            # It began at a checkpoint, maybe that of a step whose line was not printed any more; and where steps decide
            # when to save, at none that is much older.
            assert steps[0] <= reached + 2
            if how == "monitored":
                assert steps[0] > reached - SAVE_STEPS
            reached = max(reached, steps[-1])
    printed = run(tmp_path, how, LAST_STEP, killed_after=None)
    assert printed[-1] == (LAST_STEP, expected[LAST_STEP])
    latest = tf.train.latest_checkpoint(str(tmp_path))
    assert latest == str(tmp_path / f"model.ckpt-{LAST_STEP}")
    assert tf.train.load_variable(latest, "state") == expected[LAST_STEP]
    assert tf.train.load_variable(latest, "global_step") == LAST_STEP

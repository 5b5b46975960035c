"""Training goes on when tasks are killed at any moment, from what a parameter server or a checkpoint keeps."""

import os
import random
import threading
import time
from pathlib import Path

import pytest
from cluster.task_processes import TaskProcesses

import ferroflow as tf

PROGRAM = Path(__file__).with_name("counting_program.py")
# How often a task of each kind is killed.
KILLS = int(os.environ.get("FERROFLOW_KILLS", "3"))
# Seconds within which every worker must be training again, the start of a process included.
RECOVERY = 30.0
WORKERS = 2


def saved_step(folder):
    """The step of the newest checkpoint; 0 where there is none."""
    newest = tf.train.latest_checkpoint(str(folder))
    return int(newest.rsplit("-", 1)[1]) if newest else 0


@pytest.mark.parametrize("sync", [False, True], ids=["independent", "together"])
@pytest.mark.parametrize(("job", "index"), [("worker", 1), ("ps", 0), ("worker", 0)], ids=["worker", "ps", "chief"])
def test_training_goes_on_after_kills(tmp_path, job, index, sync):
    moments = random.Random(f"{job} {index} {sync}")
    if sync:
        (tmp_path / "sync").touch()
    pause = threading.Event()
    kills = 0
    with TaskProcesses(PROGRAM, tmp_path, ps=1, worker=WORKERS) as tasks:
        tasks.wait_for_progress(time.monotonic(), 60)
        while kills < KILLS:
            pause.wait(moments.uniform(0.0, 1.0))
            saved = saved_step(tmp_path)
            reached = max(report.values["step"] for report in tasks.reports_since(0.0))
            tasks.task(job, index).kill()
            kills += 1
            killed = time.monotonic()
            tasks.start(job, index)
            if moments.random() < 0.25 and kills < KILLS:
                # Also while it starts.
                pause.wait(moments.uniform(0.0, 1.5))
                tasks.task(job, index).kill()
                kills += 1
                killed = time.monotonic()
                tasks.start(job, index)
            tasks.wait_for_progress(killed, RECOVERY)
            if (job, index) == ("worker", 1):
                # The variables outlive a worker: what it sees first is not before what anybody has seen.
                first = tasks.task(job, index).reports[0].values["step"]
                assert first >= reached, f"step {reached} was reached, and {first} after it\n{tasks.printed()}"
            else:
                # The last checkpoint is what a chief restores that comes back, as in TF 1.x, or finds a new server.
                after = min(report.values["step"] for report in tasks.reports_since(killed))
                assert after >= saved, f"step {saved} was saved, training went on at {after}\n{tasks.printed()}"
        (tmp_path / "stop").touch()
        for task in tasks.workers():
            # Who is left when the other has seen `stop` may wait for it.
            if not sync:
                assert task.wait(60) == 0, tasks.printed()
        reports = tasks.reports_since(0.0)
        sessions = tasks.count("Graph was finalized.")
    assert saved_step(tmp_path) > 0
    torn = 0
    for _, values in reports:
        # No update is seen by half; one that was cut off, or saved midway, has changed the weights and not the step.
        assert values["low"] == values["high"]
        # A restore between the two reads of the step takes it back.
        steps = sorted([values["before"], values["step"]])
        torn += not steps[0] - WORKERS <= values["low"] <= steps[1] + WORKERS + sessions
    # While a chief that comes back restores, a step of another worker may read one variable of before and one of after.
    assert torn <= (kills * (WORKERS - 1) if (job, index) == ("worker", 0) else 0)
    # What the chief saved last is what a new program gets.
    reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(str(tmp_path)))
    weights = reader.get_tensor("weights")
    assert weights.min() == weights.max()
    step = reader.get_tensor("global_step")
    # A worker that waits for no other may take steps between the choice of the file's name and the save.
    assert step == saved_step(tmp_path) if sync else step >= saved_step(tmp_path)
    assert -WORKERS <= weights[0] - step <= WORKERS + sessions

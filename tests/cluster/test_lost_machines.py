"""Machines that vanish without a word: what is noticed, what is freed, and how training goes on when they are back.

The machines are network namespaces. The time after which a silent machine counts as lost is short here;
FERROFLOW_TEST_LOST_AFTER and FERROFLOW_TEST_OUTAGES (seconds, separated by commas) give others.
"""

import json
import os
import secrets
import signal
import threading
import time
from pathlib import Path

import pytest
from cluster.machines import Machines, held_by, why_not

import ferroflow as tf

pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"machines cannot be made: {why_not()}")

COUNTING = Path(__file__).with_name("counting_program.py")
TAKING = Path(__file__).with_name("taking_program.py")
CLUSTER = {"ps": ["alpha:2222"], "worker": ["beta:2222", "gamma:2222"]}
MACHINES = {("ps", 0): "alpha", ("worker", 0): "beta", ("worker", 1): "gamma"}
LOST_AFTER = float(os.environ.get("FERROFLOW_TEST_LOST_AFTER", "2"))
# One that connections live through, and one that they do not.
OUTAGES = [float(s) for s in os.environ.get("FERROFLOW_TEST_OUTAGES", "0.7,4").split(",")]
# Seconds within which training goes on after a machine is back.
RECOVERY = 20.0


def wait_until(condition, seconds, told):
    pause = threading.Event()
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, told()
        pause.wait(0.02)


class Training:
    """A parameter server and two workers, each on a machine of its own."""

    def __init__(self, folder, program=COUNTING):
        self.folder = folder
        self._program = program
        self.machines = Machines(folder, *MACHINES.values())
        self._environment = {
            "FERROFLOW_CLUSTER_TOKEN": secrets.token_hex(32),
            "FERROFLOW_CLUSTER_LOST_AFTER": str(LOST_AFTER),
        }
        self.tasks = {}
        self.ended = []

    def __enter__(self):
        for job, index in MACHINES:
            self.start(job, index)
        return self

    def __exit__(self, *exc):
        self.machines.close()

    def start(self, job, index):
        if (job, index) in self.tasks:
            self.ended.append(self.tasks[job, index])
        arguments = [json.dumps(CLUSTER), job, str(index), str(self.folder)]
        task = self.machines.start(MACHINES[job, index], self._program, arguments, **self._environment)
        self.tasks[job, index] = task
        return task

    def workers(self):
        return [task for (job, _), task in self.tasks.items() if job == "worker"]

    def reports(self):
        return [report for task in [*self.ended, *self.tasks.values()] for report in list(task.reports)]

    def printed(self):
        tasks = {**{f"ended {i}": task for i, task in enumerate(self.ended)}, **self.tasks}
        return "\n".join(
            f"--- {name}, status {task.process.poll()}, {len(task.reports)} reports\n{''.join(task.other[-30:])}"
            for name, task in tasks.items()
        )

    def wait_for_progress(self, moment, seconds, workers=None):
        """Waits until each worker has reported a step that began after a moment."""
        for task in workers or self.workers():
            has_gone_on = lambda task=task: bool(task.reports) and task.reports[-1].began > moment  # noqa: E731
            wait_until(has_gone_on, moment + seconds - time.monotonic(), self.printed)
            assert task.process.poll() is None, self.printed()


@pytest.mark.parametrize("seconds", OUTAGES)
@pytest.mark.parametrize("lost", list(MACHINES), ids=list(MACHINES.values()))
def test_training_goes_on_when_a_machine_is_back_and_no_update_is_lost(tmp_path, lost, seconds):
    with Training(tmp_path) as training:
        training.wait_for_progress(time.monotonic(), 60)
        machine = MACHINES[lost]
        gone = training.machines.lose(machine)
        # A step that ends at this moment is reported, and so is one that does not need the machine.
        others = [training.tasks["worker", index] for index in (0, 1) if lost == ("worker", 1 - index)]
        if others:
            training.wait_for_progress(gone, seconds, others)
        threading.Event().wait(max(0.0, gone + seconds - time.monotonic()))
        reached = max(report.values["step"] for report in training.reports())
        back = training.machines.bring_back(machine)
        training.wait_for_progress(back, RECOVERY)
        (tmp_path / "stop").touch()
        for task in training.workers():
            assert task.wait(60) == 0, training.printed()
        reports = training.reports()
        # The parameter server has kept the variables: no step that was told as done is taken back.
        assert min(r.values["step"] for r in reports if r.began > back) >= reached
        sessions = sum("Graph was finalized." in line for task in training.tasks.values() for line in task.other)
        lasts = max(r.values["step"] for r in reports)
        for _, values in reports:
            assert values["low"] == values["high"]
            # An update that was cut off has changed the weights and not the step.
            steps = sorted([values["before"], values["step"]])
            assert steps[0] - 2 <= values["low"] <= steps[1] + 2 + sessions
        for task in training.workers():
            steps = [report.values["step"] for report in task.reports]
            assert steps == sorted(steps)
            assert steps[-1] <= lasts
        if seconds > LOST_AFTER:
            assert any("preemption" in line for task in training.workers() for line in task.other), training.printed()
        # Debian's own name is loopback: the others found the tasks all the same.
        warned = [line for task in training.tasks.values() for line in task.other if "127.0.1.1" in line]
        assert len(warned) == len(MACHINES)


def test_training_goes_on_from_the_checkpoint_when_the_server_died_with_its_machine(tmp_path):
    with Training(tmp_path) as training:
        training.wait_for_progress(time.monotonic(), 60)
        wait_until(lambda: tf.train.latest_checkpoint(str(tmp_path)), 60, training.printed)
        training.machines.lose("alpha")
        # Nobody is told of its end.
        training.tasks["ps", 0].kill()
        threading.Event().wait(0.3)
        back = training.machines.bring_back("alpha")
        training.start("ps", 0)
        training.wait_for_progress(back, RECOVERY + 10)


def test_what_a_machine_had_that_never_comes_back_is_freed(tmp_path):
    with Training(tmp_path, TAKING) as training:
        server, first, second = (training.tasks[task] for task in MACHINES)
        wait_until(lambda: first.reports and second.reports, 60, training.printed)
        # Both wait in a queue of the server.
        both = held_by(server.process.pid)
        gone = training.machines.lose("gamma")
        wait_until(lambda: held_by(server.process.pid)[0] == both[0] - 1, LOST_AFTER + 3, training.printed)
        assert time.monotonic() - gone <= LOST_AFTER + 1
        wait_until(lambda: held_by(server.process.pid)[2] == both[2] - 1, 3, training.printed)
        # The step of the lost worker takes nothing more: what is put into the queue is for the one that is left.
        (tmp_path / "put").touch()
        wait_until(lambda: first.reports[-1].values.get("taken") == 1, 20, training.printed)
        # The lost machine knows of its loss, too.
        wait_until(lambda: "error" in second.reports[-1].values, LOST_AFTER + 3, training.printed)
        assert second.reports[-1].values["error"] == "UnavailableError"
        first.kill()
        wait_until(lambda: held_by(server.process.pid)[0] == both[0] - 2, 10, training.printed)


def test_a_process_that_is_stopped_counts_as_lost_and_comes_back(tmp_path):
    with Training(tmp_path) as training:
        training.wait_for_progress(time.monotonic(), 60)
        server = training.tasks["ps", 0].process
        server.send_signal(signal.SIGSTOP)
        threading.Event().wait(LOST_AFTER + 1)
        reached = max(report.values["step"] for report in training.reports())
        server.send_signal(signal.SIGCONT)
        back = time.monotonic()
        training.wait_for_progress(back, RECOVERY)
        assert min(r.values["step"] for r in training.reports() if r.began > back) >= reached


def test_who_waits_says_for_which_address_and_why(tmp_path):
    with Training(tmp_path) as training:
        training.machines.lose("alpha")
        training.tasks["worker", 1].kill()
        waits = training.start("worker", 1)
        found = lambda: [line for line in waits.other if "still waiting" in line]  # noqa: E731
        wait_until(found, 30, training.printed)
        assert "/job:ps/replica:0/task:0 at alpha:2222 (10.213.7.1) does not answer: " in found()[0]

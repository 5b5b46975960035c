"""Record files split over the workers, and evaluation beside the training."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture
def records(tmp_path):
    random = np.random.RandomState(0)
    for number in range(4):
        with tf.python_io.TFRecordWriter(str(tmp_path / f"part-{number}.tfrecord")) as writer:
            for _ in range(20):
                row = random.rand(3)
                label = row @ [1.0, 2.0, 3.0] + 1000 * number
                writer.write(np.append(row, label).astype(np.float32).tobytes())
    return tmp_path


@pytest.mark.parametrize("kind", ["servers", "workers"])
def test_workers_read_files_of_their_own_and_an_evaluator_evaluates(run, records, kind):
    chief = ("--chief", "--ps", "1", "--workers", "1") if kind == "servers" else ("--ps", "0", "--workers", "2")
    found, printed = run("evaluated_program.py", (*chief, "--evaluator"), str(records), kind)
    tasks = {report["rank"]: report for report in found}
    first, second = ("chief/0", "worker/0") if kind == "servers" else ("worker/0", "worker/1")
    assert tasks.keys() == {first, second, "evaluator/0"}, printed
    assert set(tasks[first]["seen"]) <= {0, 2}
    assert set(tasks[second]["seen"]) <= {1, 3}
    if kind == "workers":
        assert (tasks[first]["seen"], tasks[second]["seen"]) == ([0, 2], [1, 3])
    assert tasks["evaluator/0"]["evaluations"][-1] >= 20
    assert tasks[first]["evaluations"] == tasks[second]["evaluations"] == []


def test_the_first_process_evaluates_without_an_evaluator(run, records):
    found, _ = run("evaluated_program.py", ("--ps", "0", "--workers", "2"), str(records), "workers")
    tasks = {report["rank"]: report["evaluations"] for report in found}
    assert tasks["worker/0"][-1] == 20
    assert tasks["worker/1"] == []

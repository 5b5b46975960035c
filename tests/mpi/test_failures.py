"""Faults of one rank: the others end with an error that says what happened, and never hang."""

import re
import signal

import pytest


def test_differences_between_the_ranks_are_errors_on_every_rank(run):
    for found in run("faulty_program.py", 2, "mismatch").reports(2):
        shape, dtype, operation, root, rows, no_root, after = found["errors"]
        for error, node in ((shape, "shape"), (dtype, "dtype"), (operation, "operation"), (root, "root")):
            assert error.startswith("FailedPreconditionError: "), error
            assert f"'{node}'" in error or f"node {node}" in error, error
        assert "rank 0 sent a tensor of shape [2], but rank 1 sent a tensor of shape [3]" in shape
        assert "rank 0 had type float64, but rank 1 had type float32" in dtype
        assert "rank 0 requested allreduce, but rank 1 requested allgather" in operation
        assert "rank 0 specified root rank 0, but rank 1 specified root rank 1" in root
        assert "(the first dimension may differ)" in rows
        assert no_root.startswith("InvalidArgumentError: broadcast: root rank 7")
        assert after == "no error"


def test_tensors_that_only_one_rank_has_are_reported_and_end_the_group_at_the_limit(run):
    limits = {"HOROVOD_STALL_CHECK_TIME_SECONDS": "0.5", "HOROVOD_STALL_SHUTDOWN_TIME_SECONDS": "2"}
    job = run("faulty_program.py", 2, "names", **limits)
    assert "only_0 [missing ranks: 1]" in job.printed
    for found in job.reports(2):
        assert all(error.startswith("UnknownError: Horovod has been shut down") for error in found["errors"])
        assert 1.5 < found["seconds"] < 60


def test_a_rank_that_has_ended_is_an_error_for_the_others(run):
    found = run("faulty_program.py", 4, "ends").reports(3)
    for other in found:
        for error in other["errors"]:
            assert error.startswith("UnknownError: "), error
            assert "Rank 1 has ended or called hvd.shutdown()" in error


def test_an_exception_of_one_rank_ends_the_job(run):
    job = run("faulty_program.py", 2, "raises")
    assert job.status != 0
    assert "rank 1 has a fault of its own" in job.printed
    assert "Rank 1 has ended" in job.ranks[0]["errors"][0]


@pytest.mark.parametrize("kind", ["killed", "killed_within"])
def test_a_killed_rank_ends_the_job(run, kind):
    assert run("faulty_program.py", 4, kind).status != 0


def test_a_shutdown_ends_outstanding_operations_on_all_ranks(run):
    for found in run("faulty_program.py", 3, "shutdown").reports(3):
        (error,) = found["errors"]
        assert re.match("UnknownError: .*Horovod has been shut down|FailedPrecondition.*hvd.init", error), error


def test_the_options_of_rank_0_apply_to_all_ranks(run):
    assert [found["total"] for found in run("faulty_program.py", 2, "options").reports(2)] == [[3.0]] * 2


def test_an_interrupt_ends_all_ranks(start):
    job = start("faulty_program.py", 2, "interrupted")
    assert [job.stdout.readline() for _ in range(2)] == ["training\n"] * 2
    job.send_signal(signal.SIGINT)
    assert job.wait(60) != 0


def test_a_rank_that_does_not_answer_counts_as_lost(run):
    job = run("stopped_program.py", 2, FERROFLOW_MPI_LOST_AFTER="2")
    assert "Rank 1 has sent nothing for 2 s and counts as lost" in job.ranks[0]["errors"][0]


def test_a_forked_child_gets_an_error_and_the_parent_goes_on(run):
    assert all(found["status"] == 0 for found in run("faulty_program.py", 2, "forked").reports(2))


def test_ranks_that_leave_together_leave_no_message_to_mpi(run):
    assert [found["message"] for found in run("leaving_program.py", 3).reports(3)] == [None] * 3

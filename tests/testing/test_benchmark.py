"""Benchmarks run the step as often as asked, and report what they measured."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf


class Adding(tf.test.Benchmark):
    """One benchmark."""

    def benchmark_add(self) -> dict[str, Any]:
        """Measures an addition that counts its steps."""
        with tf.Graph().as_default(), tf.Session() as sess:
            count = tf.Variable(0)
            sess.run(count.initializer)
            values = self.run_op_benchmark(sess, count.assign_add(1), burn_iters=3, min_iters=5, extras={"k": 2})
            assert sess.run(count) == 8
            return values


def test_the_median_of_the_measured_steps_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    values = Adding().benchmark_add()
    assert values["iters"] == 5
    assert values["wall_time"] > 0
    printed = capsys.readouterr().out
    assert 'name: "Adding.benchmark_add"' in printed
    assert 'key: "k"' in printed


def test_main_runs_the_benchmarks_that_the_expression_matches(capsys: pytest.CaptureFixture[str]) -> None:
    tf.test.main(["program", "--benchmarks=Adding"])
    assert capsys.readouterr().out.count("Adding.benchmark_add") == 1
    tf.test.main(["program", "--benchmarks=NoSuchClass"])
    assert capsys.readouterr().out == ""


def test_extras_are_a_dict() -> None:
    with pytest.raises(TypeError, match="extras must be a dict"):
        Adding().report_benchmark(extras=[1])  # type: ignore[arg-type]

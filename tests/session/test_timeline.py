"""A traced step as events that Chrome draws: rows without overlap, arrows along the data, memory over time."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.base import proto
from ferroflow._src.session.timeline import Timeline


def stats(*nodes: tuple[str, str, int, int, int]) -> Any:
    """StepStats of (name, label, start, duration, bytes of the result; -1 for none)."""
    message = proto.StepStats()
    device = message.dev_stats.add(device="/device:CPU:0")
    for name, label, start, duration, num_bytes in nodes:
        node = device.node_stats.add(
            node_name=name, timeline_label=label, all_start_micros=start, all_end_rel_micros=duration
        )
        if num_bytes >= 0:
            memory = node.output.add(slot=0).tensor_description.allocation_description
            memory.requested_bytes, memory.allocator_name = num_bytes, "cpu"
    return message


def events(message: Any, phase: str, **kwargs: bool) -> list[Any]:
    trace = json.loads(Timeline(message).generate_chrome_trace_format(**kwargs))["traceEvents"]
    return [event for event in trace if event["ph"] == phase]


CHAIN = (("a", "a = Const()", 10, 5, 100), ("b", "b = Neg(a)", 16, 5, 50), ("c", "c = Add(a, b)", 12, 20, 10))


def test_operations_are_drawn_with_their_types_and_inputs() -> None:
    drawn = events(stats(*CHAIN), "X")
    assert [event["name"] for event in drawn] == ["Const", "Neg", "Add"]
    assert [(event["ts"], event["dur"]) for event in drawn] == [(10, 5), (16, 5), (12, 20)]
    assert drawn[2]["args"] == {"name": "c", "op": "Add", "input0": "a", "input1": "b"}


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=20))
def test_operations_of_one_row_do_not_overlap(times: list[tuple[int, int]]) -> None:
    drawn = events(stats(*((f"n{i}", f"n{i} = NoOp()", *time, -1) for i, time in enumerate(sorted(times)))), "X")
    rows: dict[int, list[Any]] = {}
    for event in drawn:
        rows.setdefault(event["tid"], []).append(event)
    for row in rows.values():
        for before, after in itertools.pairwise(row):
            assert after["ts"] > before["ts"] + before["dur"]


def test_each_device_has_named_rows_of_operations_and_of_tensors() -> None:
    message = stats(*CHAIN)
    message.dev_stats.add(device="/device:CPU:1")
    named = {event["pid"]: event["args"]["name"] for event in events(message, "M") if event["name"] == "process_name"}
    assert named == {
        0: "Allocators",
        1: "/device:CPU:0 Compute",
        2: "/device:CPU:0 Tensors",
        3: "/device:CPU:1 Compute",
        4: "/device:CPU:1 Tensors",
    }
    assert {event["pid"] for event in events(message, "X")} == {1}
    assert {event["pid"] for event in events(message, "N", show_memory=True)} == {2}


def test_arrows_go_from_row_to_row() -> None:
    message = stats(*CHAIN)
    starts, ends = events(message, "s"), events(message, "t")
    assert [(event["name"], event["ts"]) for event in starts] == [("a", 15), ("b", 21)]
    assert [event["id"] for event in starts] == [event["id"] for event in ends]
    assert not events(message, "s", show_dataflow=False)


def test_memory_is_counted_until_the_last_reader_ends() -> None:
    message = stats(*CHAIN)
    counters = [(event["ts"], event["args"]["cpu"]) for event in events(message, "C", show_memory=True)]
    assert counters == [(10, 100), (12, 110), (16, 160), (31, 60), (31, 10), (32, 0)]
    most = Timeline(message).analyze_step_stats().allocator_maximums["cpu"]
    assert (most.timestamp, most.num_bytes, most.tensors) == (16, 160, {"a", "b", "c"})
    assert not events(message, "C")


def test_labels_of_unknown_form_are_no_error() -> None:
    assert [event["name"] for event in events(stats(("a", "?", 1, 1, -1), ("RecvTensor", "", 3, 1, -1)), "X")] == [
        "unknown",
        "RecvTensor",
    ]


def test_a_step_of_a_session_is_drawn() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        metadata = tf.RunMetadata()
        x = tf.placeholder(tf.float32, [2, 2])
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(tf.matmul(x, x, name="product"), {x: [[1, 2], [3, 4]]}, options=options, run_metadata=metadata)
    assert "MatMul" in [event["name"] for event in events(metadata.step_stats, "X")]


def test_memory_is_drawn_in_the_process_of_the_allocators() -> None:
    message = stats(*CHAIN)
    drawn = [event for event in events(message, "C", show_memory=True) if event["cat"] == "Memory"]
    assert {(event["name"], event["pid"], event["tid"]) for event in drawn} == {("cpu", 0, 0)}
    made = {event["name"]: event for event in events(message, "N", show_memory=True)}
    removed = {event["name"]: event for event in events(message, "D", show_memory=True)}
    assert sorted(made) == sorted(removed) == ["a", "b", "c"]
    for name, event in removed.items():
        assert (event["cat"], event["pid"], event["id"]) == ("Tensor", 2, made[name]["id"])

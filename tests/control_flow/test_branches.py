"""Conditionals: which branch runs, what its effects are, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

THREADS = (1, 2, 4)


def session(threads: int = 2) -> tf.Session:
    return tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads))


def test_only_the_branch_taken_runs() -> None:
    pred = tf.placeholder(tf.bool, [])
    v, w = tf.Variable(0), tf.Variable(0)
    result = tf.cond(pred, lambda: v.assign_add(1), lambda: w.assign_add(10))
    with session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(result, {pred: True}) == 1
        assert sess.run(result, {pred: False}) == 10
        assert sess.run([v, w]) == [1, 10]


def test_a_variable_without_value_is_not_read_in_the_branch_not_taken() -> None:
    v = tf.Variable(3.0)
    result = tf.cond(tf.is_variable_initialized(v), lambda: v + 1.0, lambda: tf.constant(-1.0))
    with session() as sess:
        assert sess.run(result) == -1.0
        sess.run(v.initializer)
        assert sess.run(result) == 4.0


def test_a_reader_behind_a_conditional_write_sees_it_or_the_value_before() -> None:
    pred = tf.placeholder(tf.bool, [])
    v = tf.Variable(5.0)
    written = tf.cond(pred, lambda: v.assign(7.0), lambda: v.read_value())
    with tf.control_dependencies([written]):
        after = v + 0.0
    with session() as sess:
        sess.run(v.initializer)
        assert sess.run(after, {pred: False}) == 5.0
        assert sess.run(after, {pred: True}) == 7.0


def test_effects_happen_once_and_only_in_the_branch_taken(capfd: pytest.CaptureFixture[str]) -> None:
    ran: list[str] = []

    def branch(name: str, variable: Any, value: Any) -> Any:
        noted = tf.py_func(lambda v: ran.append(name) or v, [value], tf.float32)
        printed = tf.Print(value * value, [noted], f"taken: {name} ")
        with tf.control_dependencies([tf.assign_add(variable, 1.0)]):
            return tf.identity(printed)

    x, pred = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])
    first, second, outside = (tf.Variable(0.0) for _ in range(3))
    with tf.control_dependencies([outside.assign_add(1.0)]):
        y = tf.cond(pred, lambda: branch("then", first, x), lambda: branch("else", second, x * 2.0))
    gradient = tf.gradients(y * y, x)[0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value, counts in ((True, [1, 0, 1]), (False, [1, 1, 2]), (False, [1, 2, 3])):
            ran.clear()
            sess.run([y, gradient], {x: 3.0, pred: value})
            name = "then" if value else "else"
            assert ran == [name]
            assert capfd.readouterr().err.count("taken: ") == 1
            assert sess.run([first, second, outside]) == counts


def test_control_dependencies_reach_into_branches() -> None:
    v = tf.Variable(0)
    add = v.assign_add(1)
    with tf.control_dependencies([add]):
        result = tf.cond(tf.constant(True), lambda: v + 0, lambda: v - 100)
    with session() as sess:
        sess.run(v.initializer)
        assert sess.run(result) == 1


def test_operations_and_structures_come_out() -> None:
    pred = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)
    op = tf.cond(pred, lambda: tf.group(v.assign(1)), lambda: tf.no_op())
    nest = tf.cond(pred, lambda: {"a": tf.constant(1), "b": [tf.constant(2.0)]}, lambda: {"a": 3, "b": [4.0]})
    sparse = tf.cond(
        pred,
        lambda: tf.SparseTensor([[0]], [1.0], [2]),
        lambda: tf.SparseTensor([[1]], [2.0], [2]),
    )
    single, strict = tf.cond(pred, lambda: [1], lambda: [2]), tf.cond(pred, lambda: [1], lambda: [2], strict=True)
    assert isinstance(strict, list)
    assert isinstance(single, tf.Tensor)
    with session() as sess:
        sess.run(v.initializer)
        sess.run(op, {pred: True})
        assert sess.run(v) == 1
        assert sess.run(nest, {pred: True}) == {"a": 1, "b": [2.0]}
        assert sess.run(nest, {pred: False}) == {"a": 3, "b": [4.0]}
        assert sess.run(sparse, {pred: False}).values == [2.0]


def test_case_takes_the_first_that_holds() -> None:
    x = tf.placeholder(tf.float32, [])
    chosen = tf.case([(x < 1, lambda: tf.constant(1)), (x < 2, lambda: tf.constant(2))], default=lambda: tf.constant(3))
    needs_one = tf.case([(x < 1, lambda: tf.constant(1)), (x < 2, lambda: tf.constant(2))])
    exclusive = tf.case([(x < 1, lambda: 1), (x < 2, lambda: 2)], exclusive=True)
    with session() as sess:
        assert [sess.run(chosen, {x: value}) for value in (0, 1.5, 9)] == [1, 2, 3]
        assert [sess.run(needs_one, {x: value}) for value in (0, 1.5)] == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions"):
            sess.run(needs_one, {x: 5})
        with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
            sess.run(exclusive, {x: 0})


@pytest.mark.parametrize("branches", [1, 2, 5])
def test_switch_case_takes_the_branch_of_a_number(branches: int) -> None:
    index = tf.placeholder(tf.int64, [])
    ran: list[int] = []

    def branch(i: int) -> Any:
        def noted() -> Any:
            return tf.py_func(lambda: ran.append(i) or np.int64(i * i), [], tf.int64, stateful=True)

        return noted

    functions = [branch(i) for i in range(branches)]
    plain = tf.switch_case(index, functions)
    other = tf.switch_case(index, dict(enumerate(functions)), default=lambda: tf.constant(-1, tf.int64))
    with tf.Session() as sess:
        for number in (-3, 0, branches - 1, branches, branches + 7):
            taken = number if 0 <= number < branches else branches - 1
            assert sess.run(plain, {index: number}) == taken * taken
            assert ran == [taken]
            ran.clear()
            assert sess.run(other, {index: number}) == (number * number if 0 <= number < branches else -1)
            ran.clear()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (lambda: (1, [tf.no_op]), TypeError, "branch_index must be a Tensor"),
        (lambda: (tf.constant(1.0), [tf.no_op]), TypeError, "must be an integer Tensor"),
        (lambda: (tf.constant(1), []), ValueError, "at least one"),
        (lambda: (tf.constant(1), 3), TypeError, "list, tuple, or dict"),
        (lambda: (tf.constant(1), [(1, 2, 3)]), TypeError, "2-tuple"),
        (lambda: (tf.constant(1), {"a": tf.no_op}), TypeError, "key must be a Python `int`"),
        (lambda: (tf.constant(1), {0: 1}), TypeError, "fn for key 0 must be callable"),
        (lambda: (tf.constant(1), {0: tf.no_op, 5: tf.no_op}), ValueError, r"\[0 to 2\) but found \{0,5\}"),
        (lambda: (tf.constant(1), [tf.no_op], 7), TypeError, "default must be callable"),
    ],
)
def test_what_switch_case_refuses(arguments: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        tf.switch_case(*arguments())


def test_known_predicates_need_no_conditional() -> None:
    framework = tf.contrib.framework
    unknown = tf.placeholder(tf.bool, [])
    for pred in (True, 1, tf.constant(True)):
        assert framework.smart_constant_value(pred) is True
        assert framework.smart_cond(pred, lambda: "yes", lambda: "no") == "yes"
    assert framework.smart_constant_value(unknown) is None
    assert framework.smart_case([(False, lambda: "a"), (True, lambda: "b")], default=lambda: "c") == "b"
    assert framework.smart_case([(False, lambda: "a")], default=lambda: "c") == "c"
    chosen = framework.smart_cond(unknown, lambda: tf.constant(1), lambda: tf.constant(2))
    cases = framework.smart_case([(False, lambda: None), (unknown, lambda: tf.constant(3))], lambda: tf.constant(4))
    with tf.Session() as sess:
        assert sess.run([chosen, cases], {unknown: True}) == [1, 3]
        assert sess.run([chosen, cases], {unknown: False}) == [2, 4]
    with pytest.raises(TypeError, match="`pred` must be a Tensor"):
        framework.smart_cond("yes", lambda: 1, lambda: 2)
    with pytest.raises(TypeError, match="`false_fn` must be callable"):
        framework.smart_cond(True, lambda: 1)


def test_switch_and_merge_without_a_conditional() -> None:
    # A Merge of unrelated branches takes the input that has a value.
    x, p, q = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, []), tf.placeholder(tf.bool, [])
    graph = tf.get_default_graph()
    first = graph.create_op("Switch", [x, p]).outputs[1]
    second = graph.create_op("Switch", [x * 10.0, q]).outputs[1]
    merged = graph.create_op("Merge", [first, second], attrs={"N": 2}).outputs
    with session() as sess:
        assert sess.run(merged, {x: 3.0, p: True, q: False}) == [3.0, 0]
        assert sess.run(merged, {x: 3.0, p: False, q: True}) == [30.0, 1]
        assert sess.run(merged[0] + 1.0, {x: 3.0, p: False, q: True}) == 31.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
            sess.run(first, {x: 3.0, p: False, q: False})


def test_a_branch_cannot_be_fetched() -> None:
    inner: list[Any] = []

    def branch() -> Any:
        inner.append(tf.constant(1) + 1)
        return inner[0]

    tf.cond(tf.constant(True), branch, lambda: tf.constant(2))
    with session() as sess, pytest.raises(ValueError, match="not fetchable"):
        sess.run(inner[0])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((True, lambda: 1, lambda: 2), TypeError, "must not be a Python bool"),
        ((None, lambda: 1), TypeError, "false_fn argument required"),
        ((None, 1, lambda: 2), TypeError, "true_fn must be callable"),
        ((None, lambda: None, lambda: 1), ValueError, "true_fn must have a return value"),
        ((None, lambda: 1, lambda: 2.0), ValueError, "must have the same type"),
        ((None, lambda: [1, 2], lambda: 1), (TypeError, ValueError), "Incompatible return"),
    ],
)
def test_what_cond_refuses(arguments: tuple[Any, ...], error: Any, words: str) -> None:
    pred = tf.constant(True) if arguments[0] is None else arguments[0]
    with pytest.raises(error, match=words):
        tf.cond(pred, *arguments[1:])


@given(st.lists(st.booleans(), min_size=3, max_size=3), st.integers(0, 2**16))
def test_nested_conditionals_choose_as_python_does(outcomes: list[bool], seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth = int(rng.integers(1, 4))
    values = rng.standard_normal(2**depth)

    def build(preds: list[Any], at: int, level: int) -> Any:
        if level == depth:
            return tf.constant(values[at]) * x
        return tf.cond(
            preds[level], lambda: build(preds, 2 * at + 1, level + 1), lambda: build(preds, 2 * at, level + 1)
        )

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [])
        preds = [tf.placeholder(tf.bool, []) for _ in range(3)]
        result = build(preds, 0, 0)
        at = 0
        for level in range(depth):
            at = 2 * at + outcomes[level]
        feed = {x: 2.0, **dict(zip(preds, outcomes, strict=True))}
        for threads in THREADS:
            with session(threads) as sess:
                assert sess.run(result, feed) == values[at] * 2.0


def test_a_variable_decides_with_the_value_it_has_there() -> None:
    flag = tf.Variable(True)
    first = tf.cond(flag, lambda: tf.constant(1), lambda: tf.constant(2))
    with tf.control_dependencies([first]):
        flip = tf.assign(flag, tf.logical_not(flag))
    with tf.control_dependencies([flip]):
        second = tf.cond(flag, lambda: tf.constant(1), lambda: tf.constant(2)) + tf.constant(0)
    with session() as sess:
        sess.run(flag.initializer)
        assert sess.run([first, second]) == [1, 2]
        assert sess.run([first, second]) == [2, 1]


def test_values_from_outside_are_chosen_between() -> None:
    x = tf.placeholder(tf.int32, [])
    one, two = tf.constant(1), tf.constant(2)
    chosen = tf.cond(x > 0, lambda: one, lambda: two)
    with session() as sess:
        assert [sess.run(chosen, {x: value}) for value in (1, -1)] == [1, 2]


def test_a_predicate_may_be_what_a_branch_returns() -> None:
    a = tf.placeholder(tf.float32, [])
    p, q = tf.less(a, 1.0), tf.greater(a, -5.0)
    chosen = tf.cond(p, lambda: q, lambda: p)
    with session() as sess:
        assert [sess.run(chosen, {a: value}) for value in (0.0, 2.0, -9.0)] == [True, False, False]


def test_a_predicate_is_a_scalar() -> None:
    p = tf.placeholder(tf.bool)
    chosen = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    with session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        sess.run(chosen, {p: [[True]]})

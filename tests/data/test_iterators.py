"""Laws of iterators: when they start, where they end, how they are shared and found, what errors leave behind."""

from __future__ import annotations

import gc
import gzip
import os
import signal
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.framework.apply import apply_op, tensor_op

D = tf.data.Dataset


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def test_the_end_is_said_again_and_again():
    element = D.range(2).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element), session.run(element)] == [0, 1]
        for _ in range(3):
            with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                session.run(element)


def test_an_iterator_must_be_started_and_starts_anew():
    iterator = D.range(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(element)
        for _ in range(2):
            session.run(iterator.initializer)
            assert session.run(element) == 0


def test_two_sessions_have_two_passes():
    element = D.range(3).make_one_shot_iterator().get_next()
    with tf.Session() as one, tf.Session() as other:
        assert [one.run(element), one.run(element), other.run(element)] == [0, 1, 0]


def test_iterators_that_look_alike_are_two():
    first, second = (D.range(3).make_one_shot_iterator().get_next() for _ in range(2))
    with tf.Session() as session:
        assert session.run([first, second]) == [0, 0]
        assert session.run(first) == 1


def test_all_that_is_read_in_one_step_is_one_element():
    element = D.range(3).map(lambda x: (x, x + 10)).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run([element[0], element[1] + element[0]]) == [0, 10]
        assert session.run(element) == (1, 11)


def test_one_iterator_passes_over_datasets_of_one_structure():
    iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    starts = [iterator.make_initializer(d) for d in (D.range(2), D.range(10, 11))]
    element = iterator.get_next()
    with pytest.raises(ValueError, match="does not have an initializer"):
        assert iterator.initializer
    with pytest.raises(TypeError, match="Expected output types"):
        iterator.make_initializer(D.from_tensors(1.0))
    with pytest.raises(TypeError, match="Expected output shapes"):
        iterator.make_initializer(D.from_tensors(np.zeros(2, np.int64)))
    with tf.Session() as session:
        for start, first in zip(starts, (0, 10), strict=True):
            session.run(start)
            assert session.run(element) == first


def test_an_iterator_is_found_by_its_handle():
    train, test = D.range(3).make_one_shot_iterator(), D.range(7, 9).make_initializable_iterator()
    handle = tf.placeholder(tf.string, [])
    element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    wrong = tf.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()
    with tf.Session() as session:
        session.run(test.initializer)
        first, second = session.run([train.string_handle(), test.string_handle("named")])
        found = [session.run(element, {handle: h}) for h in (first, second, first)]
        assert found == [0, 7, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Data type mismatch"):
            session.run(wrong, {handle: first})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(element, {handle: "nonsense"})
    with tf.Session() as other, pytest.raises(tf.errors.NotFoundError):
        other.run(element, {handle: first})


@pytest.mark.parametrize("calls", [None, 2])
def test_an_error_in_a_function_names_its_node_and_the_iterator_goes_on(calls):
    dataset = D.from_tensor_slices([1.0, 0.0, 4.0]).map(lambda x: tf.check_numerics(1 / x, "wrong", name="Here"), calls)
    for element in (
        dataset.make_one_shot_iterator().get_next(),
        dataset.prefetch(2).make_one_shot_iterator().get_next(),
    ):
        with tf.Session() as session:
            assert session.run(element) == 1.0
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"wrong(.|\n)*node Here(.|\n)*IteratorGetNext"):
                session.run(element)
            assert session.run(element) == 0.25
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(element)


def test_variables_are_read_when_an_element_is_made_and_written_by_functions():
    step = tf.Variable(5, dtype=tf.int64)
    iterator = D.range(9).map(lambda x: x + step).make_initializable_iterator()
    element = iterator.get_next()
    count = tf.Variable(0)
    counting = D.range(3).map(lambda _: count.assign_add(1)).make_initializable_iterator()
    counted = counting.get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([iterator.initializer, counting.initializer])
        assert session.run(element) == 5
        session.run(step.assign(100))
        assert session.run(element) == 101
        assert [session.run(counted), session.run(counted), session.run(count)] == [1, 2, 2]
    with pytest.raises(ValueError, match=r"Failed to create a one-shot iterator(.|\n)*Cannot capture a stateful"):
        D.range(9).map(lambda x: x + step).make_one_shot_iterator()
    fed = tf.placeholder(tf.int64, [])
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        D.range(fed).make_one_shot_iterator()


def test_tables_and_outer_tensors_are_captured_and_fed_values_kept():
    table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
    words = tf.placeholder(tf.string, [None])
    offset = tf.placeholder(tf.int64, [])
    dataset = D.from_tensor_slices(words).map(lambda w: table.lookup(w) + offset)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        session.run(iterator.initializer, {words: ["b", "a"], offset: 10})
        assert [session.run(element), session.run(element)] == [11, 10]


def test_random_functions_start_with_their_seed_whenever_the_iterator_starts():
    iterator = D.range(4).map(lambda _: tf.random_uniform([], seed=3)).make_initializable_iterator()
    element = iterator.get_next()
    passes = []
    with tf.Session() as session:
        for _ in range(2):
            session.run(iterator.initializer)
            passes.append([session.run(element) for _ in range(4)])
    assert passes[0] == passes[1]
    assert len(set(passes[0])) == 4


def test_elements_that_nobody_counts_come_once_each_to_several_threads():
    element = D.range(400).prefetch(3).map(lambda x: x + 1, 3).make_one_shot_iterator().get_next()
    found: list[int] = []
    with tf.Session() as session:

        def read():
            while True:
                try:
                    found.append(session.run(element))
                except tf.errors.OutOfRangeError:
                    return

        threads = [threading.Thread(target=read) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert sorted(found) == list(range(1, 401))


@pytest.mark.parametrize("read_ahead", [False, True])
def test_closing_the_session_ends_a_wait(read_ahead):
    held = threading.Event()

    def build(x):
        return tf.while_loop(lambda i: tf.constant(True), lambda i: i + 1, [x])

    dataset = D.range(3).map(build)
    element = (dataset.prefetch(1) if read_ahead else dataset).make_one_shot_iterator().get_next()
    session = tf.Session()
    failure: list[Exception] = []

    def read():
        held.set()
        try:
            session.run(element)
        except Exception as e:
            failure.append(e)

    thread = threading.Thread(target=read)
    thread.start()
    held.wait()
    while thread.is_alive() and not failure:
        session.close()
        thread.join(0.05)
    thread.join()
    assert isinstance(failure[0], tf.errors.CancelledError | RuntimeError)


@pytest.mark.parametrize("read_ahead", [False, True])
def test_a_signal_ends_a_wait_and_the_session_stays_usable(read_ahead):
    dataset = D.range(3).map(lambda x: tf.while_loop(lambda i: tf.constant(True), lambda i: i + 1, [x]))
    element = (dataset.prefetch(1) if read_ahead else dataset).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(tf.constant(0))
        timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
        timer.start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            session.run(element)
        assert time.monotonic() - began < 5
        assert session.run(tf.constant(1)) == 1


def test_a_generator_is_let_go_at_the_end_of_its_dataset():
    class Numbers:
        def __iter__(self):
            return self

        def __next__(self):
            return 42

    alive: list[weakref.ref[Numbers]] = []

    def generator():
        numbers = Numbers()
        alive.append(weakref.ref(numbers))
        return numbers

    element = D.from_generator(generator, tf.int64).take(2).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element), session.run(element)] == [42, 42]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        gc.collect()
        assert alive[0]() is None


def test_a_generator_may_be_read_twice_at_a_time_and_fail_between_elements():
    def generator():
        yield 1
        yield 2

    dataset = D.from_generator(generator, tf.int64, [])
    both = D.zip((dataset, dataset.repeat())).make_one_shot_iterator().get_next()
    wrong = D.from_generator(lambda: iter([1, "x", [3, 4], 5]), tf.int64, []).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(both), session.run(both)] == [(1, 1), (2, 2)]
        assert session.run(wrong) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="invalid literal"):
            session.run(wrong)
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
            session.run(wrong)
        assert session.run(wrong) == 5


def _threads_that_read_ahead():
    tasks = Path("/proc/self/task")
    return [
        t.name
        for t in tasks.iterdir()
        if (t / "comm").read_text(encoding="utf-8").startswith(("ferroflow-pre", "ferroflow-map"))
    ]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted through /proc")
def test_a_session_that_is_gone_takes_the_threads_of_its_iterators_along():
    element = D.range(99).map(lambda x: x + 1, 2).prefetch(1).make_one_shot_iterator().get_next()
    session = tf.Session()
    assert session.run(element) == 1
    assert _threads_that_read_ahead()
    session.close()
    del session
    gc.collect()
    deadline = time.monotonic() + 10
    while _threads_that_read_ahead():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def test_the_later_spellings_of_the_ops_do_the_same():
    structure = {"output_types": [tf.int64], "output_shapes": [[]]}
    resource = tensor_op("IteratorV2", [], {"container": "", "shared_name": "", **structure})
    start = apply_op("MakeIterator", [D.range(2)._as_variant_tensor(), resource])
    element = tensor_op("IteratorGetNextSync", [resource], structure)
    with tf.Session() as session:
        session.run(start)
        assert [session.run(element), session.run(element)] == [0, 1]


def test_what_tunes_a_pipeline_gives_its_input():
    structure = {"output_types": [tf.int64], "output_shapes": [[]]}
    tuned = tensor_op("OptimizeDataset", [D.range(3)._as_variant_tensor(), tf.constant([b"map_fusion"])], structure)
    modelled = tensor_op("ModelDataset", [tuned], structure)
    resource = tensor_op("IteratorV2", [], {"container": "", "shared_name": "", **structure})
    element = tensor_op("IteratorGetNext", [resource], structure)
    with tf.Session() as session:
        session.run(apply_op("MakeIterator", [modelled, resource]))
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]


def test_packed_records_of_one_length_are_read(tmp_path):
    path = tmp_path / "records"
    path.write_bytes(gzip.compress(b"headabcdefgh.foot"))
    dataset = tf.data.FixedLengthRecordDataset(str(path), 4, header_bytes=4, footer_bytes=5, compression_type="GZIP")
    element = dataset.make_one_shot_iterator().get_next()
    definition = tf.get_default_graph().as_graph_def()
    bodies = [definition.node, *(function.node_def for function in definition.library.function)]
    assert "FixedLengthRecordDatasetV2" in {node.op for body in bodies for node in body}
    with tf.Session() as session:
        assert [session.run(element), session.run(element)] == [b"abcd", b"efgh"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_functions_stand_for_methods_as_in_later_versions():
    dataset = D.range(3)
    data = tf.compat.v1.data
    once = data.make_one_shot_iterator(dataset).get_next()
    started = data.make_initializable_iterator(dataset)
    again = started.get_next()
    for thing in (dataset, started):
        assert data.get_output_types(thing) == tf.int64
        assert data.get_output_shapes(thing).as_list() == []
        assert data.get_output_classes(thing) is tf.Tensor
    for function in (data.get_output_types, data.get_output_shapes, data.get_output_classes):
        with pytest.raises(TypeError, match="must be a Dataset or Iterator object, but got <class 'int'>"):
            function(3)
    with tf.Session() as session:
        session.run(started.initializer)
        assert session.run([once, again]) == [0, 0]


def test_no_gradient_passes_through_an_iterator():
    x = tf.constant([1.0])
    y = D.from_tensors(x).make_initializable_iterator().get_next()
    assert tf.gradients(y * 2, x) == [None]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_is_told_that_the_threads_are_its_parents():
    element = D.range(99).prefetch(1).make_one_shot_iterator().get_next()
    plain_element = D.range(99).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run([element, plain_element]) == [0, 0]
        child = os.fork()
        if child == 0:
            # A child that hangs is ended, and seen.
            signal.alarm(20)
            status = 1
            try:
                assert session.run(plain_element) == 1
                session.run(element)
            except tf.errors.FailedPreconditionError as failure:
                status = 0 if "forked" in failure.message else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert session.run([element, plain_element]) == [1, 1]


def test_a_generator_gives_nested_elements():
    types = ({"a": tf.int32, "b": (tf.int64, (tf.float32,))}, tf.string)
    elements = [({"a": i, "b": (i + 1, (i + 0.5,))}, str(i)) for i in range(3)]
    dataset = tf.data.Dataset.from_generator(lambda: iter(elements), types)
    following = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for i in range(3):
            assert session.run(following) == ({"a": i, "b": (i + 1, (i + 0.5,))}, str(i).encode())

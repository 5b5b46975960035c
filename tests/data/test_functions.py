"""Functions of elements: what they may do and take from around, and their passage through GraphDefs."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from data.reading import elements, plain

import ferroflow as tf

D = tf.data.Dataset


def test_branches_and_loops_inside_read_what_is_around():
    def conditional():
        bound = tf.constant(3, tf.int64)
        return D.range(5).map(lambda x: tf.cond(x < bound, lambda: x * bound, lambda: bound - x))

    def looping():
        step = tf.constant(3, tf.int64)
        zero = tf.constant(0, tf.int64)

        def sums(x):
            return tf.while_loop(lambda i, _: i < x, lambda i, s: (i + 1, s + step), [zero, zero])[1]

        return D.range(4).map(sums)

    assert elements(conditional) == [0, 3, 6, 0, -1]
    assert elements(looping) == [0, 3, 6, 9]
    assert elements(lambda: D.range(3).map(lambda x: tf.map_fn(lambda y: x * y, tf.range(3, dtype=tf.int64)))) == [
        [0, 0, 0],
        [0, 1, 2],
        [0, 2, 4],
    ]


def test_a_variable_made_inside_belongs_to_the_graph_around():
    def scaled(x):
        scale = tf.get_variable("scale", [], initializer=tf.constant_initializer(2.0))
        return tf.cast(x, tf.float32) * scale

    def build():
        dataset = D.range(3).map(scaled)
        assert [v.name for v in tf.global_variables()] == ["scale:0"]
        return dataset

    assert elements(build) == [0.0, 2.0, 4.0]


def test_functions_within_functions_read_variables_of_the_graph_around():
    def build():
        factor = tf.Variable(10, dtype=tf.int64)
        return D.range(3).flat_map(lambda x: D.range(x).map(lambda y: x * factor + y))

    assert elements(build) == [10, 20, 21]


def test_what_orders_operations_orders_them_inside_too():
    def build():
        count = tf.Variable(0, dtype=tf.int64)

        def counted(x):
            with tf.control_dependencies([count.assign_add(1)]):
                return 10 * tf.identity(x) + count.read_value()

        return D.range(3).map(counted)

    assert elements(build) == [1, 12, 23]


def test_effects_that_no_result_needs_happen():
    seen = []

    def build():
        def looked_at(x):
            tf.numpy_function(lambda value: seen.append(int(value)), [x], [])
            return x

        return D.range(3).map(looked_at)

    assert elements(build) == [0, 1, 2]
    assert seen == [0, 1, 2]


def test_a_function_ends_the_sequence_by_out_of_range():
    def stop_at_two(value):
        if value == 2:
            raise StopIteration
        return value

    for calls in (None, 2):
        found = elements(lambda: D.range(9).map(lambda x: tf.numpy_function(stop_at_two, [x], tf.int64), calls))  # noqa: B023
        assert found == [0, 1]


def test_an_error_names_the_line_that_made_the_node():
    with tf.Graph().as_default(), tf.Session() as session:
        line = inspect.currentframe().f_lineno + 1
        dataset = D.from_tensors(0.0).map(lambda x: tf.check_numerics(1 / x, "wrong"))
        element = dataset.make_one_shot_iterator().get_next()
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"test_functions.py:{line}\) in function"):
            session.run(element)


def test_wrong_results_are_refused_while_the_graph_is_built():
    with tf.Graph().as_default():
        numbers = D.range(3)
        with pytest.raises(ValueError, match="must return a scalar boolean tensor"):
            numbers.filter(lambda x: x)
        with pytest.raises(TypeError, match="must return a `Dataset`"):
            numbers.flat_map(lambda x: x)
        with pytest.raises(TypeError, match="must return a pair"):
            numbers.apply(tf.contrib.data.scan(0, lambda s, x: s))
        with pytest.raises(TypeError, match="must match the initial state"):
            numbers.apply(tf.contrib.data.scan(0, lambda s, x: (x, x)))
        with pytest.raises(TypeError, match="`transformation_func` must return a Dataset"):
            numbers.apply(lambda d: 1)
        other = tf.Graph()
        with other.as_default():
            foreign = tf.constant(1, tf.int64)
        with pytest.raises(ValueError, match="must be from the same graph"):
            numbers.map(lambda x: x + foreign)


def _pipeline():
    offset = tf.constant(100, tf.int64)
    dataset = D.range(4).map(lambda x: x + offset).filter(lambda x: tf.not_equal(x, 102))
    dataset = dataset.flat_map(lambda x: D.range(2).map(lambda y: 2 * x + y))
    dataset = dataset.map(lambda x: tf.cond(x > 205, lambda: x, lambda: -x))
    return dataset.make_one_shot_iterator().get_next(name="element")


def test_a_graph_with_datasets_comes_back_from_its_message():
    with tf.Graph().as_default() as graph:
        element = _pipeline()
        message = graph.as_graph_def()
        with tf.Session() as session:
            expected = [plain(session.run(element)) for _ in range(6)]
    assert expected == [-200, -201, -202, -203, 206, 207]
    assert len(message.library.function) == 6
    for already_there in (0, 2):
        with tf.Graph().as_default() as graph:
            for _ in range(already_there):
                # Functions of the same names, which are other functions.
                D.range(1).map(lambda x: x * 0).filter(lambda x: x < 0).make_one_shot_iterator()
            (again,) = tf.import_graph_def(message, return_elements=["element:0"])
            with tf.Session() as session:
                assert [plain(session.run(again)) for _ in range(6)] == expected
            written = graph.as_graph_def()
        with tf.Graph().as_default(), tf.Session() as session:
            (twice,) = tf.import_graph_def(written, return_elements=["import/element:0"], name="")
            assert [plain(session.run(twice)) for _ in range(6)] == expected


def test_a_function_that_is_there_already_is_not_added_again():
    with tf.Graph().as_default() as graph:
        _pipeline()
        message = graph.as_graph_def()
        tf.import_graph_def(message)
        assert len(graph.as_graph_def().library.function) == len(message.library.function)


def test_a_damaged_function_is_refused():
    with tf.Graph().as_default() as graph:
        _pipeline()
        message = graph.as_graph_def()
    missing = type(message).FromString(message.SerializeToString())
    missing.library.function[0].ret.clear()
    unknown = type(message).FromString(message.SerializeToString())
    unknown.library.function[0].node_def[0].input[0] = "nothing:there:0"
    for damaged, reason in ((missing, "no node computes its results"), (unknown, "neither an argument nor")):
        with tf.Graph().as_default(), pytest.raises(ValueError, match=reason):
            tf.import_graph_def(damaged)


def test_an_error_in_making_a_one_shot_dataset_stays():
    with tf.Graph().as_default(), tf.Session() as session:
        wrong = tf.check_numerics(tf.constant(1.0) / tf.constant(0.0), "oops")
        element = D.from_tensors(wrong).make_one_shot_iterator().get_next()
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="oops"):
                session.run(element)


def test_arrays_that_are_fed_to_an_initializer_are_kept():
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.float32, [None, 2])
        iterator = D.from_tensor_slices(fed).map(lambda x: x + 1).make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as session:
            values = np.arange(4, dtype=np.float32).reshape(2, 2)
            session.run(iterator.initializer, {fed: values})
            values[:] = -9
            assert [session.run(element).tolist() for _ in range(2)] == [[1, 2], [3, 4]]


def test_variables_of_functions_belong_to_the_global_graph_where_no_other_is_around():
    tf.reset_default_graph()
    try:
        floats = tf.data.Dataset.from_tensor_slices([0.0, 1.0, 2.0])
        scaled = floats.map(lambda x: tf.get_variable("scale", initializer=2.0) * x)
        assert [v.name for v in tf.global_variables()] == ["scale:0"]
        iterator = scaled.make_initializable_iterator()
        value = iterator.get_next()
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), iterator.initializer])
            assert [session.run(value) for _ in range(3)] == [0.0, 2.0, 4.0]
    finally:
        tf.reset_default_graph()


def test_a_graph_without_functions_has_no_library():
    with tf.Graph().as_default() as graph:
        tf.no_op()
        assert not graph.as_graph_def().HasField("library")
        tf.data.Dataset.range(2).map(lambda x: x).make_one_shot_iterator()
        assert graph.as_graph_def().library.function


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda d: d.map(lambda x: None), TypeError, "Unsupported return value from the function of a dataset: None"),
        (lambda d: d.map(lambda x: (x, None)), TypeError, "Unsupported return value"),
        (lambda d: d.concatenate(None), TypeError, "concatenated with a Dataset, not with None"),
        (lambda d: tf.data.Dataset.from_tensor_slices(3), ValueError, "a component is a scalar"),
        (lambda d: tf.data.Dataset.from_tensor_slices(([1], 3)), ValueError, "a component is a scalar"),
        (lambda d: d.padded_batch(2, [None]), ValueError, r"The padded shape \(\?,\) is not compatible"),
        (lambda d: d.batch(3, True).padded_batch(2, [2]), ValueError, r"The padded shape \(2,\) is not compatible"),
    ],
)
def test_wrong_elements_are_refused_when_the_graph_is_built(make, error, message):
    with pytest.raises(error, match=message):
        make(tf.data.Dataset.range(6))


@pytest.mark.parametrize(
    ("shape", "error"),
    [
        (lambda: [-5], tf.errors.InvalidArgumentError),
        (lambda: tf.constant([5], tf.int64) * -1, tf.errors.InvalidArgumentError),
        (lambda: tf.stack([tf.constant(5, tf.int64) * -1]), tf.errors.InvalidArgumentError),
        (lambda: tf.constant([0], tf.int64) * 1, tf.errors.DataLossError),
    ],
)
def test_padded_shapes_that_are_computed_or_negative_are_refused_when_the_step_runs(shape, error):
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.Dataset.range(4).map(lambda x: tf.expand_dims(x, 0))
        batches = rows.padded_batch(2, padded_shapes=shape())
        assert batches.output_shapes.ndims == 2
        element = batches.make_one_shot_iterator().get_next()
        with pytest.raises(error):
            session.run(element)

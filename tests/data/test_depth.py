"""Datasets, functions, loops and lists nested to any depth end with a value or an error, never with the process."""

import subprocess
import sys
import textwrap

import pytest

import ferroflow as tf

# Chains as long as these overflow any stack of usual size. Each program runs in a process of its own: the failure that
# it looks for ends the process.
PRELUDE = """
import sys
import ferroflow as tf

def chain(op, count):
    with tf.Graph().as_default() as g:
        dataset = tf.data.Dataset.range(3)
        dataset = {"Skip": dataset.skip(0), "Take": dataset.take(9), "Repeat": dataset.repeat(1),
                   "IgnoreErrors": dataset.apply(tf.contrib.data.ignore_errors()),
                   "Shuffle": dataset.shuffle(1, seed=1), "Batch": dataset.batch(1)}[op]
        variant = dataset._as_variant_tensor()
        definition = g.as_graph_def()
    node = next(n for n in definition.node if n.name == variant.op.name)
    last = node.name
    for i in range(count):
        copy = definition.node.add()
        copy.CopyFrom(node)
        copy.name, copy.input[0] = f"link{i}", last
        last = copy.name
    return definition, last

def first_element(op, count):
    definition, last = chain(op, count)
    with tf.Graph().as_default() as g:
        dataset, = tf.import_graph_def(definition, return_elements=[last + ":0"], name="")
        iterator = tf.data.Iterator.from_structure(tf.int64, None)
        start = g.create_op("MakeIterator", [dataset, iterator._iterator_resource], [])
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(start)
            try:
                session.run(element)
                return "value"
            except tf.errors.ResourceExhaustedError as failure:
                assert "nested too deeply" in failure.message, failure.message
                return "error"
"""


def ends_with(program, seconds=300):
    """What a program prints at its end; it must end by itself."""
    ended = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert ended.returncode == 0, (ended.returncode, ended.stderr[-2000:])
    return ended.stdout.strip()


@pytest.mark.parametrize("op", ["Skip", "Take", "Repeat", "IgnoreErrors", "Shuffle"])
def test_a_chain_of_datasets_that_is_too_long_for_the_stack_is_an_error(op):
    program = f"""
        import threading
        found = []
        threading.stack_size(1 << 20)
        thread = threading.Thread(target=lambda: found.append(first_element({op!r}, 20_000)))
        thread.start()
        thread.join()
        print(found[0])
    """
    assert ends_with(program) == "error"


def test_a_chain_as_long_as_any_ends_with_a_value_or_an_error():
    assert ends_with("print(first_element('Skip', 150_000))") in {"value", "error"}


def test_a_chain_of_ordinary_length_has_its_values():
    assert ends_with("print(first_element('Skip', 1_000))") == "value"


def test_a_chain_that_is_never_read_is_freed():
    program = """
        definition, last = chain("Take", 60_000)
        with tf.Graph().as_default():
            dataset, = tf.import_graph_def(definition, return_elements=[last + ":0"], name="")
            with tf.Session() as session:
                for _ in range(2):
                    session.run(dataset.op)
        print("freed")
    """
    assert ends_with(program) == "freed"


def test_lists_nested_in_lists_are_freed_and_their_sum_is_an_error():
    program = """
        from ferroflow import raw_ops
        empty = raw_ops.EmptyTensorList(
            element_shape=tf.constant([], tf.int32), max_num_elements=tf.constant(-1), element_dtype=tf.variant)
        push = lambda i, l: (i + 1, raw_ops.TensorListPushBack(input_handle=empty, tensor=l))
        shapes = [tf.TensorShape([]), tf.TensorShape(None)]
        _, nested = tf.while_loop(lambda i, l: i < 200_000, push, [0, empty], shape_invariants=shapes)
        length = raw_ops.TensorListLength(input_handle=nested)
        sum_length = raw_ops.TensorListLength(input_handle=tf.add_n([nested, nested]))
        with tf.Session() as session:
            assert session.run(length) == 1
            try:
                session.run(sum_length)
            except tf.errors.ResourceExhaustedError as failure:
                assert "nested too deeply" in failure.message, failure.message
                print("error")
    """
    assert ends_with(program) == "error"


def test_lists_of_python_nested_deeply():
    program = """
        sys.setrecursionlimit(1_000_000)

        def nested(value, wrap, depth=10_000):
            for _ in range(depth):
                value = wrap(value)
            return value

        in_list, in_tuple, in_dict = (lambda x: [x]), (lambda x: (x,)), (lambda x: {"a": x})
        x, one = tf.placeholder(tf.int32), tf.constant(1)

        def refused(make, classes):
            try:
                make()
            except classes:
                return
            raise AssertionError(make)

        with tf.Session() as session:
            for value in (1, "a", 1.5):
                refused(lambda: tf.constant(nested(value, in_list)), (ValueError, TypeError))
                refused(lambda: session.run(x, {x: nested(value, in_list)}), (ValueError, TypeError))
            refused(lambda: tf.zeros(nested(1, in_list)), (ValueError, TypeError))
            for wrap in (in_list, in_tuple, in_dict):
                session.run(nested(one, wrap))
            assert tf.contrib.framework.nest.flatten(nested(1, in_list)) == [1]
            refused(lambda: tf.no_op()._set_attr("a", nested(1, in_list)), (TypeError,))
        print("ended")
    """
    assert ends_with(program) == "ended"


def test_a_function_that_calls_itself_is_an_error():
    program = """
        with tf.Graph().as_default() as g:
            flat = lambda n: tf.data.Dataset.range(1).flat_map(lambda m: tf.data.Dataset.range(1))
            variant = tf.data.Dataset.range(3).flat_map(flat)._as_variant_tensor()
            definition = g.as_graph_def()
        outer = definition.node[[n.name for n in definition.node].index(variant.op.name)].attr["f"].func.name
        for function in definition.library.function:
            if function.signature.name == outer:
                node = next(n for n in function.node_def if n.op == "FlatMapDataset")
                node.attr["f"].func.name = outer
        with tf.Graph().as_default() as g:
            dataset, = tf.import_graph_def(definition, return_elements=[variant.name], name="")
            iterator = tf.data.Iterator.from_structure(tf.int64, [])
            start = g.create_op("MakeIterator", [dataset, iterator._iterator_resource], [])
            element = iterator.get_next()
            with tf.Session() as session:
                session.run(start)
                try:
                    session.run(element)
                except tf.errors.ResourceExhaustedError as failure:
                    assert "nested too deeply" in failure.message, failure.message
                    print("error")
    """
    assert ends_with(program) == "error"


def test_an_attribute_is_no_list_of_lists():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="list of lists"):
        tf.no_op()._set_attr("a", [[1]])

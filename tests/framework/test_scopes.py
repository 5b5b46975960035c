"""Scopes of a graph: names, devices, control dependencies, colocation; each as TensorFlow 1.x nests them."""

import threading

import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def names(count, make=lambda: tf.no_op(name="a")):
    return [make().name for _ in range(count)]


def test_names_in_use_get_numbers():
    assert names(3) == ["a", "a_1", "a_2"]


def test_a_numbered_name_that_is_taken_is_skipped():
    tf.no_op(name="a_1")
    assert names(2) == ["a", "a_2"]


def test_names_that_differ_only_in_case_count_as_the_same():
    assert tf.no_op(name="a").name == "a"
    assert tf.no_op(name="A").name == "A_1"


def test_scopes_nest_and_reopened_ones_get_numbers():
    with tf.name_scope("outer") as outer, tf.name_scope("inner") as inner:
        assert (outer, inner, tf.no_op(name="a").name) == ("outer/", "outer/inner/", "outer/inner/a")
    with tf.name_scope("outer") as again:
        assert again == "outer_1/"


def test_a_scope_with_a_slash_is_entered_again():
    with tf.name_scope("outer") as outer:
        tf.no_op(name="a")
    with tf.name_scope("elsewhere"), tf.name_scope(outer):
        assert tf.no_op(name="a").name == "outer/a_1"


@pytest.mark.parametrize("root", [None, ""])
def test_no_name_is_the_root_scope(graph, root):
    with tf.name_scope("outer"), graph.name_scope(root) as scope:
        assert scope == ""
        assert tf.no_op(name="a").name == "a"


@pytest.mark.parametrize("name", ["_a", "-a", "a b", "a\\b"])
def test_names_no_scope_may_have_are_refused(graph, name):
    with pytest.raises(ValueError, match="is not a valid scope name"), graph.name_scope(name):
        pass


def test_a_scope_takes_its_default_name_and_the_graph_of_its_values():
    with tf.Graph().as_default() as other:
        value = tf.constant(1)
    with tf.name_scope(None, "fallback", [value]) as scope:
        assert scope == "fallback/"
        assert tf.get_default_graph() is other


def test_values_of_two_graphs_cannot_open_a_scope():
    here = tf.constant(1)
    with tf.Graph().as_default():
        there = tf.constant(1)
    with pytest.raises(ValueError, match="must be from the same graph"), tf.name_scope("s", values=[here, there]):
        pass


def test_unique_name_marks_only_on_request(graph):
    assert graph.unique_name("n", mark_as_used=False) == "n"
    assert [graph.unique_name("n") for _ in range(2)] == ["n", "n_1"]


def test_each_thread_has_its_own_name_scope(graph):
    seen = []

    def other():
        with graph.as_default():
            seen.append(graph.get_name_scope())

    with tf.name_scope("here"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [""]


def test_each_thread_has_its_own_default_graph():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(tf.get_default_graph()))
    thread.start()
    thread.join()
    assert seen[0] is not tf.get_default_graph()


def test_threads_share_scopes_until_the_graph_is_switched(graph):
    def device_of_a_thread():
        found = []

        def other():
            with graph.as_default():
                found.append(tf.no_op().device)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return found[0]

    with tf.device("/job:a"):
        assert device_of_a_thread() == "/job:a"
        graph.switch_to_thread_local()
        with tf.device("/task:1"):
            assert tf.no_op().device == "/job:a/task:1"
            assert device_of_a_thread() == "/job:a"


def test_inner_devices_complete_and_override_outer_ones():
    with tf.device("/job:worker/task:1"), tf.device("/cpu:0"):
        assert tf.no_op().device == "/job:worker/task:1/device:CPU:0"
        with tf.device("/task:2"):
            assert tf.no_op().device == "/job:worker/task:2/device:CPU:0"


def test_none_hides_the_devices_outside():
    with tf.device("/job:worker"), tf.device(None), tf.device("/cpu:0"):
        assert tf.no_op().device == "/device:CPU:0"


def test_a_device_function_sees_the_operation_and_is_completed_by_the_devices_outside():
    with tf.device("/job:worker"), tf.device(lambda op: "/task:1" if op.type == "Const" else ""):
        assert tf.constant(1).device == "/job:worker/task:1"
        assert tf.no_op().device == "/job:worker"


def test_what_is_made_inside_waits_for_the_control_inputs():
    first, second = tf.no_op(), tf.no_op()
    with tf.control_dependencies([first]):
        inner = tf.no_op()
        with tf.control_dependencies([second]):
            innermost = tf.no_op()
    assert inner.control_inputs == [first]
    assert innermost.control_inputs == [first, second]


def test_none_clears_the_control_inputs_for_its_block():
    first = tf.no_op()
    with tf.control_dependencies([first]):
        with tf.control_dependencies(None):
            free = tf.no_op()
        bound = tf.no_op()
    assert free.control_inputs == []
    assert bound.control_inputs == [first]


def test_what_reads_a_waiting_operation_need_not_wait_itself():
    first = tf.no_op()
    with tf.control_dependencies([first]):
        a = tf.constant(1)
        b = tf.identity(a)
    assert a.op.control_inputs == [first]
    assert b.op.control_inputs == []


def test_a_data_input_is_no_control_input_too():
    a = tf.constant(1)
    with tf.control_dependencies([a]):
        b = tf.identity(a)
    assert b.op.control_inputs == []


def test_variables_and_slices_stand_for_their_operations():
    v = tf.Variable(1.0)
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    with tf.control_dependencies([v, slices]):
        assert tf.no_op().control_inputs == [v.op, slices.values.op]


def test_what_is_no_element_cannot_be_waited_for():
    with pytest.raises(TypeError, match="Control input must be"):
        tf.control_dependencies([3])


def test_init_scope_waits_for_nothing_and_keeps_its_name_scope():
    first = tf.no_op()
    with tf.name_scope("s"), tf.control_dependencies([first]), tf.init_scope():
        op = tf.no_op(name="a")
    assert op.control_inputs == []
    assert op.name == "s/a"


def test_the_text_of_a_device_function_is_kept_as_it_is():
    with tf.device(lambda op: "cpu:1"):
        assert tf.constant(1).device == "cpu:1"
    with tf.device(lambda op: "/job:a/cpu:1"):
        assert tf.constant(1).device == "/job:a/cpu:1"
    with tf.device("/job:w"), tf.device(lambda op: "/cpu:1"):
        assert tf.constant(1).device == "/job:w/device:CPU:1"
    with tf.device(lambda op: None), pytest.raises(TypeError):
        tf.constant(1)


def test_a_step_refuses_a_device_without_a_slash():
    with tf.device(lambda op: "cpu:0"):
        one = tf.constant(1)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="explicitly assigned to cpu:0"):
        sess.run(one + 1)


def test_colocated_operations_share_group_and_device():
    with tf.device("/cpu:0"):
        a = tf.no_op(name="a")
    with tf.device("/job:far"), tf.colocate_with(a):
        b = tf.no_op(name="b")
    assert b.colocation_groups() == a.colocation_groups() == [b"loc:@a"]
    assert b.device == a.device == "/device:CPU:0"


def test_colocation_with_several_names_all_groups_once():
    a, b = tf.no_op(name="a"), tf.no_op(name="b")
    with tf.colocate_with(b), tf.colocate_with(a), tf.colocate_with(b):
        assert tf.no_op().colocation_groups() == [b"loc:@a", b"loc:@b"]


def test_colocation_can_ignore_what_is_around():
    a, b = tf.no_op(name="a"), tf.no_op(name="b")
    with tf.colocate_with(a), tf.colocate_with(b, ignore_existing=True):
        assert tf.no_op().colocation_groups() == [b"loc:@b"]
    with tf.colocate_with(a), tf.colocate_with(None, ignore_existing=True):
        assert tf.no_op(name="free").colocation_groups() == [b"loc:@free"]


def test_colocation_with_nothing_must_be_asked_for():
    with pytest.raises(ValueError, match="Trying to reset colocation"):
        tf.colocate_with(None)


def test_gradient_overrides_mark_the_operations_inside(graph):
    with graph.gradient_override_map({"Neg": "Other"}):
        inside = tf.negative(1.0).op
    assert inside.get_attr("_gradient_op_type") == b"Other"
    with pytest.raises(ValueError, match="has no attr named '_gradient_op_type'"):
        tf.negative(1.0).op.get_attr("_gradient_op_type")


def test_containers_name_where_variables_live(graph):
    with graph.container("box"):
        boxed = tf.Variable(1.0)
    assert boxed.op.get_attr("container") == b"box"
    assert tf.Variable(1.0).op.get_attr("container") == b""


def test_names_may_be_bytes():
    assert tf.constant(1.0, name=b"one").name == "one:0"
    assert tf.identity(1.0, name=b"same").name == "same:0"


def test_a_slash_alone_is_the_root():
    with tf.name_scope("outer"), tf.name_scope("/") as scope:
        assert scope == "/"
        assert tf.constant(1.0, name="c").name == "c:0"


# Names that TensorFlow 2.21 gives.
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda x: tf.concat([x, x], 0, name=None), "ConcatV2:0"),
        (lambda x: tf.constant([1, 2], name=None), "Const:0"),
        (lambda x: tf.lbeta(x, name=None), "lbeta/sub:0"),
        (lambda x: tf.logical_xor(True, False, name=None), "LogicalAnd_1:0"),
        (lambda x: tf.range(3, name=None), "Range:0"),
        (lambda x: tf.split(x, 2, name=None)[1], "Split:1"),
        (lambda x: tf.stack([x, x], name=None), "packed:0"),
        (lambda x: tf.to_int32(x, name=None), "Cast:0"),
        (lambda x: tf.transpose(x, name=None), "transpose:0"),
        (lambda x: tf.unstack(x, name=None)[1], "Unpack:1"),
    ],
)
def test_none_in_the_place_of_a_name_is_tensorflows_name(make, name):
    with tf.name_scope("scope"):
        assert make(tf.placeholder(tf.float32, [2, 2])).name == f"scope/{name}"


@pytest.mark.parametrize("values", [[], [1]])
def test_a_scope_for_values_needs_a_name(values):
    with pytest.raises(ValueError, match="At least one of name"), tf.name_scope(None, None, values):
        pass
    with tf.name_scope("outer"), tf.name_scope(None) as scope:
        assert scope == ""


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.concat([x, x], 0),
        lambda x: tf.stack((x, x)),
        lambda x: tf.add_n([x, x]),
        lambda x: tf.raw_ops.Pack(values=[x, x]),
        lambda x: tf.raw_ops.Neg(x=x),
    ],
    ids=["concat", "stack", "add_n", "Pack", "Neg"],
)
def test_an_operation_is_made_in_the_graph_of_its_inputs(graph, make):
    with tf.Graph().as_default() as other:
        x = tf.constant([1.0])
    assert make(x).graph is other
    assert graph.get_operations() == []


@pytest.mark.parametrize(
    "make",
    [
        lambda name: tf.constant(1, name=name),
        lambda name: tf.placeholder(tf.float32, name=name),
        lambda name: tf.matmul([[1.0]], [[1.0]], name=name),
        lambda name: tf.no_op(name=name),
        lambda name: tf.Variable(1.0, name=name),
        lambda name: tf.raw_ops.Add(x=1.0, y=1.0, name=name),
        lambda name: tf.summary.scalar(name, 1.0),
    ],
)
def test_an_operation_has_a_name(make):
    with tf.Graph().as_default(), pytest.raises(ValueError, match="'' is not a valid node name"):
        make("")

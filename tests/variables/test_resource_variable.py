"""Laws of variables behind handles: reads have a place in the step, and files and numbers are TensorFlow's."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from variables.graphs import graph  # noqa: F401 (a fixture)

import ferroflow as tf
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import errors
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.variables.resource_variable import ResourceVariable, is_resource_variable

GOLDEN = Path(__file__).parents[1] / "golden"
FOUND = json.loads((GOLDEN / "resource_variables" / "found.json").read_text(encoding="utf-8"))


@pytest.fixture
def programs():
    """The programs whose results with TensorFlow are golden."""
    sys.path.insert(0, str(GOLDEN))
    try:
        import resource_variable_programs
    finally:
        sys.path.pop(0)
    return resource_variable_programs


def is_close(found, wanted):
    """Whether nests of numbers are equal up to rounding over a few steps."""
    if isinstance(wanted, dict):
        return all(is_close(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(is_close(f, w) for f, w in zip(found, wanted, strict=True))
    return abs(found - wanted) <= 5e-6 * max(1.0, abs(wanted))


@pytest.mark.parametrize("optimizer", sorted(FOUND["training"]))
def test_training_follows_tensorflow(programs, optimizer):
    found = programs.build_and_train(tf, optimizer)
    assert is_close(found, FOUND["training"][optimizer]), found


def test_files_of_tensorflow_are_run_and_trained_on(programs):
    found = programs.load(tf, str(GOLDEN / "resource_variables"))
    assert is_close(found, FOUND["files"]), found


def test_what_is_saved_is_found_again(programs, tmp_path):
    saved = programs.save(tf, str(tmp_path))
    assert is_close(programs.load(tf, str(tmp_path)), saved)


def test_arguments_scopes_and_the_programs_default_decide():
    assert not is_resource_variable(tf.Variable(1.0))
    assert is_resource_variable(tf.Variable(1.0, use_resource=True))
    with tf.variable_scope("scope", use_resource=True):
        assert is_resource_variable(tf.get_variable("a", []))
        assert is_resource_variable(tf.Variable(1.0))
        assert not is_resource_variable(tf.get_variable("b", [], use_resource=False))
        with tf.variable_scope("inner"):
            assert is_resource_variable(tf.get_variable("a", []))
    tf.enable_resource_variables()
    try:
        assert tf.resource_variables_enabled()
        assert is_resource_variable(tf.get_variable("c", []))
    finally:
        tf.disable_resource_variables()
    assert not is_resource_variable(tf.get_variable("d", []))


def test_slots_are_of_the_kind_of_their_variables():
    v = tf.get_variable("v", [2], use_resource=True)
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.reduce_sum(v * v))
    assert all(is_resource_variable(s) for s in optimizer.variables())


def test_a_message_describes_the_variable():
    v = tf.get_variable("v", initializer=3.0, use_resource=True)
    message = v.to_proto()
    assert message.is_resource
    assert (message.variable_name, message.initializer_name) == ("v:0", "v/Assign")
    assert message.snapshot_name == "v/Read/ReadVariableOp:0"
    w = tf.Variable.from_proto(message)
    assert isinstance(w, ResourceVariable)
    assert w.handle is v.handle
    assert w.dtype == tf.float32
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(w + 1) == 4.0


def test_a_read_gives_what_was_written_before_it():
    v = tf.Variable(1.0, use_resource=True)
    before = v.read_value()
    with tf.control_dependencies([before]):
        written = v.assign(5.0, read_value=False)
    with tf.control_dependencies([written]):
        after = v.read_value()
        # The value was read before, though it is used behind the write.
        used_late = before + 0.0
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([before, after, used_late]) == [1.0, 5.0, 1.0]


def test_a_fetched_variable_is_as_it_was_at_the_start():
    v = tf.Variable(1.0, use_resource=True)
    grown = v.assign_add(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([grown.op, v])[1] == 1.0
        assert session.run(v) == 2.0


def test_what_a_write_returns_is_read_after_it():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    written = v.assign([5.0, 6.0])
    twice = written * 2.0
    again = written.assign_add([1.0, 1.0])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(twice).tolist() == [10.0, 12.0]
        assert session.run(again).tolist() == [6.0, 7.0]


def test_two_handles_of_one_name_are_one_variable():
    v = tf.Variable(1.0, name="v", use_resource=True)
    other = tensor_op("VarHandleOp", [], {"dtype": tf.float32, "shape": [], "shared_name": "v"})
    written = apply_op("AssignVariableOp", [other, 7.0])
    with tf.control_dependencies([written]):
        after = v.read_value()
    with tf.Session() as session:
        assert session.run(after) == 7.0


def test_loops_see_their_own_writes_and_leave_them_behind():
    v = tf.Variable(1.0, use_resource=True)

    def body(i, total):
        with tf.control_dependencies([v.assign_add(1.0).op]):
            return i + 1, total + v.read_value()

    _, total = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0])
    with tf.control_dependencies([total]):
        after = v.read_value()
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([total, after]) == [9.0, 4.0]


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_writes_only_where_it_is_taken(taken):
    v = tf.Variable(1.0, use_resource=True)
    result = tf.cond(tf.constant(taken), lambda: v.assign(10.0).value(), lambda: v + 1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result) == (10.0 if taken else 2.0)
        assert session.run(v) == (10.0 if taken else 1.0)


def test_a_variable_may_decide_a_branch():
    v = tf.Variable(True, use_resource=True)
    result = tf.cond(v.read_value(), lambda: tf.constant(1), lambda: tf.constant(2))
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result) == 1
        v.load(False, session)
        assert session.run(result) == 2


def test_functions_take_handles():
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True)
    data = tf.data.Dataset.range(3).map(lambda i: tf.gather(v.read_value(), i) * 10.0)
    iterator = data.make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(iterator.initializer)
        assert [session.run(following) for _ in range(3)] == [10.0, 20.0, 30.0]


def test_rows_and_slices_are_read_and_written():
    start = np.arange(8, dtype=np.float32).reshape(4, 2)
    v = tf.Variable(start, use_resource=True)
    rows = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([2]))
    with tf.Session() as session:

        def after(change):
            session.run(v.initializer)
            return session.run(change).tolist()

        session.run(v.initializer)
        assert session.run(v.sparse_read([3, 0])).tolist() == start[[3, 0]].tolist()
        assert session.run(v.gather_nd([[1, 1], [3, 0]])).tolist() == [3.0, 6.0]
        assert session.run(v[1, :]).tolist() == [2.0, 3.0]
        assert after(v.scatter_add(rows))[2] == [5.0, 6.0]
        assert after(v.scatter_sub(rows))[2] == [3.0, 4.0]
        assert after(v.scatter_update(rows))[2] == [1.0, 1.0]
        assert after(tf.scatter_mul(v, [1], [[2.0, 3.0]]))[1] == [4.0, 9.0]
        assert after(tf.scatter_div(v, [1], [[2.0, 3.0]]))[1] == [1.0, 1.0]
        assert after(tf.scatter_min(v, [1], [[2.5, 2.5]]))[1] == [2.0, 2.5]
        assert after(tf.scatter_max(v, [1], [[2.5, 2.5]]))[1] == [2.5, 3.0]
        assert after(v.scatter_nd_update([[0, 1]], [9.0]))[0] == [0.0, 9.0]
        assert after(v.scatter_nd_add([[0, 1]], [9.0]))[0] == [0.0, 10.0]
        assert after(v.scatter_nd_sub([[0, 1]], [9.0]))[0] == [0.0, -8.0]
        assert after(v[3].assign([0.5, 0.25]))[3] == [0.5, 0.25]
        counter = tf.Variable(0, use_resource=True)
        session.run(counter.initializer)
        assert session.run(counter.count_up_to(1)) == 0
        with pytest.raises(errors.OutOfRangeError, match="limit of 1"):
            session.run(counter.count_up_to(1))


def test_the_shape_of_a_variable_is_read_through_its_handle():
    v = tf.Variable(np.zeros([3, 5]), use_resource=True)
    found = tensor_op("VariableShape", [v.handle], {"out_type": tf.int64})
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(found).tolist() == [3, 5]


def test_reads_have_the_shape_that_is_known_of_the_variable():
    with tf.variable_scope("s", use_resource=True):
        v = tf.get_variable("v", initializer=tf.placeholder(tf.float32), validate_shape=False)
        known = tf.get_variable("known", [2, 3])
    assert v.shape.ndims is v.value().shape.ndims is None
    v.set_shape([None, 3])
    for read in (v.value(), v.read_value()):
        assert read.shape.as_list() == [None, 3]
    v.set_shape([2, None])
    for read in (v.value(), v.read_value(), tf.convert_to_tensor(v), known.value(), known.read_value()):
        assert read.shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match=r"not compatible|incompatible"):
        v.set_shape([4, 3])


def test_gradients_of_all_reads_add_up():
    v = tf.Variable(3.0, use_resource=True)
    (gradient,) = tf.gradients(v * v + 2.0 * v, v)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(gradient) == 8.0


def test_gradients_of_read_rows_are_slices():
    v = tf.Variable(np.ones([4, 2], np.float32), use_resource=True)
    (gradient,) = gradients(tf.reduce_sum(v.sparse_read([1, 1, 3]) * [[1.0, 2.0]]), [v])
    assert isinstance(gradient, tf.IndexedSlices)
    (of_elements,) = gradients(tf.reduce_sum(v.gather_nd([[0, 1]])), [v])
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run(gradient)
        assert (found.indices.tolist(), found.values.tolist()) == ([1, 1, 3], [[1.0, 2.0]] * 3)
        assert session.run(tf.convert_to_tensor(of_elements)).tolist() == [[0, 1], [0, 0], [0, 0], [0, 0]]


def test_gradients_pass_loops_and_branches():
    v = tf.Variable(2.0, use_resource=True)
    x = tf.placeholder(tf.float32, [])
    _, power = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * v), [0, x])
    chosen = tf.cond(x > 0.0, lambda: power * v, lambda: v)
    (gradient,) = tf.gradients(chosen, v)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(gradient, {x: 1.0}) == 4 * 2.0**3
        assert session.run(gradient, {x: -1.0}) == 1.0


def test_reading_before_the_first_assignment_names_the_variable():
    v = tf.Variable(1.0, name="w", use_resource=True)
    words = (
        "Error while reading resource variable w from Container: localhost. This could mean that the variable was un"
    )
    with tf.Session() as session:
        assert not session.run(v.is_initialized())
        with pytest.raises(errors.FailedPreconditionError, match=words):
            session.run(v)
        session.run(v.initializer)
        assert session.run(v.is_initialized())
        session.run(apply_op("DestroyResourceOp", [v.handle]))
        with pytest.raises(errors.FailedPreconditionError, match=words):
            session.run(v)


_ONE, _ROWS, _ROW = [1.0], [[0]], [0]
# By TensorFlow 1.15.5: what fails where a variable has no value, but for reads.
_WITHOUT_VALUE = {
    "AssignAddVariableOp": lambda v: apply_op("AssignAddVariableOp", [v.handle, [1.0, 1.0]]),
    "AssignSubVariableOp": lambda v: apply_op("AssignSubVariableOp", [v.handle, [1.0, 1.0]]),
    "VariableShape": lambda v: tensor_op("VariableShape", [v.handle]),
    "ResourceGather": lambda v: tensor_op("ResourceGather", [v.handle, _ROW], {"dtype": tf.float32}),
    "ResourceGatherNd": lambda v: tensor_op("ResourceGatherNd", [v.handle, _ROWS], {"dtype": tf.float32}),
    "DestroyResourceOp": lambda v: apply_op("DestroyResourceOp", [v.handle], {"ignore_lookup_error": False}),
    **{
        f"ResourceScatter{way}": lambda v, way=way: apply_op(f"ResourceScatter{way}", [v.handle, _ROW, _ONE])
        for way in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
    },
    **{
        f"ResourceScatterNd{way}": lambda v, way=way: apply_op(f"ResourceScatterNd{way}", [v.handle, _ROWS, _ONE])
        for way in ("Add", "Sub", "Update")
    },
    "ResourceStridedSliceAssign": lambda v: v[:1].assign(_ONE),
    "assign_add": lambda v: v.assign_add([1.0, 1.0]),
    "tf.assign_sub": lambda v: tf.assign_sub(v, [1.0, 1.0]),
    "scatter_nd_add": lambda v: v.scatter_nd_add(_ROWS, _ONE),
    "sparse_read": lambda v: v.sparse_read(_ROW),
    "gather": lambda v: tf.gather(v, _ROW),
}


@pytest.mark.parametrize("how", _WITHOUT_VALUE)
def test_a_variable_without_a_value_is_not_found_by_what_does_more_than_read(how):
    v = tf.get_variable("w", [2], use_resource=True)
    with tf.Session() as session:
        with pytest.raises(errors.NotFoundError, match="Resource localhost/w/N10tensorflow3VarE does not exist"):
            session.run(_WITHOUT_VALUE[how](v))
        assert not session.run(v.is_initialized())


def test_a_counter_and_a_generator_without_a_value_are_not_found():
    with tf.Session() as session:
        counter = tf.get_variable("i", [], tf.int32, use_resource=True)
        state = tf.get_variable("s", [3], tf.int64, use_resource=True)
        numbers = tf.raw_ops.StatefulUniform(resource=state.handle, algorithm=1, shape=[2], dtype=tf.float32)
        for fetch, name in ((counter.count_up_to(3), "i"), (numbers, "s")):
            with pytest.raises(errors.NotFoundError, match=f"Resource localhost/{name}/N10tensorflow3VarE"):
                session.run(fetch)


def test_wrong_types_and_shapes_are_refused_when_the_graph_is_made():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    with pytest.raises(ValueError, match=r"wrong dtype\. Expected float32 got int32"):
        tensor_op("ReadVariableOp", [v.handle], {"dtype": tf.int32})
    for gather, indices in (("ResourceGather", [0]), ("ResourceGatherNd", [[0]])):
        with pytest.raises(ValueError, match=r"read variable with wrong dtype\. Expected float32 got int32"):
            tensor_op(gather, [v.handle, indices], {"dtype": tf.int32})
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal"):
        v.assign([1.0, 2.0, 3.0])


def test_a_handle_of_something_else_is_refused():
    table = tensor_op("HashTableV2", [], {"key_dtype": tf.int64, "value_dtype": tf.int64})
    read = tensor_op("ReadVariableOp", [table], {"dtype": tf.float32})
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match="another kind"):
        session.run(read)


def test_stacks_give_back_the_last_value_first():
    stack = tensor_op("StackV2", [-1], {"elem_type": tf.float32})
    first = tensor_op("StackPushV2", [stack, 1.0])
    with tf.control_dependencies([first]):
        second = tensor_op("StackPushV2", [stack, 2.0])
    with tf.control_dependencies([second]):
        last = tensor_op("StackPopV2", [stack], {"elem_type": tf.float32})
    with tf.control_dependencies([last]):
        rest = tensor_op("StackPopV2", [stack], {"elem_type": tf.float32})
        closed = apply_op("StackCloseV2", [stack])
    with tf.control_dependencies([closed]):
        late = tensor_op("StackPushV2", [stack, 3.0])
    with tf.Session() as session:
        for _ in range(2):
            assert session.run([last, rest]) == [2.0, 1.0]
        with pytest.raises(errors.InvalidArgumentError, match="already been closed"):
            session.run(late)
        with pytest.raises(errors.InvalidArgumentError, match=r"is empty when calling Pop\(\)"):
            session.run(tensor_op("StackPopV2", [stack], {"elem_type": tf.float32}))


def test_a_full_stack_is_an_error():
    stack = tensor_op("StackV2", [1], {"elem_type": tf.float32})
    first = tensor_op("StackPushV2", [stack, 1.0])
    with tf.control_dependencies([first]):
        second = tensor_op("StackPushV2", [stack, 2.0])
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match=r"overflowed its max_size \(1\)"):
        session.run(second)


def test_writes_add_tensorflows_nodes():
    with tf.Graph().as_default() as made_graph:
        v = tf.get_variable("v", shape=[], initializer=tf.zeros_initializer(), use_resource=True)
        known = len(made_graph.get_operations())
        added = v.assign_add(1.0)
        with tf.control_dependencies([added]):
            tf.constant(2.0)
        with tf.control_dependencies([v]):
            tf.constant(2.0)
        tf.identity(added)
        assigned = v.assign(3.0)
        tf.group(assigned)
        assert isinstance(v.assign_sub(1.0, read_value=False), tf.Operation)
        made = [(op.name, [c.name for c in op.control_inputs]) for op in made_graph.get_operations()[known:]]
    assert (added.name, assigned.name) == ("AssignAddVariableOp", "AssignVariableOp")
    # Values of TensorFlow 1.15.5: a control dependency waits for the write or the handle, not for a read.
    assert made == [
        ("Const", []),
        ("AssignAddVariableOp", []),
        ("ReadVariableOp", ["AssignAddVariableOp"]),
        ("Const_1", ["AssignAddVariableOp"]),
        ("Const_2", ["v"]),
        ("Identity/ReadVariableOp", ["AssignAddVariableOp"]),
        ("Identity", []),
        ("Const_3", []),
        ("AssignVariableOp", []),
        ("ReadVariableOp_1", ["AssignVariableOp"]),
        ("group_deps", ["AssignVariableOp"]),
        ("Const_4", []),
        ("AssignSubVariableOp", []),
    ]

"""`tf.function` in graphs: calls, effects, variables, signatures and concrete functions."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.framework.function_def import called


@pytest.fixture(autouse=True)
def _own_graph() -> Any:
    with tf.Graph().as_default():
        yield


def _run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


@given(st.integers(0, 8), st.integers(-3, 3))
@settings(max_examples=15, deadline=None)
def test_a_call_gives_what_the_python_function_gives(steps: int, start: int) -> None:
    def collatz(n: Any, value: Any) -> Any:
        total = value
        for i in range(n) if isinstance(n, int) else tf.range(n):
            if i % 2 == 0:
                total = total * 3 + 1
            else:
                total -= i
        while total > 50:
            total = total // 2
        return total

    with tf.Graph().as_default():
        got = tf.function(collatz)(tf.constant(steps), tf.constant(start))
        assert _run(got) == collatz(steps, start)


def test_results_have_the_names_and_the_structure_of_1_15() -> None:
    @tf.function
    def parts(d: Any, items: Any) -> Any:
        return {"s": d["a"] + d["b"], "l": [x * 2 for x in items], "n": None, "t": (d["a"], 1)}

    out = parts({"a": tf.constant(1.0), "b": tf.constant(2.0)}, [tf.constant(1), tf.constant(2)])
    assert (out["s"].name, out["l"][0].name, out["t"][1].name) == (
        "PartitionedCall:2",
        "PartitionedCall:0",
        "PartitionedCall:4",
    )
    assert out["n"] is None
    assert _run([out["s"], out["l"], out["t"]]) == [3.0, [2, 4], (1.0, 1)]
    with tf.name_scope("outer"):
        again = parts({"a": tf.constant(1.0), "b": tf.constant(2.0)}, [])
    assert again["s"].op.name == "outer/PartitionedCall"


def test_effects_run_in_program_order_with_the_results() -> None:
    v = tf.Variable(1.0, use_resource=True)

    @tf.function
    def act(x: Any) -> Any:
        v.assign(x)
        v.assign_add(1.0)
        y = v.read_value()
        v.assign(y * 10.0)
        return y

    y = act(tf.constant(5.0))
    assert y.op.name == "StatefulPartitionedCall"
    with tf.Session() as session:
        session.run(v.initializer)
        assert (session.run(y), session.run(v)) == (6.0, 60.0)


def test_a_function_without_results_gives_its_effects() -> None:
    v = tf.Variable(1.0, use_resource=True)
    op = tf.function(lambda: v.assign_add(2.0) and None)()
    assert isinstance(op, tf.Operation)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(op)
        assert session.run(v) == 3.0


def test_variables_are_created_in_the_first_call_alone() -> None:
    made: list[Any] = []

    @tf.function
    def scaled(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(tf.ones([2]) * 3.0, name="w"))
        return made[0] * x

    with tf.name_scope("outer"):
        first = scaled(tf.constant(2.0))
    second = scaled(tf.constant([1.0, 2.0]))
    assert [v.name for v in tf.global_variables()] == ["w:0"]
    assert tf.trainable_variables() == []
    got = _run([first, second, tf.gradients(first, made[0])[0]])
    assert [g.tolist() for g in got] == [[6.0, 6.0], [3.0, 6.0], [2.0, 2.0]]

    @tf.function
    def always(x: Any) -> Any:
        return tf.Variable(1.0) * x

    with pytest.raises(ValueError, match="tried to create variables on non-first call"):
        always(tf.constant(1.0))


def test_a_method_is_called_of_an_object_that_nothing_else_holds() -> None:
    class Model:
        @tf.function
        def next(self, x: Any) -> Any:
            """Counts."""
            return x + 1

    assert _run(Model().next(tf.constant(1))) == 2
    assert Model().next.__doc__ == "Counts."
    assert _run(Model().next.get_concrete_function(tf.TensorSpec([], tf.int32))(tf.constant(4))) == 5


def test_methods_have_the_variables_of_their_object() -> None:
    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor
            self.v: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(2.0, name="v")
            return self.factor * x * self.v

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def shifted(self, x: Any) -> Any:
            return x + self.factor

    one, two = Model(3.0), Model(4.0)
    got = [one(tf.constant(1.0)), two(tf.constant(1.0)), one.shifted(1.0)]
    assert _run(got) == [6.0, 8.0, 4.0]
    assert [v.name for v in tf.global_variables()] == ["v:0", "v_1:0"]
    alive = weakref.ref(two)
    del two, got
    gc.collect()
    assert alive() is None


def test_a_signature_hides_what_it_does_not_say_and_is_checked() -> None:
    shapes: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x: Any) -> Any:
        shapes.append(x.shape.as_list())
        return tf.reduce_sum(x)

    assert _run([total([1.0, 2.0]), total(np.ones(3, np.float32))]) == [3.0, 3.0]
    assert shapes == [[None]]
    for bad in (tf.constant([[1.0]]), tf.constant([1])):
        with pytest.raises(ValueError, match="Python inputs incompatible with input_signature"):
            total(bad)
    with pytest.raises(TypeError, match=r"only pass arguments covered by it\. Received 2 argument"):
        total(tf.constant([1.0]), 2)
    with pytest.raises(TypeError, match="Invalid input_signature"):
        tf.function(lambda x: x, input_signature=[1])


def test_gradients_pass_and_random_numbers_are_drawn_once() -> None:
    @tf.function
    def dropped(x: Any) -> Any:
        return tf.nn.dropout(x, keep_prob=0.5)

    x = tf.ones([64])
    y = dropped(x)
    values, gradient = _run([y, tf.gradients(y, x)[0]])
    np.testing.assert_array_equal(values, gradient)
    assert 0 < np.count_nonzero(values) < 64


def test_concrete_functions_have_a_graph_and_take_tensors() -> None:
    @tf.function
    def add(x: Any, y: Any) -> Any:
        return {"sum": x + y}

    spec = tf.TensorSpec([], tf.float32)
    concrete = add.get_concrete_function(spec, y=spec)
    assert [(t.name, t.op.type) for t in concrete.inputs] == [("x:0", "Placeholder"), ("y:0", "Placeholder")]
    assert [t.name for t in concrete.outputs] == ["Identity:0"]
    assert concrete.structured_outputs == {"sum": concrete.outputs[0]}
    assert concrete.name.startswith(b"__inference_add_")
    assert concrete.function_def.signature.name == concrete.name.decode()
    one, two = tf.constant(1.0), tf.constant(2.0)
    assert _run([concrete(one, two)["sum"], concrete(x=one, y=two)["sum"]]) == [3.0, 3.0]
    with pytest.raises(ValueError, match=r"All inputs to `ConcreteFunction`s must be Tensors; .* 0-th input \(1.0\)"):
        concrete(1.0, two)
    with pytest.raises(TypeError, match=r"Expected argument names \['x', 'y'\] but got values for \['x'\]. Missing"):
        concrete(one)
    with pytest.raises(TypeError, match="Expected at most 2 positional arguments"):
        concrete(one, two, one)
    with pytest.raises(ValueError, match=r"not compatible with the shape this function was traced with"):
        concrete(one, tf.constant([1.0]))
    assert [t.name for t in add.get_concrete_function(one, 2.0).inputs] == ["x:0"]


def test_captured_tensors_and_calls_of_functions() -> None:
    a = tf.placeholder(tf.float32, [])

    @tf.function
    def inner(x: Any) -> Any:
        return x * a

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x)

    y = outer(tf.constant(2.0))
    assert _run([y, tf.gradients(y, a)[0]], {a: 5.0}) == [20.0, 4.0]
    assert inner.get_concrete_function(tf.TensorSpec([], tf.float32)).captured_inputs == [a]


def test_python_values_stay_and_other_results_are_refused() -> None:
    @tf.function
    def power(x: Any, n: int = 2) -> Any:
        assert isinstance(n, int)
        return x**n

    assert _run([power(tf.constant(3.0)), power(tf.constant(3.0), n=3)]) == [9.0, 27.0]
    assert power.python_function.__name__ == power.__name__ == "power"
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.function(lambda: object())()


def test_without_autograph_a_condition_must_be_pythons() -> None:
    @tf.function(autograph=False)
    def choose(x: Any) -> Any:
        return x if x > 0 else -x

    with pytest.raises(TypeError, match="Python `bool` is not allowed"):
        choose(tf.constant(1))


def test_a_function_is_traced_once_for_each_signature() -> None:
    traces: list[Any] = []

    @tf.function
    def doubled(x: Any, factor: int = 2) -> Any:
        traces.append((x.shape.as_list(), factor))
        return x * factor

    calls = [doubled(tf.constant(a)) for a in ([1, 2], [3, 4], [5, 6, 7])] + [doubled(tf.constant([1, 2]), 3)]
    assert traces == [([2], 2), ([3], 2), ([2], 3)]
    assert [c.op.type for c in calls] == ["PartitionedCall"] * 4
    functions = [c.op.get_attr("f").name for c in calls]
    assert functions[0] == functions[1]
    assert len(set(functions)) == 3
    assert {f.signature.name for f in tf.get_default_graph().as_graph_def().library.function} == set(functions)
    assert [r.tolist() for r in _run(calls)] == [[2, 4], [6, 8], [10, 12, 14], [3, 6]]
    with tf.Graph().as_default():
        doubled(tf.constant([1, 2]))
    assert len(traces) == 4


def test_shapes_are_relaxed_after_the_first_trace() -> None:
    shapes: list[Any] = []

    @tf.function(experimental_relax_shapes=True)
    def total(x: Any) -> Any:
        shapes.append(x.shape.as_list())
        return tf.reduce_sum(x)

    sums = [total(tf.ones([n])) for n in (1, 2, 3, 4)]
    assert shapes == [[1], [None]]
    assert _run(sums) == [1.0, 2.0, 3.0, 4.0]


def test_a_call_orders_the_reads_and_writes_around_it() -> None:
    v = tf.Variable(1.0, use_resource=True)

    @tf.function
    def grow() -> Any:
        v.assign_add(1.0)
        return v.read_value() * 10.0

    def after(op: Any, make: Any) -> Any:
        with tf.control_dependencies([op]):
            return make()

    before = v.read_value()
    first = after(before, grow)
    between = after(first, v.read_value)
    written = after(between, lambda: v.assign(100.0))
    second = after(written, grow)
    last = after(second, v.read_value)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([before, first, between, second, last]) == [1.0, 20.0, 2.0, 1010.0, 101.0]
        assert session.run(v) == 101.0


def test_gradients_reach_variables_arguments_and_captured_tensors() -> None:
    v = tf.Variable([2.0, 3.0], use_resource=True)
    table = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2), use_resource=True)
    scale = tf.placeholder(tf.float32, [])

    @tf.function
    def model(x: Any) -> Any:
        rows = tf.nn.embedding_lookup(table, [1, 3, 1])
        return {"y": tf.reduce_sum(x * v) * scale + tf.reduce_sum(rows), "unused": x + 1.0}

    x = tf.constant([5.0, 7.0])
    y = model(x)["y"]
    by_x, by_v, by_scale, by_table = tf.gradients(y, [x, v, scale, table])
    assert isinstance(by_table, tf.IndexedSlices)
    again = tf.gradients(by_v[0], scale)[0]
    *got, slices = _run([by_x, by_v, by_scale, again, by_table], {scale: 2.0})
    assert [np.asarray(g).tolist() for g in got] == [[4.0, 6.0], [10.0, 14.0], 31.0, 5.0]
    rows = np.zeros([4, 2])
    np.add.at(rows, slices.indices, slices.values)
    assert rows.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]


def test_the_backward_pass_has_no_effects_and_no_new_random_numbers() -> None:
    count = tf.Variable(0, use_resource=True)

    @tf.function
    def noisy(x: Any) -> Any:
        count.assign_add(1)
        noise = tf.random_uniform(x.shape)
        return x * noise, noise

    x = tf.ones([32])
    y, noise = noisy(x)
    gradient = tf.gradients(y, x)[0]
    with tf.Session() as session:
        session.run(count.initializer)
        got, expected = session.run([gradient, noise])
        np.testing.assert_array_equal(got, expected)
        assert session.run(count) == 1


@given(st.integers(0, 5), st.floats(0.5, 2.0))
@settings(max_examples=10, deadline=None)
def test_gradients_pass_loops_and_conditionals_of_a_function(steps: int, start: float) -> None:
    def power(x: Any, n: Any) -> Any:
        y = x
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = tf.sin(y)
                y += x
        return y

    with tf.Graph().as_default():
        x, n = tf.constant(start, tf.float64), tf.constant(steps)
        y = tf.function(power)(x, n)
        plain = tf.contrib.autograph.to_graph(power)(x, n)
        got = _run([y, plain, tf.gradients(y, x)[0], tf.gradients(plain, x)[0]])
    np.testing.assert_allclose(got[0], got[1], rtol=1e-12)
    np.testing.assert_allclose(got[2], got[3], rtol=1e-12)


def test_a_graph_with_calls_and_gradients_is_imported_again() -> None:
    v = tf.Variable(3.0, use_resource=True, name="v")

    @tf.function
    def squared(x: Any) -> Any:
        return x * x * v

    x = tf.placeholder(tf.float32, [], name="x")
    gradient = tf.identity(tf.gradients(squared(x), x)[0], name="gradient")
    del gradient
    message = tf.get_default_graph().as_graph_def()
    assert called(message) <= {f.signature.name for f in message.library.function}
    with tf.Graph().as_default():
        tf.import_graph_def(message, name="")
        with tf.Session() as session:
            session.run("v/Assign")
            assert session.run("gradient:0", {"x:0": 5.0}) == 30.0


def test_wrapped_functions_run_once_and_are_pruned() -> None:
    runs: list[int] = []

    def body(x: Any) -> Any:
        runs.append(1)
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(4.0))
        return {"sum": tf.square(x, name="square") + w}

    wrapped = tf.compat.v1.wrap_function(body, [tf.TensorSpec(None, tf.float32)])
    part = wrapped.prune(wrapped.inputs[0], "square:0")
    results = [wrapped(tf.constant(2.0))["sum"], wrapped(tf.constant(3.0))["sum"], part(tf.constant(3.0))]
    assert _run(results) == [8.0, 13.0, 9.0]
    assert runs == [1]
    assert [v.name for v in tf.global_variables()] == ["w:0"]
    assert [r.op.type for r in results] == ["StatefulPartitionedCall", "StatefulPartitionedCall", "PartitionedCall"]
    with pytest.raises(TypeError, match="sequence of TensorSpecs"):
        tf.compat.v1.wrap_function(body, [1])

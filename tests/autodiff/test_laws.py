"""Laws of `gradients`: what is differentiated, what is not, in which order sums are made, which errors are raised."""

import numpy as np
import pytest
from autodiff.differences import check
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.base import errors
from ferroflow._src.framework import gradient_registry
from ferroflow._src.framework.apply import apply_op, tensor_op


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def rules():
    """The registry, emptied of what a test adds."""
    before = dict(gradient_registry._rules)
    yield gradient_registry
    gradient_registry._rules.clear()
    gradient_registry._rules.update(before)


def run(*values, **options):
    with tf.Session(**options) as session:
        return session.run(list(values))


@settings(max_examples=20)
@given(a=st.floats(-3, 3), b=st.floats(-3, 3), seed=st.integers(0, 1000))
def test_gradients_are_linear(a, b, seed):
    data = np.random.RandomState(seed).standard_normal((2, 3))
    with tf.Graph().as_default():
        x = tf.constant(data)
        f, g = tf.sin(x), tf.exp(x)
        together = tf.gradients(a * f + b * g, x)[0]
        apart = a * tf.gradients(f, x)[0] + b * tf.gradients(g, x)[0]
        left, right = run(together, apart)
    np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


def test_the_chain_rule_in_numpy():
    data = np.random.RandomState(3).standard_normal((4, 3))
    weights = np.random.RandomState(4).standard_normal((3, 2))
    x = tf.constant(data)
    y = tf.reduce_sum(tf.tanh(tf.matmul(tf.sin(x), weights)) ** 2)
    inner = np.sin(data) @ weights
    expected = (2 * np.tanh(inner) * (1 - np.tanh(inner) ** 2)) @ weights.T * np.cos(data)
    np.testing.assert_allclose(run(tf.gradients(y, x)[0])[0], expected, rtol=1e-12)


def test_several_ys_are_added_up():
    x = tf.constant(2.0)
    assert run(tf.gradients([x * x, 3.0 * x], x)[0]) == [7.0]


def test_the_gradient_of_a_tensor_by_itself_is_one():
    x = tf.constant([2.0, 3.0])
    np.testing.assert_array_equal(run(tf.gradients(x, x)[0])[0], [1.0, 1.0])


def test_given_gradients_of_ys_take_the_place_of_ones():
    x = tf.constant([1.0, 2.0])
    g = tf.gradients([x * x, x], [x], grad_ys=[[10.0, 100.0], None])[0]
    np.testing.assert_array_equal(run(g)[0], [21.0, 401.0])


def test_a_y_between_another_and_x_gets_both_gradients():
    x = tf.constant(2.0)
    y = x * x
    z = y * y
    assert run(*tf.gradients([y, z], [x, y])) == [36.0, 9.0]


def test_third_derivatives():
    x = tf.constant(2.0, dtype=tf.float64)
    y = x**5
    for factor in (5 * 2.0**4, 20 * 2.0**3, 60 * 2.0**2):
        (y,) = tf.gradients(y, x)
        np.testing.assert_allclose(run(y)[0], factor, rtol=1e-12)


def test_hessians_of_any_shape():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    x = tf.constant([0.5, -1.0], dtype=tf.float64)
    row = tf.reshape(x, [1, 2])
    (h,) = tf.hessians(tf.reduce_sum(tf.matmul(tf.matmul(row, a), row, transpose_b=True)), x)
    np.testing.assert_allclose(run(h)[0], 2 * a, rtol=1e-12)
    m = tf.constant([[1.0, 2.0]], dtype=tf.float64)
    (h,) = tf.hessians(tf.reduce_prod(m), m)
    np.testing.assert_allclose(run(h)[0].reshape(2, 2), [[0.0, 1.0], [1.0, 0.0]], atol=1e-12)


def test_hessians_of_a_tensor_whose_shape_is_known_only_when_it_runs():
    x = tf.placeholder(tf.float64, [None])
    (h,) = tf.hessians(tf.reduce_sum(x**3) + x[0] * x[1], x)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(h, {x: [1.0, 2.0]}), [[6.0, 1.0], [1.0, 12.0]], rtol=1e-12)
        assert sess.run(h, {x: [1.0, 2.0, 3.0]}).shape == (3, 3)


def test_none_where_no_path_leads():
    x, y = tf.constant(1.0), tf.constant(2.0)
    assert tf.gradients(y * y, [x, y])[0] is None


def test_none_through_integers():
    x = tf.constant([1.5])
    assert tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x) == [None]


def test_none_through_stop_gradient():
    x = tf.constant(3.0)
    assert tf.gradients(tf.stop_gradient(x * x), x) == [None]
    assert run(tf.gradients(tf.stop_gradient(x) * x, x)[0]) == [3.0]


def test_stop_gradients_are_held_constant():
    x = tf.constant(3.0)
    y = x * x
    partial, total = tf.gradients(x * y, x, stop_gradients=[y])[0], tf.gradients(x * y, x)[0]
    assert run(partial, total) == [9.0, 27.0]


def test_an_unused_output_counts_as_zero():
    x = tf.constant([[1.0, 2.0, 3.0]])
    first, _ = tf.split(x, [1, 2], axis=1)
    np.testing.assert_array_equal(run(tf.gradients(first, x)[0])[0], [[1.0, 0.0, 0.0]])


def test_sums_are_made_in_the_order_of_the_walk(graph):
    x = tf.constant([1e8, 1.0, -1e8])
    tf.gradients(tf.exp(x) + tf.sin(x) + tf.tanh(x), x)
    (total,) = [op for op in graph.get_operations() if op.type == "AddN"]
    # The walk visits the last sum first.
    assert [t.op.name.split("/")[1] for t in total.inputs] == ["Tanh_grad", "Exp_grad", "Sin_grad"]


@pytest.mark.parametrize("method", ["ADD_N", "EXPERIMENTAL_TREE", "EXPERIMENTAL_ACCUMULATE_N"])
def test_every_aggregation_method_gives_the_sum(method):
    x = tf.constant(2.0, dtype=tf.float64)
    y = x * x * x * x
    g = tf.gradients(y, x, aggregation_method=getattr(tf.AggregationMethod, method))[0]
    assert run(g) == [32.0]


def test_an_unknown_aggregation_method_is_refused():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="aggregation_method"):
        tf.gradients(x * x, x, aggregation_method=7)


def test_slices_of_repeated_rows_add_up():
    x = tf.constant(np.zeros((3, 2), np.float32))
    g = tf.gradients(tf.gather(x, [1, 1, 0]) * 2.0, x)[0]
    assert isinstance(g, tf.IndexedSlices)
    np.testing.assert_array_equal(run(tf.convert_to_tensor(g))[0], [[2.0, 2.0], [4.0, 4.0], [0.0, 0.0]])


def test_slices_beside_a_dense_gradient_become_dense():
    data = np.random.RandomState(0).standard_normal((3, 2))
    check(lambda x: [tf.gather(x, [2, 0]), tf.sin(x)], [data])


def test_gradients_are_placed_with_their_operations_on_request(graph):
    x = tf.constant(1.0, name="x")
    y = tf.sin(x, name="y")
    tf.gradients(y, x, colocate_gradients_with_ops=True)
    inside = [op for op in graph.get_operations() if op.name.startswith("gradients/y_grad/")]
    assert inside
    assert {group for op in inside for group in op.colocation_groups()} == {b"loc:@y"}


def test_gated_gradients_of_one_operation_wait_for_each_other(graph):
    x, y = tf.constant(2.0), tf.constant(3.0)
    gx, gy = tf.gradients(x * y, [x, y], gate_gradients=True)
    assert gx.op.control_inputs == gy.op.control_inputs
    (barrier,) = gx.op.control_inputs
    assert {op.type for op in barrier.control_inputs} == {"Mul"}
    assert len(barrier.control_inputs) == 2
    assert run(gx, gy) == [3.0, 2.0]


def test_a_program_registers_rules_and_overrides_them(graph, rules):
    @rules.RegisterGradient("TimesTen")
    def _times_ten(op, g):
        return 10.0 * g

    x = tf.constant(0.0)
    with graph.gradient_override_map({"Sin": "TimesTen"}):
        overridden = tf.sin(x)
    assert run(*tf.gradients(overridden, x), *tf.gradients(tf.sin(x), x)) == [10.0, 1.0]


def test_a_rule_is_registered_once(rules):
    with pytest.raises(KeyError, match="Registering two gradient with name 'Sin'"):
        rules.RegisterGradient("Sin")(lambda op, g: g)


def test_no_gradient_passes_an_op_registered_without(graph, rules):
    rules.NotDifferentiable("Nothing")
    x = tf.constant(1.0)
    with graph.gradient_override_map({"Sin": "Nothing"}):
        y = tf.sin(x)
    assert tf.gradients(y, x) == [None]


def test_an_op_without_rule_is_named(graph):
    x = tf.constant(1.0)
    with graph.gradient_override_map({"Sin": "NeverRegistered"}):
        y = tf.sin(x, name="the_sine")
    with pytest.raises(LookupError, match=r"No gradient defined for operation 'the_sine' \(op type: Sin\)"):
        tf.gradients(y, x)


def test_a_rule_must_give_one_gradient_for_each_input(graph, rules):
    rules.RegisterGradient("TooMany")(lambda op, g: [g, g])
    x = tf.constant(1.0)
    with graph.gradient_override_map({"Sin": "TooMany"}):
        y = tf.sin(x)
    with pytest.raises(ValueError, match="Num gradients 2 generated for op"):
        tf.gradients(y, x)


def test_a_rule_must_give_a_gradient_of_the_shape_of_the_input(graph, rules):
    rules.RegisterGradient("WrongShape")(lambda op, g: tf.constant([1.0, 2.0, 3.0]))
    x = tf.constant([1.0, 2.0])
    with graph.gradient_override_map({"Sin": "WrongShape"}):
        y = tf.sin(x, name="the_sine")
    with pytest.raises(ValueError, match="Incompatible shapes between op input and calculated input gradient"):
        tf.gradients(y, x)


def test_a_prevented_gradient_tells_its_reason():
    x = tf.constant(1.0)
    y = tensor_op("PreventGradient", [x], {"message": "not twice"})
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled\. Reason: .*not twice"):
        tf.gradients(y, x)


def test_the_number_of_given_gradients_must_fit():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="grad_ys"):
        tf.gradients([x * x], [x], grad_ys=[1.0, 2.0])


def test_complex_ys_need_given_gradients():
    x = tf.constant(1.0 + 2.0j, dtype=tf.complex64)
    with pytest.raises(TypeError, match="Gradients of complex tensors must set grad_ys"):
        tf.gradients(x * x, x)
    np.testing.assert_allclose(run(tf.gradients(x * x, x, grad_ys=[tf.constant(1.0 + 0j, tf.complex64)])[0])[0], 2 - 4j)


def test_given_gradients_are_complex_exactly_for_complex_ys():
    x, z = tf.constant(1.0), tf.constant(1.0 + 0j, dtype=tf.complex64)
    with pytest.raises(TypeError, match="must be real or integer"):
        tf.gradients(x * x, x, grad_ys=[z])
    with pytest.raises(TypeError, match="must be complex"):
        tf.gradients(z * z, z, grad_ys=[x])


def test_ys_without_numbers_have_no_gradient():
    s = tf.constant("text")
    with pytest.raises(TypeError, match="must be numeric"):
        tf.gradients(s, tf.constant(1.0), grad_ys=[s])


def test_tensors_of_another_graph_are_refused():
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(2.0)
        with pytest.raises(ValueError, match="must be from the same graph"):
            tf.gradients(y, x)


def test_a_shape_that_only_the_step_contradicts_is_an_error_of_the_step():
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    g = tf.gradients(x * x, x, grad_ys=[y])[0]
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError):
        session.run(g, {x: np.zeros([2, 3]), y: np.zeros([4, 5])})


def test_a_chain_of_100_000_nodes_is_built_differentiated_and_run(graph):
    x = tf.constant(0.5)
    y = x
    for _ in range(50_000):
        y = apply_op("Neg", [apply_op("Neg", [y]).outputs[0]]).outputs[0]
    g = tf.gradients(y, x)[0]
    assert len(graph.get_operations()) > 200_000
    assert run(y, g) == [0.5, 1.0]


@pytest.mark.parametrize("shape", [[1], [1, 1]])
@pytest.mark.parametrize(
    ("binary", "slope"),
    [
        (lambda x: x + 1.0, 1.0),
        (lambda x: 1.0 - x, -1.0),
        (lambda x: x * 3.0, 3.0),
        (lambda x: x / 4.0, 0.25),
        (lambda x: x + x, 2.0),
        (lambda x: x**2.0, 4.0),
    ],
)
def test_a_given_gradient_of_one_element_takes_the_shape_of_a_scalar(binary, slope, shape):
    """TensorFlow 1.15 gives the gradient of an argument the argument's shape wherever an operation broadcasts."""
    x = tf.constant(2.0)
    found = tf.gradients(binary(x), x, grad_ys=tf.ones(shape))[0]
    assert found.shape == []
    assert run(found)[0] == pytest.approx(slope)


def test_a_given_gradient_of_another_size_is_refused():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="Cannot reshape a tensor with 2 elements"):
        tf.gradients(x + 1.0, x, grad_ys=tf.ones([2]))
    with pytest.raises(ValueError, match="Incompatible shapes between op input and calculated input gradient"):
        tf.gradients(tf.exp(x), x, grad_ys=tf.ones([1]))

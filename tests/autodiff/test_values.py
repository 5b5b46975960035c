"""Gradients are the derivatives that finite differences find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from autodiff.differences import check
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes

import ferroflow as tf
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.ops.nn.ranking import nth_element

SEEDS = st.integers(0, 2**31 - 1)
SHAPES = array_shapes(min_dims=0, max_dims=3, max_side=3)

# The ranges in which functions are smooth: away from poles and corners, with values of order one.
ANY, POSITIVE, UNIT, ABOVE_ONE = (-2.0, 2.0), (0.3, 2.5), (-0.8, 0.8), (1.2, 3.0)


def draw(seed: int, shape: Any, bounds: tuple[float, float]) -> np.ndarray:
    """Numbers within bounds, none of them near zero unless zero is near a bound."""
    low, high = bounds
    x = np.random.RandomState(seed).uniform(low, high, shape)
    return np.where(np.abs(x) < 0.05, x + 0.1, x)


UNARY = {
    "abs": ANY, "acos": UNIT, "acosh": ABOVE_ONE, "asin": UNIT, "asinh": ANY, "atan": ANY, "atanh": UNIT, "cos": ANY,
    "cosh": ANY, "erf": ANY, "erfc": ANY, "exp": ANY, "expm1": ANY, "identity": ANY, "lgamma": POSITIVE,
    "log": POSITIVE, "log1p": POSITIVE, "negative": ANY, "reciprocal": POSITIVE, "rsqrt": POSITIVE, "sigmoid": ANY,
    "sign": ANY, "sin": ANY, "sinh": ANY, "sqrt": POSITIVE, "square": ANY, "tan": UNIT, "tanh": ANY,
}  # fmt: skip

SECOND = {
    "exp": ANY, "log": POSITIVE, "reciprocal": POSITIVE, "rsqrt": POSITIVE, "sigmoid": ANY, "sin": ANY,
    "sqrt": POSITIVE, "square": ANY, "tanh": ANY,
}  # fmt: skip

ACTIVATIONS = ["elu", "leaky_relu", "relu", "relu6", "selu", "softplus", "softsign"]

BINARY = {
    "add": (ANY, ANY), "atan2": (POSITIVE, POSITIVE), "div": (ANY, POSITIVE), "divide": (ANY, POSITIVE),
    "maximum": (ANY, ANY), "minimum": (ANY, ANY), "multiply": (ANY, ANY), "pow": (POSITIVE, ANY),
    "realdiv": (ANY, POSITIVE), "squared_difference": (ANY, ANY), "subtract": (ANY, ANY),
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=10)
@given(shape=SHAPES, seed=SEEDS, known=st.booleans())
def test_functions_of_one_argument(name, shape, seed, known):
    check(getattr(tf, name), [draw(seed, shape, UNARY[name])], seed, known)


@pytest.mark.parametrize("name", ACTIVATIONS)
@settings(max_examples=10)
@given(shape=SHAPES, seed=SEEDS)
def test_activations(name, shape, seed):
    check(getattr(tf.nn, name), [draw(seed, shape, ANY)], seed)


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=15)
@given(shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3), seed=SEEDS, known=st.booleans())
def test_functions_of_two_arguments_that_broadcast(name, shapes, seed, known):
    inputs = [
        draw(seed + i, shape, bounds)
        for i, (shape, bounds) in enumerate(zip(shapes.input_shapes, BINARY[name], strict=True))
    ]
    check(getattr(tf, name), inputs, seed, known)


def _gradient(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: tf.convert_to_tensor(tf.gradients(function(x), x)[0])


@pytest.mark.parametrize("name", SECOND)
@settings(max_examples=8)
@given(shape=SHAPES, seed=SEEDS)
def test_second_derivatives_of_functions(name, shape, seed):
    check(_gradient(getattr(tf, name)), [draw(seed, shape, SECOND[name])], seed)


@pytest.mark.parametrize("name", ["elu", "selu", "softplus"])
@settings(max_examples=8)
@given(shape=SHAPES, seed=SEEDS)
def test_second_derivatives_of_activations(name, shape, seed):
    check(_gradient(lambda x: getattr(tf.nn, name)(x) * tf.sin(x)), [draw(seed, shape, ANY)], seed)


@pytest.mark.parametrize("name", ["relu", "relu6", "leaky_relu"])
@settings(max_examples=8)
@given(shape=SHAPES, seed=SEEDS)
def test_second_derivatives_of_rectifiers_come_from_what_is_around_them(name, shape, seed):
    check(_gradient(lambda x: getattr(tf.nn, name)(tf.sin(x)) * x), [draw(seed, shape, UNIT)], seed)


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"])
@settings(max_examples=15)
@given(data=st.data(), shape=array_shapes(min_dims=1, max_dims=3, max_side=3), seed=SEEDS, known=st.booleans())
def test_reductions(name, data, shape, seed, known):
    rank = len(shape)
    axis = data.draw(st.none() | st.integers(-rank, rank - 1) | st.sets(st.integers(0, rank - 1)).map(sorted))
    keep = data.draw(st.booleans())
    check(lambda x: getattr(tf, name)(x, axis, keepdims=keep), [draw(seed, shape, POSITIVE)], seed, known)


def test_the_gradient_of_a_product_with_zeros_is_the_product_of_the_others():
    for x in ([[0.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [3.0, 4.0]]):
        check(lambda x: tf.reduce_prod(x, 1), [np.array(x)])


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@settings(max_examples=10)
@given(shape=array_shapes(min_dims=1, max_dims=2, max_side=4), seed=SEEDS, exclusive=st.booleans(), back=st.booleans())
def test_running_sums_and_products(name, shape, seed, exclusive, back):
    axis = len(shape) - 1
    check(lambda x: getattr(tf, name)(x, axis, exclusive=exclusive, reverse=back), [draw(seed, shape, POSITIVE)], seed)


@settings(max_examples=16)
@given(sizes=st.tuples(*[st.integers(1, 4)] * 3), ta=st.booleans(), tb=st.booleans(), seed=SEEDS, known=st.booleans())
def test_matrix_products(sizes, ta, tb, seed, known):
    m, k, n = sizes
    a = draw(seed, (k, m) if ta else (m, k), ANY)
    b = draw(seed + 1, (n, k) if tb else (k, n), ANY)
    check(lambda x, y: tf.matmul(x, y, transpose_a=ta, transpose_b=tb), [a, b], seed, known)


@settings(max_examples=16)
@given(
    batch=array_shapes(min_dims=1, max_dims=2, max_side=2),
    sizes=st.tuples(*[st.integers(1, 3)] * 3),
    ta=st.booleans(),
    tb=st.booleans(),
    seed=SEEDS,
)
def test_products_of_many_matrices(batch, sizes, ta, tb, seed):
    m, k, n = sizes
    a = draw(seed, (*batch, *((k, m) if ta else (m, k))), ANY)
    b = draw(seed + 1, (*batch, *((n, k) if tb else (k, n))), ANY)
    check(lambda x, y: tf.matmul(x, y, adjoint_a=ta, adjoint_b=tb), [a, b], seed)


@settings(max_examples=10)
@given(seed=SEEDS)
def test_second_derivatives_of_matrix_products(seed):
    a, b = draw(seed, (2, 3), ANY), draw(seed + 1, (3, 2), ANY)
    check(lambda x, y: tf.gradients(tf.tanh(tf.matmul(x, y)), [x, y]), [a, b], seed)


def svd_parts(x: Any, full_matrices: bool = False) -> list[Any]:
    """Returns values of a singular value decomposition that do not depend on the vectors' signs."""
    s, u, v = tf.svd(x, full_matrices=full_matrices)
    rank = s.shape[-1].value
    parts = [s, u[..., :, None, :rank] * v[..., None, :, :rank]]
    beside = [vectors[..., rank:] for vectors in (u, v) if vectors.shape[-1].value > rank]
    return parts + [tf.matmul(vectors, vectors, adjoint_b=True) for vectors in beside]


ARRAY: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "concat_rows": (lambda x, y: tf.concat([x, y], 0), [(2, 3), (4, 3)]),
    "concat_columns": (lambda x, y: tf.concat([x, y], -1), [(2, 3), (2, 1)]),
    "concat_many": (lambda x, y: tf.concat([x, y] * 10, 1), [(2, 1), (2, 2)]),
    "stack": (lambda x, y: tf.stack([x, y], axis=1), [(2, 3), (2, 3)]),
    "unstack": (lambda x: tf.unstack(x, 3, axis=1), [(2, 3)]),
    "split": (lambda x: tf.split(x, 3, axis=0)[:2], [(6, 2)]),
    "split_of_one": (lambda x: tf.split(x, 1, axis=1), [(2, 3)]),
    "split_v_of_one": (lambda x: tf.split(x, [3], axis=1), [(2, 3)]),
    "split_v": (lambda x: tf.split(x, [1, 3], axis=1), [(2, 4)]),
    "slice": (lambda x: tf.slice(x, [1, 0], [2, 2]), [(4, 3)]),
    "strided_slice": (lambda x: x[3:0:-2, tf.newaxis, 1], [(4, 3)]),
    "reshape": (lambda x: tf.reshape(x, [3, 2]), [(2, 3)]),
    "expand_dims": (lambda x: tf.expand_dims(x, 1), [(2, 3)]),
    "squeeze": (lambda x: tf.squeeze(x, [1]), [(2, 1, 3)]),
    "transpose": (lambda x: tf.transpose(x, [2, 0, 1]), [(2, 1, 3)]),
    "tile": (lambda x: tf.tile(x, [2, 3]), [(2, 3)]),
    "pad": (lambda x: tf.pad(x, [[1, 0], [2, 1]]), [(2, 3)]),
    "pad_reflect": (lambda x: tf.pad(x, [[1, 0], [2, 1]], "REFLECT"), [(2, 3)]),
    "pad_symmetric": (lambda x: tf.pad(x, [[1, 0], [2, 1]], "SYMMETRIC"), [(2, 3)]),
    "ensure_shape": (lambda x: tensor_op("EnsureShape", [x], {"shape": [2, None]}), [(2, 3)]),
    "fill": (lambda x: tf.fill([2, 3], x), [()]),
    "reverse": (lambda x: tf.reverse(x, [1]), [(2, 3)]),
    "broadcast_to": (lambda x: tensor_op("BroadcastTo", [x, [4, 2, 3]]), [(2, 1)]),
    "gather": (lambda x: tf.gather(x, [2, 0, 2]), [(3, 2)]),
    "gather_columns": (lambda x: tf.gather(x, [[2, 0], [2, 1]], axis=1), [(2, 3, 2)]),
    "gather_nd": (lambda x: tf.gather_nd(x, [[1, 2], [0, 0], [1, 2]]), [(2, 3)]),
    "gather_nd_rows": (lambda x: tf.gather_nd(x, [[1], [0], [1]]), [(2, 3)]),
    "scatter_nd": (lambda x: tf.scatter_nd([[1], [3], [1]], x, [5, 2]), [(3, 2)]),
    "where": (lambda x, y: tf.where([[True, False, True], [False, True, True]], x, y), [(2, 3), (2, 3)]),
    "diag": (lambda x: tf.diag(x), [(3,)]),
    "diag_part": (lambda x: tf.diag_part(x), [(3, 3)]),
    "matrix_diag": (lambda x: tf.matrix_diag(x), [(2, 3)]),
    "matrix_diag_part": (lambda x: tf.matrix_diag_part(x), [(2, 3, 2)]),
    "matrix_set_diag": (lambda x, y: tf.matrix_set_diag(x, y), [(2, 3, 2), (2, 2)]),
    "matrix_band_part": (lambda x: tf.matrix_band_part(x, 1, 0), [(3, 3)]),
    "add_n": (lambda x, y: tf.add_n([x, y, x]), [(2, 3), (2, 3)]),
    "space_to_batch": (lambda x: tf.space_to_batch_nd(x, [2, 2], [[0, 0], [1, 1]]), [(1, 4, 2, 1)]),
    "batch_to_space": (lambda x: tf.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 1]]), [(4, 2, 2, 1)]),
    "space_to_depth": (lambda x: tf.space_to_depth(x, 2), [(1, 4, 2, 1)]),
    "depth_to_space": (lambda x: tf.depth_to_space(x, 2), [(1, 1, 2, 4)]),
    "reverse_sequence": (lambda x: tf.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0), [(2, 4)]),
    "dynamic_partition": (lambda x: tf.dynamic_partition(x, [1, 0, 1], 2), [(3, 2)]),
    "dynamic_stitch": (lambda x, y: tf.dynamic_stitch([[2, 0], [1]], [x, y]), [(2, 3), (1, 3)]),
    "segment_sum": (lambda x: tf.segment_sum(x, [0, 0, 1]), [(3, 2)]),
    "segment_mean": (lambda x: tf.segment_mean(x, [0, 0, 1]), [(3, 2)]),
    "segment_max": (lambda x: tf.segment_max(x, [0, 0, 1]), [(3, 2)]),
    "segment_prod": (lambda x: tf.segment_prod(x, [0, 0, 1]), [(3, 2)]),
    "unsorted_segment_sum": (lambda x: tf.unsorted_segment_sum(x, [1, -1, 1], 2), [(3, 2)]),
    "unsorted_segment_max": (lambda x: tf.unsorted_segment_max(x, [1, 0, 1], 2), [(3, 2)]),
    "unsorted_segment_prod": (lambda x: tf.unsorted_segment_prod(x, [1, 0, 1], 2), [(3, 2)]),
    "softmax": (lambda x: tf.nn.softmax(x), [(2, 3)]),
    "log_softmax": (lambda x: tf.nn.log_softmax(x), [(2, 3)]),
    "bias_add": (lambda x, y: tf.nn.bias_add(x, y), [(2, 3), (3,)]),
    "l2_loss": (lambda x: tf.nn.l2_loss(x), [(2, 3)]),
    "top_k": (lambda x: tf.nn.top_k(x, 2).values, [(2, 4)]),
    "top_k_of_a_vector": (lambda x: tf.nn.top_k(x, 2).values, [(5,)]),
    "top_k_of_batches": (lambda x: tf.nn.top_k(x, 3, sorted=False).values, [(2, 3, 4)]),
    "nth_element": (lambda x: nth_element(x, 1), [(2, 2)]),
    "nth_element_of_batches": (lambda x: nth_element(x, 2, reverse=True), [(2, 3, 4)]),
    "svd_values": (lambda x: tf.svd(x, compute_uv=False), [(2, 3, 2)]),
    "svd_square": (lambda x: svd_parts(x), [(2, 2)]),
    "svd_wide": (lambda x: svd_parts(x), [(2, 2, 4)]),
    "svd_tall": (lambda x: svd_parts(x), [(2, 3, 2)]),
    "svd_square_full": (lambda x: svd_parts(x, full_matrices=True), [(2, 2)]),
    "svd_wide_full": (lambda x: svd_parts(x, full_matrices=True), [(2, 2, 3)]),
    "svd_tall_full": (lambda x: svd_parts(x, full_matrices=True), [(3, 2)]),
    "sigmoid_cross_entropy": (
        lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=tf.sigmoid(y)),
        [(2, 3), (2, 3)],
    ),
    "softmax_cross_entropy": (
        lambda x, y: tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=tf.nn.softmax(y)),
        [(2, 3), (2, 3)],
    ),
    "sparse_softmax_cross_entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=[2, 0]),
        [(2, 3)],
    ),
}


@pytest.mark.parametrize("name", ARRAY)
@pytest.mark.parametrize("seed", [1, 2])
def test_operations_on_arrays(name, seed):
    function, shapes = ARRAY[name]
    check(function, [draw(seed + i, shape, ANY) for i, shape in enumerate(shapes)], seed)


UNKNOWN = [*("concat_rows", "concat_many", "slice", "gather", "tile", "pad", "pad_reflect", "pad_symmetric", "squeeze")]


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_second_derivatives_of_batch_normalization_are_those_of_its_formula(data_format):
    axes, size = ([0, 1, 2], [1, 1, 1, 2]) if data_format == "NHWC" else ([0, 2, 3], [1, 2, 1, 1])
    shape = [3, 2, 2, 2]
    x, g, gg = (draw(seed, shape, ANY) for seed in (1, 2, 3))
    scale, offset, gg_scale, gg_offset = (draw(seed, [2], ANY) for seed in (4, 5, 6, 7))

    def fused(x, scale, offset):
        return tf.nn.fused_batch_norm(x, scale, offset, epsilon=0.1, data_format=data_format)[0]

    def formula(x, scale, offset):
        # Not `tf.nn.moments`, which stops the gradient at the mean.
        u = x - tf.reduce_mean(x, axes, keepdims=True)
        variance = tf.reduce_mean(u * u, axes, keepdims=True)
        return u * tf.rsqrt(variance + 0.1) * tf.reshape(scale, size) + tf.reshape(offset, size)

    found = []
    for function, dtype in ((fused, tf.float32), (formula, tf.float64)):
        with tf.Graph().as_default(), tf.Session() as session:
            inputs = [tf.constant(value, dtype) for value in (x, scale, offset)]
            out = tf.constant(g, dtype)
            first = tf.gradients(function(*inputs), inputs, out)
            weights = [tf.constant(value, dtype) for value in (gg, gg_scale, gg_offset)]
            found.append(session.run(tf.gradients(first, [*inputs[:2], out], weights)))
    for by_fused, by_formula in zip(*found, strict=True):
        np.testing.assert_allclose(by_fused, by_formula, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("adjoint_a", [False, True])
def test_the_gradient_of_a_sparse_product_of_complex_numbers_is_that_of_the_dense_one(adjoint_a):
    random = np.random.RandomState(1)
    a, b, g = (random.standard_normal([2, 2]) + 1j * random.standard_normal([2, 2]) for _ in range(3))
    indices = [[i, j] for i in range(2) for j in range(2)]
    with tf.Graph().as_default(), tf.Session() as session:
        values, dense, factor = tf.constant(a.reshape(-1)), tf.constant(a), tf.constant(b)
        sparse = tf.SparseTensor(indices, values, [2, 2])
        by_sparse = tf.sparse_tensor_dense_matmul(sparse, factor, adjoint_a=adjoint_a)
        by_dense = tf.matmul(dense, factor, adjoint_a=adjoint_a)
        np.testing.assert_allclose(*session.run([by_sparse, by_dense]))
        found, wanted = session.run(
            [tf.gradients(by_sparse, [values, factor], g), tf.gradients(by_dense, [dense, factor], g)]
        )
    np.testing.assert_allclose(found[0], wanted[0].reshape(-1))
    np.testing.assert_allclose(found[1], wanted[1])


def test_the_bias_of_the_first_operation_that_added_one_has_a_gradient():
    x, bias, g = draw(1, [2, 4, 3], ANY), draw(2, [3], ANY), draw(3, [2, 4, 3], ANY)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.constant(x), tf.constant(bias)]
        out = tensor_op("BiasAddV1", inputs)
        by_x, by_bias = session.run(tf.gradients(out, inputs, tf.constant(g)))
    np.testing.assert_array_equal(by_x, g)
    np.testing.assert_allclose(by_bias, g.sum((0, 1)))


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices to a dense Tensor of unknown shape")
@pytest.mark.parametrize("name", UNKNOWN)
def test_operations_on_arrays_of_unknown_shape(name):
    function, shapes = ARRAY[name]
    check(function, [draw(i, shape, ANY) for i, shape in enumerate(shapes)], 0, static_shapes=False)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "sparse_softmax_cross_entropy", "gather", "strided_slice"])
def test_second_derivatives_of_operations_on_arrays(name):
    function, shapes = ARRAY[name]
    check(_gradient(lambda x: tf.sin(function(x))), [draw(3, shapes[0], ANY)])


def test_second_derivatives_by_the_logits_of_a_softmax_cross_entropy():
    labels = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    check(
        _gradient(lambda x: tf.sin(tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=labels))),
        [draw(4, (2, 3), ANY)],
    )


def test_equal_elements_share_the_gradient_of_the_nth():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0, 2.0, 2.0, 5.0], [3.0, 1.0, 2.0, 7.0, 8.0]])
        found = session.run(tf.gradients(nth_element(x, 2), x, [tf.constant([3.0, 5.0])])[0])
    np.testing.assert_allclose(found, [[0.0, 1.0, 1.0, 1.0, 0.0], [5.0, 0.0, 0.0, 0.0, 0.0]])


@pytest.mark.parametrize("shape", [[None, 2, 3], [4, 3, 2], [2, 2]])
def test_the_gradient_of_a_decomposition_has_the_static_shape_of_the_matrices(shape):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, shape)
        (gradient,) = tf.gradients(list(tf.svd(x)), x)
        assert gradient.shape.as_list() == shape


@pytest.mark.parametrize(
    ("shape", "dtype", "full", "words"),
    [
        ([4, None, 3], tf.float32, False, "input with unknown inner matrix shape"),
        ([2, 4], tf.float32, True, r"abs\(m - n\) > 1 when full_matrices is True"),
        ([2, 4], tf.complex64, False, "not implemented for complex types and compute_uv=True"),
    ],
)
def test_decompositions_without_a_gradient_are_refused(shape, dtype, full, words):
    with tf.Graph().as_default():
        x = tf.placeholder(dtype, shape)
        u = tf.svd(x, full_matrices=full)[1]
        with pytest.raises(NotImplementedError, match=words):
            tf.gradients(u, x, tf.ones_like(u))

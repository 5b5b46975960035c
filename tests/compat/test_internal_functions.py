"""Functions at TensorFlow's internal paths that libraries call do what TensorFlow's do."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python.keras.callbacks import CallbackList
from ferroflow.python.keras.utils import conv_utils, generic_utils, layer_utils, tf_utils
from ferroflow.python.ops import inplace_ops, random_ops
from ferroflow.python.ops.linalg import linear_operator_addition
from ferroflow.python.training import training_ops
from ferroflow.python.training.tracking import base, data_structures


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_rows_change_in_place(session):
    x = tf.zeros([3, 2], tf.int32)
    replaced = inplace_ops.alias_inplace_update(x, [0, 2], [[1, 2], [3, 4]])
    added = inplace_ops.alias_inplace_add(replaced, 1, [5, 6])
    less = inplace_ops.inplace_sub(added, None, tf.ones([3, 2], tf.int32))
    assert session.run(less).tolist() == [[0, 1], [4, 5], [2, 3]]
    assert session.run(inplace_ops.empty([2], tf.float32, init=True)).tolist() == [0, 0]
    assert inplace_ops.empty_like(x).shape == [3, 2]


def test_generated_functions_take_tensorflows_arguments(session):
    v, m, u = (tf.Variable([1.0]) for _ in range(3))
    session.run(tf.global_variables_initializer())
    step = training_ops.apply_adam(v, m, u, 0.9, 0.999, 0.1, 0.9, 0.999, 1e-8, [1.0])
    assert step.op.type == "ApplyAdam"
    assert session.run(step) < 1.0


def test_samples_are_between_their_bounds(session):
    x = random_ops.parameterized_truncated_normal([2, 1000], [0.0, 10.0], [1.0, 2.0], [-1.0, 9.0], [0.5, 12.0], seed=1)
    first, second = session.run(x)
    assert -1 <= first.min() <= first.max() <= 0.5
    assert 9 <= second.min() <= second.max() <= 12
    assert np.mean(first) == pytest.approx(-0.206, abs=0.05)
    assert np.mean(second) == pytest.approx(10.348, abs=0.08)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["identity", "scaled"], "LinearOperatorScaledIdentity"),
        (["scaled", "diag", "identity"], "LinearOperatorDiag"),
        (["diag", "triangle"], "LinearOperatorLowerTriangular"),
        (["triangle", "identity", "matrix"], "LinearOperatorFullMatrix"),
    ],
)
def test_a_sum_of_operators_has_their_common_structure(session, kinds, expected):
    made = {
        "identity": lambda: tf.linalg.LinearOperatorIdentity(2, is_positive_definite=True),
        "scaled": lambda: tf.linalg.LinearOperatorScaledIdentity(2, 3.0, is_positive_definite=True),
        "diag": lambda: tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True),
        "triangle": lambda: tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]]),
        "matrix": lambda: tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]),
    }
    operators = [made[kind]() for kind in kinds]
    (total,) = linear_operator_addition.add_operators(operators)
    assert type(total).__name__ == expected
    dense = session.run([total.to_dense(), *(operator.to_dense() for operator in operators)])
    np.testing.assert_allclose(dense[0], sum(dense[1:]))
    assert total.is_positive_definite == (None if {"triangle", "matrix"} & set(kinds) else True)


def test_operators_of_one_tier_alone_are_added():
    with tf.Graph().as_default():
        diag = tf.linalg.LinearOperatorDiag([1.0, 2.0], name="A1")
        other = tf.linalg.LinearOperatorDiag([1.0, 2.0], name="A2")
        full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
        tiers = [[linear_operator_addition._AddAndReturnDiag()]]
        left = linear_operator_addition.add_operators([diag, full, other], addition_tiers=tiers)
        assert [operator.name for operator in left] == ["Add/A1__A2/", full.name]
        with pytest.raises(ValueError, match="at least one operator"):
            linear_operator_addition.add_operators([])
        with pytest.raises(ValueError, match=r"same (range|domain) dimension"):
            linear_operator_addition.add_operators([diag, tf.linalg.LinearOperatorIdentity(3)])
        with pytest.raises(TypeError, match="only LinearOperator"):
            linear_operator_addition.add_operators([diag, 1.0])


def test_tensors_that_depend_on_inputs_are_found():
    with tf.Graph().as_default():
        x, other = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
        double = x * 2.0
        total = double + other
        reached = tf_utils.get_reachable_from_inputs([x])
        assert {x, double, double.op, total, total.op} <= reached
        assert not {other, other.op} & reached
        v = tf.Variable(1.0)
        assert (v + 1.0) in tf_utils.get_reachable_from_inputs(v)
        with pytest.raises(TypeError, match="Expected Operation, Variable, or Tensor"):
            tf_utils.get_reachable_from_inputs([3])


def test_registered_types_count_as_tensors():
    class Wrapped:
        def __init__(self, inner):
            self.inner = inner

    with tf.Graph().as_default():
        wrapped = Wrapped(tf.constant(1.0))
        assert not tf_utils.is_symbolic_tensor(wrapped)
        tf_utils.register_symbolic_tensor_type(Wrapped)
        assert tf_utils.is_symbolic_tensor(wrapped)
        assert tf_utils.is_tensor_or_tensor_list([wrapped])
        assert not tf_utils.is_tensor_or_tensor_list([1.0])
        assert tf_utils.are_all_symbolic_tensors([wrapped, tf.Variable(1.0)])
        assert tf_utils.constant_value(True) is True


def test_shapes_are_converted():
    assert tf_utils.convert_shapes([tf.TensorShape([2, None]), (3,)]) == [(2, None), (3,)]

    class Layer:
        @tf_utils.shape_type_conversion
        def compute_output_shape(self, input_shape):
            assert isinstance(input_shape, tuple)
            return (*input_shape, 7)

    assert Layer().compute_output_shape(tf.TensorShape([None, 2])).as_list() == [None, 2, 7]


def test_keras_small_functions():
    assert generic_utils.has_arg(lambda a, *, b: a, "b")
    assert not generic_utils.has_arg(lambda a, **kwargs: a, "b")
    assert generic_utils.has_arg(lambda a, **kwargs: a, "b", accept_all=True)
    assert generic_utils.to_list(1) == [1] == generic_utils.to_list([1])
    lengths = [conv_utils.conv_output_length(10, 3, p, 2) for p in ("same", "valid", "full", "causal")]
    assert lengths == [5, 4, 6, 5]
    assert conv_utils.conv_output_length(10, 3, "valid", 1, dilation=2) == 6
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([2, 3]))
        assert layer_utils.count_params([v, v, tf.Variable(1.0)]) == 7


def test_a_list_of_callbacks_calls_each():
    calls = []

    class Recorder(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            calls.append((epoch, logs, self.params))

    callbacks = CallbackList([Recorder()])
    callbacks.append(Recorder())
    callbacks.set_params({"epochs": 2})
    callbacks.on_train_begin()
    callbacks.on_epoch_end(1, {"loss": 3.0})
    assert calls == [(1, {"loss": 3.0}, {"epochs": 2})] * 2


def test_modules_find_their_variables():
    class Inner(tf.Module):
        def __init__(self):
            super().__init__()
            self.weight = tf.Variable(1.0, name="weight")

        @tf.Module.with_name_scope
        def __call__(self, x):
            return tf.multiply(x, self.weight, name="scaled")

    class TwoLayers(tf.Module):
        def __init__(self):
            super().__init__("net")
            self.layers = [Inner(), Inner()]
            self.steps = tf.Variable(0, trainable=False, name="steps")
            self.again = self.layers[0].weight

    with tf.Graph().as_default():
        net = TwoLayers()
        first, second = net.layers
        assert net.variables == (first.weight, net.steps, second.weight)
        assert net.trainable_variables == (first.weight, second.weight)
        assert net.submodules == (first, second)
        assert (net.name, first.name) == ("net", "inner")
        assert second(tf.constant(2.0)).name == "inner_1/scaled:0"
        with pytest.raises(ValueError, match="is not a valid module name"):
            tf.Module("a b")


def test_tracking_decorators_change_nothing():
    class Kept(base.Trackable):
        @base.no_automatic_dependency_tracking
        def keep(self, x):
            self.x = data_structures.NoDependency(x).value
            return self.x

    assert Kept().keep(3) == 3


def test_attention_parts_have_their_internal_names(session):
    from ferroflow.contrib.seq2seq.python.ops import attention_wrapper

    memory = tf.ones([2, 3, 4])
    prepared = attention_wrapper._prepare_memory(memory, [1, 2], check_inner_dims_defined=True)
    assert session.run(prepared)[0, 1:].sum() == 0
    with tf.variable_scope("score"):
        score = attention_wrapper._bahdanau_score(tf.ones([2, 4]), memory, normalize=False)
    assert score.shape == [2, 3]

    class Own(attention_wrapper._BaseAttentionMechanism):
        def __call__(self, query, state):
            return self._probability_fn(tf.reduce_sum(self.keys, 2), state), state

    mechanism = Own(query_layer=None, memory=memory, probability_fn=lambda score, _: tf.nn.softmax(score))
    alignments, _ = mechanism(tf.ones([2, 4]), None)
    assert session.run(alignments).shape == (2, 3)


@pytest.mark.parametrize("shape", [[4], [4, 1], [4, 1, 1]])
def test_weights_match_values_without_labels(session, shape):
    from ferroflow.python.ops import metrics_impl

    values, labels, weights = metrics_impl._remove_squeezable_dimensions(
        predictions=np.ones([4, 1], np.float32), labels=None, weights=np.ones(shape, np.float32)
    )
    assert labels is None
    assert (values.shape, weights.shape) == ([4, 1], [4, 1])

"""The feature columns of `tf.contrib.layers`: their constructors' checks, keys and places in models; other layers."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.contrib.layers.python.ops import sparse_ops

layers = tf.contrib.layers


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: layers.real_valued_column("a", 0), ValueError, "greater than 0"),
        (lambda: layers.real_valued_column("a", 2.0), TypeError, "integer"),
        (lambda: layers.real_valued_column("a", 2, [1.0]), ValueError, "length of default_value"),
        (lambda: layers.real_valued_column("a", 1, 1.5, tf.int32), TypeError, "compatible with dtype"),
        (lambda: layers.real_valued_column("a", dtype=tf.string), ValueError, "convertible to float"),
        (lambda: layers.sparse_column_with_hash_bucket("a", 0), ValueError, "at least 1"),
        (lambda: layers.sparse_column_with_hash_bucket("a", 5, hash_keys=[[1]]), ValueError, "pair"),
        (lambda: layers.sparse_column_with_integerized_feature("a", 5, dtype=tf.string), ValueError, "integer"),
        (lambda: layers.sparse_column_with_vocabulary_file("a", "f"), ValueError, "vocab_size"),
        (lambda: layers.bucketized_column(layers.real_valued_column("a"), [2, 1]), ValueError, "sorted"),
        (lambda: layers.bucketized_column("a", [1]), TypeError, "_RealValuedColumn"),
        (lambda: layers.crossed_column([layers.real_valued_column("a")] * 2, 5), TypeError, "_RealValuedColumn"),
        (lambda: layers.scattered_embedding_column("a", 5, 2, 1, "max"), ValueError, "Combiner"),
        (lambda: layers.shared_embedding_columns("ab", 2), TypeError, "non-string"),
    ],
)
def test_wrong_columns_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_names_keys_and_specs():
    text = layers.sparse_column_with_hash_bucket("text", 10)
    real = layers.real_valued_column("real", 2, 1, normalizer=lambda x: x)
    both = layers.crossed_column([text, layers.bucketized_column(real, [0.0])], 20)
    embedded = layers.embedding_column(both, 3)
    assert (both.name, embedded.name) == ("real_bucketized_X_text", "real_bucketized_X_text_embedding")
    assert layers.weighted_sparse_column(text, "w").name == "text_weighted_by_w"
    assert real.key == "_RealValuedColumn(column_name='real', dimension=2, default_value=(1.0, 1.0), dtype=tf.float32)"
    assert "initializer" not in embedded.key
    spec = layers.create_feature_spec_for_parsing([embedded])
    assert spec == {"text": tf.VarLenFeature(tf.string), "real": tf.FixedLenFeature([2], tf.float32, [1.0, 1.0])}
    placeholders = layers.make_place_holder_tensors_for_base_features([embedded])
    assert placeholders["real"].shape.as_list() == [None, 2]
    with pytest.raises(AttributeError):
        real.dimension = 3


def test_columns_that_give_no_numbers_are_named():
    text = layers.sparse_column_with_hash_bucket("text", 10)
    features = {"text": tf.SparseTensor([[0, 0]], ["a"], [1, 1])}
    with pytest.raises(ValueError, match="Error creating input layer for column: text"):
        layers.input_from_feature_columns(features, [text])
    with pytest.raises(ValueError, match="Error creating weighted sum for column: text_embedding"):
        layers.weighted_sum_from_feature_columns(features, [layers.embedding_column(text, 2)], 1)
    with pytest.raises(ValueError, match="Duplicate feature column key"):
        layers.check_feature_columns([text, layers.sparse_column_with_hash_bucket("text", 10)])
    real = layers.real_valued_column("text")
    with pytest.raises(NotImplementedError, match="Real-valued"):
        layers.joint_weighted_sum_from_feature_columns({"text": tf.zeros([1, 1])}, [real], 1)


def test_columns_work_in_the_models_of_feature_column():
    real = layers.real_valued_column("real")
    text = layers.sparse_column_with_keys("text", ["a", "b"])
    features = {"real": tf.constant([[1.0], [2.0]]), "text": tf.SparseTensor([[0, 0], [1, 0]], ["b", "a"], [2, 1])}
    net = tf.feature_column.input_layer(features, [real, layers.one_hot_column(text)])
    total = tf.feature_column.linear_model(features, [layers.bucketized_column(real, [1.5]), text])
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert sess.run(net).tolist() == [[1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
        assert sess.run(total).tolist() == [[0.0], [0.0]]


def test_shared_embeddings_are_one_variable():
    one, two = (layers.sparse_column_with_hash_bucket(name, 10) for name in ("one", "two"))
    columns = layers.shared_embedding_columns([one, two], 4)
    features = {name: tf.SparseTensor([[0, 0]], ["a"], [1, 1]) for name in ("one", "two")}
    layers.input_from_feature_columns(features, columns)
    assert [v.op.name for v in tf.global_variables()] == [
        "input_from_feature_columns/one_shared_embedding/one_two_shared_embedding"
    ]


def test_sequences_have_a_dimension_more():
    column = layers.real_valued_column("x", 2)
    found = layers.sequence_input_from_feature_columns({"x": tf.zeros([3, 4, 2])}, [column])
    assert found.shape.as_list() == [3, 4, 2]
    with pytest.raises(ValueError, match="not currently supported for sequence"):
        layers.sequence_input_from_feature_columns({"x": tf.zeros([3, 4])}, [layers.bucketized_column(column, [0])])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=4))
def test_sparse_forms_keep_the_values(rows):
    array = np.array(rows)
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = sparse_ops.dense_to_sparse_tensor(tf.constant(array))
        ids = sparse_ops.indicators_to_sparse_ids(tf.constant(array))
        np.testing.assert_array_equal(sess.run(tf.sparse_tensor_to_dense(sparse)), array)
        found = sess.run(ids)
        lengths = sess.run(sparse_ops.sparse_row_envelope(sparse))
    for number, row in enumerate(array):
        places = np.flatnonzero(row)
        assert found.values[found.indices[:, 0] == number].tolist() == places.tolist()
        assert lengths[number] == (places[-1] + 1 if len(places) else 0)


def test_gdn_is_undone_by_its_inverse_formula():
    x = np.linspace(-2.0, 2.0, 24, dtype=np.float32).reshape(1, 2, 4, 3)
    y = layers.gdn(tf.constant(x), gamma_init=0.25, name="n")
    first = layers.gdn(tf.constant(x.transpose(0, 3, 1, 2)), gamma_init=0.25, data_format="channels_first")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        expected = x / np.sqrt(1 + 0.25 * x**2)
        np.testing.assert_allclose(sess.run(y), expected, rtol=1e-5)
        np.testing.assert_allclose(sess.run(first), expected.transpose(0, 3, 1, 2), rtol=1e-5)
    with pytest.raises(ValueError, match="data_format"):
        layers.gdn(tf.constant(x), data_format="NHWC")

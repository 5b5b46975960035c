"""Feature columns give what NumPy computes of the raw features, under TensorFlow's variable names."""

import numpy as np
import pytest

import ferroflow as tf

fc = tf.feature_column


def values_of(*tensors):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return sess.run(list(tensors))


def dense(column, features):
    with tf.Graph().as_default():
        return values_of(fc.input_layer(features(), [column]))[0]


def ids(column, features, width):
    """Each id's count, by an indicator."""
    with tf.Graph().as_default():
        counts = values_of(fc.input_layer(features(), [fc.indicator_column(column)]))[0]
    assert counts.shape[1] == width
    return [sorted(np.repeat(np.arange(width), row.astype(int)).tolist()) for row in counts]


def words():
    return {"words": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["b", "a", "z"], [3, 2])}


def test_numbers_are_normalized_and_laid_side_by_side_by_name():
    with tf.Graph().as_default():
        features = {"b": np.array([[1, 2], [3, 4]]), "a": np.array([5.0, 6.0], np.float32)}
        columns = [fc.numeric_column("b", shape=2, normalizer_fn=lambda x: x * 10), fc.numeric_column("a")]
        (layer,) = values_of(fc.input_layer(features, columns))
    assert layer.dtype == np.float32
    assert layer.tolist() == [[5, 10, 20], [6, 30, 40]]


def test_a_boundary_belongs_to_the_bucket_above_it():
    column = fc.bucketized_column(fc.numeric_column("x", shape=(2,)), [0, 10])

    def features():
        return {"x": np.array([[-1.0, 0.0], [9.0, 10.0]])}

    one_hot = np.eye(3)
    assert dense(column, features).tolist() == np.concatenate([one_hot[[0, 1]], one_hot[[1, 2]]], 1).tolist()
    # As ids, each of the two numbers has three of its own.
    assert ids(column, features, 6) == [[0, 4], [1, 5]]


def test_vocabularies_give_the_places_of_values(tmp_path):
    path = tmp_path / "words"
    path.write_text("a\nb\n", encoding="utf-8")
    for column in (
        fc.categorical_column_with_vocabulary_list("words", ["a", "b"]),
        fc.categorical_column_with_vocabulary_file("words", str(path)),
    ):
        assert ids(column, words, 2) == [[1], [0], []]
    for column in (
        fc.categorical_column_with_vocabulary_list("words", ["a", "b"], default_value=1),
        fc.categorical_column_with_vocabulary_file("words", str(path), 2, default_value=1),
    ):
        assert ids(column, words, 2) == [[1], [0, 1], []]
    for column in (
        fc.categorical_column_with_vocabulary_list("words", ["a", "b"], num_oov_buckets=1),
        fc.categorical_column_with_vocabulary_file("words", str(path), num_oov_buckets=1),
    ):
        assert ids(column, words, 3) == [[1], [0, 2], []]


def test_missing_values_of_dense_features_are_left_out():
    text = fc.categorical_column_with_vocabulary_list("t", ["a", "b"])
    assert ids(text, lambda: {"t": np.array([["a", ""], ["b", "a"]])}, 2) == [[0], [0, 1]]
    whole = fc.categorical_column_with_vocabulary_list("n", [7, 9], dtype=tf.int64)
    assert ids(whole, lambda: {"n": np.array([[9, -1], [7, 9]], np.int32)}, 2) == [[1], [0, 1]]


def test_hashes_are_those_of_the_text_of_values():
    text = fc.categorical_column_with_hash_bucket("t", 50)
    number = fc.categorical_column_with_hash_bucket("n", 50, tf.int32)
    with tf.Graph().as_default():
        expected = values_of(tf.string_to_hash_bucket_fast(["12", "7"], 50))[0].tolist()
    assert ids(text, lambda: {"t": np.array(["12", "7"])}, 50) == [[x] for x in expected]
    assert ids(number, lambda: {"n": np.array([12, 7], np.int32)}, 50) == [[x] for x in expected]


def test_identities_outside_their_range_fail_or_become_the_default():
    column = fc.categorical_column_with_identity("n", 3, default_value=0)
    assert ids(column, lambda: {"n": np.array([2, 5, -7], np.int64)}, 3) == [[2], [0], [0]]
    strict = fc.categorical_column_with_identity("n", 3)
    assert ids(strict, lambda: {"n": np.array([2, 0], np.int64)}, 3) == [[2], [0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert_less_than_num_buckets"):
        ids(strict, lambda: {"n": tf.placeholder_with_default(tf.constant([3], tf.int64), [1])}, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert_greater_or_equal_0"):
        ids(strict, lambda: {"n": tf.placeholder_with_default(tf.constant([-2], tf.int64), [1])}, 3)


def test_indicators_add_weights():
    column = fc.weighted_categorical_column(
        fc.categorical_column_with_vocabulary_list("words", ["a", "b", "z"]), "weights"
    )

    def features():
        weights = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.5, 2.0, -1.0], [3, 2])
        return {**words(), "weights": weights}

    assert dense(fc.indicator_column(column), features).tolist() == [[0, 0.5, 0], [2, 0, -1], [0, 0, 0]]


@pytest.mark.parametrize(("combiner", "scale"), [("sum", 1), ("mean", 0.5), ("sqrtn", 0.5**0.5)])
def test_embeddings_combine_rows_of_their_table(combiner, scale):
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    column = fc.embedding_column(
        fc.categorical_column_with_vocabulary_list("words", ["a", "b", "z"]),
        2,
        combiner,
        initializer=tf.constant_initializer(table),
    )
    expected = [table[1], (table[0] + table[2]) * scale, [0, 0]]
    np.testing.assert_allclose(dense(column, words), expected, rtol=1e-6)


def test_a_shared_table_is_one_variable_for_all_its_columns_in_each_graph():
    columns = [fc.categorical_column_with_identity(key, 4) for key in ("b", "a")]
    shared = fc.shared_embedding_columns(columns, 2, initializer=tf.constant_initializer(np.eye(4)[:, :2]))
    assert [c.name for c in shared] == ["b_shared_embedding", "a_shared_embedding"]
    for _ in range(2):
        with tf.Graph().as_default():
            features = {"a": np.array([0, 1]), "b": np.array([1, 2])}
            first, second = fc.input_layer(features, shared), fc.input_layer(features, shared[:1])
            (table,) = tf.global_variables()
            assert table.op.name == "input_layer/a_b_shared_embedding/embedding_weights"
            first, second = values_of(first, second)
        assert first.tolist() == [[1, 0, 0, 1], [0, 1, 0, 0]]
        assert second.tolist() == [[0, 1], [0, 0]]


def test_a_table_is_read_from_a_checkpoint(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("table", initializer=[[1.0, 2.0], [3.0, 4.0]])
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    ids_ = fc.categorical_column_with_identity("n", 2)
    column = fc.embedding_column(ids_, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="table")
    assert dense(column, lambda: {"n": np.array([1, 0])}).tolist() == [[3, 4], [1, 2]]


def test_crossings_hash_combinations_as_the_op_does():
    number = fc.bucketized_column(fc.numeric_column("x"), [0.0])
    inner = fc.crossed_column(["u", number], 100)
    column = fc.crossed_column([inner, "v"], 100, hash_key=5)
    assert column.name == "u_X_v_X_x_bucketized"

    def features():
        return {"u": np.array(["p", "q"]), "v": np.array(["r", "s"]), "x": np.array([-1.0, 1.0])}

    with tf.Graph().as_default():
        given = [tf.constant([["p"], ["q"]]), tf.SparseTensor([[0, 0], [1, 0]], tf.constant([0, 1], tf.int64), [2, 1])]
        op = tf.sparse.cross_hashed([*given, tf.constant([["r"], ["s"]])], 100, hash_key=5)
        expected = values_of(op)[0].values.tolist()
    assert ids(column, features, 100) == [[x] for x in expected]


def test_a_linear_model_adds_weights_and_a_bias():
    with tf.Graph().as_default():
        words_column = fc.categorical_column_with_vocabulary_list("words", ["a", "b", "z"])
        columns = [words_column, fc.numeric_column("x", shape=2)]
        features = {**words(), "x": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])}
        made = {}
        outputs = fc.linear_model(features, columns, units=2, cols_to_vars=made)
        names = ["linear_model/words/weights", "linear_model/x/weights", "linear_model/bias_weights"]
        assert [v.op.name for v in tf.global_variables()] == names
        assert [made[c][0].op.name for c in (*columns, "bias")] == names
        assert tf.get_collection(tf.GraphKeys.MODEL_VARIABLES) == tf.trainable_variables() == tf.global_variables()
        rng = np.random.RandomState(0)
        of_words, of_x, bias = rng.rand(3, 2), rng.rand(2, 2), rng.rand(2)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            for variable, value in zip(tf.global_variables(), (of_words, of_x, bias), strict=True):
                variable.load(value, sess)
            actual = sess.run(outputs)
    summed = np.stack([of_words[1], of_words[0] + of_words[2], np.zeros(2)])
    np.testing.assert_allclose(actual, features["x"] @ of_x + summed + bias, rtol=1e-5)


def test_a_linear_model_learns():
    rng = np.random.RandomState(1)
    x, kind = rng.rand(64, 2).astype(np.float32), rng.randint(0, 3, 64)
    target = (x @ [[2.0], [-1.0]] + np.array([[0.5], [1.5], [-1.0]])[kind]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        columns = [fc.numeric_column("x", shape=2), fc.categorical_column_with_identity("kind", 3)]
        predicted = fc.linear_model({"x": x, "kind": kind}, columns)
        loss = tf.losses.mean_squared_error(target, predicted)
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        for _ in range(400):
            sess.run(train)
        assert sess.run(loss) < 1e-4


def test_what_to_parse_is_told_and_parses():
    columns = [
        fc.bucketized_column(fc.numeric_column("x", default_value=3.0), [0.0]),
        fc.embedding_column(fc.categorical_column_with_identity("n", 3), 2),
        fc.indicator_column(fc.weighted_categorical_column(fc.categorical_column_with_hash_bucket("w", 5), "how")),
        fc.indicator_column(fc.crossed_column(["u", "v"], 5)),
    ]
    spec = fc.make_parse_example_spec(columns)
    assert spec == {
        "x": tf.FixedLenFeature((1,), tf.float32, (3.0,)),
        "n": tf.VarLenFeature(tf.int64),
        "w": tf.VarLenFeature(tf.string),
        "how": tf.VarLenFeature(tf.float32),
        "u": tf.VarLenFeature(tf.string),
        "v": tf.VarLenFeature(tf.string),
    }
    example = tf.train.Example()
    example.features.feature["n"].int64_list.value.append(2)
    example.features.feature["w"].bytes_list.value.append(b"word")
    example.features.feature["how"].float_list.value.append(0.5)
    example.features.feature["u"].bytes_list.value.append(b"p")
    example.features.feature["v"].bytes_list.value.append(b"q")
    with tf.Graph().as_default():
        parsed = tf.parse_example([example.SerializeToString()], spec)
        (layer,) = values_of(fc.input_layer(parsed, columns))
    assert layer.shape == (1, 5 + 2 + 5 + 2)
    assert sorted(layer[0, 2:7].tolist()) == [0, 0, 0, 0, 1]
    assert sorted(layer[0, 7:12].tolist()) == [0, 0, 0, 0, 0.5]
    assert layer[0, -2:].tolist() == [0, 1]
    clashing = [fc.numeric_column("x"), fc.numeric_column("x", shape=2)]
    with pytest.raises(ValueError, match="different parse_spec for key x"):
        fc.make_parse_example_spec(clashing)
    with pytest.raises(ValueError, match="must be _FeatureColumn instances"):
        fc.make_parse_example_spec(["x"])


X = fc.numeric_column("x")
N = fc.categorical_column_with_identity("n", 3)


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda: fc.numeric_column("x", shape=1.5), TypeError, "shape dimensions must be integer"),
        (lambda: fc.numeric_column("x", shape=0), ValueError, "greater than 0"),
        (lambda: fc.numeric_column("x", dtype=tf.string), ValueError, "convertible to float"),
        (lambda: fc.numeric_column("x", shape=2, default_value=[1.0]), ValueError, "shape of default_value"),
        (lambda: fc.numeric_column("x", dtype=tf.int32, default_value=1.5), TypeError, "compatible with dtype"),
        (lambda: fc.numeric_column("x", normalizer_fn=3), TypeError, "must be a callable"),
        (lambda: fc.bucketized_column(N, [0]), ValueError, r"generated with numeric_column\(\)"),
        (lambda: fc.bucketized_column(fc.numeric_column("x", (2, 2)), [0]), ValueError, "one-dimensional"),
        (lambda: fc.bucketized_column(X, [1, 1]), ValueError, "sorted"),
        (lambda: fc.bucketized_column(X, []), ValueError, "sorted"),
        (lambda: fc.categorical_column_with_hash_bucket("t", None), ValueError, "must be set"),
        (lambda: fc.categorical_column_with_hash_bucket("t", 0), ValueError, "at least 1"),
        (lambda: fc.categorical_column_with_hash_bucket("t", 5, tf.float32), ValueError, "string or integer"),
        (lambda: fc.categorical_column_with_vocabulary_list("t", []), ValueError, "must be non-empty"),
        (lambda: fc.categorical_column_with_vocabulary_list("t", ["a", "a"]), ValueError, "Duplicate"),
        (lambda: fc.categorical_column_with_vocabulary_list("t", ["a"], tf.int32), ValueError, "do not match"),
        (lambda: fc.categorical_column_with_vocabulary_list("t", [1.5]), ValueError, "string or integer"),
        (
            lambda: fc.categorical_column_with_vocabulary_list("t", ["a"], None, 0, 2),
            ValueError,
            "both num_oov_buckets",
        ),
        (
            lambda: fc.categorical_column_with_vocabulary_list("t", ["a"], None, -1, -2),
            ValueError,
            "num_oov_buckets -2",
        ),
        (lambda: fc.categorical_column_with_vocabulary_file("t", ""), ValueError, "Missing vocabulary_file"),
        (lambda: fc.categorical_column_with_vocabulary_file("t", "/none"), ValueError, "does not exist"),
        (lambda: fc.categorical_column_with_vocabulary_file("t", "/none", 0), ValueError, "Invalid vocabulary_size"),
        (lambda: fc.categorical_column_with_identity("n", 0), ValueError, "num_buckets 0 < 1"),
        (lambda: fc.categorical_column_with_identity("n", 3, 3), ValueError, "not in range"),
        (lambda: fc.weighted_categorical_column(N, "w", tf.string), ValueError, "not convertible to float"),
        (lambda: fc.embedding_column(N, 0), ValueError, "Invalid dimension"),
        (lambda: fc.embedding_column(N, 2, ckpt_to_load_from="a"), ValueError, "Must specify both"),
        (lambda: fc.embedding_column(N, 2, initializer="zeros"), ValueError, "must be callable"),
        (lambda: fc.shared_embedding_columns([X], 2), ValueError, "subclasses of _CategoricalColumn"),
        (
            lambda: fc.shared_embedding_columns([N, fc.categorical_column_with_hash_bucket("t", 3)], 2),
            ValueError,
            "same type",
        ),
        (
            lambda: fc.shared_embedding_columns([N, fc.categorical_column_with_identity("m", 4)], 2),
            ValueError,
            "same number of buckets",
        ),
        (lambda: fc.crossed_column(["a"], 5), ValueError, "length > 1"),
        (lambda: fc.crossed_column(["a", "b"], 0), ValueError, "must be > 1"),
        (lambda: fc.crossed_column(["a", X], 5), ValueError, "Unsupported key type"),
        (
            lambda: fc.crossed_column(["a", fc.categorical_column_with_hash_bucket("t", 3)], 5),
            ValueError,
            "not supported for crossing",
        ),
    ],
)
def test_arguments_are_checked(make, error, reason):
    with pytest.raises(error, match=reason):
        make()


@pytest.mark.parametrize(
    ("features", "columns", "reason"),
    [
        ({}, [X], "Feature x is not in features dictionary"),
        ({"x": 3.0}, [X], "cannot have rank 0"),
        ({"x": [1.0], "y": [1.0, 2.0]}, [X, fc.numeric_column("y")], "Batch size .* must be same"),
        ({"n": [1]}, [N], "must be a _DenseColumn"),
        ({"x": [1.0]}, [X, X], "Duplicate feature column name"),
        ({"x": [1.0]}, [], "must not be empty"),
        ({"x": [1.0]}, {"x": X}, "found dict"),
        ({"x": [1.0]}, ["x"], "must be a _FeatureColumn"),
        ({"n": ["a"]}, [fc.indicator_column(N)], "Invalid input, not integer"),
        ({"t": [1]}, [fc.indicator_column(fc.categorical_column_with_hash_bucket("t", 3))], "must be compatible"),
    ],
)
def test_models_check_columns_and_features(features, columns, reason):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=reason):
        fc.input_layer(features, columns)


def test_numbers_are_not_sparse():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="SparseTensor is not supported"):
        fc.input_layer({"x": tf.SparseTensor([[0, 0]], [1.0], [1, 1])}, [X])


def test_the_rank_of_a_feature_may_be_known_in_the_step_alone():
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.placeholder(tf.float32)
        layer = fc.input_layer({"x": fed}, [X])
        assert sess.run(layer, {fed: [1.0, 2.0]}).tolist() == [[1], [2]]
        assert sess.run(layer, {fed: [[1.0], [2.0]]}).tolist() == [[1], [2]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot have rank 0"):
            sess.run(layer, {fed: 1.0})


@pytest.mark.parametrize("key", [3, None, b"a", ("a", "b")])
@pytest.mark.parametrize(
    "make",
    [
        tf.feature_column.numeric_column,
        lambda key: tf.feature_column.categorical_column_with_hash_bucket(key, 3),
        lambda key: tf.feature_column.categorical_column_with_identity(key, 3),
        lambda key: tf.feature_column.categorical_column_with_vocabulary_list(key, ["x"]),
        lambda key: tf.feature_column.categorical_column_with_vocabulary_file(key, "x", 3),
        tf.contrib.feature_column.sequence_numeric_column,
    ],
)
def test_keys_are_strings(make, key):
    with pytest.raises(ValueError, match="key must be a string"):
        make(key)


@pytest.mark.parametrize(("value", "message"), [(5, "exceeds number of buckets"), (-2, "Negative bucket index")])
def test_ids_outside_name_the_column(value, message):
    column = tf.feature_column.categorical_column_with_identity("place", 3)
    result = tf.feature_column.linear_model({"place": tf.placeholder_with_default([[value]], [None, 1])}, [column])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{message}.*\[{value}\]"):
            session.run(result)

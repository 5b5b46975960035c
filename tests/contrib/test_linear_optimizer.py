"""`tf.contrib.linear_optimizer`: models trained by dual coordinate ascent reach the minimum of their objective."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.contrib.linear_optimizer.sharded_table import ShardedMutableDenseHashTable

learn, layers, linear = tf.contrib.learn, tf.contrib.layers, tf.contrib.linear_optimizer
LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
DENSE = np.random.RandomState(0).normal(size=(6, 3)).astype(np.float32)
LABELS = np.array([0, 1, 1, 0, 1, 0], np.float32)


def examples_of(labels=LABELS, weights=None):
    sparse = linear.SparseFeatureColumn([0, 1, 1, 2, 4, 5], [0, 0, 2, 1, 1, 3], [1.0, 2.0, 0.5, 1.0, -1.0, 1.0])
    return {
        "sparse_features": [sparse],
        "dense_features": [tf.constant(DENSE)],
        "example_labels": labels,
        "example_weights": np.ones(6, np.float32) if weights is None else weights,
        "example_ids": [f"{i}" for i in range(6)],
    }


def variables_of():
    return {
        "sparse_features_weights": [tf.Variable(tf.zeros([4]))],
        "dense_features_weights": [tf.Variable(tf.zeros([3]))],
    }


def options_of(loss, **others):
    return {
        "loss_type": loss,
        "symmetric_l1_regularization": 0.0,
        "symmetric_l2_regularization": 1.0,
        **others,
    }


@pytest.mark.parametrize("others", [{}, {"num_table_shards": 3, "adaptive": False}, {"num_loss_partitions": 2}])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_duality_gap_closes(loss, others):
    with tf.Graph().as_default(), tf.Session() as session:
        examples = examples_of()
        model = linear.SdcaModel(examples, variables_of(), options_of(loss, **others))
        step = tf.train.create_global_step()
        train = model.minimize(step)
        update, gap = model.update_weights(train), model.approximate_duality_gap()
        session.run(tf.global_variables_initializer())
        for _ in range(60):
            session.run(train)
        session.run(update)
        assert abs(session.run(gap)) < 1e-3
        assert session.run(step) == 61


def test_least_squares_are_those_of_numpy():
    weights = np.array([1, 2, 0.5, 1, 1, 3], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        examples = {**examples_of(weights=weights), "sparse_features": []}
        variables = {**variables_of(), "sparse_features_weights": []}
        model = linear.SdcaModel(examples, variables, options_of("squared_loss", symmetric_l2_regularization=2.0))
        train = model.minimize()
        session.run(tf.global_variables_initializer())
        for _ in range(80):
            session.run(train)
        session.run(model.update_weights(train))
        found, predicted = session.run([variables["dense_features_weights"][0], model.predictions(examples)])
        losses = session.run([model.unregularized_loss(examples), model.regularized_loss(examples)])
    scaled = DENSE * weights[:, None]
    expected = np.linalg.solve(DENSE.T @ scaled + 2.0 * np.eye(3), scaled.T @ LABELS)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(predicted, DENSE @ found, rtol=1e-5)
    mean = np.sum(weights * (DENSE @ found - LABELS) ** 2) / 2 / weights.sum()
    np.testing.assert_allclose(losses, [mean, mean + found @ found / weights.sum()], rtol=1e-5)


def test_a_large_l1_makes_weights_zero():
    with tf.Graph().as_default(), tf.Session() as session:
        variables = variables_of()
        model = linear.SdcaModel(
            examples_of(), variables, options_of("logistic_loss", symmetric_l1_regularization=100.0)
        )
        train = model.minimize()
        session.run(tf.global_variables_initializer())
        session.run(model.update_weights(train))
        for weights in session.run([*variables["sparse_features_weights"], *variables["dense_features_weights"]]):
            assert not weights.any()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"loss_type": "cubic"}, "Unsupported loss_type"),
        ({"symmetric_l1_regularization": -1.0}, "symmetric_l1_regularization should be non-negative"),
        ({"symmetric_l2_regularization": None}, "symmetric_l2_regularization must be specified"),
    ],
)
def test_bad_options_are_refused(changed, message):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        linear.SdcaModel(examples_of(), variables_of(), options_of("logistic_loss", **changed))


def test_bad_examples_and_variables_are_refused():
    with tf.Graph().as_default():
        options = options_of("logistic_loss")
        with pytest.raises(ValueError, match="example_ids must be specified"):
            linear.SdcaModel({**examples_of(), "example_ids": None}, variables_of(), options)
        with pytest.raises(ValueError, match="dense_features must be a list"):
            linear.SdcaModel({**examples_of(), "dense_features": ()}, variables_of(), options)
        with pytest.raises(ValueError, match="must all be specified"):
            linear.SdcaModel({}, variables_of(), options)
        parted = tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
        with pytest.raises(NotImplementedError, match="without a partitioner"):
            linear.SdcaModel(examples_of(), {**variables_of(), "dense_features_weights": [parted]}, options)
    with pytest.raises(NotImplementedError, match="partitioner"):
        linear.SDCAOptimizer("id", partitioner=tf.fixed_size_partitioner(2))


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.integers(1, 50), st.integers(-9, 9), min_size=1), st.integers(1, 4))
def test_a_table_of_several_tables_is_a_dict(rows, shards):
    with tf.Graph().as_default(), tf.Session() as session:
        table = ShardedMutableDenseHashTable(tf.int64, tf.int64, -100, 0, num_shards=shards)
        keys = tf.constant(list(rows), tf.int64)
        session.run(table.insert(keys, tf.constant(list(rows.values()), tf.int64)))
        asked = [*rows, 51]
        found, size = session.run([table.lookup(tf.constant(asked, tf.int64)), table.size()])
        assert dict(zip(asked, found.tolist(), strict=True)) == {**rows, 51: -100}
        assert size == len(rows)
        exported = session.run(table.export_sharded())
        assert len(exported[0]) == shards
        assert dict(zip(np.concatenate(exported[0]), np.concatenate(exported[1]), strict=True)) == rows


def test_keys_of_a_table_have_a_known_shape():
    with tf.Graph().as_default():
        table = ShardedMutableDenseHashTable(tf.int64, tf.int64, -1, 0, num_shards=2)
        with pytest.raises(ValueError, match="Key shape must be fully defined"):
            table.lookup(tf.placeholder(tf.int64, [None]))
        with pytest.raises(ValueError, match="Expected a vector or matrix for keys"):
            table.insert(tf.constant(1, tf.int64), tf.constant(1, tf.int64))
        with pytest.raises(TypeError, match="Keys must be dtype"):
            table.lookup(tf.constant([1]))


def features():
    words = tf.SparseTensor([[0, 0], [1, 0], [2, 0], [2, 1]], ["a", "b", "a", "a"], [4, 2])
    return {
        "id": tf.constant(["1", "2", "3", "4"]),
        "price": tf.constant([[0.6], [0.8], [0.3], [0.1]]),
        "word": words,
        "weight": tf.constant([[1.0], [1.0], [3.0], [1.0]]),
    }, tf.constant([[1], [0], [1], [0]])


def columns():
    price, word = layers.real_valued_column("price"), layers.sparse_column_with_keys("word", ["a"])
    return [price, word, layers.bucketized_column(price, [0.5])]


def test_a_support_vector_machine_classifies():
    machine = learn.SVM("id", columns(), weight_column_name="weight", l2_regularization=0.1)
    machine.fit(input_fn=features, steps=30)
    found = machine.evaluate(input_fn=features, steps=1)
    assert found["accuracy"] == 1.0
    assert found["global_step"] == 30
    assert list(machine.predict_classes(input_fn=lambda: features()[0])) == [1, 0, 1, 0]
    assert "linear/price/weight" in machine.get_variable_names()
    with pytest.raises(ValueError, match="Kernel SVMs"):
        learn.SVM("id", [], kernels={})


def test_linear_models_take_the_optimizer():
    optimizer = linear.SDCAOptimizer("id", symmetric_l2_regularization=0.1)
    model = learn.LinearClassifier(columns(), optimizer=optimizer)
    model.fit(input_fn=features, steps=30)
    assert model.evaluate(input_fn=features, steps=1)["loss"] < 0.5
    regressor = learn.LinearRegressor(columns(), optimizer=optimizer)
    regressor.fit(input_fn=features, steps=30)
    assert regressor.evaluate(input_fn=features, steps=1)["loss"] < 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda **given: learn.LinearClassifier(n_classes=3, **given), "SDCA only applies to binary classification"),
        (lambda **given: learn.LinearClassifier(enable_centered_bias=True, **given), "enable_centered_bias"),
        (lambda **given: learn.LinearClassifier(_joint_weight=True, **given), "incompatible with the SDCAOptimizer"),
        (lambda **given: learn.LinearRegressor(label_dimension=2, **given), "only applies for label_dimension=1"),
        (lambda **given: learn.LinearEstimator(head=learn.multi_class_head(2), **given), "does not support SDCA"),
    ],
)
def test_models_that_the_optimizer_has_no_loss_for_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(feature_columns=columns(), optimizer=linear.SDCAOptimizer("id"))


def test_columns_that_are_not_linear_are_refused():
    embedded = layers.embedding_column(layers.sparse_column_with_keys("word", ["a"]), 2)
    optimizer = linear.SDCAOptimizer("id")
    with tf.Graph().as_default():
        found, labels = features()
        found[embedded] = found["price"]
        with pytest.raises(ValueError, match="does not support column type _EmbeddingColumn"):
            optimizer.get_train_step({embedded: [None]}, None, "hinge_loss", found, labels, None)

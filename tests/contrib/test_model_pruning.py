"""Masks of weights: which weights they hide, blocks, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

import ferroflow as tf
from ferroflow.contrib.model_pruning.python import pruning_utils

pruning = tf.contrib.model_pruning
NUMBERS = st.integers(-50, 50).map(float)


def matrices(rows=4, columns=4):
    return arrays(np.float32, st.tuples(st.integers(1, rows), st.integers(1, columns)), elements=NUMBERS)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(1, 1000), min_size=2, max_size=30, unique=True),
    st.lists(st.sampled_from([-1, 1]), min_size=30, max_size=30),
    st.floats(0.0, 0.9),
)
def test_a_mask_keeps_the_weights_of_greatest_magnitude(magnitudes, signs, sparsity):
    weights = np.array(magnitudes, np.float32) * np.array(signs[: len(magnitudes)], np.float32)
    kept = int(np.round(np.float32(len(weights)) * (np.float32(1) - np.float32(sparsity))))
    if kept == 0:
        return
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.create_global_step()
        masked = pruning.apply_mask(tf.get_variable("w", initializer=weights))
        update = pruning.Pruning(sparsity=tf.constant(sparsity, tf.float32)).mask_update_op()
        session.run(tf.global_variables_initializer())
        session.run(update)
        found, (share,) = session.run([masked, pruning.get_weight_sparsity()])
    least = np.sort(np.abs(weights))[-kept]
    np.testing.assert_array_equal(found, np.where(np.abs(weights) >= least, weights, 0.0))
    assert share == pytest.approx(1 - kept / len(weights), abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(matrices(), matrices(3, 3), st.integers(1, 3), st.integers(1, 3))
def test_repeated_elements_are_a_kronecker_product(matrix, other, height, width):
    with tf.Graph().as_default(), tf.Session() as session:
        expanded = pruning_utils.expand_tensor(tf.constant(matrix), [height, width])
        product = pruning_utils.kronecker_product(tf.constant(matrix), tf.constant(other))
        found, found_product = session.run([expanded, product])
    np.testing.assert_array_equal(found, np.kron(matrix, np.ones((height, width))))
    np.testing.assert_array_equal(found_product, np.kron(matrix, other))


@settings(max_examples=15, deadline=None)
@given(matrices(5, 5), st.integers(1, 3), st.integers(1, 3), st.sampled_from(["AVG", "MAX"]))
def test_pooling_in_turn_is_pooling_at_once(matrix, height, width, kind):
    # Averages of averages are those of blocks only if all blocks are whole.
    matrix = np.kron(matrix, np.ones((height, width), np.float32)) if kind == "AVG" else matrix
    with tf.Graph().as_default(), tf.Session() as session:
        in_turn = pruning_utils.factorized_pool(tf.constant(matrix), [height, width], kind, [height, width], "SAME")
        image = tf.constant(matrix[None, :, :, None])
        at_once = tf.nn.pool(image, [height, width], kind, "SAME", strides=[height, width])
        found, expected = session.run([in_turn, at_once])
    np.testing.assert_allclose(found, expected[0, :, :, 0], rtol=1e-5, atol=1e-5)


def test_blocks_of_each_weight_have_its_size():
    # TF 1.15: the size of the first weight is that of all others, too.
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.create_global_step()
        wide = tf.get_variable("wide", initializer=np.arange(12, dtype=np.float32).reshape(2, 6))
        tall = tf.get_variable("tall", initializer=np.arange(12, dtype=np.float32).reshape(6, 2))
        masked = [pruning.apply_mask(wide, "wide"), pruning.apply_mask(tall, "tall")]
        spec = pruning.get_pruning_hparams().parse("block_height=-1,block_width=1")
        update = pruning.Pruning(spec, sparsity=0.5).mask_update_op()
        session.run(tf.global_variables_initializer())
        session.run(update)
        found = session.run(masked)
    assert [np.any(column) for column in found[0].T] == [False] * 3 + [True] * 3
    assert [np.any(column) for column in found[1].T] == [False, True]


def test_summaries_of_weights_in_parts_have_their_names():
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2)):
            pruning.apply_mask(tf.get_variable("w", [4, 2]), "m")
        pruning.Pruning().add_pruning_summaries()
        assert "model_pruning_summaries/a/m/mask/sparsity" in [op.name for op in graph.get_operations()]


@pytest.mark.parametrize(
    ("hyperparameters", "reason"),
    [
        ("begin_pruning_step=-1", "Illegal value for begin_pruning_step"),
        ("begin_pruning_step=9,end_pruning_step=8", "Pruning must begin before it can end"),
        ("sparsity_function_begin_step=-2", "Illegal value for sparsity_function_begin_step"),
        ("sparsity_function_begin_step=100", "Sparsity function requires begin_step < end_step"),
        ("threshold_decay=1.0", r"threshold_decay must be in range \[0,1\)"),
        ("initial_sparsity=1.5", "initial_sparsity must be in range"),
        ("target_sparsity=-0.1", "target_sparsity must be in range"),
        ("weight_sparsity_map=[w:1.0]", "Weight sparsity can not exceed"),
        ("block_dims_map=[w:1x2x3]", "Expected 2 values for block dim for w"),
    ],
)
def test_hyperparameters_are_checked(hyperparameters, reason):
    with tf.Graph().as_default():
        tf.train.create_global_step()
        with pytest.raises(ValueError, match=reason):
            pruning.Pruning(pruning.get_pruning_hparams().parse(hyperparameters))


@pytest.mark.parametrize(
    ("hyperparameters", "reason"),
    [
        ("weight_sparsity_map=[w:0.1,.*:0.2]", "Multiple matches in weight_sparsity_map for weight w"),
        ("block_dims_map=[w:1x2,.*:2x2]", "Multiple matches in block_dims_map for weight w"),
        ("block_width=2,block_pooling_function=MIN", "Unknown pooling function for block sparsity: MIN"),
    ],
)
def test_weights_need_clear_hyperparameters(hyperparameters, reason):
    with tf.Graph().as_default():
        tf.train.create_global_step()
        pruning.apply_mask(tf.get_variable("w", [4, 4]))
        made = pruning.Pruning(pruning.get_pruning_hparams().parse(hyperparameters))
        with pytest.raises(ValueError, match=reason):
            made.mask_update_op()


def test_layers_refuse_other_inputs():
    with tf.Graph().as_default():
        for rank in (3, 5):
            with pytest.raises(ValueError, match="Sparse Convolution not supported"):
                pruning.masked_convolution(tf.zeros([2] * rank), 2, 1)
        with pytest.raises(ValueError, match="Unsupported data format"):
            pruning.masked_convolution(tf.zeros([2] * 4), 2, 1, data_format="NWC")
        with pytest.raises(ValueError, match="Invalid data_format"):
            pruning.masked_convolution(tf.zeros([2] * 4), 2, 1, data_format="CHW")
        with pytest.raises(ValueError, match="num_outputs should be int"):
            pruning.masked_fully_connected(tf.zeros([2, 2]), 2.5)


def test_no_checkpoint_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="Could not find a checkpoint"):
        pruning.graph_def_from_checkpoint(str(tmp_path), ["out"])


def test_training_updates_masks_after_each_step(tmp_path):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        outputs = pruning.masked_fully_connected(tf.ones([2, 4]), 3, activation_fn=None)
        loss = tf.reduce_mean(tf.square(outputs - 1.0))
        train_op = tf.contrib.slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
        spec = pruning.get_pruning_hparams().parse("pruning_frequency=1,sparsity_function_end_step=3")
        update = pruning.Pruning(spec, global_step=step).conditional_mask_update_op()
        pruning.train(train_op, str(tmp_path), update, number_of_steps=4, log_every_n_steps=0)
    mask = tf.train.load_variable(str(tmp_path), "fully_connected/mask")
    assert np.mean(mask == 0) == 0.5

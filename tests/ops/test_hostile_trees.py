"""Ops of trees refuse sizes that no memory has, and survive messages with extreme numbers."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.framework.apply import apply_op
from ferroflow.core.kernels.boosted_trees.boosted_trees_pb2 import TreeEnsemble

raw = tf.raw_ops
_REFUSED = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)
HUGE = 1 << 62


def _ensemble(message=None):
    trees = raw.BoostedTreesEnsembleResourceHandleOp()
    serialized = (message or TreeEnsemble()).SerializeToString()
    create = raw.BoostedTreesCreateEnsemble(
        tree_ensemble_handle=trees, stamp_token=2**63 - 1, tree_ensemble_serialized=serialized
    )
    return trees, create


def _streams(count):
    streams = raw.BoostedTreesQuantileStreamResourceHandleOp()
    create = raw.BoostedTreesCreateQuantileStreamResource(
        quantile_stream_resource_handle=streams, epsilon=0.1, num_streams=count
    )
    return streams, create


def _many_streams():
    return [_streams(HUGE)[1]]


def _many_quantiles():
    streams, create = _streams(1)
    values = raw.BoostedTreesMakeQuantileSummaries(float_values=[[1.0, 2.0]], example_weights=[1.0], epsilon=0.1)
    add = raw.BoostedTreesQuantileStreamResourceAddSummaries(
        quantile_stream_resource_handle=streams, summaries=values.summaries if hasattr(values, "summaries") else values
    )
    flush = raw.BoostedTreesQuantileStreamResourceFlush(
        quantile_stream_resource_handle=streams, num_buckets=HUGE, generate_quantiles=True
    )
    return [create, add, flush]


@pytest.mark.parametrize("op", ["predict", "training"])
@pytest.mark.parametrize("batch", [0, 1])
def test_many_logits_are_refused(op, batch):
    trees, create = _ensemble()
    features = [tf.zeros([batch], tf.int32)]
    if op == "predict":
        step = raw.BoostedTreesPredict(tree_ensemble_handle=trees, bucketized_features=features, logits_dimension=HUGE)
    else:
        step = raw.BoostedTreesTrainingPredict(
            tree_ensemble_handle=trees,
            cached_tree_ids=features[0],
            cached_node_ids=features[0],
            bucketized_features=features,
            logits_dimension=HUGE,
        )
    with tf.Session() as session:
        session.run(create)
        with pytest.raises(tf.errors.InvalidArgumentError, match="logits_dimension must be in"):
            session.run(step)


def _statistics(splits):
    """Returns functions that make steps with statistics of so many splits."""
    columns = [tf.zeros([1, 1]), tf.zeros([1, 1])]
    sizes = {"max_splits": splits, "num_buckets": 1 << 20}
    parts = {"node_ids": [0], "gradients": columns[0], "hessians": columns[1]}
    return [
        lambda: raw.BoostedTreesMakeStatsSummary(bucketized_features_list=[[0]], **parts, **sizes),
        lambda: raw.BoostedTreesAggregateStats(feature=[[0]], **parts, **sizes),
    ]


@pytest.mark.parametrize("splits", [1 << 30, (1 << 31) - 1])
def test_many_statistics_are_refused(splits):
    with tf.Session() as session:
        for make in _statistics(splits):
            step = make()
            with pytest.raises(_REFUSED):
                session.run(step)


@pytest.mark.parametrize("splits", [HUGE, 1 << 40])
def test_more_splits_than_32_bits_hold_are_refused(splits):
    with tf.Session() as session:
        for make in _statistics(splits):
            with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="out of range for an int32"):
                session.run(make())


@pytest.mark.parametrize("steps", [_many_streams, _many_quantiles])
def test_many_quantiles_are_refused(steps):
    *before, last = steps()
    with tf.Session() as session:
        for step in before:
            session.run(step)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be at most"):
            session.run(last)


def _tree(outputs):
    tree = apply_op("RandomTreeHandle", [], {}).outputs[0]
    sizes = {"max_nodes": 9, "split_after_samples": 1, "num_splits_to_consider": 2}
    return tree, apply_op("RandomTreeCreate", [tree, b""], {"num_outputs": outputs, **sizes})


def test_a_random_tree_has_as_many_outputs_as_its_predictions():
    tree, create = _tree(2)
    with tf.Session() as session:
        session.run(create)
        for outputs in (3, HUGE):
            predict = apply_op("RandomTreePredict", [tree, tf.zeros([1, 2])], {"num_outputs": outputs})
            with pytest.raises(tf.errors.InvalidArgumentError, match="num_outputs"):
                session.run(predict)
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_outputs must be at most"):
            session.run(_tree(HUGE)[1])
        with pytest.raises(_REFUSED):
            session.run(apply_op("RandomTreeFeatureUsage", [tree], {"num_features": 1 << 42}))


def test_counts_of_a_message_do_not_overflow():
    message = TreeEnsemble(tree_weights=[1.0])
    message.trees.add().nodes.add().leaf.scalar = 1.0
    message.tree_metadata.add(num_layers_grown=2**31 - 1)
    message.growing_metadata.MergeFrom(
        type(message.growing_metadata)(num_trees_attempted=2**63 - 1, num_layers_attempted=2**63 - 1)
    )
    trees, create = _ensemble(message)
    column = np.zeros([1, 1], np.float32)
    grow = raw.BoostedTreesUpdateEnsemble(
        tree_ensemble_handle=trees,
        feature_ids=[0],
        node_ids=[[0]],
        gains=[[1.0]],
        thresholds=[[1]],
        left_node_contribs=[column],
        right_node_contribs=[column],
        max_depth=3,
        learning_rate=0.1,
        pruning_mode=0,
    )
    with tf.Session() as session:
        session.run(create)
        session.run(grow)
        stamp, serialized = session.run(raw.BoostedTreesSerializeEnsemble(tree_ensemble_handle=trees))
    assert stamp == -(2**63)
    assert len(TreeEnsemble.FromString(serialized).trees) == 2


@pytest.mark.parametrize("bounds", [(np.inf, 1.0), (-np.inf, np.inf), (np.nan, 1.0), (-1e38, 1e38), (1e38, -1e38)])
def test_levels_of_extreme_ranges(bounds):
    levels = tf.constant([-(2**31), -1, 0, 2**31 - 1])
    with tf.Session() as session:
        found = session.run(
            raw.Requantize(
                input=tf.bitcast(levels, tf.qint32),
                input_min=bounds[0],
                input_max=bounds[1],
                requested_output_min=-1.0,
                requested_output_max=np.float32(1.0),
                out_type=tf.quint8,
            )
        )
        assert found[0].shape == (4,)
        few = tf.bitcast(tf.constant([0, 7, 255], tf.uint8), tf.quint8)
        for top in (np.inf, np.nan, 1e38, 6.0):
            capped = session.run(
                raw.QuantizedReluX(
                    features=few, max_value=top, min_features=bounds[0], max_features=bounds[1], out_type=tf.quint8
                )
            )
            assert capped[0].shape == (3,)

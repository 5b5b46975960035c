"""Ops of boosted trees have TensorFlow 1.15.5's results, to the bit, and refuse inputs that would write elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.boosted_tree_op_programs import results
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.core.kernels.boosted_trees.boosted_trees_pb2 import DebugOutput, TreeEnsemble

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "boosted_trees.json").read_text(encoding="utf-8"))["ops"]
raw = tf.raw_ops
STUMP = TreeEnsemble(tree_weights=[0.5])
STUMP.tree_metadata.add(num_layers_grown=1, is_finalized=True)
_nodes = STUMP.trees.add().nodes
_nodes.add().bucketized_split.MergeFrom(type(_nodes.add().bucketized_split)(threshold=1, left_id=1, right_id=2))
_nodes[1].leaf.scalar = 0.5
_nodes.add().leaf.scalar = -0.25


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as opened:
        yield opened


@pytest.fixture(scope="module")
def found():
    return json.loads(json.dumps(results(tf)))


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(found, name):
    assert found[name] == GOLDEN[name]


def handle(name):
    return raw.BoostedTreesEnsembleResourceHandleOp(container="", shared_name=name, name=name)


def made(session, message=STUMP, name="trees"):
    values = {"stamp_token": 4, "tree_ensemble_serialized": message.SerializeToString()}
    session.run(raw.BoostedTreesCreateEnsemble(tree_ensemble_handle=handle(name), **values))
    return handle(name)


def predict(trees, buckets, dimension=1):
    values = {"bucketized_features": [tf.constant(buckets, tf.int32)], "logits_dimension": dimension}
    return raw.BoostedTreesPredict(tree_ensemble_handle=trees, **values)


def test_an_ensemble_must_be_created(session):
    assert not session.run(raw.IsBoostedTreesEnsembleInitialized(tree_ensemble_handle=handle("none")))
    with pytest.raises(tf.errors.NotFoundError, match="BoostedTreesEnsembleResourceE does not exist"):
        session.run(predict(handle("none"), [1]))
    assert session.run(raw.IsBoostedTreesEnsembleInitialized(tree_ensemble_handle=made(session)))


def test_a_second_creation_does_nothing(session):
    made(session)
    made(session, TreeEnsemble())
    assert session.run(predict(handle("trees"), [1, 2])).tolist() == [[0.25], [-0.125]]
    stamp, serialized = session.run(raw.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle("trees")))
    assert (stamp, serialized) == (4, STUMP.SerializeToString())


def test_logits_of_more_dimensions(session):
    assert session.run(predict(made(session), [1, 2], 2)).tolist() == [[0.25, 0.0], [-0.125, 0.0]]


def test_the_path_of_an_example(session):
    values = {"bucketized_features": [[2]], "logits_dimension": 1}
    (path,) = session.run(raw.BoostedTreesExampleDebugOutputs(tree_ensemble_handle=made(session), **values))
    assert DebugOutput.FromString(path) == DebugOutput(feature_ids=[0], logits_path=[0.0, -0.125])


def test_messages_that_are_no_trees_are_refused(session):
    values = {"stamp_token": 1, "tree_ensemble_serialized": b"\xff\xff\xff"}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to parse tree ensemble proto"):
        session.run(raw.BoostedTreesDeserializeEnsemble(tree_ensemble_handle=made(session), **values))


@pytest.mark.parametrize("change", ["loop", "child", "feature", "empty"])
def test_trees_that_lead_nowhere_are_refused(session, change):
    message = TreeEnsemble.FromString(STUMP.SerializeToString())
    split = message.trees[0].nodes[0].bucketized_split
    if change == "loop":
        split.left_id = 0
    elif change == "child":
        split.right_id = 7
    elif change == "feature":
        split.feature_id = 3
    else:
        del message.trees[0].nodes[:]
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(predict(made(session, message), [1]))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=200),
    st.sampled_from([0.01, 0.1, 0.5]),
    st.integers(2, 30),
)
def test_boundaries_are_sorted_values_from_the_least_to_the_greatest(values, epsilon, count):
    with tf.Graph().as_default(), tf.Session() as session:
        streams = raw.BoostedTreesQuantileStreamResourceHandleOp(container="", shared_name="s", name="s")
        of = {"quantile_stream_resource_handle": streams}
        session.run(
            raw.BoostedTreesCreateQuantileStreamResource(**of, epsilon=epsilon, num_streams=1, max_elements=1000)
        )
        made = raw.BoostedTreesMakeQuantileSummaries(float_values=[values], example_weights=[1.0], epsilon=epsilon)
        session.run(raw.BoostedTreesQuantileStreamResourceAddSummaries(**of, summaries=made))
        session.run(raw.BoostedTreesQuantileStreamResourceFlush(**of, num_buckets=count))
        (found,) = session.run(raw.BoostedTreesQuantileStreamResourceGetBucketBoundaries(**of, num_features=1))
        buckets = session.run(raw.BoostedTreesBucketize(float_values=[values], bucket_boundaries=[found]))[0]
    numbers = np.array(values, np.float32)
    assert (np.diff(found) > 0).all()
    assert (found[0], found[-1]) == (numbers.min(), numbers.max())
    assert set(found) <= set(numbers)
    np.testing.assert_array_equal(buckets, np.searchsorted(found, numbers))


def test_nodes_beyond_the_sums_are_refused(session):
    column = tf.constant([[1.0]])
    values = {"gradients": column, "hessians": column, "bucketized_features_list": [[0]]}
    for node in (-1, 2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="node_ids must be in"):
            session.run(raw.BoostedTreesMakeStatsSummary(node_ids=[node], **values, max_splits=2, num_buckets=2))

"""Ops of boosted trees on random inputs: boundaries, buckets, sums, gains, and ensembles that grow."""

import numpy as np


def _ensemble(tf, name):
    return tf.raw_ops.BoostedTreesEnsembleResourceHandleOp(container="", shared_name=name, name=name)


def _streams(tf, name):
    return tf.raw_ops.BoostedTreesQuantileStreamResourceHandleOp(container="", shared_name=name, name=name)


def boundaries(tf, session, seed):
    """Returns summaries of a batch, and the boundaries of several batches."""
    random = np.random.RandomState(seed)
    epsilon = float(random.choice([0.01, 0.05, 0.1, 0.3]))
    parts, size = random.randint(1, 5), random.randint(1, 400)
    handle = _streams(tf, f"streams_{seed}")
    session.run(
        tf.raw_ops.BoostedTreesCreateQuantileStreamResource(
            quantile_stream_resource_handle=handle, epsilon=epsilon, num_streams=2, max_elements=1 << 40
        )
    )
    summary = []
    for _ in range(parts):
        values = random.normal(size=(2, size)).astype(np.float32)
        values[1] = np.round(values[1] * 3)
        weights = random.randint(0, 3, size).astype(np.float32) if random.rand() < 0.5 else np.ones(1, np.float32)
        made = tf.raw_ops.BoostedTreesMakeQuantileSummaries(
            float_values=[tf.constant(v) for v in values], example_weights=tf.constant(weights), epsilon=epsilon
        )
        summary = session.run(made)
        session.run(
            tf.raw_ops.BoostedTreesQuantileStreamResourceAddSummaries(
                quantile_stream_resource_handle=handle, summaries=[tf.constant(s) for s in summary]
            )
        )
    session.run(
        tf.raw_ops.BoostedTreesQuantileStreamResourceFlush(
            quantile_stream_resource_handle=handle,
            num_buckets=int(random.randint(3, 20)),
            generate_quantiles=bool(seed % 2),
        )
    )
    found = session.run(
        tf.raw_ops.BoostedTreesQuantileStreamResourceGetBucketBoundaries(
            quantile_stream_resource_handle=handle, num_features=2
        )
    )
    numbers = [tf.constant(random.normal(size=9).astype(np.float32)) for _ in range(2)]
    buckets = session.run(
        tf.raw_ops.BoostedTreesBucketize(float_values=numbers, bucket_boundaries=[tf.constant(f) for f in found])
    )
    return [[f.tolist() for f in summary], [f.tolist() for f in found], [b.tolist() for b in buckets]]


def growth(tf, session, seed):
    """Returns the states, the logits and the message of an ensemble that grows from random statistics."""
    random = np.random.RandomState(seed)
    raw = tf.raw_ops
    handle = _ensemble(tf, f"ensemble_{seed}")
    session.run(raw.BoostedTreesCreateEnsemble(tree_ensemble_handle=handle, stamp_token=3, tree_ensemble_serialized=""))
    depth, features, buckets, batch = int(random.randint(1, 4)), 2, 4, 12
    splits = (1 << depth) - 1
    pruning = int(random.randint(0, 3))
    places = [np.zeros(batch, np.int32), np.full(batch, -1, np.int32)]
    if seed % 2:
        center = raw.BoostedTreesCenterBias(
            tree_ensemble_handle=handle, mean_gradients=[[0.5]], mean_hessians=[[0.25]], l1=0.0, l2=0.5
        )
        session.run(center)
    found = []
    for _ in range(5):
        vectors = [tf.constant(random.randint(0, buckets, batch).astype(np.int32)) for _ in range(features)]
        partial, *places = session.run(
            raw.BoostedTreesTrainingPredict(
                tree_ensemble_handle=handle,
                cached_tree_ids=tf.constant(places[0]),
                cached_node_ids=tf.constant(places[1]),
                bucketized_features=vectors,
                logits_dimension=1,
            )
        )
        states = session.run(raw.BoostedTreesGetEnsembleStates(tree_ensemble_handle=handle))
        first, second = random.normal(size=(batch, 1)), random.uniform(0.1, 1.0, (batch, 1))
        sums = raw.BoostedTreesMakeStatsSummary(
            node_ids=tf.constant(places[1]),
            gradients=tf.constant(first.astype(np.float32)),
            hessians=tf.constant(second.astype(np.float32)),
            bucketized_features_list=vectors,
            max_splits=splits,
            num_buckets=buckets,
        )
        split = raw.BoostedTreesCalculateBestGainsPerFeature(
            node_id_range=tf.constant(states[4]),
            stats_summary_list=tf.unstack(sums),
            l1=float(random.choice([0.0, 0.3])),
            l2=float(random.choice([0.0, 0.2])),
            tree_complexity=1.0 if pruning else 0.0,
            min_node_weight=float(random.choice([0.0, 1.0])),
            max_splits=splits,
        )
        nodes, gains, thresholds, left, right = session.run(split)
        session.run(
            raw.BoostedTreesUpdateEnsemble(
                tree_ensemble_handle=handle,
                feature_ids=[4, 1] if seed % 3 == 0 else [0, 1],
                node_ids=[tf.constant(n) for n in nodes],
                gains=[tf.constant(n) for n in gains],
                thresholds=[tf.constant(n) for n in thresholds],
                left_node_contribs=[tf.constant(n) for n in left],
                right_node_contribs=[tf.constant(n) for n in right],
                max_depth=depth,
                learning_rate=0.5,
                pruning_mode=pruning,
            )
        )
        found.append([partial.tolist(), [p.tolist() for p in places], [s.tolist() for s in states]])
        found.append([[n.tolist() for n in part] for part in (nodes, gains, thresholds, left, right)])
        if seed % 3 == 0:
            break
    stamp, serialized = session.run(raw.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle))
    return [found, int(stamp), serialized.hex()]


def best_split(tf, session, seed):
    """Returns sums by dimension, and the best split of each node."""
    random = np.random.RandomState(seed)
    batch, buckets, dimensions = 20, 3, 2
    sums = tf.raw_ops.BoostedTreesAggregateStats(
        node_ids=tf.constant(random.randint(0, 3, batch).astype(np.int32)),
        gradients=tf.constant(random.normal(size=(batch, 1)).astype(np.float32)),
        hessians=tf.constant(random.uniform(0.1, 1.0, (batch, 1)).astype(np.float32)),
        feature=tf.constant(random.randint(-1, buckets, (batch, dimensions)).astype(np.int32)),
        max_splits=3,
        num_buckets=buckets,
    )
    kind = "equality" if seed % 2 else "inequality"
    split = tf.raw_ops.BoostedTreesCalculateBestFeatureSplit(
        node_id_range=[0, 3],
        stats_summary=sums,
        l1=0.1,
        l2=0.2,
        tree_complexity=0.05,
        min_node_weight=1.0,
        logits_dimension=1,
        split_type=kind,
    )
    found = session.run([sums, *split])
    return [[v.decode() for v in f.tolist()] if f.dtype == object else f.tolist() for f in found]


def results(tf):
    """Returns the results by name."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = {f"{f.__name__} {seed}": f(tf, session, seed) for f in (boundaries, best_split) for seed in range(8)}
        return {**made, **{f"growth {seed}": growth(tf, session, seed) for seed in range(12)}}

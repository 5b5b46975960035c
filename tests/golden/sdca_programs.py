"""Ops of stochastic dual coordinate ascent on inputs whose results do not depend on the order of the examples."""

import itertools

import numpy as np

LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")


def _bits(array):
    return np.ravel(array).view(np.int32).tolist()


def pass_over(tf, session, loss, labels, columns=0, l1=0.0, l2=1.0, partitions=1, version=2, adaptive=False):
    """Returns the bits of one pass over examples without a common feature; one example may have dense ones."""
    random = np.random.RandomState(3)
    count = len(labels)
    features = np.arange(3 * count, dtype=np.int64) + 2
    op, name = (tf.raw_ops.SdcaOptimizer, "adaptative") if version == 1 else (tf.raw_ops.SdcaOptimizerV2, "adaptive")
    state, sparse, dense = op(
        sparse_example_indices=[np.repeat(np.arange(count, dtype=np.int64), 3)],
        sparse_feature_indices=[features],
        sparse_feature_values=[random.normal(size=3 * count).astype(np.float32)],
        dense_features=[random.normal(size=(count, columns)).astype(np.float32)] if columns else [],
        example_weights=np.array([1.0, 2.0, 0.5, 0.0, 3.0][:count], np.float32),
        example_labels=np.array(labels, np.float32),
        sparse_indices=[np.arange(3 * count + 2, dtype=np.int64)],
        sparse_weights=[random.normal(size=3 * count + 2).astype(np.float32)],
        dense_weights=[random.normal(size=columns).astype(np.float32)] if columns else [],
        example_state_data=random.uniform(0, 0.1, (count, 4)).astype(np.float32),
        loss_type=loss,
        l1=l1,
        l2=l2,
        num_loss_partitions=partitions,
        num_inner_iterations=1,
        **{name: adaptive},
    )
    return [_bits(array) for array in session.run([state, *sparse, *dense])]


def shrunk(tf, session):
    """Returns the bits of weights after the proximal step."""
    variable = tf.Variable([3.0, -3.0, 0.5, 0.0, -0.2, float("inf")])
    session.run(variable.initializer)
    session.run(tf.raw_ops.SdcaShrinkL1(weights=[variable], l1=2.0, l2=4 / 3))
    return _bits(session.run(variable))


def fingerprints(tf, session):
    """Returns the fingerprints of texts with 0 to 399 bytes."""
    texts = [bytes((i * 7 + j * 13) % 251 for j in range(i)) for i in range(400)]
    return [[str(number) for number in row] for row in session.run(tf.raw_ops.SdcaFprint(input=texts)).tolist()]


def results(tf):
    """Returns the results of all programs by name."""
    found = {}
    with tf.Graph().as_default(), tf.Session() as session:
        for loss in LOSSES:
            for columns, (l1, l2, partitions) in itertools.product((0, 3, 20), ((0.0, 1.0, 1), (0.3, 2.0, 4))):
                case = (columns, l1, l2, partitions)
                found[f"{loss} {case}"] = pass_over(tf, session, loss, [1.0], *case)
            found[f"{loss} of five"] = pass_over(tf, session, loss, [0.0, 1.0, 1.0, 0.0, 1.0])
            found[f"{loss} adaptive"] = pass_over(tf, session, loss, [0.0], version=1, adaptive=True)
        found["shrunk"] = shrunk(tf, session)
        found["fingerprints"] = fingerprints(tf, session)
    return found

"""Writes random.txt: what TensorFlow's random ops give for fixed seeds, as bits.

Usage: python make_random.py [--check]   (needs TensorFlow 2.x; the committed file was made with 2.21.0 on glibc Linux)

Each line of random.txt is `<case> <run> <value> ...`: run counts the executions of the op within one session,
floats are the hexadecimal of their IEEE bits, integers are decimal. Lines `sha256 <case> <hex>` hash the
little-endian bytes of 1,000,003 values, or of as many as the case says. Unless it says otherwise, the op has
seed=1, seed2=2.
"""

import argparse
import hashlib
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

OUTPUT = pathlib.Path(__file__).with_name("random.txt")
RUNS = 3
SEEDS = {"seed": 1, "seed2": 2}
LARGE = 1_000_003
raw = tf.raw_ops


def session_config():
    # TensorFlow's multinomial depends on the thread count; one thread is the order we follow.
    return tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


def words(array):
    """The values of one output as text: hex bits of floats, decimal integers."""
    array = np.asarray(array).reshape(-1)
    if array.dtype.kind in "iu":
        return [str(value) for value in array]
    unsigned = array.view(f"u{array.dtype.itemsize}")
    return [f"{int(bits):0{2 * array.dtype.itemsize}x}" for bits in unsigned]


def dtype_tag(dtype):
    return {"half": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}[dtype]


def op_cases():
    """(name, function that builds the output tensor in a graph whose seed is 1)."""
    cases = []
    for dtype in ("float32", "float64", "half", "bfloat16"):
        tag = dtype_tag(dtype)
        for kind, op in (
            ("uniform", raw.RandomUniform),
            ("normal", raw.RandomStandardNormal),
            ("truncated", raw.TruncatedNormal),
        ):
            for count in (8, 10, 1):
                cases.append(
                    (
                        f"{kind}_{tag}_{count}",
                        lambda op=op, count=count, dtype=dtype: op(shape=[count], dtype=dtype, **SEEDS),
                    )
                )
    for name, low, high, dtype in (
        ("uniform_i32_0_10", 0, 10, tf.int32),
        ("uniform_i32_-5_100", -5, 100, tf.int32),
        ("uniform_i32_all", -(2**31), 2**31 - 1, tf.int32),
        ("uniform_i64_0_1e12", 0, 10**12, tf.int64),
        ("uniform_i64_all", -(2**63), 2**63 - 1, tf.int64),
    ):
        cases.append(
            (
                name,
                lambda low=low, high=high, dtype=dtype: raw.RandomUniformInt(
                    shape=[8], minval=tf.constant(low, dtype), maxval=tf.constant(high, dtype), **SEEDS
                ),
            )
        )
    cases += [
        ("uniform_f32_scaled_-3_5", lambda: tf.random_uniform([8], -3.0, 5.0, seed=2)),
        ("normal_f32_scaled_mean_5_stddev_0.5", lambda: tf.random_normal([4], 5.0, 0.5, seed=2)),
        ("truncated_f32_scaled_stddev_0.1", lambda: tf.truncated_normal([4], stddev=0.1, seed=2)),
        ("shuffle_10", lambda: raw.RandomShuffle(value=tf.range(10), **SEEDS)),
        ("shuffle_1", lambda: raw.RandomShuffle(value=tf.range(1), **SEEDS)),
        ("shuffle_rows_6x2", lambda: raw.RandomShuffle(value=tf.reshape(tf.range(12), [6, 2]), **SEEDS)),
        ("crop_2x2_of_6x6", lambda: tf.random_crop(tf.reshape(tf.range(36), [6, 6]), [2, 2], seed=2)),
        ("dropout_keep_0.5", lambda: tf.nn.dropout(tf.ones([8]), keep_prob=0.5, seed=2)),
        ("dropout_keep_0.9", lambda: tf.nn.dropout(tf.ones([16]), keep_prob=0.9, seed=2)),
        ("multinomial_f32_8", lambda: raw.Multinomial(logits=multinomial_logits(np.float32), num_samples=8, **SEEDS)),
        ("multinomial_f64_7", lambda: raw.Multinomial(logits=multinomial_logits(np.float64), num_samples=7, **SEEDS)),
        (
            "multinomial_f32_masked_6",
            lambda: raw.Multinomial(
                logits=np.array([[0.0, -np.inf, 1.0, np.nan, 2.0]], np.float32),
                num_samples=6,
                output_dtype=tf.int32,
                **SEEDS,
            ),
        ),
    ]
    for dtype in ("float32", "float64", "half"):
        cases.append(
            (
                f"gamma_{dtype_tag(dtype)}_4x3",
                lambda dtype=dtype: raw.RandomGamma(shape=[4], alpha=tf.constant([0.5, 1.0, 2.5], dtype), **SEEDS),
            )
        )
    cases.append(
        (
            "gamma_f64_40x4",
            lambda: raw.RandomGamma(shape=[40], alpha=tf.constant([0.05, 0.99, 1.3, 100.0], tf.float64), **SEEDS),
        )
    )
    cases.append(
        (
            "poisson_f32_f32_6x2",
            lambda: raw.RandomPoissonV2(shape=[6], rate=tf.constant([2.0, 20.0]), dtype=tf.float32, **SEEDS),
        )
    )
    cases.append(
        (
            "poisson_f64_i64_60x5",
            lambda: raw.RandomPoissonV2(
                shape=[60], rate=tf.constant([0.1, 9.9, 10.0, 33.5, 1e6], tf.float64), dtype=tf.int64, **SEEDS
            ),
        )
    )
    cases.append(
        (
            "poisson_i32_i32_4x2",
            lambda: raw.RandomPoissonV2(shape=[4], rate=tf.constant([3, 50], tf.int32), dtype=tf.int32, **SEEDS),
        )
    )
    cases.append(
        (
            "poisson_f16_f16_4x2",
            lambda: raw.RandomPoissonV2(shape=[4], rate=tf.constant([3, 50], tf.half), dtype=tf.half, **SEEDS),
        )
    )
    for seed in ([1, 2], [-1, 2**40]):
        name = "stateless_{}_{}".format(*seed)
        cases.append(
            (f"{name}_uniform_f32_4", lambda seed=seed: tf.random.stateless_uniform([4], tf.constant(seed, tf.int64)))
        )
        cases.append(
            (f"{name}_normal_f32_4", lambda seed=seed: tf.random.stateless_normal([4], tf.constant(seed, tf.int64)))
        )
        cases.append(
            (
                f"{name}_truncated_f64_4",
                lambda seed=seed: tf.random.stateless_truncated_normal(
                    [4], tf.constant(seed, tf.int64), dtype=tf.float64
                ),
            )
        )
    return cases


def multinomial_logits(dtype):
    return np.log(np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]], dtype))


def seed_cases():
    """(name with the op's attributes seed and seed2, graph seed, op seed, which op of the graph): the seed rules."""
    return [
        ("uniform_f32_seeds_87654321_2", None, 2, 0),
        ("uniform_f32_seeds_1_0", 1, None, 0),
        ("uniform_f32_seeds_1_1", 1, None, 1),
        ("uniform_f32_seeds_0_2147483647", 0, 0, 0),
        ("uniform_f32_seeds_1_2147483646", 1, -1, 0),
    ]


def candidate_cases():
    """(name, sampler op, true classes, attributes): each gives three outputs."""
    cases = []
    for kind, op in (("log_uniform", raw.LogUniformCandidateSampler), ("uniform", raw.UniformCandidateSampler)):
        for unique in (True, False):
            for sampled, limit in ((8, 100), (30, 32)):
                cases.append(
                    (
                        f"candidates_{kind}_{'unique' if unique else 'repeated'}_{sampled}_of_{limit}",
                        op,
                        [[3, 0], [7, 31]],
                        {"num_true": 2, "num_sampled": sampled, "unique": unique, "range_max": limit, **SEEDS},
                    )
                )
    return cases


def run_lines(name, build, graph_seed=1):
    graph = tf.Graph()
    with graph.as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        output = build()
    with tf.Session(graph=graph, config=session_config()) as session:
        for run in range(RUNS):
            yield " ".join([name, str(run), *words(session.run(output))])


def lines():
    yield f"# TensorFlow {tf.__version__}; written by make_random.py, which says how to read it. Do not edit."
    for name, build in op_cases():
        yield from run_lines(name, build)
    for name, graph_seed, op_seed, which in seed_cases():

        def build(op_seed=op_seed, which=which):
            return [tf.random_uniform([4], seed=op_seed) for _ in range(which + 1)][which]

        yield from run_lines(name, build, graph_seed)
    for name, op, true_classes, attributes in candidate_cases():
        graph = tf.Graph()
        with graph.as_default():
            output = op(true_classes=tf.constant(true_classes, tf.int64), **attributes)
        with tf.Session(graph=graph, config=session_config()) as session:
            for run in range(RUNS):
                sampled, true_count, sampled_count = session.run(list(output))
                yield " ".join([f"{name}_ids", str(run), *words(sampled)])
                yield " ".join([f"{name}_true_count", str(run), *words(true_count)])
                yield " ".join([f"{name}_sampled_count", str(run), *words(sampled_count)])
    for name, build in large_cases():
        with tf.Graph().as_default(), tf.Session(config=session_config()) as session:
            values = session.run(build())
        yield f"sha256 {name} {hashlib.sha256(values.tobytes()).hexdigest()}"


def large_cases():
    """(name, function that builds a large output tensor), of which only the hash is kept."""
    cases = []
    for dtype in ("float32", "float64", "half", "bfloat16"):
        for kind, op in (
            ("uniform", raw.RandomUniform),
            ("normal", raw.RandomStandardNormal),
            ("truncated", raw.TruncatedNormal),
        ):
            cases.append(
                (f"{kind}_{dtype_tag(dtype)}", lambda op=op, dtype=dtype: op(shape=[LARGE], dtype=dtype, **SEEDS))
            )
    rates = [3.0, 30.0, 3000.0]
    logits = [[(row * 7 + column * 3) % 17 for column in range(9)] for row in range(1000)]
    return [
        *cases,
        ("uniform_i32_0_10", lambda: raw.RandomUniformInt(shape=[LARGE], minval=0, maxval=10, **SEEDS)),
        ("shuffle", lambda: raw.RandomShuffle(value=tf.range(LARGE), **SEEDS)),
        (
            "gamma_f64_100000x3",
            lambda: raw.RandomGamma(shape=[100_000], alpha=tf.constant([0.3, 1.0, 2.5], tf.float64), **SEEDS),
        ),
        (
            "poisson_f64_i64_100000x3",
            lambda: raw.RandomPoissonV2(shape=[100_000], rate=tf.constant(rates, tf.float64), dtype=tf.int64, **SEEDS),
        ),
        (
            "multinomial_f32_1000x101",
            lambda: raw.Multinomial(logits=tf.constant(logits, tf.float32), num_samples=101, **SEEDS),
        ),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with random.txt instead of writing it")
    arguments = parser.parse_args()
    fresh = list(lines())
    if not arguments.check:
        OUTPUT.write_text("\n".join(fresh) + "\n")
        return
    # The first line names the version that wrote the file.
    fresh, committed = fresh[1:], OUTPUT.read_text().splitlines()[1:]
    differing = sorted({line.split()[0] for line in set(fresh) ^ set(committed)})
    if differing:
        sys.exit(f"random.txt differs from TensorFlow {tf.__version__}: {', '.join(differing)}")


if __name__ == "__main__":
    main()

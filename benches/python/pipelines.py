"""Times whole input pipelines, and prints the records that each library reads in a second.

    python benches/python/pipelines.py [--tensorflow1 PYTHON] [--tensorflow2 PYTHON] [--threads 2] [--rounds 3]

The libraries run by turns, each in a process of its own, on the same files. A rate is the best of the rounds. Ratios
are ferroflow's rate divided by the other library's: above 1, ferroflow is faster.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from libraries import LIBRARIES, load

# Seconds that one pipeline runs for, after its first batches.
_BUDGET = 2.0
_WARM_UP = 4
_PICTURES, _LINES = 256, 20_000


def write_files(tf: Any, folder: Path) -> None:
    """Writes what the pipelines read: pictures of 320 x 240 points, lines of words, numbers, and Examples."""
    random = np.random.RandomState(0)
    feature, features = tf.train.Feature, tf.train.Features
    with tf.Graph().as_default(), tf.Session() as session:
        pixels = tf.placeholder(tf.float32, [15, 20, 3])
        large = tf.image.resize_images(pixels, [240, 320], tf.image.ResizeMethod.BICUBIC)
        jpeg = tf.image.encode_jpeg(tf.cast(tf.clip_by_value(large, 0.0, 255.0), tf.uint8), quality=90)
        with tf.python_io.TFRecordWriter(str(folder / "pictures")) as writer:
            for number in range(_PICTURES):
                encoded = session.run(jpeg, {pixels: random.uniform(0, 255, [15, 20, 3])})
                fields = {
                    "picture": feature(bytes_list=tf.train.BytesList(value=[encoded])),
                    "label": feature(int64_list=tf.train.Int64List(value=[number % 10])),
                }
                writer.write(tf.train.Example(features=features(feature=fields)).SerializeToString())
    words = [f"word{number}" for number in range(5000)]
    with open(folder / "text", "w", encoding="utf-8") as lines:
        for count in random.randint(3, 30, _LINES):
            lines.write(" ".join(random.choice(words, count)) + "\n")
    with open(folder / "numbers", "w", encoding="utf-8") as lines:
        for row in random.randn(_LINES, 10):
            cells = [*(f"{x:.5f}" for x in row[:8]), str(int(100 * row[8])), words[int(50 * abs(row[9]))]]
            lines.write(",".join(cells) + "\n")
    with tf.python_io.TFRecordWriter(str(folder / "examples")) as writer:
        for number in range(_LINES):
            fields = {
                "dense": feature(float_list=tf.train.FloatList(value=random.randn(16))),
                "ids": feature(int64_list=tf.train.Int64List(value=random.randint(0, 1000, number % 8))),
                "label": feature(int64_list=tf.train.Int64List(value=[number % 2])),
            }
            writer.write(tf.train.Example(features=features(feature=fields)).SerializeToString())


def pictures(tf: Any, folder: str, threads: int) -> tuple[Any, int]:
    """Returns the batches of pictures, decoded, cropped, flipped and resized, and the size of a batch."""
    fields = {"picture": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}

    def read(record: Any) -> tuple[Any, Any]:
        parsed = tf.parse_single_example(record, fields)
        picture = tf.image.decode_jpeg(parsed["picture"], channels=3)
        picture = tf.image.random_flip_left_right(tf.random_crop(picture, [208, 208, 3], seed=1), seed=2)
        return tf.image.resize_images(picture, [224, 224]) / 255.0 - 0.5, parsed["label"]

    dataset = tf.data.TFRecordDataset(f"{folder}/pictures").repeat().shuffle(64, seed=3)
    return dataset.map(read, num_parallel_calls=threads).batch(32).prefetch(2), 32


def text(tf: Any, folder: str, threads: int) -> tuple[Any, int]:
    """Returns the batches of the numbers of words, padded, and the size of a batch."""

    def read(line: Any) -> Any:
        return tf.string_to_hash_bucket_fast(tf.string_split([line]).values, 5000)

    dataset = tf.data.TextLineDataset(f"{folder}/text").repeat().shuffle(1000, seed=3)
    return dataset.map(read, num_parallel_calls=threads).padded_batch(64, [None]).prefetch(2), 64


def numbers(tf: Any, folder: str, threads: int) -> tuple[Any, int]:
    """Returns the batches of lines of ten columns, and the size of a batch."""
    defaults = [[0.0]] * 8 + [[0], [""]]
    dataset = tf.data.TextLineDataset(f"{folder}/numbers").repeat().shuffle(1000, seed=3).batch(128)
    return dataset.map(lambda lines: tf.decode_csv(lines, defaults), num_parallel_calls=threads).prefetch(2), 128


def examples(tf: Any, folder: str, threads: int) -> tuple[Any, int]:
    """Returns the batches of parsed Examples, and the size of a batch."""
    fields = {
        "dense": tf.FixedLenFeature([16], tf.float32),
        "ids": tf.VarLenFeature(tf.int64),
        "label": tf.FixedLenFeature([], tf.int64),
    }
    dataset = tf.data.TFRecordDataset(f"{folder}/examples").repeat().shuffle(1000, seed=3).batch(128)
    return dataset.map(lambda records: tf.parse_example(records, fields), num_parallel_calls=threads).prefetch(2), 128


PIPELINES = {"pictures": pictures, "text": text, "CSV": numbers, "Examples": examples}


def rates(library: str, folder: str, threads: int) -> dict[str, float]:
    """Returns the records a second of each pipeline."""
    tf = load(library)
    found = {}
    for name, build in PIPELINES.items():
        config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            dataset, batch = build(tf, folder, threads)
            # Nothing is copied out of the session.
            step = tf.group(*(tf.identity(part).op for part in _parts(tf, dataset.make_one_shot_iterator().get_next())))
            for _ in range(_WARM_UP):
                session.run(step)
            began, steps = time.perf_counter(), 0
            while time.perf_counter() - began < _BUDGET:
                session.run(step)
                steps += 1
            found[name] = steps * batch / (time.perf_counter() - began)
    return found


def _parts(tf: Any, element: Any) -> list[Any]:
    if isinstance(element, dict):
        return [part for value in element.values() for part in _parts(tf, value)]
    if isinstance(element, tf.SparseTensor):
        return [element.values]
    if isinstance(element, (tuple, list)):
        return [part for value in element for part in _parts(tf, value)]
    return [element]


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow1", help="an interpreter that has TensorFlow 1.15")
    parser.add_argument("--tensorflow2", help="an interpreter that has TensorFlow 2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(rates(*args.worker, args.threads)))
        return
    pythons = {"ferroflow": sys.executable, "tensorflow1": args.tensorflow1, "tensorflow2": args.tensorflow2}
    pythons = {library: python for library, python in pythons.items() if python}
    best: dict[str, dict[str, float]] = {library: dict.fromkeys(PIPELINES, 0.0) for library in pythons}
    with tempfile.TemporaryDirectory() as folder:
        write_files(load("ferroflow"), Path(folder))
        for _ in range(args.rounds):
            for library, python in pythons.items():
                worker = ["--worker", library.rstrip("12"), folder, "--threads", str(args.threads)]
                done = subprocess.run([python, __file__, *worker], stdout=subprocess.PIPE, check=True)
                for name, rate in json.loads(done.stdout.splitlines()[-1]).items():
                    best[library][name] = max(best[library][name], rate)
    others = [library for library in pythons if library != "ferroflow"]
    heads = [*(LIBRARIES[library] for library in pythons), *(f"to {LIBRARIES[library]}" for library in others)]
    print(f"| pipeline, records a second | {' | '.join(heads)} |\n|" + "---|" * (1 + len(heads)))
    ratios: dict[str, list[float]] = {library: [] for library in others}
    for name in PIPELINES:
        for library in others:
            ratios[library].append(best["ferroflow"][name] / best[library][name])
        cells = [f"{best[library][name]:,.0f}" for library in pythons]
        cells += [f"{ratios[library][-1]:.2f}" for library in others]
        print(f"| {name} | {' | '.join(cells)} |")
    means = [f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}" for found in ratios.values()]
    print(f"| geometric mean | {' | '.join([*[''] * len(pythons), *means])} |")


if __name__ == "__main__":
    main()

"""Times kernels beside what the machine does at most, and prints the share that each reaches.

    python benches/python/limits.py [--threads 2] [--kernels REGEX]

Products and convolutions are compared with fused multiply-adds in registers. Other kernels are compared with a plain
copy of as many bytes: each element of the inputs is read once, and each of the result is written once. The program
`peaks` measures these limits before and after the kernels. Winograd's convolution needs fewer products than its
definition, so that its share may be above 1.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ferroflow as tf

_ROOT = Path(__file__).parents[2]
# Seconds for one kernel.
_BUDGET = 1.0


class Kernel(NamedTuple):
    """A kernel, and the work that its definition asks for."""

    build: Callable[[], Any]
    # Operations on floats, for kernels limited by products; bytes read and written for the others.
    operations: float = 0.0
    moved: float = 0.0
    dtype: str = "float32"


def _variable(*shape: int, dtype: str = "float32") -> Any:
    values = np.random.default_rng(len(shape)).standard_normal(shape)
    return tf.Variable(values.astype(dtype), trainable=False)


def _product(rows: int, inner: int, columns: int, dtype: str = "float32", transposed: bool = False) -> Kernel:
    right = (columns, inner) if transposed else (inner, columns)

    def build() -> Any:
        return tf.matmul(_variable(rows, inner, dtype=dtype), _variable(*right, dtype=dtype), transpose_b=transposed)

    return Kernel(build, operations=2.0 * rows * inner * columns, dtype=dtype)


def _products(count: int, rows: int, inner: int, columns: int) -> Kernel:
    def build() -> Any:
        return tf.matmul(_variable(count, rows, inner), _variable(count, inner, columns))

    return Kernel(build, operations=2.0 * count * rows * inner * columns)


def _convolution(picture: tuple[int, ...], window: tuple[int, ...], stride: int = 1, by: int | None = None) -> Kernel:
    """Returns a convolution with padding SAME; with `by` its gradient by the picture (0) or by the filter (1)."""
    rank = len(picture) - 2
    strides = stride if rank == 1 else [1, *[stride] * rank, 1]
    convolve = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}[rank]
    points = picture[0] * int(np.prod([-(-size // stride) for size in picture[1:-1]]))

    def build() -> Any:
        operands = [_variable(*picture), _variable(*window)]
        y = convolve(*operands, strides, "SAME")
        return y if by is None else tf.gradients(y, operands[by], _variable(*y.shape.as_list()))[0]

    return Kernel(build, operations=2.0 * points * float(np.prod(window)))


def _moving(function: Callable[..., Any], *shapes: tuple[int, ...], out: int | None = None, size: int = 4) -> Kernel:
    """Returns a kernel of float32 variables, with `out` results of `size` bytes: as many as the first has if None."""
    elements = [int(np.prod(shape)) for shape in shapes]

    def build() -> Any:
        return function(*(_variable(*shape) for shape in shapes))

    return Kernel(build, moved=4.0 * sum(elements) + size * (elements[0] if out is None else out))


def _rows() -> Any:
    return tf.constant(np.random.default_rng(0).integers(0, 200_000, 100_000).astype(np.int32))


_BIG = (4096, 4096)
_PICTURES = (32, 56, 56, 64)
KERNELS: dict[str, Kernel] = {
    "product 512": _product(512, 512, 512),
    "product 1024": _product(1024, 1024, 1024),
    "product 2048": _product(2048, 2048, 2048),
    "product 1024, right operand transposed": _product(1024, 1024, 1024, transposed=True),
    "product 4096x4096x87": _product(4096, 4096, 87),
    "product 1024, float64": _product(1024, 1024, 1024, "float64"),
    "64 products 128x64x128": _products(64, 128, 64, 128),
    "convolution 3x3, 16x56x56x64 to 64": _convolution((16, 56, 56, 64), (3, 3, 64, 64)),
    "its gradient by the picture": _convolution((16, 56, 56, 64), (3, 3, 64, 64), by=0),
    "its gradient by the filter": _convolution((16, 56, 56, 64), (3, 3, 64, 64), by=1),
    "convolution 3x3, stride 2, 16x56x56x64 to 128": _convolution((16, 56, 56, 64), (3, 3, 64, 128), 2),
    "its gradient by the picture (stride 2)": _convolution((16, 56, 56, 64), (3, 3, 64, 128), 2, by=0),
    "its gradient by the filter (stride 2)": _convolution((16, 56, 56, 64), (3, 3, 64, 128), 2, by=1),
    "convolution 3x3, 16x7x7x512 to 512": _convolution((16, 7, 7, 512), (3, 3, 512, 512)),
    "convolution 7x7, stride 2, 8x224x224x3 to 64": _convolution((8, 224, 224, 3), (7, 7, 3, 64), 2),
    "convolution 1x1, 32x28x28x256 to 128": _convolution((32, 28, 28, 256), (1, 1, 256, 128)),
    "convolution 5x5, 64x28x28x32 to 64": _convolution((64, 28, 28, 32), (5, 5, 32, 64)),
    "convolution 5x5, stride 2, 64x32x32x64 to 128": _convolution((64, 32, 32, 64), (5, 5, 64, 128), 2),
    "convolution of 3 dimensions, 4x16x28x28x32 to 32": _convolution((4, 16, 28, 28, 32), (3, 3, 3, 32, 32)),
    "convolution of 1 dimension, 32x1000x64 to 64": _convolution((32, 1000, 64), (5, 64, 64)),
    "vector times matrix 4096x4096": _moving(tf.matmul, (1, 4096), _BIG),
    "sum of two, 4096x4096": _moving(tf.add, _BIG, _BIG),
    "relu, 4096x4096": _moving(tf.nn.relu, _BIG),
    "choice by a comparison, 4096x4096": _moving(lambda x, y: tf.where(x > y, x, y), _BIG, _BIG),
    "to float16, 4096x4096": _moving(lambda x: tf.cast(x, tf.float16), _BIG, size=2),
    "to int32, 4096x4096": _moving(lambda x: tf.cast(x, tf.int32), _BIG),
    "row added, 4096x4096": _moving(tf.add, _BIG, (4096,)),
    "column multiplied, 4096x4096": _moving(tf.multiply, _BIG, (4096, 1)),
    "sums of rows, 4096x4096": _moving(lambda x: tf.reduce_sum(x, 1), _BIG, out=4096),
    "sums of columns, 4096x4096": _moving(lambda x: tf.reduce_sum(x, 0), _BIG, out=4096),
    "largest of columns, 4096x4096": _moving(lambda x: tf.argmax(x, 0), _BIG, out=4096),
    "transposed, 4096x4096": _moving(tf.transpose, _BIG),
    "reversed, 4096x4096": _moving(lambda x: tf.reverse(x, [0]), _BIG),
    "concatenated, 2 of 4096x2048": _moving(lambda x, y: tf.concat([x, y], 1), (4096, 2048), (4096, 2048), out=1 << 24),
    "padded by 1, 32x56x56x64": _moving(lambda x: tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), _PICTURES),
    "100,000 of 200,000 rows of 64": Kernel(lambda: tf.gather(_variable(200_000, 64), _rows()), moved=2.0 * 4 * 6.4e6),
    "softmax, 4096x4096": _moving(tf.nn.softmax, _BIG),
    "max pool 2x2, 32x56x56x64": _moving(
        lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), _PICTURES, out=32 * 28 * 28 * 64
    ),
    "depthwise 3x3, 32x56x56x64": _moving(
        lambda x, w: tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME"), _PICTURES, (3, 3, 64, 1)
    ),
}


def peaks(threads: int) -> dict[str, float]:
    """Returns what the machine does at most: operations per second by dtype, and bytes per second of a copy."""
    command = ["cargo", "run", "--release", "--quiet", "--package", "ferroflow-peaks", "--", str(threads)]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def seconds(kernel: Kernel, threads: int) -> float:
    """Returns the least seconds of a step that runs the kernel alone, less those of a step that does nothing."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        result = kernel.build().op
        nothing = tf.no_op()
        sess.run(tf.global_variables_initializer())

        def least(op: Any) -> float:
            step = sess.make_callable(op)
            times = []
            end = time.perf_counter() + _BUDGET
            while len(times) < 5 or time.perf_counter() < end:
                start = time.perf_counter()
                step()
                times.append(time.perf_counter() - start)
            return min(times)

        return least(result) - least(nothing)


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kernels", default="", help="regular expression of names")
    args = parser.parse_args()
    before = peaks(args.threads)
    rows = []
    for name, kernel in KERNELS.items():
        if re.search(args.kernels, name):
            rows.append((name, kernel, seconds(kernel, args.threads)))
    after = peaks(args.threads)
    most = {key: max(before[key], after[key]) for key in before}
    print(
        f"{args.threads} threads: {most['float32'] / 1e9:.0f} GFLOP/s float32, {most['float64'] / 1e9:.0f} float64; "
        f"copy {most['copy'] / 1e9:.1f} GB/s\n\n| kernel | ms | rate | share |\n|---|---|---|---|"
    )
    for name, kernel, took in rows:
        work, limit, unit = (
            (kernel.operations, most[kernel.dtype], "GFLOP/s")
            if kernel.operations
            else (kernel.moved, most["copy"], "GB/s")
        )
        print(f"| {name} | {took * 1e3:.2f} | {work / took / 1e9:.1f} {unit} | {work / took / limit:.2f} |")


if __name__ == "__main__":
    main()

"""Prints a digest of the bits that each op record with its gradient, each matrix function and each model computes.

`python digests.py THREADS [PART ...]` prints a line for each: its name and 16 digits. FERROFLOW_CPU chooses the CPU.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from instruction_sets.models import MODELS
from ops.cases.catalog import RECORDS
from ops.cases.record import REAL_FLOATS, Record, Values, Variant

import ferroflow as tf
from ferroflow import _core

# Sizes beside the records' own, which fill no vector: rows with tails at every width, enough elements for threads.
_WIDE = ((67, 1029), (1029,), (67, 1))


def _digest(values: list[Any]) -> str:
    digest = hashlib.sha256()
    for value in values:
        array = np.asarray(value)
        digest.update(repr(array.tolist()).encode() if array.dtype.kind in "OS" else array.tobytes())
    return digest.hexdigest()[:16]


def _variants(record: Record) -> Iterator[Variant]:
    yield from record.variants
    first = record.variants[0]
    if record.shapes == "fixed" or not all(isinstance(value, Values) for value in first.inputs):
        return
    shapes = [_WIDE[0]] * len(first.inputs) if record.shapes == "any" else _WIDE[: len(first.inputs)]
    for variant in record.variants:
        inputs = [Values(shape, v.low, v.high, v.dtype) for v, shape in zip(variant.inputs, shapes, strict=False)]
        yield Variant(tuple(inputs), variant.arguments)


def _with_denormals(values: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Makes two of three numbers so small that they, or their products with others, are denormal."""
    if values.dtype.kind not in "fc":
        return values
    least = np.finfo(values.dtype).tiny
    return np.where(rng.random(values.shape) < 2 / 3, (values * least).astype(values.dtype), values)


def _record_digest(record: Record, dtype: str, config: Any, *, tiny: bool = False) -> str:
    """Returns the digest of all results, and of the gradients where the op has them; with denormal inputs if `tiny`."""
    values: list[Any] = []
    for number, variant in enumerate(_variants(record)):
        rng = np.random.default_rng(number)
        with tf.Graph().as_default():
            drawn = [spec.draw(rng, dtype) for spec in variant.inputs]
            inputs = [tf.constant(_with_denormals(array, rng) if tiny else array) for array in drawn]
            result = record.function(*inputs, **variant.arguments)
            fetches = list(result) if isinstance(result, (list, tuple)) else [result]
            reals = [fetch for fetch in fetches if fetch.dtype.is_floating]
            if dtype in REAL_FLOATS:
                sources = [inputs[i] for i in record.differentiable if i < len(inputs)]
                fetches += [g for g in tf.gradients([tf.sin(r) for r in reals], sources) if g is not None]
            fetches = [tf.convert_to_tensor(fetch) for fetch in fetches]
            with tf.Session(config=config) as session:
                try:
                    # The sign of a NaN that an instruction makes is the instruction's choice.
                    values += [np.where(v != v, np.nan, v) if tiny else v for v in session.run(fetches)]
                except tf.errors.OpError as error:
                    if not tiny:
                        raise
                    values.append(type(error).__name__)
    return _digest(values)


_MATRICES: dict[str, Callable[[Any], Any]] = {
    "product": lambda a: tf.matmul(a, a, adjoint_b=True),
    "cholesky": lambda a: tf.cholesky(tf.matmul(a, a, adjoint_b=True) + 9 * tf.eye(137, dtype=a.dtype)),
    "determinant": tf.matrix_determinant,
    "inverse": tf.matrix_inverse,
    "solve": lambda a: tf.matrix_solve(a, a[:, :5]),
    "qr": tf.qr,
    "svd": tf.svd,
    "eigen": lambda a: tf.self_adjoint_eig(a + tf.linalg.adjoint(a)),
    "fourier": lambda a: tf.fft(tf.cast(a, tf.complex128 if a.dtype.real_dtype == tf.float64 else tf.complex64)),
}


def _matrix_digest(name: str, dtype: str, config: Any) -> str:
    """Returns the digest of a function of a matrix that is larger than any block of the factorizations."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        draw = np.random.RandomState(5)
        matrix = draw.uniform(-1, 1, (137, 137)) + (1j * draw.uniform(-1, 1, (137, 137)) if "complex" in dtype else 0)
        result = _MATRICES[name](tf.constant(matrix.astype(dtype)))
        return _digest(session.run(list(result) if isinstance(result, (list, tuple)) else [result]))


def _model_digest(name: str, config: Any) -> str:
    """Returns the digest of five losses and of all variables after five training steps."""
    with tf.Graph().as_default():
        tf.set_random_seed(11)
        loss, optimizer = MODELS[name](np.random.RandomState(3))
        train = optimizer.minimize(loss)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run([loss, train])[0] for _ in range(5)]
            return _digest([*losses, *session.run(tf.global_variables())])


def main() -> None:
    """Prints the lines."""
    warnings.simplefilter("ignore")
    tf.logging.set_verbosity(tf.logging.ERROR)
    threads = int(sys.argv[1])
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    if threads > 1:
        # All that may run side by side does so.
        _core.assume_time(50_000)
    parts = sys.argv[2:] or ["records", "denormals", "matrices", "models"]
    for i, record in enumerate(RECORDS if "records" in parts else ()):
        for dtype in record.dtypes:
            print(f"{record.name}-{i}-{dtype}", _record_digest(record, dtype, config))
    for i, record in enumerate(RECORDS if "denormals" in parts else ()):
        for dtype in [dtype for dtype in record.dtypes if dtype in ("float32", "float64", "complex64")]:
            print(f"{record.name}-{i}-{dtype}-denormal", _record_digest(record, dtype, config, tiny=True))
    for name in _MATRICES if "matrices" in parts else ():
        for dtype in ("float32", "float64", "complex64", "complex128"):
            print(f"matrix-{name}-{dtype}", _matrix_digest(name, dtype, config))
    for name in MODELS if "models" in parts else ():
        print(f"model-{name}", _model_digest(name, config))


if __name__ == "__main__":
    main()

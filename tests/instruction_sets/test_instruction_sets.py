"""Law: every op and every model has the same bits with every instruction set, at any number of threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ferroflow

_PROGRAM = Path(__file__).with_name("digests.py")
_GOLDEN = Path(__file__).parents[1] / "golden" / "bits.json"
_CPU = Path("/proc/cpuinfo")
_HAS_AVX2 = _CPU.exists() and " avx2 " in _CPU.read_text(encoding="utf-8")


def _run(cpu: str, *command: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(ferroflow.__file__).parents[1])
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": root, "FERROFLOW_CPU": cpu},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )


def _digests(choice: tuple[str, int]) -> dict[str, str]:
    cpu, threads = choice
    lines = _run(cpu, str(_PROGRAM), str(threads)).stdout.splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)


@pytest.mark.timeout(600)
def test_bits_are_the_same_with_every_instruction_set() -> None:
    # A CPU without AVX-512 computes the first with AVX2.
    with ThreadPoolExecutor() as pool:
        widest, narrower, portable = pool.map(_digests, [("avx512", 1), ("avx2", 4), ("portable", 2)])
    assert sum(name.startswith("model-") for name in widest) == 20
    assert len(widest) > 2000
    assert sum(name.endswith("-denormal") for name in widest) > 500
    for other in (narrower, portable):
        assert [name for name in widest if widest[name] != other[name]] == []
        assert widest.keys() == other.keys()


@pytest.mark.skipif(not _HAS_AVX2, reason="factorizations and Fourier transforms have other bits on CPUs without AVX2")
def test_bits_are_those_of_another_machine() -> None:
    # Made on an AMD CPU with AVX2, and compared on an Intel CPU with AVX-512. The digest of `speech` is newer: CTC
    # no longer calls the logarithm of the C library. So are those of `gaussian_process`, whose small triangular systems
    # multiply by inverses of pivots, and of `qr`, which reflects row by row up to 256 rows. These were made on one AMD
    # CPU, under avx2 and portable; and so were those of matrices over 16 rows, since their products use AVX2, and those
    # of the model `inception`, since LRN takes roots of float32. Six models whose softmax or cross entropy has up to 32
    # classes, `attention` among them, were made on one Intel CPU with each of the three instruction sets. So was
    # `gaussian_process` again, since small Cholesky factors round as TensorFlow 1.15: under avx2 and portable.
    golden = json.loads(_GOLDEN.read_text(encoding="utf-8"))
    digests = _run("avx512", str(_PROGRAM), "2", "matrices", "models").stdout.splitlines()
    assert dict(line.rsplit(" ", 1) for line in digests) == golden


def test_an_unknown_instruction_set_is_reported() -> None:
    done = _run("avx1024", "-c", "import ferroflow as tf; tf.Session().run(tf.matmul([[1.0]], [[2.0]]))")
    assert "FERROFLOW_CPU" in done.stderr
    assert "avx1024" in done.stderr

"""Times every op that has a record in tests/ops/cases, forward and gradient, against TensorFlow, worst ratio first.

    PYTHONPATH=tests python benches/python/survey.py --tensorflow /path/to/python [--cases REGEX] [--rounds 2]
        [--highest N --lowest N]

Each case is a graph that ferroflow builds from the record and saves as a GraphDef. Both libraries run this graph by
turns, each in a process of its own, with variables as inputs so that nothing is a constant. Times are medians in
microseconds, the best of the rounds. A new record needs no more work: survey_sizes.py derives its sizes.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import survey_sizes
from ops.cases import decomposition
from ops.cases.catalog import FAMILIES
from ops.cases.record import Given, Record, Variant, dtype_name

import ferroflow as tf

# Cases that run in one process: short enough that a drift of the machine's speed meets both libraries.
CHUNK = 24


def _dtype(record: Record) -> str:
    preferred = ("float32", "int32", "complex64", "string", "bool")
    return next((dtype for dtype in preferred if dtype in record.dtypes), record.dtypes[0])


def _title(record: Record, variant: Variant, dtype: str) -> str:
    shapes = ", ".join("x".join(map(str, survey_sizes.shape_of(x))) or "scalar" for x in variant.inputs)
    arguments = ", ".join(f"{k}={v}" for k, v in variant.arguments.items() if k not in ("padding",))
    return f"`{record.name}` {dtype} ({shapes}{'; ' + arguments if arguments else ''})"


def _save(folder: Path, name: str, record: Record, variant: Variant, dtype: str) -> None:
    """Writes the files of a case; raises what the op raises for a call that does not fit it."""
    rng = np.random.default_rng(11)
    feeds: dict[str, Any] = {}
    targets: dict[str, list[str]] = {}
    with tf.Graph().as_default() as graph:
        inputs, starts = [], []
        for number, value in enumerate(variant.inputs):
            array = value.draw(rng, dtype)
            if isinstance(value, Given) and array.size <= 16:
                inputs.append(tf.constant(array))
                continue
            start = tf.placeholder(dtype_name(array), array.shape, f"start_{number}")
            feeds[f"start_{number}"] = array
            inputs.append(tf.Variable(start, use_resource=False, name=f"input_{number}"))
            starts.append(inputs[-1].initializer)
        results = record.function(*inputs, **variant.arguments)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        results = [x for r in results for x in ([r.values] if isinstance(r, tf.SparseTensor) else [r])]
        targets["forward"] = sorted({r.op.name for r in results})
        if record.differentiable:
            wanted = [inputs[i] for i in record.differentiable if i < len(inputs)]
            ys = [r for r in results if r.dtype.is_floating or r.dtype.is_complex]
            # The gradients given are variables as well: gradients of constants could be constants.
            with tf.Session(graph=graph) as sess:
                sess.run(starts, {key + ":0": value for key, value in feeds.items()})
                given = [np.ones(y.shape, y.dtype) for y in sess.run(ys)]
            seeds = []
            for number, (y, value) in enumerate(zip(ys, given, strict=True)):
                start = tf.placeholder(y.dtype, value.shape, f"start_gradient_{number}")
                feeds[f"start_gradient_{number}"] = value
                seeds.append(tf.Variable(start, use_resource=False, name=f"gradient_{number}"))
                starts.append(seeds[-1].initializer)
            grads = tf.gradients(ys, wanted, grad_ys=[seed.read_value() for seed in seeds])
            grads = [g.values if isinstance(g, tf.IndexedSlices) else g for g in grads if g is not None]
            targets["gradient"] = sorted({g.op.name for g in grads})
        tf.group(*starts, name="init")
        with tf.Session(graph=graph) as sess:
            sess.run("init", {key + ":0": value for key, value in feeds.items()})
            for operations in targets.values():
                sess.run(operations)
    definition = graph.as_graph_def()
    (folder / f"{name}.pb").write_bytes(definition.SerializeToString())
    (folder / f"{name}.json").write_text(json.dumps(targets))
    np.savez(folder / f"{name}.npz", **feeds)


def write_cases(folder: Path, pattern: str) -> Iterator[tuple[str, str]]:
    """Writes the cases whose titles match and yields their file names and titles; says which records have none."""
    seen = set()
    for family in FAMILIES:
        elements = survey_sizes.MATRIX_ELEMENTS if family is decomposition else survey_sizes.ELEMENTS
        for record in family.RECORDS:
            found = False
            for variant in survey_sizes.calls(record, elements):
                dtype = _dtype(record)
                title = _title(record, variant, dtype)
                if title in seen or not re.search(pattern, title):
                    found = True
                    continue
                name = f"case_{len(seen)}"
                try:
                    _save(folder, name, record, variant, dtype)
                except (ValueError, TypeError, tf.errors.OpError):
                    continue
                seen.add(title)
                found = True
                yield name, title
                if not survey_sizes.has_several(record):
                    break
            if not found:
                print(f"no call of a measurable size: {record.name}", file=sys.stderr)


def _run(python: str, library: str, folder: Path, names: list[str], threads: int) -> dict[str, Any]:
    worker = str(Path(__file__).with_name("survey_worker.py"))
    command = [python, worker, library, str(folder), str(threads), *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(folder: Path, names: list[str], pythons: dict[str, str], rounds: int, threads: int) -> dict[str, Any]:
    """Returns the best times by library, case and kind."""
    best: dict[str, dict[str, dict[str, Any]]] = {library: {} for library in pythons}
    for start in range(0, len(names), CHUNK):
        chunk = names[start : start + CHUNK]
        for _ in range(rounds):
            for library, python in pythons.items():
                for name, times in _run(python, library, folder, chunk, threads).items():
                    old = best[library].setdefault(name, times)
                    for kind, time in times.items():
                        if not isinstance(time, str) and not isinstance(old[kind], str):
                            old[kind] = min(old[kind], time)
        print(f"{start + len(chunk)} of {len(names)}", file=sys.stderr, flush=True)
    return best


def _time(us: float) -> str:
    return f"{us / 1000:.2f} ms" if us >= 1000 else f"{us:.1f} us"


def summary(ratios: list[float]) -> str:
    """Returns how many ratios there are, their mean, and how many are low or high."""
    mean = math.exp(sum(map(math.log, ratios)) / max(len(ratios), 1))
    below = sum(ratio <= 0.8 for ratio in ratios) / max(len(ratios), 1)
    above = sum(ratio > 1.05 for ratio in ratios)
    return f"{len(ratios)} calls: geometric mean {mean:.2f}, {below:.0%} at most 0.8, {above} above 1.05."


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="", help="regular expression of titles")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tensorflow", required=True, help="an interpreter that has TensorFlow, 1.15 or 2")
    parser.add_argument("--highest", type=int, help="number of highest ratios to print; all without it")
    parser.add_argument("--lowest", type=int, default=0, help="number of lowest ratios to print after the highest")
    parser.add_argument("--out", help="a file for all times as JSON")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        titles = dict(write_cases(folder, args.cases))
        pythons = {"ferroflow": sys.executable, "tensorflow": args.tensorflow}
        best = measure(folder, list(titles), pythons, args.rounds, args.threads)
    rows, failed = [], []
    for name, title in titles.items():
        for kind, ours in best["ferroflow"][name].items():
            theirs = best["tensorflow"][name].get(kind, "no time")
            if isinstance(ours, str) or isinstance(theirs, str):
                failed.append((title, kind, ours if isinstance(ours, str) else theirs))
            else:
                rows.append((ours / theirs, title, kind, ours, theirs))
    rows.sort(reverse=True)
    if args.out:
        Path(args.out).write_text(json.dumps({"rows": rows, "failed": failed}, indent=0))
    if failed:
        print("\n".join(f"not timed: {title}, {kind}: {error}" for title, kind, error in failed), file=sys.stderr)
    print(summary([row[0] for row in rows]))
    print("\n| op, dtype, shapes | pass | ferroflow | TensorFlow | ratio |\n|---|---|---|---|---|")
    shown = rows if args.highest is None else rows[: args.highest] + rows[max(len(rows) - args.lowest, args.highest) :]
    for ratio, title, kind, ours, theirs in shown:
        print(f"| {title} | {kind} | {_time(ours)} | {_time(theirs)} | {ratio:.2f} |")


if __name__ == "__main__":
    main()

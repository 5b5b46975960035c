"""Times the graphs of a folder with one library, under Python 3.7 and later, and prints the times as JSON.

    python survey_worker.py LIBRARY FOLDER THREADS NAME...

Each case is three files of the folder: `NAME.pb`, a GraphDef; `NAME.npz`, the values fed to the initializer `init`;
`NAME.json`, the operations run as targets, so that no result is copied to NumPy.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from libraries import load

# Seconds of measured steps for a case; one sample is at least a few milliseconds.
BUDGET = 0.15
SAMPLE = 0.003


def time_step(step: Callable[[], Any]) -> float:
    """Returns the median microseconds of a step over samples of several steps each."""
    step()
    start = time.perf_counter()
    step()
    took = time.perf_counter() - start
    if took > BUDGET:
        return took * 1e6
    repeats = max(1, int(SAMPLE / max(took, 1e-7)))
    samples: list[float] = []
    end = time.perf_counter() + BUDGET
    while time.perf_counter() < end or len(samples) < 3:
        start = time.perf_counter()
        for _ in range(repeats):
            step()
        samples.append((time.perf_counter() - start) / repeats)
    return statistics.median(samples) * 1e6


def time_case(tf: Any, folder: Path, name: str, threads: int) -> dict[str, Any]:
    """Returns the microseconds of each target of a case, or the error that stopped it."""
    graph_def = tf.GraphDef()
    graph_def.ParseFromString((folder / (name + ".pb")).read_bytes())
    targets = json.loads((folder / (name + ".json")).read_text())
    with np.load(str(folder / (name + ".npz")), allow_pickle=True) as values, tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
        with tf.Session(graph=graph, config=config) as sess:
            sess.run("init", {key + ":0": values[key] for key in values.files})
            times = {}
            for kind, operations in targets.items():
                try:
                    fetches = [graph.get_operation_by_name(operation) for operation in operations]
                    times[kind] = time_step(lambda fetches=fetches: sess.run(fetches))
                except Exception as error:  # the case's library may lack a kernel: the table says so
                    times[kind] = f"{type(error).__name__}: {str(error)[:200]}"
            return times


def main() -> None:
    """Times the named cases."""
    library, folder, threads, names = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    tf = load(library)
    results = {}
    for name in names:
        try:
            results[name] = time_case(tf, folder, name, threads)
        except Exception as error:
            results[name] = {"forward": f"{type(error).__name__}: {str(error)[:200]}"}
    print(json.dumps(results))


if __name__ == "__main__":
    main()

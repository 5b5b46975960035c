"""Times one training step of a model with one library, under Python 3.7 and later, and prints the figures as JSON.

python steps_worker.py LIBRARY MODEL small|large THREADS
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from typing import Any

from libraries import load
from models import MODELS

# Seconds of measured steps.
BUDGET = 1.5


def measure(tf: Any, name: str, large: bool, threads: int) -> dict[str, Any]:
    """Returns seconds of building and of the first step, milliseconds of a step, MB of memory, and the first losses."""
    start = time.perf_counter()
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        model = MODELS[name](tf, large)
        init = tf.global_variables_initializer()
    built = time.perf_counter() - start
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    with tf.Session(graph=graph, config=config) as sess:
        sess.run(init)

        def step() -> float:
            return float(sess.run([model.loss, model.train], model.feeds)[0])

        start = time.perf_counter()
        losses = [step()]
        first = time.perf_counter() - start
        losses += [step(), step()]
        samples = []
        end = time.perf_counter() + BUDGET
        while time.perf_counter() < end or len(samples) < 5:
            start = time.perf_counter()
            step()
            samples.append(time.perf_counter() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "build": built,
        "first": first,
        "step": statistics.median(samples) * 1e3,
        "memory": memory,
        "losses": losses,
        "nodes": len(graph.get_operations()),
    }


def main() -> None:
    """Times the named model."""
    library, name, size, threads = sys.argv[1:]
    print(json.dumps(measure(load(library), name, size == "large", int(threads))))


if __name__ == "__main__":
    main()

"""Times one training step of a model with one library, under Python 3.7 and later, and prints the figures as JSON.

python steps_worker.py ferroflow|tensorflow MODEL small|large THREADS
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from libraries import load
from models import MODELS
from step_times import timed


def measure(tf: Any, name: str, large: bool, threads: int) -> dict[str, Any]:
    """Returns seconds of building, the figures of `timed`, and the number of nodes."""
    start = time.perf_counter()
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        model = MODELS[name](tf, large)
        init = tf.global_variables_initializer()
    built = time.perf_counter() - start
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    with tf.Session(graph=graph, config=config) as sess:
        sess.run(init)
        found = timed(lambda: float(sess.run([model.loss, model.train], model.feeds)[0]))
    return {"build": built, **found, "nodes": len(graph.get_operations())}


def main() -> None:
    """Times the named model."""
    library, name, size, threads = sys.argv[1:]
    print(json.dumps(measure(load(library), name, size == "large", int(threads))))


if __name__ == "__main__":
    main()

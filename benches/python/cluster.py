"""Times steps of workers against a parameter server over loopback; given a second interpreter with TensorFlow, of both.

    python benches/python/cluster.py [--tensorflow /path/to/python] [--megabytes 0.1 10] [--workers 1 2] [--rounds 3]

A step reads all parameters, computes a gradient from them at the worker and subtracts it at the parameter server: what
asynchronous training moves. Each task is a process of its own. Times are medians in milliseconds over the steps of all
workers, which run at once; the libraries run by turns, and of the rounds the best counts. Prints a table.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import time
from typing import Any

from libraries import load

# Seconds of steps for a case and round.
BUDGET = 3.0


def unused_ports(count: int) -> list[int]:
    """Ports that nobody uses."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def build(tf: Any, megabytes: float, variables: int, worker: int) -> tuple[list[Any], Any]:
    """The initializers of the parameters and the step."""
    size = int(megabytes * 1e6) // 4 // variables
    updates, starts = [], []
    for i in range(variables):
        with tf.device("/job:ps/task:0"):
            # Initialized from shapes alone: no constant of their size travels.
            parameter = tf.get_variable(
                f"v{i}_of_{size}", [size], tf.float32, tf.zeros_initializer(), use_resource=False
            )
        with tf.device(f"/job:worker/task:{worker}"):
            gradient = parameter * 0.01 + 1.0
        with tf.device("/job:ps/task:0"):
            updates.append(tf.assign_sub(parameter, gradient * 0.1).op)
            starts.append(parameter.initializer)
    return starts, tf.group(*updates)


def work(library: str, cluster: dict[str, list[str]], job: str, index: int, cases: list[tuple[float, int]]) -> None:
    """One task; a worker waits for a line on its input before each case, and prints its median when it ends."""
    tf = load(library)
    server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index)
    print("ready", flush=True)
    if job == "ps":
        server.join()
    filters = ["/job:ps", f"/job:worker/task:{index}"]
    for megabytes, variables in cases:
        with tf.Graph().as_default():
            starts, step = build(tf, megabytes, variables, index)
            with tf.Session(server.target, config=tf.ConfigProto(device_filters=filters)) as sess:
                sys.stdin.readline()
                if index == 0:
                    sess.run(starts)
                print("initialized", flush=True)
                sys.stdin.readline()
                for _ in range(3):
                    sess.run(step)
                samples = []
                end = time.perf_counter() + BUDGET
                while time.perf_counter() < end or len(samples) < 5:
                    start = time.perf_counter()
                    sess.run(step)
                    samples.append(time.perf_counter() - start)
                print(json.dumps({"ms": statistics.median(samples) * 1e3, "steps": len(samples)}), flush=True)


def measure(python: str, library: str, workers: int, cases: list[tuple[float, int]]) -> list[float]:
    """Median milliseconds of a step, case by case, in processes of their own."""
    ports = unused_ports(workers + 1)
    cluster = {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{p}" for p in ports[1:]]}

    def start(job: str, index: int) -> subprocess.Popen[str]:
        task = json.dumps({"library": library, "cluster": cluster, "job": job, "index": index, "cases": cases})
        command = [python, __file__, "--task", task]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    tasks = [start("ps", 0), *(start("worker", i) for i in range(workers))]
    try:
        for task in tasks:
            expect(task, "ready")
        result = []
        for _ in cases:
            for word in ("initialized", None):
                replies = []
                for task in tasks[1:]:
                    tell(task)
                    if word is not None:
                        expect(task, word)
                if word is None:
                    replies = [json.loads(line(task)) for task in tasks[1:]]
                    result.append(statistics.median(r["ms"] for r in replies))
        return result
    finally:
        for task in tasks:
            task.kill()
        for task in tasks:
            task.wait()


def tell(task: subprocess.Popen[str]) -> None:
    """Lets a worker go on."""
    assert task.stdin is not None
    task.stdin.write("\n")
    task.stdin.flush()


def line(task: subprocess.Popen[str]) -> str:
    """What a task says next."""
    assert task.stdout is not None
    said = task.stdout.readline()
    if not said:
        raise RuntimeError(f"a task ended with status {task.wait()}")
    return said


def expect(task: subprocess.Popen[str], word: str) -> None:
    """Waits until a task says that word."""
    while line(task).strip() != word:
        pass


def main() -> None:
    """Runs the cases and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--tensorflow", help="an interpreter that has TensorFlow")
    parser.add_argument("--megabytes", nargs="+", type=float, default=[0.1, 10.0])
    parser.add_argument("--variables", type=int, default=1, help="number of variables that share the megabytes")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.task:
        task = json.loads(arguments.task)
        cases = [(case[0], case[1]) for case in task.pop("cases")]
        work(cases=cases, **task)
        return
    cases = [(m, arguments.variables) for m in arguments.megabytes]
    libraries = {"ferroflow": sys.executable}
    if arguments.tensorflow:
        libraries["tensorflow"] = arguments.tensorflow
    best: dict[tuple[str, int, float], float] = {}
    for _ in range(arguments.rounds):
        for workers in arguments.workers:
            for library, python in libraries.items():
                for (megabytes, _), ms in zip(cases, measure(python, library, workers, cases), strict=True):
                    key = library, workers, megabytes
                    best[key] = min(ms, best.get(key, float("inf")))
    print("| workers | parameters | " + " | ".join(f"{name} ms" for name in libraries) + " | ratio |")
    print("|---|---|" + "---|" * (len(libraries) + 1))
    for workers in arguments.workers:
        for megabytes, _ in cases:
            times = [best[name, workers, megabytes] for name in libraries]
            ratio = f"{times[0] / times[1]:.2f}" if len(times) > 1 else ""
            print(f"| {workers} | {megabytes} MB | " + " | ".join(f"{t:.2f}" for t in times) + f" | {ratio} |")


if __name__ == "__main__":
    main()

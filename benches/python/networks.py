"""Times the exchange of gradients between machines of a slow network, which are network namespaces of this machine.

    sudo python benches/python/networks.py [--workers 2 3] [--megabytes 10 50] [--rate 1gbit]

Each worker, and the parameter server, has a namespace with an interface whose both directions are limited. Prints the
median milliseconds of a step that exchanges so many bytes: by sums over sockets (`FERROFLOW_GROUP`), and by a parameter
server from which each worker reads all parameters and to which it sends as many gradients.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

_STEPS = 8
_TOKEN = "a token of the benches, no secret"


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


@contextlib.contextmanager
def network(machines: int, rate: str) -> Iterator[list[tuple[str, str]]]:
    """Makes namespaces on a bridge; yields their names and addresses, and removes them."""
    base = f"fb{os.getpid() % 10000}"
    found = [(f"{base}n{i}", f"10.77.{os.getpid() % 250}.{i + 1}") for i in range(machines)]
    limit = ("root", "tbf", "rate", rate, "burst", "256kb", "latency", "100ms")
    with contextlib.ExitStack() as stack:
        _run("ip", "link", "add", base, "type", "bridge")
        stack.callback(subprocess.run, ["ip", "link", "del", base])
        _run("ip", "link", "set", base, "up")
        for i, (name, address) in enumerate(found):
            outside = f"{base}v{i}"
            _run("ip", "netns", "add", name)
            stack.callback(subprocess.run, ["ip", "netns", "del", name])
            _run("ip", "link", "add", outside, "type", "veth", "peer", "name", "e0", "netns", name)
            _run("ip", "link", "set", outside, "master", base, "up")
            _run("tc", "qdisc", "add", "dev", outside, *limit)
            inside = ("ip", "netns", "exec", name)
            _run(*inside, "ip", "addr", "add", f"{address}/24", "dev", "e0")
            _run(*inside, "ip", "link", "set", "e0", "up")
            _run(*inside, "ip", "link", "set", "lo", "up")
            _run(*inside, "tc", "qdisc", "add", "dev", "e0", *limit)
        yield found


def _median(step: object) -> float:
    times = []
    for _ in range(_STEPS):
        began = time.perf_counter()
        step()  # type: ignore[operator]  # what `make_callable` returned
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e3


def _task(way: str, megabytes: int, job: str, index: int) -> None:
    """Runs as one task; the first worker prints the median."""
    import ferroflow as tf
    import ferroflow.horovod.tensorflow as hvd

    count = megabytes * 250_000
    if way == "sums":
        hvd.init()
        v = tf.get_variable("v", [count], initializer=tf.ones_initializer())
        step, target = tf.group(hvd.allreduce(v * 1.5, op=hvd.Sum)), ""
    else:
        cluster = json.loads(os.environ["CLUSTER"])
        server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index)
        if job == "ps":
            server.join()
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable(f"v{index}", [count], initializer=tf.ones_initializer(), use_resource=False)
        with tf.device(f"/job:worker/task:{index}"):
            gradient = v * 0.01 + 1.0
        with tf.device("/job:ps/task:0"):
            step, target = tf.assign_sub(v, gradient * 0.1).op, server.target
    with tf.Session(target) as sess:
        sess.run(tf.global_variables_initializer())
        run = sess.make_callable(step)
        run()
        print(f"{_median(run):.1f}", flush=True)


def _measured(way: str, workers: int, megabytes: int, rate: str) -> float:
    with network(workers + 1, rate) as machines, contextlib.ExitStack() as stack:
        addresses = [f"{address}:7000" for _, address in machines]
        started = []
        tasks = [("worker", i) for i in range(workers)] + ([("ps", 0)] if way == "servers" else [])
        for place, (job, index) in enumerate(tasks):
            group = {"addresses": addresses[:workers], "rank": index}
            cluster = {"worker": addresses[:workers], "ps": addresses[workers:]}
            described = {"FERROFLOW_GROUP": json.dumps(group)} if way == "sums" else {"CLUSTER": json.dumps(cluster)}
            command = ["ip", "netns", "exec", machines[place][0], sys.executable, __file__, "--task", job, str(index)]
            env = {**os.environ, "FERROFLOW_CLUSTER_TOKEN": _TOKEN, **described}
            process = subprocess.Popen(
                [*command, "--way", way, "--megabytes", str(megabytes)], env=env, stdout=subprocess.PIPE, text=True
            )
            stack.callback(process.kill)
            started.append(process)
        return max(float(process.communicate()[0].split()[-1]) for process in started[:workers])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--way", default="")
    parser.add_argument("--task", nargs=2)
    args = parser.parse_args()
    if args.task:
        _task(args.way, args.megabytes[0], args.task[0], int(args.task[1]))
        return
    for megabytes in args.megabytes:
        for workers in args.workers:
            times = [_measured(way, workers, megabytes, args.rate) for way in ("sums", "servers")]
            print(f"{workers} workers, {megabytes} MB: sums {times[0]:.1f} ms, parameter server {times[1]:.1f} ms")


if __name__ == "__main__":
    main()

"""Times the exchange of gradients between machines of a slow network, which are network namespaces of this machine.

    sudo python benches/python/networks.py [--ways mpi sockets servers] [--workers 2 3] [--megabytes 10 50]

Each worker, and the parameter server, has a namespace with an interface whose both directions are limited. Prints the
milliseconds of a step that exchanges so many bytes, the least and the median of its slowest worker's repeats:

- mpi: sums over MPI (mpiexec of MPICH, and mpi4py);
- sockets: sums over sockets (`FERROFLOW_GROUP`), as `ferroflow launch --ray ADDRESS --mpi N` runs them;
- servers: a parameter server from which each worker reads all parameters and to which it sends as many gradients.

FERROFLOW_CLUSTER_TLS=never turns TLS off. `--prefix "chrt --rr 1"` gives the processes real-time priority, on a machine
that others use, too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

_TOKEN = "a token of the benches, no secret"
_START_SECONDS = 300.0


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


def _times(step: object, steps: int) -> list[float]:
    times = []
    for _ in range(steps):
        began = time.perf_counter()
        step()  # type: ignore[operator]  # what `make_callable` returned
        times.append((time.perf_counter() - began) * 1e3)
    return times


def _meet(folder: pathlib.Path, name: str, workers: int) -> None:
    """Waits until all workers are here."""
    (folder / name).touch()
    deadline = time.monotonic() + _START_SECONDS
    while len(list(folder.iterdir())) < workers:
        if time.monotonic() > deadline:
            raise TimeoutError(f"only {len(list(folder.iterdir()))} of {workers} workers have started")
        time.sleep(0.01)


def _task(args: argparse.Namespace) -> None:
    """Runs as one task; a worker prints its times."""
    import ferroflow as tf
    import ferroflow.horovod.tensorflow as hvd

    job, index, count = args.task[0], int(args.task[1]), args.megabytes[0] * 250_000
    if args.ways[0] != "servers":
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
        sess.run(tf.variables_initializer([v]))
        run = sess.make_callable(step)
        _meet(pathlib.Path(args.folder), str(index), args.workers[0])
        run()
        print(json.dumps(_times(run, args.steps)), flush=True)
        # The others may still be at work.
        _meet(pathlib.Path(args.folder), f"{index}-end", 2 * args.workers[0])


def _measured(way: str, workers: int, megabytes: int, args: argparse.Namespace) -> list[list[float]]:
    """Returns the times of each worker."""
    with network(workers + 1, args.rate) as machines, contextlib.ExitStack() as stack:
        addresses = [f"{address}:7000" for _, address in machines]
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        tasks = [("worker", i) for i in range(workers)] + ([("ps", 0)] if way == "servers" else [])
        cluster = {"worker": addresses[:workers], "ps": addresses[workers:]}
        env = {**os.environ, "FERROFLOW_CLUSTER_TOKEN": _TOKEN, "CLUSTER": json.dumps(cluster)}
        commands = []
        for place, (job, index) in enumerate(tasks):
            command = ["ip", "netns", "exec", machines[place][0], *shlex.split(args.prefix), sys.executable, __file__]
            command += ["--task", job, str(index), "--ways", way, "--megabytes", str(megabytes)]
            commands.append([*command, "--workers", str(workers), "--folder", folder, "--steps", str(args.steps)])
        if way == "mpi":
            # All ranks are one machine for mpiexec, which would connect them by shared memory.
            env |= {"MPIR_CVAR_NOLOCAL": "1", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "e0"}
            joined = ["mpiexec", "-launcher", "fork"]
            for index, command in enumerate(commands):
                joined += [":"] * (index > 0) + ["-n", "1", *command]
            commands = [joined]
        started = []
        for index, command in enumerate(commands):
            group = {} if way != "sockets" else {"addresses": addresses[:workers], "rank": index}
            own = {**env, "FERROFLOW_GROUP": json.dumps(group)} if group else env
            process = subprocess.Popen(command, env=own, stdout=subprocess.PIPE, text=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        printed = [process.communicate(timeout=600)[0] for process in started[: len(commands) - (way == "servers")]]
        return [json.loads(line) for text in printed for line in text.splitlines() if line.startswith("[")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", nargs="+", default=["mpi", "sockets", "servers"])
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--task", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        _task(args)
        return
    for megabytes in args.megabytes:
        for workers in args.workers:
            for way in args.ways:
                times = _measured(way, workers, megabytes, args)
                least, median = (max(map(of, times)) for of in (min, statistics.median))
                load = f"load {os.getloadavg()[0]:.1f}"
                print(f"{megabytes:4d} MB {workers} workers {way:8s} {least:8.1f} {median:8.1f} ms  {load}", flush=True)


if __name__ == "__main__":
    main()

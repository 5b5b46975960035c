"""Times the exchange of gradients between machines of a slow network, which are network namespaces of this machine.

    sudo python benches/python/networks.py [--ways raw mpi sockets servers] [--workers 2 3 4] [--megabytes 10 50 100]

Each worker, and the parameter server, has a namespace with an interface whose both directions are limited. Prints the
milliseconds of a step that exchanges so many bytes, the least and the median of its slowest worker's repeats, and the
least as a multiple of what the network needs for the bytes alone:

- raw: MPI_Allreduce of mpi4py, without ferroflow;
- mpi: sums over MPI (mpiexec of MPICH, and mpi4py);
- sockets: sums over sockets (`FERROFLOW_GROUP`), as `ferroflow launch --ray ADDRESS --mpi N` runs them;
- servers: a parameter server from which each worker reads all parameters and to which it sends as many gradients.

FERROFLOW_CLUSTER_TLS=never turns TLS off. `--prefix "chrt --rr 1"` gives the processes real-time priority, on a machine
that others use, too.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
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
# The payload of a TCP segment of 1500 bytes, with timestamps, and the bytes of its frame.
_PAYLOAD = 1448 / 1514
_NUMBERS = itertools.count()
_WAYS = ("raw", "mpi", "sockets", "servers")
_UNITS = {"gbit": 1e9 / 8, "mbit": 1e6 / 8}


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


@contextlib.contextmanager
def network(machines: int, rate: str) -> Iterator[list[tuple[str, str]]]:
    """Makes namespaces on a bridge; yields their names and addresses, and removes them."""
    # The kernel removes interfaces some time after their namespaces, so no name is used twice.
    base = f"fb{os.getpid() % 10000}{next(_NUMBERS)}"
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
            raise TimeoutError(f"only {len(list(folder.iterdir()))} of {workers} workers came to the {folder.name}")
        time.sleep(0.01)


def _report(args: argparse.Namespace, index: int, step: object) -> None:
    """Runs the steps together with the other workers, and writes their times to a file."""
    folder = pathlib.Path(args.folder)
    _meet(folder / "begin", str(index), args.workers[0])
    step()  # type: ignore[operator]  # as in `_times`
    (folder / "times" / str(index)).write_text(json.dumps(_times(step, args.steps)))
    # The others may still be at work.
    _meet(folder / "end", str(index), args.workers[0])


def _raw_task(args: argparse.Namespace) -> None:
    """Runs as a rank that sums by MPI alone."""
    import numpy as np
    from mpi4py import MPI

    data = np.ones(args.megabytes[0] * 250_000, np.float32)
    _report(args, MPI.COMM_WORLD.Get_rank(), lambda: MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, data))


def _task(args: argparse.Namespace) -> None:
    """Runs as one task."""
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
        _report(args, index, run)


def _measured(way: str, workers: int, megabytes: int, args: argparse.Namespace) -> list[list[float]]:
    """Returns the times of each worker."""
    with network(workers + 1, args.rate) as machines, contextlib.ExitStack() as stack:
        addresses = [f"{address}:7000" for _, address in machines]
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        for name in ("begin", "times", "end"):
            pathlib.Path(folder, name).mkdir()
        tasks = [("worker", i) for i in range(workers)] + ([("ps", 0)] if way == "servers" else [])
        cluster = {"worker": addresses[:workers], "ps": addresses[workers:]}
        env = {**os.environ, "FERROFLOW_CLUSTER_TOKEN": _TOKEN, "CLUSTER": json.dumps(cluster)}
        commands = []
        for place, (job, index) in enumerate(tasks):
            command = ["ip", "netns", "exec", machines[place][0], *shlex.split(args.prefix), sys.executable, __file__]
            command += ["--task", job, str(index), "--ways", way, "--megabytes", str(megabytes)]
            commands.append([*command, "--workers", str(workers), "--folder", folder, "--steps", str(args.steps)])
        if way in ("raw", "mpi"):
            # All ranks are one machine for mpiexec, which would connect them by shared memory.
            env |= {"MPIR_CVAR_NOLOCAL": "1", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "e0"}
            env |= {"UCX_TLS": "tcp", "UCX_NET_DEVICES": "e0"}
            # The launcher of MPICH's wheel, beside this interpreter; Open MPI's knows neither option.
            joined = [str(pathlib.Path(sys.executable).with_name("mpiexec.hydra")), "-launcher", "fork"]
            for index, command in enumerate(commands):
                joined += [":"] * (index > 0) + ["-n", "1", *command]
            commands = [joined]
        started = []
        for index, command in enumerate(commands):
            group = {} if way != "sockets" else {"addresses": addresses[:workers], "rank": index}
            own = {**env, "FERROFLOW_GROUP": json.dumps(group)} if group else env
            process = subprocess.Popen(command, env=own)
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        for process in started[: len(commands) - (way == "servers")]:
            if process.wait(timeout=600):
                raise RuntimeError(f"a task of {way} ended with status {process.returncode}")
        return [json.loads(path.read_text()) for path in pathlib.Path(folder, "times").iterdir()]


def _bound(way: str, workers: int, megabytes: int, rate: str) -> float:
    """Returns the least milliseconds in which the links carry the bytes of a step."""
    speed = float(rate[:-4]) * _UNITS[rate[-4:]] * _PAYLOAD
    # The server's link carries the parameters of all workers in one direction, and their gradients in the other.
    most = workers if way == "servers" else 2 * (workers - 1) / workers
    return most * megabytes * 1e6 / speed * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=_WAYS)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 50, 100])
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--task", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        _raw_task(args) if args.ways[0] == "raw" else _task(args)
        return
    for megabytes in args.megabytes:
        for workers in args.workers:
            for way in args.ways:
                times = _measured(way, workers, megabytes, args)
                least, median = (max(map(of, times)) for of in (min, statistics.median))
                share = least / _bound(way, workers, megabytes, args.rate)
                end = f"{share:6.2f} of the bound  load {os.getloadavg()[0]:.1f}"
                print(f"{megabytes:4d} MB {workers} workers {way:8s} {least:8.1f} {median:8.1f} ms {end}", flush=True)


if __name__ == "__main__":
    main()

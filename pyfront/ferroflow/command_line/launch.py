"""`ferroflow launch`: all tasks of a distributed program, on this machine, by MPI or on a Ray cluster."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import secrets
import sys
from collections.abc import Sequence

from ferroflow.command_line.launching.events import Tasks
from ferroflow.command_line.launching.local import LocalTasks
from ferroflow.command_line.launching.mpi import NoLauncher, command, find_launcher
from ferroflow.command_line.launching.tasks import (
    EVALUATOR,
    RANK,
    TOKEN,
    Task,
    all_tasks,
    cluster_of,
    environment_of,
    flags_of,
)
from ferroflow.command_line.launching.watching import Watch, tell

HELP = "start all tasks of a distributed program, on this machine, with MPI or on a Ray cluster"
EXIT_STATUS = "0; that of the first task that failed after its restarts; 2 if the tasks cannot be started"


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("--ps", type=_count, default=1, metavar="N", help="number of parameter servers (default: 1)")
    parser.add_argument("--workers", type=_count, default=2, metavar="N", help="number of workers (default: 2)")
    parser.add_argument("--chief", action="store_true", help="also start a job `chief` with one task")
    parser.add_argument(
        "--evaluator", action="store_true", help="also start a job `evaluator` with one task, for train_and_evaluate"
    )
    parser.add_argument(
        "--flags", action="store_true", help="also pass --job_name, --task_index, --ps_hosts, --worker_hosts"
    )
    parser.add_argument(
        "--restarts",
        type=_count,
        default=0,
        metavar="N",
        help="restart a failed task, or all after the loss of a machine, at most N times (default: 0)",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="the host name or address at which the tasks listen (default: 127.0.0.1)"
    )
    parser.add_argument("--ray", metavar="ADDRESS", help="place the tasks on this Ray cluster (`auto` finds one)")
    parser.add_argument(
        "--cpus",
        type=float,
        default=1.0,
        metavar="N",
        help="number of CPUs that Ray reserves for each task (default: 1)",
    )
    parser.add_argument(
        "--memory", type=float, default=0.0, metavar="GB", help="memory that Ray reserves for each task (default: none)"
    )
    parser.add_argument(
        "--placement",
        choices=("pack", "spread", "strict_pack", "strict_spread"),
        help="Ray's placement of the tasks: on few machines, or on many (default: spread; with --mpi: pack)",
    )
    parser.add_argument(
        "--upload", metavar="FOLDER", help="copy this folder to Ray's machines and run the program there"
    )
    parser.add_argument(
        "--mpi",
        type=_count,
        metavar="N",
        help="start N processes by mpiexec instead, for programs with `import horovod` or mpi4py",
    )
    parser.add_argument("--sockets", action="store_true", help="connect the processes of --mpi by sockets, without MPI")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module's name, not a file")
    parser.add_argument("program", metavar="PROGRAM", help="a Python file, or a folder with __main__.py")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="arguments of the program")


def _run_mpi(args: argparse.Namespace) -> int:
    """Replaces this process by the MPI launcher."""
    if not args.module and not os.path.exists(args.program):
        print(f"ferroflow launch: no such file: {args.program}", file=sys.stderr)
        return 2
    try:
        launcher = find_launcher()
    except NoLauncher as missing:
        print(f"ferroflow launch: {missing}", file=sys.stderr)
        return 2
    program = [*(["-m"] if args.module else []), args.program, *args.arguments]
    os.execv(launcher, command(launcher, args.mpi, program))


def run(args: argparse.Namespace) -> int:
    """Starts the tasks and ends them all before it returns.

    With `--mpi` the processes are the ranks of an MPI job, and `mpiexec` takes this process's place. With `--ray` or
    `--sockets`, sockets connect them.

    Each task is a process that runs the program as `ferroflow run` does, with its cluster and its task in TF_CONFIG.
    When the workers (and the chief) are done, the parameter servers are ended.

    Args:
        args: the command's arguments.

    Returns:
        int, 0; or the exit status of the first task that failed once too often; 2 if there is nothing to start or no
            room for it.
    """
    if args.mpi == 0:
        print("ferroflow launch: --mpi needs a number of processes", file=sys.stderr)
        return 2
    if args.mpi is not None and args.ray is None and not args.sockets:
        return _run_mpi(args)
    jobs = {"chief": int(args.chief), "ps": args.ps, "worker": args.workers, EVALUATOR: int(args.evaluator)}
    tasks = all_tasks(jobs if args.mpi is None else {RANK: args.mpi})
    if not any(not task.serves for task in tasks):
        print("ferroflow launch: there must be a worker or a chief", file=sys.stderr)
        return 2
    folder = args.upload or ""
    if not args.module and not os.path.exists(os.path.join(folder, args.program)):
        print(f"ferroflow launch: no such file: {os.path.join(folder, args.program)}", file=sys.stderr)
        return 2
    # Shared secret that authenticates tasks to each other. It is removed from this process's environment, because Ray
    # writes the environment of the processes that it starts to its logs.
    token = os.environ.pop(TOKEN, "") or secrets.token_hex(32)
    place: Tasks
    if args.ray is None:
        place = LocalTasks(args.host)
    else:
        try:
            on_ray = importlib.import_module("ferroflow.command_line.launching.on_ray")
        except ModuleNotFoundError as missing:
            if missing.name != "ray":
                raise
            print("ferroflow launch: --ray needs Ray: pip install 'ferroflow[cluster]'", file=sys.stderr)
            return 2
        try:
            strategy = args.placement or ("spread" if args.mpi is None else "pack")
            room = on_ray.Room(args.cpus, args.memory * 1e9, strategy.upper())
            place = on_ray.RayTasks(args.ray, room, args.upload, tell)
        except ConnectionError as failure:
            print(f"ferroflow launch: {failure}", file=sys.stderr)
            return 2
    with contextlib.closing(place):
        cluster: dict[str, list[str]] = {}

        def regroup() -> None:
            cluster.clear()
            cluster.update(cluster_of(place.addresses(tasks)))

        try:
            regroup()
        except RuntimeError as failure:
            print(f"ferroflow launch: {failure}", file=sys.stderr)
            return 2

        def arguments(task: Task) -> Sequence[str]:
            program = [*(["-m"] if args.module else []), args.program]
            return [*program, *args.arguments, *(flags_of(task, cluster) if args.flags else [])]

        def environment(task: Task) -> dict[str, str]:
            return {**environment_of(task, cluster), TOKEN: token}

        watch = Watch(place, arguments, environment, args.restarts, regroup, together=args.mpi is not None)
        try:
            return watch.run(tasks)
        except RuntimeError as failure:
            print(f"ferroflow launch: {failure}", file=sys.stderr)
            return 2

"""`ferroflow launch`: all tasks of a distributed program, on this machine or on a Ray cluster."""

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
from ferroflow.command_line.launching.tasks import TOKEN, Task, all_tasks, cluster_of, environment_of, flags_of
from ferroflow.command_line.launching.watching import Watch

HELP = "start all tasks of a distributed program, on this machine or on a Ray cluster"
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
        "--flags", action="store_true", help="also pass --job_name, --task_index, --ps_hosts, --worker_hosts"
    )
    parser.add_argument(
        "--restarts", type=_count, default=0, metavar="N", help="restart a failed task at most N times (default: 0)"
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
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module's name, not a file")
    parser.add_argument("program", metavar="PROGRAM", help="a Python file, or a folder with __main__.py")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="arguments of the program")


def run(args: argparse.Namespace) -> int:
    """Starts the tasks and ends them all before it returns.

    Each task is a process that runs the program as `ferroflow run` does, with its cluster and its task in TF_CONFIG.
    When the workers (and the chief) are done, the parameter servers are ended.

    Args:
        args: the command's arguments.

    Returns:
        int, 0; or the exit status of the first task that failed once too often; 2 if there is nothing to start or no
            room for it.
    """
    sizes = {"chief": int(args.chief), "ps": args.ps, "worker": args.workers}
    tasks = all_tasks(sizes)
    if not any(not task.serves for task in tasks):
        print("ferroflow launch: there must be a worker or a chief", file=sys.stderr)
        return 2
    if not args.module and not os.path.exists(args.program):
        print(f"ferroflow launch: no such file: {args.program}", file=sys.stderr)
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
            place = on_ray.RayTasks(args.ray, args.cpus)
        except ConnectionError as failure:
            print(f"ferroflow launch: {failure}", file=sys.stderr)
            return 2
    with contextlib.closing(place):
        try:
            cluster = cluster_of(place.addresses(tasks))
        except RuntimeError as failure:
            print(f"ferroflow launch: {failure}", file=sys.stderr)
            return 2

        def arguments(task: Task) -> Sequence[str]:
            program = [*(["-m"] if args.module else []), args.program]
            return [*program, *args.arguments, *(flags_of(task, cluster) if args.flags else [])]

        def environment(task: Task) -> dict[str, str]:
            return {**environment_of(task, cluster), TOKEN: token}

        return Watch(place, arguments, environment, args.restarts).run(tasks)

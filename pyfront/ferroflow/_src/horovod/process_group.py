"""The processes that train together: `hvd.init`, `hvd.shutdown` and the numbers of a process."""

from __future__ import annotations

import atexit
import dataclasses
import importlib
import json
import math
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from ferroflow import _core
from ferroflow._src.base import tf_logging
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.horovod.launchers import choose_library_of_launcher, launched_size
from ferroflow._src.horovod.mpi_transport import MpiTransport
from ferroflow._src.horovod.rendezvous import connect_group, split_address
from ferroflow._src.horovod.socket_transport import SocketTransport

# Seconds that the communication thread, and then the other ranks, have to end. A thread that has not is in an exchange
# with a lost rank.
_PATIENCE: Final = 5.0
_ORDERS: Final = {"rank": True, "mpi": False}
# The variable of `ferroflow launch --ray ADDRESS --mpi N`: {"addresses": [...], "rank": 0}.
GROUP: Final = "FERROFLOW_GROUP"
_WAIT: Final = "FERROFLOW_GROUP_WAIT"
_WAIT_SECONDS: Final = 600.0
_LOST_AFTER: Final = 300.0


@dataclasses.dataclass(frozen=True)
class _Numbers:
    """Numbers of this process in its group, and on its machine."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1
    cross_rank: int = 0
    cross_size: int = 1
    is_homogeneous: bool = True
    threads: bool = True
    # mpi4py's module, if MPI connects the processes.
    mpi: Any = None


_numbers: _Numbers | None = None


def init(comm: Any = None) -> None:
    """Joins the processes that were launched together. A second call does nothing.

    Without a launcher (`mpirun`, `srun`, `ferroflow launch --mpi`), this process trains alone. Under
    `ferroflow launch --ray ADDRESS --mpi N`, the processes are connected by sockets.

    Environment variables of rank 0 set the options of all ranks. FERROFLOW_MPI_SUM is "rank" for sums in rank order,
    which have the same bits in every run, or "mpi" for MPI's own algorithm. HOROVOD_FUSION_THRESHOLD is the most bytes
    of tensors that are summed in one buffer. HOROVOD_STALL_CHECK_TIME_SECONDS and HOROVOD_STALL_SHUTDOWN_TIME_SECONDS
    are the times after which a tensor that some ranks lack is reported, or ends the group (0 for never).
    FERROFLOW_MPI_LOST_AFTER is the time without a sign of life after which a rank counts as lost.

    Args:
        comm: None for all processes; a list of ranks of int; or an mpi4py communicator.

    Raises:
        ImportError: if several processes were launched and mpi4py is not installed.
        RuntimeError: if the launcher belongs to another MPI library than mpi4py, or MPI has no thread support.
        ValueError: if this process is not among the ranks of `comm`, or an option is wrong.
    """
    global _numbers
    if _numbers is not None:
        return
    group = os.environ.get(GROUP)
    if group:
        if comm not in (None, []):
            raise ValueError("hvd.init: comm must be None, because sockets and not MPI connect these processes.")
        addresses, rank = _described(group)
        join_by_sockets(addresses, rank)
        return
    options = _options()
    launched, launcher = launched_size()
    mpi = _mpi_module(launched, launcher, needed=comm is not None)
    communicator = None if mpi is None else _communicator(mpi, comm, launched, launcher)
    if communicator is None:
        numbers, transport = _Numbers(mpi=mpi), None
    else:
        numbers, transport = _numbers_of(mpi, communicator), MpiTransport(mpi, communicator.Dup())
        # Ranks with different options would wait for each other without end. Some launchers set variables on one
        # machine only.
        options = communicator.bcast(options, root=0)
    _join(transport, numbers, options)


def _join(transport: MpiTransport | SocketTransport | None, numbers: _Numbers, options: dict[str, Any]) -> None:
    global _numbers
    with engine_errors():
        _core.join_group(transport, numbers.rank, numbers.size, options)
    _numbers = numbers
    # mpi4py, which is imported by now, finalizes MPI when Python ends. What is registered later runs earlier.
    if isinstance(transport, MpiTransport):
        atexit.register(transport.receive_rest, _PATIENCE)
    atexit.unregister(shutdown)
    atexit.register(shutdown)


def join_by_sockets(addresses: Sequence[str], rank: int) -> None:
    """Joins the processes at some addresses over TCP, without MPI. A second call does nothing.

    Waits until all have connected. The options are those of rank 0, as in `init`.

    Args:
        addresses: list of str, the address of each rank, at which it listens until all are connected.
        rank: int, this process's rank.

    Raises:
        ValueError: if an address or an option is wrong, or a token is needed (see `connect_group`).
        RuntimeError: if a rank does not connect within FERROFLOW_GROUP_WAIT seconds (600).
        OSError: if this process cannot listen at its address.
    """
    if _numbers is not None:
        return
    options = _options()
    wait = _seconds(_WAIT, _WAIT_SECONDS)
    hosts = [split_address(address)[0] for address in addresses]
    if len(addresses) == 1:
        _join(None, _Numbers(), options)
        return
    connections = connect_group(addresses, rank, wait)
    transport = SocketTransport(rank, connections, options.get("lost_after", _LOST_AFTER))
    options = _options_of_rank_0(transport, rank, len(addresses), options, wait)
    local = [r for r, host in enumerate(hosts) if host == hosts[rank]]
    local_rank = local.index(rank)
    # One rank of each machine has a given local rank, if the machine has so many.
    cross = [r for r, host in enumerate(hosts) if hosts[:r].count(host) == local_rank]
    is_homogeneous = len({hosts.count(host) for host in hosts}) == 1
    numbers = _Numbers(
        rank, len(addresses), local_rank, len(local), cross.index(rank), len(cross), is_homogeneous, threads=False
    )
    _join(transport, numbers, options)


def _options_of_rank_0(
    transport: SocketTransport, rank: int, size: int, options: dict[str, Any], wait: float
) -> dict[str, Any]:
    if rank == 0:
        for other in range(1, size):
            transport.send(other, json.dumps(options).encode())
        return options
    deadline = time.monotonic() + wait
    while (received := transport.poll()) is None:
        if time.monotonic() > deadline:
            raise RuntimeError(f"rank 0 has not begun within {wait:g} s ({_WAIT}): is a process missing?")
        time.sleep(0.01)
    found: dict[str, Any] = json.loads(received[1])
    return found


def is_described() -> bool:
    """Returns True if a launcher has described a group that sockets connect."""
    return bool(os.environ.get(GROUP))


def _described(group: str) -> tuple[list[str], int]:
    """Returns the addresses and the rank that a launcher has set."""
    try:
        described = json.loads(group)
        addresses, rank = [str(address) for address in described["addresses"]], int(described["rank"])
    except (ValueError, TypeError, KeyError) as failure:
        raise ValueError(f'{GROUP} must be {{"addresses": [...], "rank": N}}, found {group!r}') from failure
    if not 0 <= rank < len(addresses):
        raise ValueError(f"{GROUP} has {len(addresses)} addresses, but rank {rank}")
    return addresses, rank


def _seconds(variable: str, default: float) -> float:
    text = os.environ.get(variable)
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(f"{variable} must be a number, found {text!r}") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"{variable} must not be negative or infinite, found {text!r}")
    return seconds


def _mpi_module(launched: int, launcher: str, needed: bool) -> Any:
    """Returns mpi4py's module; None if one process needs none."""
    if launched == 1 and not needed and "mpi4py.MPI" not in sys.modules:
        return None
    choose_library_of_launcher()
    try:
        return importlib.import_module("mpi4py.MPI")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "mpi4py":
            raise
        raise ImportError(
            f"{launcher} started {launched} processes, but mpi4py, which connects them, is not installed: "
            "pip install 'ferroflow[mpi]'."
        ) from None
    except (ImportError, RuntimeError) as failure:
        raise ImportError(f"mpi4py cannot load an MPI library: {failure}. Install one: pip install mpich.") from failure


def _communicator(mpi: Any, comm: Any, launched: int, launcher: str) -> Any:
    """Returns the communicator of the processes; None if there is only this one."""
    world = mpi.COMM_WORLD
    if comm is None and world.Get_size() == 1 and launched > 1:
        hint = " MPICH's processes need srun's option --mpi=pmi2." if launcher == "srun" else ""
        library = mpi.Get_library_version().partition("\n")[0].strip("\0 ")
        raise RuntimeError(
            f"{launcher} started {launched} processes, but mpi4py uses another MPI library ({library}), in which each "
            "process is alone. Start the program with that library's mpirun, or set MPI4PY_LIBMPI to the launcher's "
            f"libmpi.{hint}"
        )
    if isinstance(comm, (list, tuple)) and comm:
        group = world.Get_group().Incl(list(comm))
        found = world.Create_group(group) if world.Get_rank() in comm else mpi.COMM_NULL
        if found == mpi.COMM_NULL:
            raise ValueError(f"rank {world.Get_rank()} is not among the ranks that hvd.init got: {list(comm)}")
    else:
        found = world if comm is None or isinstance(comm, (list, tuple)) else comm
    if found.Get_size() > 1 and mpi.Query_thread() < mpi.THREAD_SERIALIZED:
        raise RuntimeError(
            "MPI was initialized without support for threads. Remove what sets mpi4py.rc.threads or "
            "mpi4py.rc.thread_level before the import of mpi4py.MPI."
        )
    return found if found.Get_size() > 1 else None


def _numbers_of(mpi: Any, communicator: Any) -> _Numbers:
    rank, size = communicator.Get_rank(), communicator.Get_size()
    local = communicator.Split_type(mpi.COMM_TYPE_SHARED, rank)
    local_rank, local_size = local.Get_rank(), local.Get_size()
    cross = communicator.Split(local_rank, rank)
    cross_rank, cross_size = cross.Get_rank(), cross.Get_size()
    is_homogeneous = len(set(communicator.allgather(local_size))) == 1
    local.Free()
    cross.Free()
    threads = mpi.Query_thread() == mpi.THREAD_MULTIPLE
    return _Numbers(rank, size, local_rank, local_size, cross_rank, cross_size, is_homogeneous, threads, mpi)


def _options() -> dict[str, Any]:
    """Returns the engine's options that environment variables set."""
    options: dict[str, Any] = {}
    order = os.environ.get("FERROFLOW_MPI_SUM", "rank")
    if order not in _ORDERS:
        raise ValueError(f"FERROFLOW_MPI_SUM must be 'rank' or 'mpi', found {order!r}")
    options["rank_order"] = _ORDERS[order]
    for variable, name, kind in (
        ("HOROVOD_FUSION_THRESHOLD", "fusion_bytes", int),
        ("FERROFLOW_MPI_PIECE_BYTES", "piece_bytes", int),
        ("HOROVOD_STALL_CHECK_TIME_SECONDS", "stall_warning", float),
        ("HOROVOD_STALL_SHUTDOWN_TIME_SECONDS", "stall_limit", float),
        ("FERROFLOW_MPI_LOST_AFTER", "lost_after", float),
    ):
        text = os.environ.get(variable)
        if text:
            try:
                value = kind(text)
            except ValueError:
                raise ValueError(f"{variable} must be a number, found {text!r}") from None
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{variable} must not be negative or infinite, found {text!r}")
            options[name] = value
    if os.environ.get("HOROVOD_STALL_CHECK_DISABLE", "0") not in ("", "0"):
        options["stall_warning"] = 0.0
    return options


def shutdown() -> None:
    """Leaves the processes. Collective operations of other ranks that wait for this one end with an error."""
    global _numbers
    numbers, _numbers = _numbers, None
    if numbers is None or _core.leave_group(_PATIENCE) or numbers.mpi is None:
        return
    # The thread waits inside MPI for a rank that is lost: MPI could not be finalized either, and would hang.
    tf_logging.error("hvd.shutdown: rank %d waits for a lost rank inside MPI; MPI is aborted.", numbers.rank)
    numbers.mpi.COMM_WORLD.Abort(1)


def _joined() -> _Numbers:
    if _numbers is None:
        raise ValueError("Horovod has not been initialized; use hvd.init().")
    return _numbers


def is_initialized() -> bool:
    """Returns True after `hvd.init`, and False after `hvd.shutdown`."""
    return _numbers is not None


def rank() -> int:
    """Returns this process's rank, from 0 on.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().rank


def size() -> int:
    """Returns the number of processes.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().size


def local_rank() -> int:
    """Returns this process's rank among those of its machine, from 0 on.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().local_rank


def local_size() -> int:
    """Returns the number of processes on this machine.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().local_size


def cross_rank() -> int:
    """Returns the number of this machine, among those with a process of this local rank.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().cross_rank


def cross_size() -> int:
    """Returns the number of machines with a process of this local rank.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().cross_size


def is_homogeneous() -> bool:
    """Returns True if all machines have the same number of processes.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().is_homogeneous


def mpi_threads_supported() -> bool:
    """Returns True if the program may use MPI itself, from any thread, beside Horovod's operations.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().threads


def mpi_enabled() -> bool:
    """Returns True if MPI connects the processes.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _joined().mpi is not None


def mpi_built() -> bool:
    """Returns True: MPI is the way in which processes are connected."""
    return True


def gloo_enabled() -> bool:
    """Returns False: Gloo is not used."""
    return False


def gloo_built() -> bool:
    """Returns False: Gloo is not used."""
    return False


def nccl_built() -> bool:
    """Returns False: there are no GPUs."""
    return False


def ddl_built() -> bool:
    """Returns False: DDL is not used."""
    return False


def ccl_built() -> bool:
    """Returns False: oneCCL is not used."""
    return False


def mlsl_built() -> bool:
    """Returns False: MLSL is not used."""
    return False


def cuda_built() -> bool:
    """Returns False: there are no GPUs."""
    return False


def rocm_built() -> bool:
    """Returns False: there are no GPUs."""
    return False

"""All ranks leave at once; each reports the messages that nobody has received."""

import atexit
import gc

import horovod.tensorflow as hvd
from mpi4py import MPI
from reports import report

from ferroflow._src.horovod.mpi_transport import MpiTransport


def report_messages():
    (transport,) = [each for each in gc.get_objects() if isinstance(each, MpiTransport)]
    MPI.COMM_WORLD.Barrier()
    report(MPI.COMM_WORLD.Get_rank(), message=transport.poll())


# What is registered first runs last.
atexit.register(report_messages)
hvd.init()
hvd.allreduce([1.0])

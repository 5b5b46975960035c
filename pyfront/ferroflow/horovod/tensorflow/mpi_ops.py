"""Collective operations at the path where Horovod has them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.horovod.collectives import (
    Adasum as Adasum,
    Average as Average,
    Sum as Sum,
    allgather as allgather,
    broadcast as broadcast,
    rank_op as rank_op,
    size_op as size_op,
)
from ferroflow._src.horovod.process_group import (
    gloo_built as gloo_built,
    gloo_enabled as gloo_enabled,
    init as init,
    is_initialized as is_initialized,
    local_rank as local_rank,
    local_size as local_size,
    mpi_built as mpi_built,
    mpi_enabled as mpi_enabled,
    mpi_threads_supported as mpi_threads_supported,
    nccl_built as nccl_built,
    rank as rank,
    shutdown as shutdown,
    size as size,
)

_tell_absent(globals())

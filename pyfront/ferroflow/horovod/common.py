"""`import horovod.common`: the processes' numbers, which programs for early versions of Horovod read here."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.horovod.process_group import (
    init as init,
    is_initialized as is_initialized,
    local_rank as local_rank,
    local_size as local_size,
    mpi_threads_supported as mpi_threads_supported,
    rank as rank,
    shutdown as shutdown,
    size as size,
)

_tell_absent(globals())

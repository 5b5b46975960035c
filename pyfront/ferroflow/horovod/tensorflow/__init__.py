"""`import horovod.tensorflow as hvd`: collective operations, and optimizers that reduce gradients."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.horovod.broadcasting import (
    BroadcastGlobalVariablesHook as BroadcastGlobalVariablesHook,
    broadcast_global_variables as broadcast_global_variables,
    broadcast_variables as broadcast_variables,
)
from ferroflow._src.horovod.collectives import (
    Adasum as Adasum,
    Average as Average,
    Sum as Sum,
    allgather as allgather,
    allreduce as allreduce,
    broadcast as broadcast,
    rank_op as rank_op,
    size_op as size_op,
)
from ferroflow._src.horovod.compression import Compression as Compression
from ferroflow._src.horovod.distributed_optimizer import DistributedOptimizer as DistributedOptimizer
from ferroflow._src.horovod.objects import (
    allgather_object as allgather_object,
    broadcast_object as broadcast_object,
)
from ferroflow._src.horovod.process_group import (
    ccl_built as ccl_built,
    cross_rank as cross_rank,
    cross_size as cross_size,
    cuda_built as cuda_built,
    ddl_built as ddl_built,
    gloo_built as gloo_built,
    gloo_enabled as gloo_enabled,
    init as init,
    is_homogeneous as is_homogeneous,
    is_initialized as is_initialized,
    local_rank as local_rank,
    local_size as local_size,
    mlsl_built as mlsl_built,
    mpi_built as mpi_built,
    mpi_enabled as mpi_enabled,
    mpi_threads_supported as mpi_threads_supported,
    nccl_built as nccl_built,
    rank as rank,
    rocm_built as rocm_built,
    shutdown as shutdown,
    size as size,
)

_tell_absent(globals())

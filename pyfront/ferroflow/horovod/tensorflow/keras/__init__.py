"""`import horovod.tensorflow.keras as hvd`: Keras models trained by several processes."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.horovod.collectives import Adasum as Adasum, Average as Average, Sum as Sum
from ferroflow._src.horovod.compression import Compression as Compression
from ferroflow._src.horovod.keras_training import (
    DistributedOptimizer as DistributedOptimizer,
    allgather as allgather,
    allreduce as allreduce,
    broadcast as broadcast,
    broadcast_global_variables as broadcast_global_variables,
    load_model as load_model,
)
from ferroflow._src.horovod.process_group import (
    ccl_built as ccl_built,
    cross_rank as cross_rank,
    cross_size as cross_size,
    ddl_built as ddl_built,
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
from ferroflow.horovod.tensorflow.keras import callbacks as callbacks

_tell_absent(globals())

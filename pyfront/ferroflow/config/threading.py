"""`tf.config.threading`: settings that sessions take from `tf.ConfigProto` instead."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.process_devices import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)

_tell_absent(globals())

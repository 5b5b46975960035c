"""`tf.profiler`: parameters, floating-point operations, times and memory of graphs and their steps."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.proto import (
    AdviceProto as AdviceProto,
    GraphNodeProto as GraphNodeProto,
    MultiGraphNodeProto as MultiGraphNodeProto,
    OpLogProto as OpLogProto,
)
from ferroflow._src.profiler.model_analyzer import (
    Profiler as Profiler,
    advise as advise,
    profile as profile,
    write_op_log as write_op_log,
)
from ferroflow._src.profiler.option_builder import ProfileOptionBuilder as ProfileOptionBuilder

_tell_absent(globals())

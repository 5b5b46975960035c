"""`tf.profiler`: parameters, floating-point operations, times and memory of graphs and their steps."""

from ferroflow._src.base.proto import AdviceProto as AdviceProto
from ferroflow._src.base.proto import GraphNodeProto as GraphNodeProto
from ferroflow._src.base.proto import MultiGraphNodeProto as MultiGraphNodeProto
from ferroflow._src.base.proto import OpLogProto as OpLogProto
from ferroflow._src.profiler.model_analyzer import Profiler as Profiler
from ferroflow._src.profiler.model_analyzer import advise as advise
from ferroflow._src.profiler.model_analyzer import profile as profile
from ferroflow._src.profiler.model_analyzer import write_op_log as write_op_log
from ferroflow._src.profiler.option_builder import ProfileOptionBuilder as ProfileOptionBuilder

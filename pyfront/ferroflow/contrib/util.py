"""`tf.contrib.util`: values of constant tensors, arrays as messages, ops of graphs."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.tensor_content import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from ferroflow._src.checkpoint.meta_graph_export import (
    ops_used_by_graph_def as ops_used_by_graph_def,
    stripped_op_list_for_graph as stripped_op_list_for_graph,
)
from ferroflow._src.framework.constant import constant_value as constant_value

_tell_absent(globals())

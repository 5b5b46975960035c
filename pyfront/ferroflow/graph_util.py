"""`tf.graph_util`: GraphDef messages cut down and frozen."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.graph_pruning import (
    convert_variables_to_constants as convert_variables_to_constants,
    extract_sub_graph as extract_sub_graph,
    must_run_on_cpu as must_run_on_cpu,
    remove_training_nodes as remove_training_nodes,
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)
from ferroflow._src.framework.import_graph_def import import_graph_def as import_graph_def

_tell_absent(globals())

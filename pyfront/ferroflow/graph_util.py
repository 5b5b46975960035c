"""`tf.graph_util`: GraphDef messages cut down and frozen."""

from ferroflow._src.framework.graph_pruning import (
    convert_variables_to_constants as convert_variables_to_constants,
)
from ferroflow._src.framework.graph_pruning import (
    extract_sub_graph as extract_sub_graph,
)
from ferroflow._src.framework.graph_pruning import (
    must_run_on_cpu as must_run_on_cpu,
)
from ferroflow._src.framework.graph_pruning import (
    remove_training_nodes as remove_training_nodes,
)
from ferroflow._src.framework.graph_pruning import (
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)

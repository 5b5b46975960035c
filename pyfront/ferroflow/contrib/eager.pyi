"""`tf.contrib.eager`: names that work in a graph; the others raise an error with advice."""

from ferroflow._src.contrib.eager.eager_api import (
    ASYNC as ASYNC,
    DEVICE_PLACEMENT_EXPLICIT as DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT as DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN as DEVICE_PLACEMENT_WARN,
    SYNC as SYNC,
    GradientTape as GradientTape,
    Variable as Variable,
    custom_gradient as custom_gradient,
    defun as defun,
    enable_eager_execution as enable_eager_execution,
    executing_eagerly as executing_eagerly,
    function as function,
    gradients_function as gradients_function,
    implicit_gradients as implicit_gradients,
    implicit_value_and_gradients as implicit_value_and_gradients,
    in_eager_mode as in_eager_mode,
    list_devices as list_devices,
    make_template as make_template,
    num_gpus as num_gpus,
    py_func as py_func,
    value_and_gradients_function as value_and_gradients_function,
)
from ferroflow._src.testing.test_util import (
    run_all_in_graph_and_eager_modes as _run_all,
    run_in_graph_and_eager_modes as _run,
)

run_all_tests_in_graph_and_eager_modes = _run_all
run_test_in_graph_and_eager_modes = _run

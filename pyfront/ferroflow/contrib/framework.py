"""`tf.contrib.framework`: nests, the global step, argument scopes, known conditionals, variables of models."""

from ferroflow._src.base import nest as nest
from ferroflow._src.base.arg_scope import add_arg_scope as add_arg_scope
from ferroflow._src.base.arg_scope import arg_scope as arg_scope
from ferroflow._src.base.arg_scope import arg_scoped_arguments as arg_scoped_arguments
from ferroflow._src.base.arg_scope import current_arg_scope as current_arg_scope
from ferroflow._src.base.arg_scope import has_arg_scope as has_arg_scope
from ferroflow._src.checkpoint.assigning import assign_from_checkpoint as assign_from_checkpoint
from ferroflow._src.checkpoint.assigning import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from ferroflow._src.checkpoint.assigning import assign_from_values as assign_from_values
from ferroflow._src.checkpoint.assigning import assign_from_values_fn as assign_from_values_fn
from ferroflow._src.checkpoint.assigning import get_variable_full_name as get_variable_full_name
from ferroflow._src.checkpoint.reader import list_variables as list_variables
from ferroflow._src.checkpoint.reader import load_checkpoint as load_checkpoint
from ferroflow._src.checkpoint.reader import load_variable as load_variable
from ferroflow._src.checkpoint.warm_start import init_from_checkpoint as init_from_checkpoint
from ferroflow._src.control_flow.static_choice import smart_case as smart_case
from ferroflow._src.control_flow.static_choice import smart_cond as smart_cond
from ferroflow._src.control_flow.static_choice import smart_constant_value as smart_constant_value
from ferroflow._src.framework.composite import (
    is_tensor as is_tensor,
)
from ferroflow._src.ops.script.py_func import (
    py_func as py_func,
)
from ferroflow._src.training.global_step import (
    assert_global_step as assert_global_step,
)
from ferroflow._src.training.global_step import (
    create_global_step as create_global_step,
)
from ferroflow._src.training.global_step import (
    get_global_step as get_global_step,
)
from ferroflow._src.training.global_step import (
    get_or_create_global_step as get_or_create_global_step,
)
from ferroflow._src.variables.model_variables import add_model_variable as add_model_variable
from ferroflow._src.variables.model_variables import filter_variables as filter_variables
from ferroflow._src.variables.model_variables import get_local_variables as get_local_variables
from ferroflow._src.variables.model_variables import get_model_variables as get_model_variables
from ferroflow._src.variables.model_variables import get_trainable_variables as get_trainable_variables
from ferroflow._src.variables.model_variables import get_unique_variable as get_unique_variable
from ferroflow._src.variables.model_variables import get_variables as get_variables
from ferroflow._src.variables.model_variables import get_variables_by_name as get_variables_by_name
from ferroflow._src.variables.model_variables import get_variables_by_suffix as get_variables_by_suffix
from ferroflow._src.variables.model_variables import get_variables_to_restore as get_variables_to_restore
from ferroflow._src.variables.model_variables import global_variable as global_variable
from ferroflow._src.variables.model_variables import local_variable as local_variable
from ferroflow._src.variables.model_variables import model_variable as model_variable
from ferroflow._src.variables.model_variables import variable as variable

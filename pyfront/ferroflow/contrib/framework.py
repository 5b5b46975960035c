"""`tf.contrib.framework`: nests and the global step under their older names."""

from ferroflow._src.base import nest as nest
from ferroflow._src.base.arg_scope import add_arg_scope as add_arg_scope
from ferroflow._src.base.arg_scope import arg_scope as arg_scope
from ferroflow._src.base.arg_scope import arg_scoped_arguments as arg_scoped_arguments
from ferroflow._src.base.arg_scope import current_arg_scope as current_arg_scope
from ferroflow._src.base.arg_scope import has_arg_scope as has_arg_scope
from ferroflow._src.framework.composite import (
    is_tensor as is_tensor,
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

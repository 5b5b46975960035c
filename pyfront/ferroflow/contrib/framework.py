"""`tf.contrib.framework`: nests and the global step under their older names."""

from ferroflow._src.base import nest as nest
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

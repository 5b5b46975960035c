"""`tf.initializers`: start values of variables."""

from ferroflow._src.framework.constant import (
    constant as constant,
)
from ferroflow._src.ops.array.making import (
    identity as identity,
)
from ferroflow._src.ops.array.making import (
    ones as ones,
)
from ferroflow._src.ops.array.making import (
    zeros as zeros,
)
from ferroflow._src.ops.random.sampling import (
    random_normal as random_normal,
)
from ferroflow._src.ops.random.sampling import (
    random_uniform as random_uniform,
)
from ferroflow._src.ops.random.sampling import (
    truncated_normal as truncated_normal,
)
from ferroflow._src.variables.collections import (
    global_variables as global_variables,
)
from ferroflow._src.variables.collections import (
    local_variables as local_variables,
)

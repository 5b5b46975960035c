"""`tf.debugging`: checks in the graph."""

from ferroflow._src.ops.flow.checking import Assert as Assert
from ferroflow._src.ops.flow.checking import assert_equal as assert_equal
from ferroflow._src.ops.flow.checking import assert_greater as assert_greater
from ferroflow._src.ops.flow.checking import assert_greater_equal as assert_greater_equal
from ferroflow._src.ops.flow.checking import assert_integer as assert_integer
from ferroflow._src.ops.flow.checking import assert_less as assert_less
from ferroflow._src.ops.flow.checking import assert_less_equal as assert_less_equal
from ferroflow._src.ops.flow.checking import assert_near as assert_near
from ferroflow._src.ops.flow.checking import assert_negative as assert_negative
from ferroflow._src.ops.flow.checking import assert_non_negative as assert_non_negative
from ferroflow._src.ops.flow.checking import assert_non_positive as assert_non_positive
from ferroflow._src.ops.flow.checking import assert_none_equal as assert_none_equal
from ferroflow._src.ops.flow.checking import assert_positive as assert_positive
from ferroflow._src.ops.flow.checking import assert_proper_iterable as assert_proper_iterable
from ferroflow._src.ops.flow.checking import assert_rank as assert_rank
from ferroflow._src.ops.flow.checking import assert_rank_at_least as assert_rank_at_least
from ferroflow._src.ops.flow.checking import assert_rank_in as assert_rank_in
from ferroflow._src.ops.flow.checking import assert_same_float_dtype as assert_same_float_dtype
from ferroflow._src.ops.flow.checking import assert_scalar as assert_scalar
from ferroflow._src.ops.flow.checking import assert_type as assert_type
from ferroflow._src.ops.flow.checking import check_numerics as check_numerics
from ferroflow._src.ops.flow.checking import is_non_decreasing as is_non_decreasing
from ferroflow._src.ops.flow.checking import is_numeric_tensor as is_numeric_tensor
from ferroflow._src.ops.flow.checking import is_strictly_increasing as is_strictly_increasing
from ferroflow._src.ops.flow.checking import verify_tensor_all_finite as assert_all_finite
from ferroflow._src.ops.math.elementwise import is_finite as is_finite
from ferroflow._src.ops.math.elementwise import is_inf as is_inf
from ferroflow._src.ops.math.elementwise import is_nan as is_nan

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_type",
    "check_numerics",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
]

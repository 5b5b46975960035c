"""`tf.math`: functions of elements, reductions and segments."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.array.shaping import invert_permutation as invert_permutation
from ferroflow._src.ops.flow.checking import (
    is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing,
)
from ferroflow._src.ops.math.arithmetic import (
    accumulate_n as accumulate_n,
    add as add,
    add_n as add_n,
    atan2 as atan2,
    betainc as betainc,
    div_no_nan as _div_no_nan,
    divide as divide,
    floordiv as floordiv,
    floormod as floormod,
    igamma as igamma,
    igammac as igammac,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    multiply_no_nan as multiply_no_nan,
    nextafter as nextafter,
    polygamma as polygamma,
    polyval as polyval,
    pow as pow,
    reciprocal_no_nan as reciprocal_no_nan,
    scalar_mul as scalar_mul,
    squared_difference as squared_difference,
    subtract as subtract,
    truediv as truediv,
    xdivy as xdivy,
    xlogy as xlogy,
    zeta as zeta,
)
from ferroflow._src.ops.math.bessel import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)
from ferroflow._src.ops.math.beta import lbeta as lbeta
from ferroflow._src.ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from ferroflow._src.ops.math.complex_parts import angle as angle, imag as imag, real as real
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix as confusion_matrix
from ferroflow._src.ops.math.elementwise import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    ceil as ceil,
    conj as conj,
    cos as cos,
    cosh as cosh,
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    lgamma as lgamma,
    log as log,
    log1p as log1p,
    log_sigmoid as log_sigmoid,
    logical_not as logical_not,
    negative as negative,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    tan as tan,
    tanh as tanh,
)
from ferroflow._src.ops.math.reduction import (
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_std as reduce_std,
    reduce_sum as reduce_sum,
    reduce_variance as reduce_variance,
)
from ferroflow._src.ops.math.segment import (
    bincount as bincount,
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_logsumexp as cumulative_logsumexp,
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from ferroflow._src.ops.nn.activation import softplus as softplus, softsign as softsign
from ferroflow._src.ops.nn.normalization import l2_normalize as l2_normalize, zero_fraction as zero_fraction
from ferroflow._src.ops.nn.ranking import in_top_k as in_top_k, top_k as top_k
from ferroflow._src.ops.nn.softmax import log_softmax as log_softmax, softmax as softmax

divide_no_nan = _div_no_nan
mod = floormod

_tell_absent(globals())

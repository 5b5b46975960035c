"""`tf.math`: functions of elements, reductions and segments."""

from ferroflow._src.ops.array.shaping import invert_permutation as invert_permutation
from ferroflow._src.ops.flow.checking import is_non_decreasing as is_non_decreasing
from ferroflow._src.ops.flow.checking import is_strictly_increasing as is_strictly_increasing
from ferroflow._src.ops.math.arithmetic import accumulate_n as accumulate_n
from ferroflow._src.ops.math.arithmetic import add as add
from ferroflow._src.ops.math.arithmetic import add_n as add_n
from ferroflow._src.ops.math.arithmetic import atan2 as atan2
from ferroflow._src.ops.math.arithmetic import betainc as betainc
from ferroflow._src.ops.math.arithmetic import div_no_nan as divide_no_nan
from ferroflow._src.ops.math.arithmetic import divide as divide
from ferroflow._src.ops.math.arithmetic import floordiv as floordiv
from ferroflow._src.ops.math.arithmetic import floormod as floormod
from ferroflow._src.ops.math.arithmetic import floormod as mod
from ferroflow._src.ops.math.arithmetic import igamma as igamma
from ferroflow._src.ops.math.arithmetic import igammac as igammac
from ferroflow._src.ops.math.arithmetic import maximum as maximum
from ferroflow._src.ops.math.arithmetic import minimum as minimum
from ferroflow._src.ops.math.arithmetic import multiply as multiply
from ferroflow._src.ops.math.arithmetic import multiply_no_nan as multiply_no_nan
from ferroflow._src.ops.math.arithmetic import polygamma as polygamma
from ferroflow._src.ops.math.arithmetic import polyval as polyval
from ferroflow._src.ops.math.arithmetic import pow as pow
from ferroflow._src.ops.math.arithmetic import reciprocal_no_nan as reciprocal_no_nan
from ferroflow._src.ops.math.arithmetic import scalar_mul as scalar_mul
from ferroflow._src.ops.math.arithmetic import squared_difference as squared_difference
from ferroflow._src.ops.math.arithmetic import subtract as subtract
from ferroflow._src.ops.math.arithmetic import truediv as truediv
from ferroflow._src.ops.math.arithmetic import xdivy as xdivy
from ferroflow._src.ops.math.arithmetic import xlogy as xlogy
from ferroflow._src.ops.math.arithmetic import zeta as zeta
from ferroflow._src.ops.math.beta import lbeta as lbeta
from ferroflow._src.ops.math.cast import imag as imag
from ferroflow._src.ops.math.cast import real as real
from ferroflow._src.ops.math.comparison import equal as equal
from ferroflow._src.ops.math.comparison import greater as greater
from ferroflow._src.ops.math.comparison import greater_equal as greater_equal
from ferroflow._src.ops.math.comparison import less as less
from ferroflow._src.ops.math.comparison import less_equal as less_equal
from ferroflow._src.ops.math.comparison import logical_and as logical_and
from ferroflow._src.ops.math.comparison import logical_or as logical_or
from ferroflow._src.ops.math.comparison import logical_xor as logical_xor
from ferroflow._src.ops.math.comparison import not_equal as not_equal
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix as confusion_matrix
from ferroflow._src.ops.math.elementwise import abs as abs
from ferroflow._src.ops.math.elementwise import acos as acos
from ferroflow._src.ops.math.elementwise import acosh as acosh
from ferroflow._src.ops.math.elementwise import angle as angle
from ferroflow._src.ops.math.elementwise import asin as asin
from ferroflow._src.ops.math.elementwise import asinh as asinh
from ferroflow._src.ops.math.elementwise import atan as atan
from ferroflow._src.ops.math.elementwise import atanh as atanh
from ferroflow._src.ops.math.elementwise import ceil as ceil
from ferroflow._src.ops.math.elementwise import conj as conj
from ferroflow._src.ops.math.elementwise import cos as cos
from ferroflow._src.ops.math.elementwise import cosh as cosh
from ferroflow._src.ops.math.elementwise import digamma as digamma
from ferroflow._src.ops.math.elementwise import erf as erf
from ferroflow._src.ops.math.elementwise import erfc as erfc
from ferroflow._src.ops.math.elementwise import exp as exp
from ferroflow._src.ops.math.elementwise import expm1 as expm1
from ferroflow._src.ops.math.elementwise import floor as floor
from ferroflow._src.ops.math.elementwise import is_finite as is_finite
from ferroflow._src.ops.math.elementwise import is_inf as is_inf
from ferroflow._src.ops.math.elementwise import is_nan as is_nan
from ferroflow._src.ops.math.elementwise import lgamma as lgamma
from ferroflow._src.ops.math.elementwise import log as log
from ferroflow._src.ops.math.elementwise import log1p as log1p
from ferroflow._src.ops.math.elementwise import log_sigmoid as log_sigmoid
from ferroflow._src.ops.math.elementwise import logical_not as logical_not
from ferroflow._src.ops.math.elementwise import negative as negative
from ferroflow._src.ops.math.elementwise import reciprocal as reciprocal
from ferroflow._src.ops.math.elementwise import rint as rint
from ferroflow._src.ops.math.elementwise import round as round
from ferroflow._src.ops.math.elementwise import rsqrt as rsqrt
from ferroflow._src.ops.math.elementwise import sigmoid as sigmoid
from ferroflow._src.ops.math.elementwise import sign as sign
from ferroflow._src.ops.math.elementwise import sin as sin
from ferroflow._src.ops.math.elementwise import sinh as sinh
from ferroflow._src.ops.math.elementwise import sqrt as sqrt
from ferroflow._src.ops.math.elementwise import square as square
from ferroflow._src.ops.math.elementwise import tan as tan
from ferroflow._src.ops.math.elementwise import tanh as tanh
from ferroflow._src.ops.math.reduction import argmax as argmax
from ferroflow._src.ops.math.reduction import argmin as argmin
from ferroflow._src.ops.math.reduction import count_nonzero as count_nonzero
from ferroflow._src.ops.math.reduction import reduce_all as reduce_all
from ferroflow._src.ops.math.reduction import reduce_any as reduce_any
from ferroflow._src.ops.math.reduction import reduce_euclidean_norm as reduce_euclidean_norm
from ferroflow._src.ops.math.reduction import reduce_logsumexp as reduce_logsumexp
from ferroflow._src.ops.math.reduction import reduce_max as reduce_max
from ferroflow._src.ops.math.reduction import reduce_mean as reduce_mean
from ferroflow._src.ops.math.reduction import reduce_min as reduce_min
from ferroflow._src.ops.math.reduction import reduce_prod as reduce_prod
from ferroflow._src.ops.math.reduction import reduce_std as reduce_std
from ferroflow._src.ops.math.reduction import reduce_sum as reduce_sum
from ferroflow._src.ops.math.reduction import reduce_variance as reduce_variance
from ferroflow._src.ops.math.segment import bincount as bincount
from ferroflow._src.ops.math.segment import cumprod as cumprod
from ferroflow._src.ops.math.segment import cumsum as cumsum
from ferroflow._src.ops.math.segment import segment_max as segment_max
from ferroflow._src.ops.math.segment import segment_mean as segment_mean
from ferroflow._src.ops.math.segment import segment_min as segment_min
from ferroflow._src.ops.math.segment import segment_prod as segment_prod
from ferroflow._src.ops.math.segment import segment_sum as segment_sum
from ferroflow._src.ops.math.segment import unsorted_segment_max as unsorted_segment_max
from ferroflow._src.ops.math.segment import unsorted_segment_mean as unsorted_segment_mean
from ferroflow._src.ops.math.segment import unsorted_segment_min as unsorted_segment_min
from ferroflow._src.ops.math.segment import unsorted_segment_prod as unsorted_segment_prod
from ferroflow._src.ops.math.segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from ferroflow._src.ops.math.segment import unsorted_segment_sum as unsorted_segment_sum
from ferroflow._src.ops.nn.activation import softplus as softplus
from ferroflow._src.ops.nn.activation import softsign as softsign
from ferroflow._src.ops.nn.normalization import l2_normalize as l2_normalize
from ferroflow._src.ops.nn.normalization import zero_fraction as zero_fraction
from ferroflow._src.ops.nn.ranking import in_top_k as in_top_k
from ferroflow._src.ops.nn.ranking import top_k as top_k
from ferroflow._src.ops.nn.softmax import log_softmax as log_softmax
from ferroflow._src.ops.nn.softmax import softmax as softmax

__all__ = [
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "betainc",
    "bincount",
    "ceil",
    "confusion_matrix",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "digamma",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "igamma",
    "igammac",
    "imag",
    "in_top_k",
    "invert_permutation",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "multiply_no_nan",
    "negative",
    "not_equal",
    "polygamma",
    "polyval",
    "pow",
    "real",
    "reciprocal",
    "reciprocal_no_nan",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "softsign",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "top_k",
    "truediv",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "xdivy",
    "xlogy",
    "zero_fraction",
    "zeta",
]

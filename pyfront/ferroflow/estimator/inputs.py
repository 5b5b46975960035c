"""`tf.estimator.inputs`: input functions that read arrays and data frames."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.estimator.inputs import numpy_input_fn as numpy_input_fn, pandas_input_fn as pandas_input_fn

_tell_absent(globals())

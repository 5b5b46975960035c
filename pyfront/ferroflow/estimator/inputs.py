"""`tf.estimator.inputs`: input functions that read arrays and data frames."""

from ferroflow._src.estimator.inputs import numpy_input_fn as numpy_input_fn
from ferroflow._src.estimator.inputs import pandas_input_fn as pandas_input_fn

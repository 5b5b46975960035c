"""`tf.contrib.slim.model_analyzer`: the sizes of a model."""

from ferroflow._src.layers.model_analysis import analyze_ops as analyze_ops
from ferroflow._src.layers.model_analysis import analyze_vars as analyze_vars
from ferroflow._src.layers.model_analysis import tensor_description as tensor_description

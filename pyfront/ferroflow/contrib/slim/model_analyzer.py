"""`tf.contrib.slim.model_analyzer`: the sizes of a model."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.slim.model_analysis import (
    analyze_ops as analyze_ops,
    analyze_vars as analyze_vars,
    tensor_description as tensor_description,
)

_tell_absent(globals())

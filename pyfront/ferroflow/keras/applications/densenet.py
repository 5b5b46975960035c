"""`tf.keras.applications.densenet`: densely connected networks, and their images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.densenet import (
    DenseNet121 as DenseNet121,
    DenseNet169 as DenseNet169,
    DenseNet201 as DenseNet201,
)
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input_torch as _preprocess_input_torch,
)

preprocess_input = _preprocess_input_torch

_tell_absent(globals())

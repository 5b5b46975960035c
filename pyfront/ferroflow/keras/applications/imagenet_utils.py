"""`tf.keras.applications.imagenet_utils`: ImageNet's images and classes."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)

_tell_absent(globals())

"""`tf.keras.applications.mobilenet`: MobileNet, and their images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input_tf as _preprocess_input_tf,
)
from ferroflow._src.keras.applications.mobilenet import MobileNet as MobileNet

preprocess_input = _preprocess_input_tf

_tell_absent(globals())

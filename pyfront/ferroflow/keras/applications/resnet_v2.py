"""`tf.keras.applications.resnet_v2`: residual networks, version 2, and their images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input_tf as _preprocess_input_tf,
)
from ferroflow._src.keras.applications.resnet import (
    ResNet50V2 as ResNet50V2,
    ResNet101V2 as ResNet101V2,
    ResNet152V2 as ResNet152V2,
)

preprocess_input = _preprocess_input_tf

_tell_absent(globals())

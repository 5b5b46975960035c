"""`tf.keras.applications.resnet`: residual networks, and their images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.imagenet import (
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
from ferroflow._src.keras.applications.resnet import (
    ResNet50 as ResNet50,
    ResNet101 as ResNet101,
    ResNet152 as ResNet152,
)

_tell_absent(globals())

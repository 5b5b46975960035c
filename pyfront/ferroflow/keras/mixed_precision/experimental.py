"""`tf.keras.mixed_precision.experimental`: optimizers of Keras that scale the loss."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer

_tell_absent(globals())

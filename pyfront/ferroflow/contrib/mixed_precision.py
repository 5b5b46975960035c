"""`tf.contrib.mixed_precision`: loss scales for training in float16."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.mixed_precision.loss_scale_managers import (
    ExponentialUpdateLossScaleManager as ExponentialUpdateLossScaleManager,
    FixedLossScaleManager as FixedLossScaleManager,
    LossScaleManager as LossScaleManager,
)
from ferroflow._src.contrib.mixed_precision.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer

_tell_absent(globals())

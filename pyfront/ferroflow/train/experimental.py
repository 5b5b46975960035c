"""`tf.train.experimental`: loss scales for training in float16, and Python objects in checkpoints."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.checkpoint.python_state import PythonState as PythonState
from ferroflow._src.training.loss_scale import (
    DynamicLossScale as DynamicLossScale,
    FixedLossScale as FixedLossScale,
    LossScale as LossScale,
)
from ferroflow._src.training.loss_scale_optimizer import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)

_tell_absent(globals())

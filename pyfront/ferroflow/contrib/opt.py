"""`tf.contrib.opt`: optimizers beside those of `tf.train`."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.training.ada_max import (
    AdaMaxOptimizer as AdaMaxOptimizer,
)
from ferroflow._src.training.adam_variants import (
    LazyAdamOptimizer as LazyAdamOptimizer,
    NadamOptimizer as NadamOptimizer,
)
from ferroflow._src.training.external_optimizer import (
    ExternalOptimizerInterface as ExternalOptimizerInterface,
    ScipyOptimizerInterface as ScipyOptimizerInterface,
)
from ferroflow._src.training.moving_average_optimizer import (
    MovingAverageOptimizer as MovingAverageOptimizer,
)
from ferroflow._src.training.sign_agreement import (
    AddSignOptimizer as AddSignOptimizer,
    PowerSignOptimizer as PowerSignOptimizer,
)
from ferroflow._src.training.weight_decay import (
    AdamWOptimizer as AdamWOptimizer,
    DecoupledWeightDecayExtension as DecoupledWeightDecayExtension,
    MomentumWOptimizer as MomentumWOptimizer,
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
)

_tell_absent(globals())

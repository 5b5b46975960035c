"""`tf.contrib.opt`: optimizers beside those of `tf.train`."""

from ferroflow._src.training.ada_max import (
    AdaMaxOptimizer as AdaMaxOptimizer,
)
from ferroflow._src.training.adam_variants import (
    LazyAdamOptimizer as LazyAdamOptimizer,
)
from ferroflow._src.training.adam_variants import (
    NadamOptimizer as NadamOptimizer,
)
from ferroflow._src.training.moving_average_optimizer import (
    MovingAverageOptimizer as MovingAverageOptimizer,
)
from ferroflow._src.training.sign_agreement import (
    AddSignOptimizer as AddSignOptimizer,
)
from ferroflow._src.training.sign_agreement import (
    PowerSignOptimizer as PowerSignOptimizer,
)
from ferroflow._src.training.weight_decay import (
    AdamWOptimizer as AdamWOptimizer,
)
from ferroflow._src.training.weight_decay import (
    DecoupledWeightDecayExtension as DecoupledWeightDecayExtension,
)
from ferroflow._src.training.weight_decay import (
    MomentumWOptimizer as MomentumWOptimizer,
)
from ferroflow._src.training.weight_decay import (
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
)

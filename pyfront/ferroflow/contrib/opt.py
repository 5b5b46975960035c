"""`tf.contrib.opt`: optimizers besides those of `tf.train`."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.opt.accumulated_gradient import (
    AGNCustomGetter as AGNCustomGetter,
    AGNOptimizer as AGNOptimizer,
)
from ferroflow._src.contrib.opt.ada_max import AdaMaxOptimizer as AdaMaxOptimizer
from ferroflow._src.contrib.opt.adam_global_step import (
    AdamGSOptimizer as AdamGSOptimizer,
    LazyAdamGSOptimizer as LazyAdamGSOptimizer,
)
from ferroflow._src.contrib.opt.adam_variants import (
    LazyAdamOptimizer as LazyAdamOptimizer,
    NadamOptimizer as NadamOptimizer,
)
from ferroflow._src.contrib.opt.drop_stale_gradient import DropStaleGradientOptimizer as DropStaleGradientOptimizer
from ferroflow._src.contrib.opt.elastic_average import (
    ElasticAverageCustomGetter as ElasticAverageCustomGetter,
    ElasticAverageOptimizer as ElasticAverageOptimizer,
)
from ferroflow._src.contrib.opt.external_optimizer import (
    ExternalOptimizerInterface as ExternalOptimizerInterface,
    ScipyOptimizerInterface as ScipyOptimizerInterface,
)
from ferroflow._src.contrib.opt.ggt import GGTOptimizer as GGTOptimizer
from ferroflow._src.contrib.opt.lars import LARSOptimizer as LARSOptimizer
from ferroflow._src.contrib.opt.model_average import (
    ModelAverageCustomGetter as ModelAverageCustomGetter,
    ModelAverageOptimizer as ModelAverageOptimizer,
)
from ferroflow._src.contrib.opt.moving_average_optimizer import MovingAverageOptimizer as MovingAverageOptimizer
from ferroflow._src.contrib.opt.multitask import (
    MultitaskOptimizerWrapper as MultitaskOptimizerWrapper,
    clip_gradients_by_global_norm as clip_gradients_by_global_norm,
)
from ferroflow._src.contrib.opt.reg_adagrad import RegAdagradOptimizer as RegAdagradOptimizer
from ferroflow._src.contrib.opt.shampoo import ShampooOptimizer as ShampooOptimizer
from ferroflow._src.contrib.opt.sign_agreement import (
    AddSignOptimizer as AddSignOptimizer,
    PowerSignOptimizer as PowerSignOptimizer,
)
from ferroflow._src.contrib.opt.variable_clipping import VariableClippingOptimizer as VariableClippingOptimizer
from ferroflow._src.contrib.opt.weight_decay import (
    AdamWOptimizer as AdamWOptimizer,
    DecoupledWeightDecayExtension as DecoupledWeightDecayExtension,
    MomentumWOptimizer as MomentumWOptimizer,
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
)

_tell_absent(globals())

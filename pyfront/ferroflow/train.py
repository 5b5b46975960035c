"""`tf.train`: optimizers and training."""

from ferroflow._src.summary.file_writer import (
    SummaryWriter as SummaryWriter,
)
from ferroflow._src.training.adadelta import (
    AdadeltaOptimizer as AdadeltaOptimizer,
)
from ferroflow._src.training.adagrad import (
    AdagradOptimizer as AdagradOptimizer,
)
from ferroflow._src.training.adam import (
    AdamOptimizer as AdamOptimizer,
)
from ferroflow._src.training.cosine_decay import (
    cosine_decay as cosine_decay,
)
from ferroflow._src.training.cosine_decay import (
    cosine_decay_restarts as cosine_decay_restarts,
)
from ferroflow._src.training.cosine_decay import (
    linear_cosine_decay as linear_cosine_decay,
)
from ferroflow._src.training.cosine_decay import (
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
)
from ferroflow._src.training.ftrl import (
    FtrlOptimizer as FtrlOptimizer,
)
from ferroflow._src.training.global_step import (
    assert_global_step as assert_global_step,
)
from ferroflow._src.training.global_step import (
    create_global_step as create_global_step,
)
from ferroflow._src.training.global_step import (
    get_global_step as get_global_step,
)
from ferroflow._src.training.global_step import (
    get_or_create_global_step as get_or_create_global_step,
)
from ferroflow._src.training.global_step import (
    global_step as global_step,
)
from ferroflow._src.training.gradient_descent import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
from ferroflow._src.training.learning_rate_decay import (
    exponential_decay as exponential_decay,
)
from ferroflow._src.training.learning_rate_decay import (
    inverse_time_decay as inverse_time_decay,
)
from ferroflow._src.training.learning_rate_decay import (
    natural_exp_decay as natural_exp_decay,
)
from ferroflow._src.training.learning_rate_decay import (
    piecewise_constant as piecewise_constant,
)
from ferroflow._src.training.learning_rate_decay import (
    polynomial_decay as polynomial_decay,
)
from ferroflow._src.training.momentum import (
    MomentumOptimizer as MomentumOptimizer,
)
from ferroflow._src.training.moving_averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from ferroflow._src.training.optimizer import (
    Optimizer as Optimizer,
)
from ferroflow._src.training.proximal import (
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
)
from ferroflow._src.training.proximal import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from ferroflow._src.training.rms_prop import (
    RMSPropOptimizer as RMSPropOptimizer,
)

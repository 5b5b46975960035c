"""`tf.contrib.constrained_optimization`: optimizers of an objective under constraints."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.constrained_optimization.candidates import (
    find_best_candidate_distribution as find_best_candidate_distribution,
    find_best_candidate_index as find_best_candidate_index,
)
from ferroflow._src.contrib.constrained_optimization.constrained_optimizer import (
    ConstrainedOptimizer as ConstrainedOptimizer,
)
from ferroflow._src.contrib.constrained_optimization.external_regret import (
    AdditiveExternalRegretOptimizer as AdditiveExternalRegretOptimizer,
)
from ferroflow._src.contrib.constrained_optimization.problem import (
    ConstrainedMinimizationProblem as ConstrainedMinimizationProblem,
)
from ferroflow._src.contrib.constrained_optimization.swap_regret import (
    AdditiveSwapRegretOptimizer as AdditiveSwapRegretOptimizer,
    MultiplicativeSwapRegretOptimizer as MultiplicativeSwapRegretOptimizer,
)

_tell_absent(globals())

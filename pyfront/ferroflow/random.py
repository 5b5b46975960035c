"""`tf.random`: random numbers, of seeds of their own or of the graph."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.random_seed import get_seed as get_seed, set_random_seed as set_random_seed
from ferroflow._src.ops.random.sampling import (
    categorical as categorical,
    random_gamma as gamma,
    random_normal as normal,
    random_poisson as poisson,
    random_shuffle as shuffle,
    random_uniform as uniform,
    truncated_normal as truncated_normal,
)
from ferroflow._src.ops.random.stateless import (
    stateless_categorical as stateless_categorical,
    stateless_random_normal as stateless_normal,
    stateless_random_uniform as stateless_uniform,
    stateless_truncated_normal as stateless_truncated_normal,
)
from ferroflow._src.ops.superseded import multinomial as multinomial, stateless_multinomial as stateless_multinomial

__all__ = [
    "categorical",
    "gamma",
    "get_seed",
    "multinomial",
    "normal",
    "poisson",
    "set_random_seed",
    "shuffle",
    "stateless_categorical",
    "stateless_multinomial",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]

_tell_absent(globals())

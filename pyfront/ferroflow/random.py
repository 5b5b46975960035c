"""`tf.random`: random numbers, of seeds of their own or of the graph."""

from ferroflow._src.framework.random_seed import get_seed as get_seed
from ferroflow._src.framework.random_seed import set_random_seed as set_random_seed
from ferroflow._src.ops.random.sampling import categorical as categorical
from ferroflow._src.ops.random.sampling import random_gamma as gamma
from ferroflow._src.ops.random.sampling import random_normal as normal
from ferroflow._src.ops.random.sampling import random_poisson as poisson
from ferroflow._src.ops.random.sampling import random_shuffle as shuffle
from ferroflow._src.ops.random.sampling import random_uniform as uniform
from ferroflow._src.ops.random.sampling import truncated_normal as truncated_normal
from ferroflow._src.ops.random.stateless import stateless_categorical as stateless_categorical
from ferroflow._src.ops.random.stateless import stateless_random_normal as stateless_normal
from ferroflow._src.ops.random.stateless import stateless_random_uniform as stateless_uniform
from ferroflow._src.ops.random.stateless import stateless_truncated_normal as stateless_truncated_normal
from ferroflow._src.ops.superseded import multinomial as multinomial
from ferroflow._src.ops.superseded import stateless_multinomial as stateless_multinomial

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

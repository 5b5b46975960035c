"""`tf.random`: random numbers, of seeds of their own or of the graph."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.framework.random_seed import get_seed as get_seed, set_random_seed as set_random_seed
from ferroflow._src.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from ferroflow._src.ops.random.sampling import (
    categorical as categorical,
    random_gamma as _random_gamma,
    random_normal as _random_normal,
    random_poisson as _random_poisson,
    random_shuffle as _random_shuffle,
    random_uniform as _random_uniform,
    truncated_normal as truncated_normal,
)
from ferroflow._src.ops.random.stateless import (
    stateless_categorical as stateless_categorical,
    stateless_random_normal as _stateless_random_normal,
    stateless_random_uniform as _stateless_random_uniform,
    stateless_truncated_normal as stateless_truncated_normal,
)
from ferroflow._src.ops.superseded import multinomial as multinomial, stateless_multinomial as stateless_multinomial
from ferroflow.random import experimental as experimental

gamma = _random_gamma
normal = _random_normal
poisson = _random_poisson
shuffle = _random_shuffle
stateless_normal = _stateless_random_normal
stateless_uniform = _stateless_random_uniform
uniform = _random_uniform

_tell_absent(globals())

"""`tf.distributions`: probability distributions."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.distributions.bernoulli import Bernoulli as Bernoulli
from ferroflow._src.distributions.beta import Beta as Beta
from ferroflow._src.distributions.categorical import Categorical as Categorical
from ferroflow._src.distributions.dirichlet import Dirichlet as Dirichlet
from ferroflow._src.distributions.dirichlet_multinomial import DirichletMultinomial as DirichletMultinomial
from ferroflow._src.distributions.distribution import Distribution as Distribution
from ferroflow._src.distributions.divergence import RegisterKL as RegisterKL, kl_divergence as kl_divergence
from ferroflow._src.distributions.exponential import Exponential as Exponential
from ferroflow._src.distributions.gamma import Gamma as Gamma
from ferroflow._src.distributions.laplace import Laplace as Laplace
from ferroflow._src.distributions.multinomial import Multinomial as Multinomial
from ferroflow._src.distributions.normal import Normal as Normal
from ferroflow._src.distributions.reparameterization import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
    ReparameterizationType as ReparameterizationType,
)
from ferroflow._src.distributions.student_t import StudentT as StudentT
from ferroflow._src.distributions.uniform import Uniform as Uniform

_tell_absent(globals())

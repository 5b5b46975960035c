"""`tf.contrib.distributions`: probability distributions, with variants whose parameters take any sign."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.distributions.counts import (
    Binomial as Binomial,
    Geometric as Geometric,
    NegativeBinomial as NegativeBinomial,
    Poisson as Poisson,
)
from ferroflow._src.contrib.distributions.gamma_kin import (
    Chi2 as Chi2,
    Chi2WithAbsDf as Chi2WithAbsDf,
    InverseGamma as InverseGamma,
)
from ferroflow._src.contrib.distributions.location_scale import (
    Cauchy as Cauchy,
    HalfNormal as HalfNormal,
    Logistic as Logistic,
)
from ferroflow._src.distributions.bernoulli import Bernoulli as Bernoulli
from ferroflow._src.distributions.beta import (
    Beta as Beta,
    BetaWithSoftplusConcentration as BetaWithSoftplusConcentration,
)
from ferroflow._src.distributions.categorical import Categorical as Categorical
from ferroflow._src.distributions.dirichlet import Dirichlet as Dirichlet
from ferroflow._src.distributions.dirichlet_multinomial import DirichletMultinomial as DirichletMultinomial
from ferroflow._src.distributions.distribution import Distribution as Distribution
from ferroflow._src.distributions.divergence import RegisterKL as RegisterKL, kl_divergence as kl_divergence
from ferroflow._src.distributions.exponential import (
    Exponential as Exponential,
    ExponentialWithSoftplusRate as ExponentialWithSoftplusRate,
)
from ferroflow._src.distributions.gamma import (
    Gamma as Gamma,
    GammaWithSoftplusConcentrationRate as GammaWithSoftplusConcentrationRate,
)
from ferroflow._src.distributions.laplace import (
    Laplace as Laplace,
    LaplaceWithSoftplusScale as LaplaceWithSoftplusScale,
)
from ferroflow._src.distributions.multinomial import Multinomial as Multinomial
from ferroflow._src.distributions.normal import Normal as Normal, NormalWithSoftplusScale as NormalWithSoftplusScale
from ferroflow._src.distributions.parameterization import softplus_inverse as softplus_inverse
from ferroflow._src.distributions.reparameterization import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
    ReparameterizationType as ReparameterizationType,
)
from ferroflow._src.distributions.student_t import (
    StudentT as StudentT,
    StudentTWithAbsDfSoftplusScale as StudentTWithAbsDfSoftplusScale,
)
from ferroflow._src.distributions.uniform import Uniform as Uniform

_tell_absent(globals())

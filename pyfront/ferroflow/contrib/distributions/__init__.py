"""`tf.contrib.distributions`: probability distributions, with variants whose parameters take any sign."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.distributions.autoregressive import Autoregressive as Autoregressive
from ferroflow._src.contrib.distributions.batch_reshape import BatchReshape as BatchReshape
from ferroflow._src.contrib.distributions.conditional import (
    ConditionalDistribution as ConditionalDistribution,
    ConditionalTransformedDistribution as ConditionalTransformedDistribution,
)
from ferroflow._src.contrib.distributions.counts import (
    Binomial as Binomial,
    Geometric as Geometric,
    NegativeBinomial as NegativeBinomial,
    Poisson as Poisson,
)
from ferroflow._src.contrib.distributions.deterministic import (
    Deterministic as Deterministic,
    VectorDeterministic as VectorDeterministic,
)
from ferroflow._src.contrib.distributions.gamma_kin import (
    Chi2 as Chi2,
    Chi2WithAbsDf as Chi2WithAbsDf,
    InverseGamma as InverseGamma,
    InverseGammaWithSoftplusConcentrationRate as InverseGammaWithSoftplusConcentrationRate,
)
from ferroflow._src.contrib.distributions.independent import Independent as Independent
from ferroflow._src.contrib.distributions.location_scale import (
    Cauchy as Cauchy,
    HalfNormal as HalfNormal,
    Logistic as Logistic,
)
from ferroflow._src.contrib.distributions.matrices_and_vectors import (
    fill_triangular as fill_triangular,
    fill_triangular_inverse as fill_triangular_inverse,
    matrix_diag_transform as matrix_diag_transform,
    reduce_weighted_logsumexp as reduce_weighted_logsumexp,
    tridiag as tridiag,
)
from ferroflow._src.contrib.distributions.mixture import (
    Mixture as Mixture,
    MixtureSameFamily as MixtureSameFamily,
)
from ferroflow._src.contrib.distributions.moving_statistics import (
    assign_log_moving_mean_exp as assign_log_moving_mean_exp,
    assign_moving_mean_variance as assign_moving_mean_variance,
    moving_mean_variance as moving_mean_variance,
)
from ferroflow._src.contrib.distributions.multivariate_normal import (
    MultivariateNormalDiag as MultivariateNormalDiag,
    MultivariateNormalDiagPlusLowRank as MultivariateNormalDiagPlusLowRank,
    MultivariateNormalDiagWithSoftplusScale as MultivariateNormalDiagWithSoftplusScale,
    MultivariateNormalFullCovariance as MultivariateNormalFullCovariance,
    MultivariateNormalTriL as MultivariateNormalTriL,
)
from ferroflow._src.contrib.distributions.normal_conjugates import (
    normal_conjugates_known_scale_posterior as normal_conjugates_known_scale_posterior,
    normal_conjugates_known_scale_predictive as normal_conjugates_known_scale_predictive,
)
from ferroflow._src.contrib.distributions.of_bijector import (
    Kumaraswamy as Kumaraswamy,
    RelaxedBernoulli as RelaxedBernoulli,
    SinhArcsinh as SinhArcsinh,
    VectorSinhArcsinhDiag as VectorSinhArcsinhDiag,
)
from ferroflow._src.contrib.distributions.of_linear_operator import (
    VectorExponentialDiag as VectorExponentialDiag,
    VectorLaplaceDiag as VectorLaplaceDiag,
)
from ferroflow._src.contrib.distributions.one_hot import (
    ExpRelaxedOneHotCategorical as ExpRelaxedOneHotCategorical,
    OneHotCategorical as OneHotCategorical,
    RelaxedOneHotCategorical as RelaxedOneHotCategorical,
)
from ferroflow._src.contrib.distributions.poisson_lognormal import (
    PoissonLogNormalQuadratureCompound as PoissonLogNormalQuadratureCompound,
    quadrature_scheme_lognormal_gauss_hermite as quadrature_scheme_lognormal_gauss_hermite,
    quadrature_scheme_lognormal_quantiles as quadrature_scheme_lognormal_quantiles,
)
from ferroflow._src.contrib.distributions.quantized import QuantizedDistribution as QuantizedDistribution
from ferroflow._src.contrib.distributions.sample_statistics import (
    auto_correlation as auto_correlation,
    percentile as percentile,
)
from ferroflow._src.contrib.distributions.seed_stream import SeedStream as SeedStream
from ferroflow._src.contrib.distributions.transformed import TransformedDistribution as TransformedDistribution
from ferroflow._src.contrib.distributions.vector_diffeomixture import (
    VectorDiffeomixture as VectorDiffeomixture,
    quadrature_scheme_softmaxnormal_gauss_hermite as quadrature_scheme_softmaxnormal_gauss_hermite,
    quadrature_scheme_softmaxnormal_quantiles as quadrature_scheme_softmaxnormal_quantiles,
)
from ferroflow._src.contrib.distributions.wishart import (
    WishartCholesky as WishartCholesky,
    WishartFull as WishartFull,
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
from ferroflow.contrib.distributions import bijectors as bijectors

_tell_absent(globals())

"""Distributions of `tf.contrib.distributions` of fixed parameters, and what a step makes of them."""

import numpy as np


def _f(*values):
    return np.array(values, np.float32)


_ONE = np.float32(1.0)


def _conditioned(tf, x):
    """Independent normal numbers of which each has the one before as its mean."""
    d = tf.contrib.distributions
    before = tf.concat([tf.zeros_like(x[..., :1]), x[..., :-1]], -1)
    return d.Independent(d.Normal(before, tf.ones_like(before)), 1)


def _mixture(tf, **options):
    d = tf.contrib.distributions
    components = [d.Normal(np.float32(-1), _ONE), d.Normal(np.float32(2), np.float32(0.5))]
    return d.Mixture(d.Categorical(probs=_f(0.3, 0.7)), components, **options)


def _mixture_of_vectors(tf):
    d = tf.contrib.distributions
    ones = np.ones([2, 3], np.float32)
    components = [d.MultivariateNormalDiag(0 * ones, ones), d.MultivariateNormalDiag(ones, 2 * ones)]
    return d.Mixture(d.Categorical(probs=_f([0.3, 0.7], [0.5, 0.5])), components)


def _transformed_event(tf):
    d = tf.contrib.distributions
    tril = _f([1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [1.0, 1.0, 1.0])
    affine = d.bijectors.Affine(shift=_f(1.0, 2.0, 3.0), scale_tril=tril)
    return d.TransformedDistribution(d.Normal(_f(0.0, 1.0), _f(1.0, 0.5)), affine, event_shape=[3])


def _diffeomixture(tf):
    d = tf.contrib.distributions
    scale = [
        tf.linalg.LinearOperatorScaledIdentity(2, np.float32(1.1), is_positive_definite=True),
        tf.linalg.LinearOperatorDiag(_f(2.5, 3.0), is_positive_definite=True),
    ]
    loc = [None, _f(2.0, 3.0)]
    return d.VectorDiffeomixture(_f([0.0], [1.0]), _f(1.0), d.Normal(np.float32(0), _ONE), loc=loc, scale=scale)


def _of(name, *args, **kwargs):
    return lambda tf: getattr(tf.contrib.distributions, name)(*args, **kwargs)


_HERMITE = lambda tf: tf.contrib.distributions.PoissonLogNormalQuadratureCompound(  # noqa: E731
    _f(0.0, -0.5),
    _ONE,
    quadrature_size=10,
    quadrature_fn=tf.contrib.distributions.quadrature_scheme_lognormal_gauss_hermite,
)

# Name of the case: how the distribution is made, and a value at which its functions are computed.
CASES = {
    "Autoregressive": (
        lambda tf: tf.contrib.distributions.Autoregressive(
            lambda x: _conditioned(tf, x), sample0=tf.zeros([3]), num_steps=3
        ),
        _f(0.1, 0.2, 0.3),
    ),
    "BatchReshape": (
        lambda tf: tf.contrib.distributions.BatchReshape(
            tf.contrib.distributions.Normal(_f(0.0, 1.0, 2.0, 3.0), _f(1.0, 2.0, 3.0, 4.0)), [2, 2]
        ),
        np.ones([2, 2], np.float32),
    ),
    "Deterministic": (_of("Deterministic", _f(0.0, 1.0)), _f(0.0, 2.0)),
    "VectorDeterministic": (_of("VectorDeterministic", _f(0.0, 1.0)), _f(0.0, 1.0)),
    "ExpRelaxedOneHotCategorical": (
        _of("ExpRelaxedOneHotCategorical", np.float32(0.5), logits=_f(0.1, 0.2, 0.7)),
        np.log(_f(0.2, 0.3, 0.5)),
    ),
    "RelaxedOneHotCategorical": (
        _of("RelaxedOneHotCategorical", np.float32(0.5), probs=_f(0.1, 0.2, 0.7)),
        _f(0.2, 0.3, 0.5),
    ),
    "RelaxedBernoulli": (_of("RelaxedBernoulli", np.float32(0.5), probs=_f(0.1, 0.7)), _f(0.2, 0.3)),
    "OneHotCategorical": (_of("OneHotCategorical", probs=_f(0.1, 0.2, 0.7)), np.array([0, 0, 1], np.int32)),
    "Independent": (
        lambda tf: tf.contrib.distributions.Independent(
            tf.contrib.distributions.Normal(_f(0.0, 1.0, 2.0), _f(1.0, 2.0, 3.0)), 1
        ),
        _f(1.0, 1.0, 1.0),
    ),
    "InverseGammaWithSoftplusConcentrationRate": (
        _of("InverseGammaWithSoftplusConcentrationRate", _f(3.0, 4.0), _f(0.5, 1.0)),
        _f(0.5, 1.0),
    ),
    "Kumaraswamy": (_of("Kumaraswamy", _f(2.0, 3.0), _f(1.5, 2.5)), _f(0.5, 0.25)),
    "Mixture": (_mixture, _f(0.5, 0.25)),
    "Mixture of vectors": (_mixture_of_vectors, np.ones([2, 3], np.float32)),
    "Mixture, static": (lambda tf: _mixture(tf, use_static_graph=True), _f(0.5, 0.25)),
    "MixtureSameFamily": (
        lambda tf: tf.contrib.distributions.MixtureSameFamily(
            tf.contrib.distributions.Categorical(probs=_f(0.3, 0.7)),
            tf.contrib.distributions.Normal(_f(-1.0, 1.0), _f(0.1, 0.5)),
        ),
        _f(0.5, 0.25),
    ),
    "MixtureSameFamily of vectors": (
        lambda tf: tf.contrib.distributions.MixtureSameFamily(
            tf.contrib.distributions.Categorical(probs=_f(0.3, 0.7)),
            tf.contrib.distributions.MultivariateNormalDiag(_f([0.0, 1.0], [2.0, 3.0]), _f([1.0, 1.0], [2.0, 0.5])),
        ),
        _f(0.5, 0.25),
    ),
    "MultivariateNormalDiag": (_of("MultivariateNormalDiag", _f(1.0, 2.0), _f(0.5, 2.0)), _f(0.5, 0.25)),
    "MultivariateNormalDiag, multiplier": (
        _of("MultivariateNormalDiag", _f(1.0, 2.0), scale_identity_multiplier=np.float32(2)),
        _f(0.5, 0.25),
    ),
    "MultivariateNormalDiag, batch": (
        _of("MultivariateNormalDiag", np.zeros([3, 2], np.float32), scale_diag=_f(1.0, 3.0)),
        _f(0.5, 0.25),
    ),
    "MultivariateNormalDiagPlusLowRank": (
        _of(
            "MultivariateNormalDiagPlusLowRank",
            _f(1.0, 2.0, 3.0),
            _f(0.5, 2.0, 1.0),
            scale_perturb_factor=_f([1.0], [0.5], [0.2]),
        ),
        _f(0.5, 0.25, 1.0),
    ),
    "MultivariateNormalDiagWithSoftplusScale": (
        _of("MultivariateNormalDiagWithSoftplusScale", _f(1.0, 2.0), _f(0.5, 2.0)),
        _f(0.5, 0.25),
    ),
    "MultivariateNormalFullCovariance": (
        _of("MultivariateNormalFullCovariance", _f(1.0, 2.0), _f([2.0, 0.5], [0.5, 1.0])),
        _f(0.5, 0.25),
    ),
    "MultivariateNormalTriL": (
        _of("MultivariateNormalTriL", _f(1.0, 2.0), _f([2.0, 0.0], [0.5, 1.0])),
        _f(0.5, 0.25),
    ),
    "PoissonLogNormalQuadratureCompound": (
        _of("PoissonLogNormalQuadratureCompound", _f(0.0, -0.5), _ONE, quadrature_size=10),
        _f(1.0, 2.0),
    ),
    "PoissonLogNormalQuadratureCompound, Gauss-Hermite": (_HERMITE, _f(1.0, 2.0)),
    "QuantizedDistribution": (
        lambda tf: tf.contrib.distributions.QuantizedDistribution(
            tf.contrib.distributions.Normal(_f(1.0, 2.0), _f(2.0, 3.0)), low=np.float32(-1), high=np.float32(4)
        ),
        _f(1.0, 3.0),
    ),
    "SinhArcsinh": (
        _of("SinhArcsinh", _f(1.0, 2.0), _f(2.0, 3.0), skewness=np.float32(0.5), tailweight=np.float32(1.5)),
        _f(1.0, 3.0),
    ),
    "TransformedDistribution": (
        lambda tf: tf.contrib.distributions.TransformedDistribution(
            tf.contrib.distributions.Normal(_f(0.0, 1.0), _f(1.0, 0.5)), tf.contrib.distributions.bijectors.Exp()
        ),
        _f(1.0, 3.0),
    ),
    "TransformedDistribution, event shape": (_transformed_event, np.ones([2, 3], np.float32)),
    "TransformedDistribution, batch shape": (
        lambda tf: tf.contrib.distributions.TransformedDistribution(
            tf.contrib.distributions.Normal(np.float32(0), _ONE),
            tf.contrib.distributions.bijectors.AffineScalar(shift=_ONE, scale=np.float32(3)),
            batch_shape=[2],
        ),
        _f(1.0, 3.0),
    ),
    "VectorDiffeomixture": (_diffeomixture, _f(1.0, 3.0)),
    "VectorExponentialDiag": (_of("VectorExponentialDiag", _f(1.0, 2.0), _f(0.5, 2.0)), _f(1.5, 2.25)),
    "VectorLaplaceDiag": (_of("VectorLaplaceDiag", _f(1.0, 2.0), _f(0.5, 2.0)), _f(1.5, 2.25)),
    "VectorSinhArcsinhDiag": (
        _of(
            "VectorSinhArcsinhDiag",
            _f(1.0, 2.0),
            _f(0.5, 2.0),
            skewness=_f(0.5, -0.5),
            tailweight=np.float32(1.2),
        ),
        _f(1.5, 2.25),
    ),
    "WishartCholesky": (
        _of("WishartCholesky", np.float32(4), _f([1.0, 0.0], [0.5, 2.0])),
        _f([2.0, 0.5], [0.5, 1.0]),
    ),
    "WishartCholesky of factors": (
        _of("WishartCholesky", np.float32(4), _f([1.0, 0.0], [0.5, 2.0]), cholesky_input_output_matrices=True),
        _f([2.0, 0.0], [0.5, 1.0]),
    ),
    "WishartFull": (_of("WishartFull", np.float32(4), _f([2.0, 0.5], [0.5, 1.0])), _f([2.0, 0.5], [0.5, 1.0])),
}
_OF_VALUES = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "quantile")
_STATISTICS = (
    *("mean", "variance", "stddev", "mode", "entropy", "covariance", "batch_shape_tensor", "event_shape_tensor"),
    *("entropy_lower_bound", "mean_log_det"),
)
_UNDEFINED = (NotImplementedError, AttributeError, ValueError)


def describe(tf, case):
    """Returns what a case computes, by the names of the methods; None for what a distribution does not define."""
    make, value = CASES[case]
    found = {}
    for method in (*_OF_VALUES, *_STATISTICS, "sample"):
        if method in _OF_VALUES:
            args = (np.full_like(value, 0.3) if method == "quantile" else value,)
        else:
            args = ([3], 7) if method == "sample" else ()
        with tf.Graph().as_default(), tf.Session() as sess:
            distribution = make(tf)
            try:
                found[method] = sess.run(getattr(distribution, method)(*args)).tolist()
            except _UNDEFINED:
                found[method] = None
            found["shapes"] = [str(distribution.batch_shape), str(distribution.event_shape)]
    return found

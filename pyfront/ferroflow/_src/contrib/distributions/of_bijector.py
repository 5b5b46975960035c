"""Distributions of numbers that a bijector makes of a standard distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.contrib.bijectors.affine import Affine
from ferroflow._src.contrib.bijectors.affine_scalar import AffineScalar
from ferroflow._src.contrib.bijectors.chain import Chain
from ferroflow._src.contrib.bijectors.distribution_functions import Kumaraswamy as KumaraswamyBijector
from ferroflow._src.contrib.bijectors.sinh_arcsinh import SinhArcsinh as SinhArcsinhBijector
from ferroflow._src.contrib.bijectors.squashing import Sigmoid
from ferroflow._src.contrib.distributions.location_scale import Logistic
from ferroflow._src.contrib.distributions.scales import make_diag_scale, shapes_from_loc_and_scale
from ferroflow._src.contrib.distributions.static_shapes import broadcast_shape_of, pick_vector, static_value
from ferroflow._src.contrib.distributions.transformed import TransformedDistribution
from ferroflow._src.distributions.normal import Normal
from ferroflow._src.distributions.parameterization import get_logits_and_probs
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.distributions.student_t import StudentT
from ferroflow._src.distributions.uniform import Uniform
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.beta import lbeta
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.elementwise import digamma, exp, log, square


class RelaxedBernoulli(TransformedDistribution):
    """The distribution of a number in (0, 1) that is near 0 or 1: `sigmoid(z)`, z of a logistic distribution.

    Args:
        temperature: Tensor of a float dtype, of shape [], above 0: near 0 for numbers near 0 or 1.
        logits: Tensor of a float dtype: the log odds of 1; or None.
        probs: Tensor of a float dtype: the probabilities of 1; or None.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.

    Source: Maddison, Mnih, Teh, The concrete distribution, 2016; Jang, Gu, Poole, Categorical reparameterization with
    Gumbel-softmax, 2016.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            with control_dependencies([checking.assert_positive(temperature)] if validate_args else []):
                self._temperature = making.identity(temperature, name="temperature")
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args)
            super().__init__(
                distribution=Logistic(
                    self._logits / self._temperature,
                    1.0 / self._temperature,
                    validate_args=validate_args,
                    allow_nan_stats=allow_nan_stats,
                    name=scope + "/Logistic",
                ),
                bijector=Sigmoid(validate_args=validate_args),
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = parameters

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        return {"logits": convert_index(sample_shape)}

    @property
    def temperature(self) -> Any:
        """The temperature, a Tensor of a float dtype."""
        return self._temperature

    @property
    def logits(self) -> Any:
        """The log odds of 1, a Tensor of `dtype`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of 1, a Tensor of `dtype`."""
        return self._probs


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution, of density `a * b * x ** (a - 1) * (1 - x ** a) ** (b - 1)` in (0, 1).

    Args:
        concentration1: Tensor of a float dtype, above 0: a.
        concentration0: Tensor of the same dtype, that broadcasts with it, above 0: b.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a mode that is not defined is NaN; else an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            a = convert_to_tensor(concentration1, name="concentration1")
            b = convert_to_tensor(concentration0, name="concentration0")
        super().__init__(
            distribution=Uniform(
                low=making.zeros([], dtype=a.dtype),
                high=making.ones([], dtype=a.dtype),
                allow_nan_stats=allow_nan_stats,
            ),
            bijector=KumaraswamyBijector(concentration1=a, concentration0=b, validate_args=validate_args),
            batch_shape=broadcast_shape_of(a, b),
            validate_args=validate_args,
            name=scope,
        )
        self._reparameterization_type = FULLY_REPARAMETERIZED
        self._parameters = parameters

    @property
    def concentration1(self) -> Any:
        """The power of x, a Tensor of `dtype`."""
        return self.bijector.concentration1

    @property
    def concentration0(self) -> Any:
        """The power of `1 - x ** concentration1`, a Tensor of `dtype`."""
        return self.bijector.concentration0

    def _broadcast(self) -> tuple[Any, Any]:
        a, b = self.concentration1, self.concentration0
        return a + making.zeros_like(b), b + making.zeros_like(a)

    def _entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        harmonic_number = digamma(b + 1.0) - digamma(making.ones([], dtype=b.dtype))
        return 1.0 - 1.0 / b + (1.0 - 1.0 / a) * harmonic_number - log(a) - log(b)

    def _moment(self, n: int) -> Any:
        a, b = self._broadcast()
        return exp(log(b) + lbeta(joining.stack([1.0 + n / a, b], -1)))

    def _mean(self) -> Any:
        return self._moment(1)

    def _variance(self) -> Any:
        return self._moment(2) - square(self._moment(1))

    def _mode(self) -> Any:
        a, b = self._broadcast()
        mode = ((a - 1.0) / (a * b - 1.0)) ** (1.0 / a)
        if self.allow_nan_stats:
            nan = making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan), name="nan")
            return where(logical_and(a > 1.0, b > 1.0), mode, nan)
        one = making.ones([], dtype=self.dtype)
        checks = [
            checking.assert_less(one, a, message="Mode undefined for concentration1 <= 1."),
            checking.assert_less(one, b, message="Mode undefined for concentration0 <= 1."),
        ]
        return with_dependencies(checks, mode)


def checked_scalar_distribution(distribution: Any, dtype: Any, validate_args: bool) -> list[Any]:
    """Returns the checks that a distribution is one of a number, without a batch.

    Raises:
        TypeError: if `dtype` is not a supported one.
        ValueError: if it is known to be no such distribution, or with `validate_args` not reparameterized.
    """
    if distribution.dtype != dtype:
        raise TypeError(f'dtype mismatch; distribution.dtype="{distribution.dtype.name}" is not "{dtype.name}"')
    if validate_args and distribution.reparameterization_type != FULLY_REPARAMETERIZED:
        raise ValueError(
            "Base distribution should be reparameterized or be a function of non-trainable variables; "
            f'distribution.reparameterization_type = "{distribution.reparameterization_type}" '
            '!= "FULLY_REPARAMETERIZED".'
        )
    checks = []
    with name_scope("check_distribution"):
        for name in ("is_scalar_event", "is_scalar_batch"):
            is_scalar = getattr(distribution, name)()
            message = f"distribution must be scalar; distribution.{name}=False is not True"
            known = static_value(is_scalar)
            if known is None:
                if validate_args:
                    checks.append(checking.assert_equal(is_scalar, True, message=message))
            elif not known:
                raise ValueError(message)
    return checks


def _standard_or_given(distribution: Any, dtype: Any, validate_args: bool, allow_nan_stats: bool) -> tuple[Any, Any]:
    """Returns the distribution that is transformed, the normal one if none is given, and the checks of it."""
    if distribution is not None:
        return distribution, checked_scalar_distribution(distribution, dtype, validate_args)
    zero, one = making.zeros([], dtype=dtype), making.ones([], dtype=dtype)
    return Normal(loc=zero, scale=one, allow_nan_stats=allow_nan_stats), []


def _with_scale(skewness: Any, tailweight: Any, is_skewed: bool, scale: Any) -> tuple[Any, Any]:
    """Returns the bijector, and the scale for which the point 2 without skewness stays where it is."""
    bijector = SinhArcsinhBijector(skewness=skewness, tailweight=tailweight)
    without = bijector
    if is_skewed:
        zero = skewness.dtype.as_numpy_dtype(0.0)
        without = SinhArcsinhBijector(skewness=zero, tailweight=tailweight)
    return bijector, 2.0 * scale / without.forward(convert_to_tensor(2, dtype=skewness.dtype))


class SinhArcsinh(TransformedDistribution):
    """The distribution of `loc + scale * c * sinh((arcsinh(z) + skewness) * tailweight)`, z of a standard distribution.

    The constant c is such that for a skewness of 0, the point z = 2 becomes `loc + 2 * scale`.

    Args:
        loc: Tensor of a float dtype.
        scale: Tensor of the same dtype, that broadcasts with it, above 0.
        skewness: Tensor of the same dtype: above 0 for a tail to the right; None for 0.
        tailweight: Tensor of the same dtype, above 0: above 1 for heavier tails; None for 1.
        distribution: Distribution of z, a number; None for the standard normal one.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        TypeError: if dtypes differ.
        ValueError: if `distribution` has a batch or is not of numbers.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale, skewness, tailweight]) as scope:
            is_skewed = skewness is not None
            loc = convert_to_tensor(loc, name="loc")
            dtype = loc.dtype
            scale = convert_to_tensor(scale, name="scale", dtype=dtype)
            tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight, name="tailweight", dtype=dtype)
            skewness = convert_to_tensor(0.0 if skewness is None else skewness, name="skewness", dtype=dtype)
            batch_shape = broadcast_shape_of(loc, scale, tailweight, skewness)
            distribution, checks = _standard_or_given(distribution, dtype, validate_args, allow_nan_stats)
            if checks:
                loc = with_dependencies(checks, loc)
            bijector, factor = _with_scale(skewness, tailweight, is_skewed, scale)
            affine = AffineScalar(shift=loc, scale=factor, validate_args=validate_args)
            super().__init__(
                distribution=distribution,
                bijector=Chain([affine, bijector]),
                batch_shape=batch_shape,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = parameters
        self._loc, self._scale, self._tailweight, self._skewness = loc, scale, tailweight, skewness

    @property
    def loc(self) -> Any:
        """The location, a Tensor of `dtype`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale, a Tensor of `dtype`."""
        return self._scale

    @property
    def tailweight(self) -> Any:
        """The weight of the tails, a Tensor of `dtype`."""
        return self._tailweight

    @property
    def skewness(self) -> Any:
        """The skewness, a Tensor of `dtype`."""
        return self._skewness


class VectorSinhArcsinhDiag(TransformedDistribution):
    """The distribution of vectors whose elements are independent, each with a `SinhArcsinh` distribution.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]; None for 0.
        scale_diag: Tensor of the same dtype, of shape [..., k], above 0; or None.
        scale_identity_multiplier: Tensor of the same dtype, of shape [...]; or None.
        skewness: Tensor of the same dtype, that broadcasts with `loc`; None for 0.
        tailweight: Tensor of the same dtype, that broadcasts with `loc`, above 0; None for 1.
        distribution: Distribution of a number; None for the standard normal one.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        TypeError: if dtypes differ.
        ValueError: if no argument has the size of an event, or `distribution` has a batch or is not of numbers.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        parameters = dict(locals())
        given = [loc, scale_diag, scale_identity_multiplier, skewness, tailweight]
        with name_scope(name, values=given) as scope:
            is_skewed = skewness is not None
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
            diagonal = scale.diag_part()
            dtype = diagonal.dtype
            distribution, checks = _standard_or_given(distribution, dtype, validate_args, allow_nan_stats)
            if checks:
                diagonal = with_dependencies(checks, diagonal)
            skewness = convert_to_tensor(0.0 if skewness is None else skewness, dtype=dtype, name="skewness")
            tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight, dtype=dtype, name="tailweight")
            bijector, factor = _with_scale(skewness, tailweight, is_skewed, diagonal)
            affine = Affine(shift=loc, scale_diag=factor, validate_args=validate_args)
            super().__init__(
                distribution=distribution,
                bijector=Chain([affine, bijector]),
                batch_shape=batch_shape,
                event_shape=event_shape,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = parameters
        self._loc, self._scale, self._tailweight, self._skewness = loc, scale, tailweight, skewness

    @property
    def loc(self) -> Any:
        """The location, a Tensor of `dtype`; None for 0."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale, a LinearOperator."""
        return self._scale

    @property
    def tailweight(self) -> Any:
        """The weight of the tails, a Tensor of `dtype`."""
        return self._tailweight

    @property
    def skewness(self) -> Any:
        """The skewness, a Tensor of `dtype`."""
        return self._skewness


class VectorStudentT(TransformedDistribution):
    """The distribution of `scale @ z + loc`, z a vector of independent numbers of Student's t-distribution.

    Args:
        df: Tensor of a float dtype, above 0: the degrees of freedom.
        loc: Tensor of the same dtype, of shape [..., k]; None for 0.
        scale_identity_multiplier: part of the scale, as for `bijectors.Affine`.
        scale_diag: part of the scale, as for `bijectors.Affine`.
        scale_tril: part of the scale, as for `bijectors.Affine`.
        scale_perturb_factor: part of the scale, as for `bijectors.Affine`.
        scale_perturb_diag: part of the scale, as for `bijectors.Affine`.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        df: Any,
        loc: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorStudentT",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            affine = Affine(
                shift=loc,
                scale_identity_multiplier=scale_identity_multiplier,
                scale_diag=scale_diag,
                scale_tril=scale_tril,
                scale_perturb_factor=scale_perturb_factor,
                scale_perturb_diag=scale_perturb_diag,
                validate_args=validate_args,
            )
            zero, one = making.zeros([], dtype=affine.dtype), making.ones([], dtype=affine.dtype)
            distribution = StudentT(df=df, loc=zero, scale=one, allow_nan_stats=allow_nan_stats)
            batch_shape, event_shape = shapes_from_loc_and_scale(affine.shift, affine.scale)
            super().__init__(
                distribution=distribution,
                bijector=affine,
                batch_shape=pick_vector(distribution.is_scalar_batch(), convert_index(batch_shape), convert_index([])),
                event_shape=event_shape,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = parameters

    @property
    def df(self) -> Any:
        """The degrees of freedom, a Tensor of `dtype`."""
        return self.distribution.df

    @property
    def loc(self) -> Any:
        """The shift, a Tensor of a float dtype; None for 0."""
        return self.bijector.shift

    @property
    def scale(self) -> Any:
        """The scale, a LinearOperator."""
        return self.bijector.scale

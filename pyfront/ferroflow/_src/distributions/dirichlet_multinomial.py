"""The Dirichlet-multinomial distribution."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.parameterization import gen_new_seed, log_beta, log_combinations
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.vector_distribution import VectorDistribution
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import log, sqrt
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.random.sampling import multinomial, random_gamma


class DirichletMultinomial(VectorDistribution):
    """The counts of k classes in draws whose class probabilities have a Dirichlet distribution.

    Args:
        total_count: Tensor of the dtype of `concentration`, of whole numbers from 0 on: the draws.
        concentration: Tensor of a float dtype, of shape [..., k], above 0.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        total_count: TensorLike,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as name:
            # TF 1.x: broadcasting a total_count of a batch against events is left to the caller.
            self._total_count = convert_to_tensor(total_count, name="total_count")
            concentration = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                self._total_count = validation.nonnegative_integer_form(self._total_count)
                concentration = validation.categorical_event_shape(concentration)
            self._concentration = validation.positive(concentration, validate_args)
            self._total_concentration = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._concentration],
            name=name,
        )

    @property
    def total_count(self) -> Any:
        """The numbers of draws, as a Tensor."""
        return self._total_count

    @property
    def concentration(self) -> Any:
        """The concentrations, a Tensor of `dtype`, whose last dimension is that of the classes."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """The sums of the concentrations of one distribution, a Tensor of `dtype`, of shape `batch_shape`."""
        return self._total_concentration

    def _shaped_as_batch_of_events(self) -> Any:
        return self.concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        draws = cast(self.total_count, dtypes.int32)
        k = self.event_shape_tensor()[0]
        gamma = random_gamma([n], alpha=self.concentration, dtype=self.dtype, seed=seed)
        logits = shaping.reshape(log(gamma), [-1, k])
        second_seed = gen_new_seed(seed, salt="dirichlet_multinomial")
        drawn = multinomial(logits, draws, seed=second_seed)
        counts = reduce_sum(making.one_hot(drawn, depth=k), -2)
        return cast(shaping.reshape(counts, joining.concat([[n], self.batch_shape_tensor(), [k]], 0)), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            value = validation.nonnegative_integer_form(value)
            message = "counts last-dimension must sum to `self.total_count`"
            check = checking.assert_equal(self.total_count, reduce_sum(value, -1), message=message)
            value = with_dependencies([check], value)
        ordered = log_beta(self.concentration + value) - log_beta(self.concentration)
        return ordered + log_combinations(self.total_count, value)

    def _mean(self) -> Any:
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _covariance(self) -> Any:
        x = self._variance_scale() * self._mean()
        return self._covariance_of(x, x)

    def _variance(self) -> Any:
        scale = self._variance_scale()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)

    def _variance_scale(self) -> Any:
        total = self.total_concentration[..., None]
        return sqrt((1.0 + total / self.total_count) / (1.0 + total))

"""Random numbers pass no gradient, except samples of gamma distributions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import concat, filled, item, reduce_sum, reshape, shape, span, term
from ferroflow._src.base import dtypes
from ferroflow._src.framework.handles import Operation, Tensor

random_gamma_grad = term("RandomGammaGrad", 2)


def _random_gamma(op: Operation, g: Any) -> tuple[None, Tensor]:
    """Returns each sample changes with its parameter as its quantile demands (Figurnov et al., 2018)."""
    samples, alpha = op.inputs
    # The samples of one parameter are along as many leading dimensions as `samples` has elements.
    ones = filled(shape(samples), 1, dtypes.int32, "ones")
    derivative = random_gamma_grad(reshape(alpha, concat([ones, shape(alpha)])), op.outputs[0])
    return None, reduce_sum(g * derivative, span(0, item(shape(samples), 0)))


register({"RandomGamma": _random_gamma})
register_none(
    [
        "Multinomial",
        "RandomCrop",
        "RandomStandardNormal",
        "RandomUniform",
        "StatelessMultinomial",
        "StatelessRandomNormal",
        "StatelessRandomUniform",
        "StatelessRandomUniformInt",
        "ParameterizedTruncatedNormal",
        "StatelessTruncatedNormal",
        "TruncatedNormal",
    ]
)

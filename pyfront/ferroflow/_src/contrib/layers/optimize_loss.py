"""`optimize_loss`: trains with an optimizer given by name, with transformations of gradients and summaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FloatLike, Rate, TensorLike
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import ones_like
from ferroflow._src.ops.flow.checking import assert_scalar
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_global_norm, global_norm
from ferroflow._src.ops.math.comparison import less
from ferroflow._src.ops.math.elementwise import exp, log, sqrt, square
from ferroflow._src.ops.random.sampling import truncated_normal
from ferroflow._src.summary.values import histogram, scalar
from ferroflow._src.training.adagrad import AdagradOptimizer
from ferroflow._src.training.adam import AdamOptimizer
from ferroflow._src.training.ftrl import FtrlOptimizer
from ferroflow._src.training.global_step import assert_global_step, get_global_step
from ferroflow._src.training.gradient_descent import GradientDescentOptimizer
from ferroflow._src.training.momentum import MomentumOptimizer
from ferroflow._src.training.moving_averages import assign_moving_average
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.training.rms_prop import RMSPropOptimizer
from ferroflow._src.variables.collections import trainable_variables
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Constant, Zeros
from ferroflow._src.variables.scope import variable_scope

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]

_Pairs = list[tuple[Any, Any]]


def optimize_loss(
    loss: TensorLike,
    global_step: TensorLike | None,
    learning_rate: Rate | None,
    optimizer: str,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, float] | None = None,
    clip_gradients: FloatLike | None = None,
    learning_rate_decay_fn: Callable[..., Any] | None = None,
    update_ops: Iterable[Any] | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """Makes a step of training.

    Args:
        loss: Tensor of a float dtype, of shape [].
        global_step: Variable of an integer dtype, of shape []; None for the graph's.
        learning_rate: float, or Tensor of a float dtype, of shape []; None for that of the optimizer.
        optimizer: str, the name of an optimizer ("Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "SGD"); an
            Optimizer, or its class; callable of the learning rate to an Optimizer.
        gradient_noise_scale: float, the factor of normal random numbers that are added to gradients, or None.
        gradient_multipliers: dict of float, the factors of gradients by variables or their names, or None.
        clip_gradients: float, the global norm that gradients are scaled down to; callable from a list of (gradient,
            variable) pairs to such a list, or None.
        learning_rate_decay_fn: callable of the learning rate and the global step to the rate of the step, or
            None.
        update_ops: iterable of Operations that run before; None for those of `GraphKeys.UPDATE_OPS`.
        variables: list of Variables to train; None for all trainable ones.
        name: str, the variable scope; None for "OptimizeLoss".
        summaries: list of str of `OPTIMIZER_SUMMARIES`, the values to summarize; None for the loss, the learning rate
            and the gradients' global norm.
        colocate_gradients_with_ops: bool, as `Optimizer.compute_gradients` takes it.
        increment_global_step: bool. If True, the step is counted.

    Returns:
        Tensor of the dtype of `loss`, of shape []: the loss, once the step is done.

    Raises:
        ValueError: if an argument has a wrong type or value, a decay has no global step, or no variable has a gradient.
        TypeError: if the global step has a wrong type.
    """
    loss = assert_scalar(convert_to_tensor(loss))
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    wanted = ["loss", "learning_rate", "global_gradient_norm"] if summaries is None else list(summaries)
    for summary in wanted:
        if summary not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {summary}.")
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        before = list(dict.fromkeys(get_collection(GraphKeys.UPDATE_OPS))) if update_ops is None else list(update_ops)
        if before:
            loss = with_dependencies(before, loss)
        rate = _rate(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in wanted:
                scalar("learning_rate", rate)
        chosen = _optimizer(optimizer, rate)
        trained = trainable_variables() if variables is None else list(variables)
        gradients: _Pairs = chosen.compute_gradients(
            loss, trained, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_noise_scale is not None:
            gradients = _with_noise(gradients, gradient_noise_scale)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
        norms = "global_gradient_norm" in wanted or "gradient_norm" in wanted
        if norms:
            scalar("global_norm/gradient_norm", global_norm([g for g, _ in gradients]))
        if isinstance(clip_gradients, float):
            clipped, _ = clip_by_global_norm([g for g, _ in gradients], clip_gradients)
            gradients = list(zip(clipped, [v for _, v in gradients], strict=True))
        elif callable(clip_gradients):
            gradients = list(clip_gradients(gradients))
        elif clip_gradients is not None:
            raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")
        if "loss" in wanted:
            scalar("loss", loss)
        _summarize(gradients, wanted)
        if clip_gradients is not None and norms:
            scalar("global_norm/clipped_gradient_norm", global_norm([g for g, _ in gradients]))
        counted = global_step if increment_global_step else None
        trained_once = chosen.apply_gradients(gradients, global_step=counted, name="train")
        done: Tensor = with_dependencies([trained_once], loss)
        return done


def _rate(given: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, Tensor) and given.get_shape().ndims == 0:
        return given
    if isinstance(given, float):
        if given < 0.0:
            raise ValueError(f"Invalid learning_rate {given}.")
        return get_variable("learning_rate", [], trainable=False, initializer=Constant(given))
    raise ValueError(f"Learning rate should be 0d Tensor or float. Got {given} of type {type(given)}")


def _optimizer(given: Any, rate: Any) -> Optimizer:
    if isinstance(given, Optimizer):
        return given
    if isinstance(given, str) or (isinstance(given, type) and issubclass(given, Optimizer)):
        if rate is None:
            kind = "string" if isinstance(given, str) else "class"
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is {kind} ({given}).")
        if isinstance(given, str):
            if given not in OPTIMIZER_CLS_NAMES:
                known = ", ".join(OPTIMIZER_CLS_NAMES)
                raise ValueError(f"Optimizer name should be one of [{known}], you provided {given}.")
            return OPTIMIZER_CLS_NAMES[given](learning_rate=rate)
        made: Optimizer = given(learning_rate=rate)  # type: ignore[call-arg]  # a class of an optimizer takes it
        return made
    if callable(given):
        found = given() if rate is None else given(rate)
        if not isinstance(found, Optimizer):
            raise ValueError(f"Unrecognized optimizer: function should return subclass of Optimizer. Got {found}.")
        return found
    raise ValueError(
        "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or "
        f"function with one argument. Got {given}."
    )


def _with_noise(gradients: _Pairs, scale: float) -> _Pairs:
    noisy: _Pairs = []
    for gradient, variable in gradients:
        if gradient is not None:
            shape: Any = gradient.dense_shape if isinstance(gradient, IndexedSlices) else gradient.get_shape()
            gradient = convert_to_tensor(gradient) + truncated_normal(shape) * scale
        noisy.append((gradient, variable))
    return noisy


def _scaled(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def _multiplied(gradients: _Pairs, factors: Mapping[Any, float]) -> _Pairs:
    found: _Pairs = []
    for gradient, variable in gradients:
        key = variable if variable in factors else variable.name
        if gradient is not None and key in factors:
            is_dense = not isinstance(gradient, IndexedSlices)
            gradient = _scaled(gradient, cast(factors[key], gradient.dtype) if is_dense else factors[key])
        found.append((gradient, variable))
    return found


def _summarize(gradients: _Pairs, wanted: Sequence[str]) -> None:
    for gradient, variable in gradients:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if values is None:
            continue
        title = variable.name.replace(":", "_")
        if "gradients" in wanted:
            histogram(f"gradients/{title}", values)
        if "gradient_norm" in wanted:
            scalar(f"gradient_norm/{title}", global_norm([values]))


def adaptive_clipping_fn(
    std_factor: FloatLike = 2.0,
    decay: Rate = 0.95,
    static_max_norm: float | None = None,
    global_step: TensorLike | None = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[Any], _Pairs]:
    """Makes a function that scales gradients down where their norm is unusually large, for `optimize_loss`.

    Args:
        std_factor: float, or Tensor of float32 of shape []: how many standard deviations of the norm's logarithm above
            its mean are usual.
        decay: float, or Tensor of float32 of shape []: the part of the moving averages that stays.
        static_max_norm: float, a norm that is never exceeded, or None.
        global_step: Tensor of an integer dtype, of shape []: the step, below which averages move faster, or
            None.
        report_summary: bool. If True, the largest usual norm is summarized.
        epsilon: float, the smallest variance.
        name: str, the variable scope; None for "AdaptiveMaxNorm".

    Returns:
        callable from a list of (gradient, variable) pairs to such a list.

    Source: Graves, Generating Sequences With Recurrent Neural Networks; section 3.2.1 of arXiv:1412.1602.
    """

    def gradient_clipping(grads_and_vars: Any) -> _Pairs:
        pairs: _Pairs = list(grads_and_vars)
        norm = global_norm([g for g, _ in pairs])
        with variable_scope(name, "AdaptiveMaxNorm", [norm]):
            of_norm = log(norm + epsilon)
            kept: Any = decay
            if global_step is not None:
                count = cast(global_step, dtypes.float32)
                kept = minimum(kept, count / (count + 1.0))

            def average(title: str, value: Any) -> Any:
                held = get_variable(
                    title, shape=value.get_shape(), dtype=value.dtype, initializer=Zeros(), trainable=False
                )
                return assign_moving_average(held, value, kept, zero_debias=False)

            mean, of_squares = average("mean", of_norm), average("sq_mean", square(of_norm))
            deviation = sqrt(maximum(epsilon, of_squares - square(mean)))
            largest = exp(mean + std_factor * deviation)
        if report_summary:
            scalar("global_norm/adaptive_max_gradient_norm", largest)
        factor = where(less(norm, largest), ones_like(norm), exp(mean) / norm)
        if static_max_norm is not None:
            factor = minimum(static_max_norm / norm, factor)
        return [(None if g is None else _scaled(g, factor), v) for g, v in pairs]

    return gradient_clipping

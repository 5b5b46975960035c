"""Losses of adversarial networks, as functions of the discriminator's outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.classification import sigmoid_cross_entropy
from ferroflow._src.losses.collections import add_loss
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.elementwise import sqrt, square
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.summary.values import scalar
from ferroflow._src.variables.scope import variable_scope

_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def _added(loss: Any, collection: str | None, is_shown: bool, name: str, parts: dict[str, Any] | None = None) -> Tensor:
    """Adds a loss to the collection, and shows it with its parts."""
    add_loss(loss, collection)
    if is_shown:
        for title, part in {**(parts or {}), name: loss}.items():
            scalar(title, part)
    return convert_to_tensor(loss)


def wasserstein_generator_loss(
    discriminator_gen_outputs: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the mean of the negative outputs on generated data.

    Args:
        discriminator_gen_outputs: Tensor of float32, of any shape.
        weights: Tensor of float32 that broadcasts to the outputs.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.

    Source: Arjovsky et al., Wasserstein GAN, 2017.
    """
    with name_scope(scope, "generator_wasserstein_loss", [discriminator_gen_outputs, weights]) as inner:
        outputs = convert_to_tensor(discriminator_gen_outputs, "float32")
        loss = compute_weighted_loss(-outputs, weights, inner, loss_collection, reduction)
        if add_summaries:
            scalar("generator_wass_loss", loss)
        return loss


def wasserstein_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the mean output on generated data, less that on real data.

    Args:
        discriminator_real_outputs: Tensor of float32, of any shape.
        discriminator_gen_outputs: Tensor of float32, of any shape.
        real_weights: Tensor of float32 that broadcasts to the outputs on real data.
        generated_weights: Tensor of float32 that broadcasts to those on generated data.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss and its parts.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.
    """
    with name_scope(scope, "discriminator_wasserstein_loss") as inner:
        real = convert_to_tensor(discriminator_real_outputs, "float32")
        generated = convert_to_tensor(discriminator_gen_outputs, "float32")
        of_generated = compute_weighted_loss(generated, generated_weights, inner, None, reduction)
        of_real = compute_weighted_loss(real, real_weights, inner, None, reduction)
        parts = {"discriminator_gen_wass_loss": of_generated, "discriminator_real_wass_loss": of_real}
        return _added(of_generated - of_real, loss_collection, add_summaries, "discriminator_wass_loss", parts)


def wasserstein_gradient_penalty(
    real_data: Any,
    generated_data: Any,
    generator_inputs: Any,
    discriminator_fn: Callable[..., Any],
    discriminator_scope: Any,
    epsilon: float = 1e-10,
    target: float = 1.0,
    one_sided: bool = False,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the penalty on gradients of the discriminator between real and generated data.

    Args:
        real_data: Tensor of float32, of shape [batch, ...].
        generated_data: Tensor of the dtype and shape of `real_data`.
        generator_inputs: the second argument of `discriminator_fn`.
        discriminator_fn: callable of data and `generator_inputs` that gives outputs, or a tuple that begins with them.
        discriminator_scope: VariableScope of the discriminator's variables.
        epsilon: float, added before the square root.
        target: float, the target length of gradients.
        one_sided: bool. If True, shorter gradients are not penalized.
        weights: Tensor of float32 that broadcasts to [batch].
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.

    Raises:
        ValueError: if the rank of the data is not known.

    Source: Gulrajani et al., Improved Training of Wasserstein GANs, 2017.
    """
    with name_scope(scope, "wasserstein_gradient_penalty", [real_data, generated_data]) as inner:
        real, generated = convert_to_tensor(real_data), convert_to_tensor(generated_data)
        rank = real.get_shape().ndims
        if rank is None:
            raise ValueError("`real_data` can't have unknown rank.")
        count = real.get_shape()[0].value or shaping.shape(real)[0]
        part = random_uniform([count] + [1] * (rank - 1))
        between = real + part * (generated - real)
        with variable_scope(discriminator_scope, reuse=True):
            outputs = discriminator_fn(between, generator_inputs)
        outputs = outputs[0] if isinstance(outputs, tuple) else outputs
        (slopes,) = gradients(outputs, [between])
        lengths = sqrt(reduce_sum(square(slopes), axis=list(range(1, rank))) + epsilon)
        excess = lengths / target - 1.0
        excess = maximum(0.0, excess) if one_sided else excess
        penalty = compute_weighted_loss(square(excess), weights, inner, loss_collection, reduction)
        if add_summaries:
            scalar("gradient_penalty_loss", penalty)
        return penalty


def minimax_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.25,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the cross-entropy of the outputs with 1 for real and 0 for generated data.

    Args:
        discriminator_real_outputs: Tensor of float32, of any shape: logits.
        discriminator_gen_outputs: Tensor of float32, of any shape: logits.
        label_smoothing: float, how far the label of real data is moved towards 1/2.
        real_weights: Tensor of float32 that broadcasts to the outputs on real data.
        generated_weights: Tensor of float32 that broadcasts to those on generated data.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss and its parts.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.

    Source: Goodfellow et al., Generative Adversarial Nets, 2014.
    """
    with name_scope(scope, "discriminator_minimax_loss") as inner:
        real = convert_to_tensor(discriminator_real_outputs, "float32")
        generated = convert_to_tensor(discriminator_gen_outputs, "float32")
        of_real = sigmoid_cross_entropy(
            making.ones_like(real), real, real_weights, label_smoothing, inner, None, reduction
        )
        of_generated = sigmoid_cross_entropy(
            making.zeros_like(generated), generated, generated_weights, 0, inner, None, reduction
        )
        parts = {"discriminator_gen_minimax_loss": of_generated, "discriminator_real_minimax_loss": of_real}
        return _added(of_real + of_generated, loss_collection, add_summaries, "discriminator_minimax_loss", parts)


def modified_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.25,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns `minimax_discriminator_loss` in the name scope "discriminator_modified_loss".

    Args:
        discriminator_real_outputs: as for `minimax_discriminator_loss`, like all others.
        discriminator_gen_outputs: Tensor of float32, of any shape: logits.
        label_smoothing: float, how far the label of real data is moved towards 1/2.
        real_weights: Tensor of float32 that broadcasts to the outputs on real data.
        generated_weights: Tensor of float32 that broadcasts to those on generated data.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss and its parts.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.
    """
    return minimax_discriminator_loss(
        discriminator_real_outputs,
        discriminator_gen_outputs,
        label_smoothing,
        real_weights,
        generated_weights,
        scope or "discriminator_modified_loss",
        loss_collection,
        reduction,
        add_summaries,
    )


def minimax_generator_loss(
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.0,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the negative minimax loss of a discriminator whose output on real data is 1.

    Args:
        discriminator_gen_outputs: Tensor of float32, of any shape: logits.
        label_smoothing: float, how far the label of real data is moved towards 1/2.
        weights: Tensor of float32 that broadcasts to the outputs.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.
    """
    with name_scope(scope, "generator_minimax_loss") as inner:
        outputs = convert_to_tensor(discriminator_gen_outputs, "float32")
        # TF 1.x: the collection gets the loss before its sign changes.
        loss: Tensor = -minimax_discriminator_loss(
            making.ones_like(outputs), outputs, label_smoothing, weights, weights, inner, loss_collection, reduction
        )
        if add_summaries:
            scalar("generator_minimax_loss", loss)
        return loss


def modified_generator_loss(
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.0,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the cross-entropy of the outputs on generated data with 1.

    Args:
        discriminator_gen_outputs: Tensor of float32, of any shape: logits.
        label_smoothing: float, how far the label is moved towards 1/2.
        weights: Tensor of float32 that broadcasts to the outputs.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.
    """
    with name_scope(scope, "generator_modified_loss", [discriminator_gen_outputs]) as inner:
        outputs = convert_to_tensor(discriminator_gen_outputs, "float32")
        loss = sigmoid_cross_entropy(
            making.ones_like(outputs), outputs, weights, label_smoothing, inner, loss_collection, reduction
        )
        if add_summaries:
            scalar("generator_modified_loss", loss)
        return loss


def least_squares_generator_loss(
    discriminator_gen_outputs: Any,
    real_label: float = 1,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns half of the squared distance of the outputs on generated data to the label of real data.

    Args:
        discriminator_gen_outputs: Tensor of float32, of any shape.
        real_label: float, the label of real data.
        weights: Tensor of float32 that broadcasts to the outputs.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.

    Source: Mao et al., Least Squares Generative Adversarial Networks, 2016.
    """
    with name_scope(scope, "lsq_generator_loss", [discriminator_gen_outputs, real_label]) as inner:
        outputs = convert_to_tensor(discriminator_gen_outputs, "float32")
        loss = compute_weighted_loss(0.5 * square(outputs - real_label), weights, inner, loss_collection, reduction)
        if add_summaries:
            scalar("generator_lsq_loss", loss)
        return loss


def least_squares_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_label: float = 1,
    fake_label: float = 0,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns half of the squared distances of the outputs to the labels of real and of generated data.

    Args:
        discriminator_real_outputs: Tensor of float32, of any shape.
        discriminator_gen_outputs: Tensor of float32, of any shape.
        real_label: float, the label of real data.
        fake_label: float, the label of generated data.
        real_weights: Tensor of float32 that broadcasts to the outputs on real data.
        generated_weights: Tensor of float32 that broadcasts to those on generated data.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [] if the reduction gives one number.
    """
    with name_scope(scope, "lsq_discriminator_loss") as inner:
        real = convert_to_tensor(discriminator_real_outputs, "float32")
        generated = convert_to_tensor(discriminator_gen_outputs, "float32")
        of_real = compute_weighted_loss(0.5 * square(real - real_label), real_weights, inner, None, reduction)
        of_generated = compute_weighted_loss(
            0.5 * square(generated - fake_label), generated_weights, inner, None, reduction
        )
        return _added(of_real + of_generated, loss_collection, add_summaries, "discriminator_lsq_loss")

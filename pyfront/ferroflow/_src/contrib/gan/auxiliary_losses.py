"""Losses beside those of the discriminator's outputs: of classes, of structured inputs, and of cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.contrib.framework.model_variables import get_trainable_variables
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.classification import softmax_cross_entropy
from ferroflow._src.losses.collections import add_loss
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss
from ferroflow._src.ops.array.making import stop_gradient
from ferroflow._src.ops.math.clipping import global_norm
from ferroflow._src.ops.math.elementwise import abs as absolute
from ferroflow._src.ops.math.reduction import reduce_max, reduce_mean
from ferroflow._src.summary.values import scalar

__all__ = [
    "acgan_discriminator_loss",
    "acgan_generator_loss",
    "combine_adversarial_loss",
    "cycle_consistency_loss",
    "mutual_information_penalty",
]

_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def _shown(is_shown: bool, values: dict[str, Any]) -> None:
    for name, value in values.items() if is_shown else ():
        scalar(name, value)


def acgan_discriminator_loss(
    discriminator_real_classification_logits: Any,
    discriminator_gen_classification_logits: Any,
    one_hot_labels: Any,
    label_smoothing: float = 0.0,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the cross entropies of the classes of real and of generated data, added up.

    Args:
        discriminator_real_classification_logits: Tensor of float32, of shape [batch, classes].
        discriminator_gen_classification_logits: Tensor of float32, of shape [batch, classes].
        one_hot_labels: Tensor of a number dtype, of shape [batch, classes].
        label_smoothing: float, which moves the labels of real data towards equal shares.
        real_weights: Tensor of float32 that broadcasts to the losses of real data.
        generated_weights: Tensor of float32 that broadcasts to the losses of generated data.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss and its parts.

    Returns:
        Tensor of float32, of shape [].

    Source: Odena, Olah and Shlens, Conditional Image Synthesis with Auxiliary Classifier GANs, 2017.
    """
    real, generated = discriminator_real_classification_logits, discriminator_gen_classification_logits
    with name_scope(scope, "acgan_discriminator_loss", [real, generated, one_hot_labels]) as inner:
        shared: dict[str, Any] = {"scope": inner, "loss_collection": None, "reduction": reduction}
        of_generated = softmax_cross_entropy(one_hot_labels, generated, weights=generated_weights, **shared)
        of_real = softmax_cross_entropy(
            one_hot_labels, real, weights=real_weights, label_smoothing=label_smoothing, **shared
        )
        loss = of_generated + of_real
        add_loss(loss, loss_collection)
        _shown(
            add_summaries,
            {
                "discriminator_gen_ac_loss": of_generated,
                "discriminator_real_ac_loss": of_real,
                "discriminator_ac_loss": loss,
            },
        )
        return loss


def acgan_generator_loss(
    discriminator_gen_classification_logits: Any,
    one_hot_labels: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the cross entropy of the classes of generated data.

    Args:
        discriminator_gen_classification_logits: Tensor of float32, of shape [batch, classes].
        one_hot_labels: Tensor of a number dtype, of shape [batch, classes].
        weights: Tensor of float32 that broadcasts to the losses.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [].

    Source: as `acgan_discriminator_loss`.
    """
    logits = discriminator_gen_classification_logits
    with name_scope(scope, "acgan_generator_loss", [logits, one_hot_labels]) as inner:
        loss = softmax_cross_entropy(
            one_hot_labels, logits, weights=weights, scope=inner, loss_collection=loss_collection, reduction=reduction
        )
        _shown(add_summaries, {"generator_ac_loss": loss})
        return loss


def check_distributions(distributions: Any, inputs: Sequence[Any]) -> None:
    """Raises a ValueError for what is no list of distributions, one for each structured input."""
    if not isinstance(distributions, (list, tuple)):
        raise ValueError(f"`predicted_distributions` must be a list. Instead, found {type(distributions)}.")
    for one in distributions:
        if not isinstance(one, Distribution):
            raise ValueError(
                f"Every element in `predicted_distributions` must be a `tf.Distribution`. Instead, found {type(one)}."
            )
    if len(distributions) != len(inputs):
        raise ValueError(
            f"Length of `predicted_distributions` {len(distributions)} must be the same as the length of structured "
            f"noise {len(inputs)}."
        )


def mutual_information_penalty(
    structured_generator_inputs: Any,
    predicted_distributions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the mean negative log probability of the structured inputs under the predicted distributions.

    Args:
        structured_generator_inputs: list of Tensors of any dtypes, of shape [batch, ...].
        predicted_distributions: list of Distributions, one for each input.
        weights: Tensor of float32 that broadcasts to the losses.
        scope: str, name scope, or None.
        loss_collection: str, the collection that gets the loss; None for no collection.
        reduction: one of `tf.losses.Reduction`.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        ValueError: if the distributions are no such list.

    Source: Chen et al., InfoGAN, 2016.
    """
    check_distributions(predicted_distributions, structured_generator_inputs)
    with name_scope(scope, "mutual_information_loss") as inner:
        pairs = zip(predicted_distributions, structured_generator_inputs, strict=True)
        means: Any = [reduce_mean(distribution.log_prob(given)) for distribution, given in pairs]
        loss = -1 * compute_weighted_loss(means, weights, inner, loss_collection, reduction)
        _shown(add_summaries, {"mutual_information_penalty": loss})
        return loss


def cycle_consistency_loss(
    data_x: Any,
    reconstructed_data_x: Any,
    data_y: Any,
    reconstructed_data_y: Any,
    scope: Any = None,
    add_summaries: bool = False,
) -> Tensor:
    """Returns the mean absolute difference of data and their reconstructions, over both cycles.

    Args:
        data_x: Tensor of float32, of any shape.
        reconstructed_data_x: Tensor of float32, of the shape of `data_x`.
        data_y: Tensor of float32, of any shape.
        reconstructed_data_y: Tensor of float32, of the shape of `data_y`.
        scope: str, name scope, or None.
        add_summaries: bool. If True, summaries show the loss and its parts.

    Returns:
        Tensor of float32, of shape [].

    Source: Zhu et al., Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks, 2017.
    """
    values = [data_x, reconstructed_data_x, data_y, reconstructed_data_y]
    with name_scope(scope, "cycle_consistency_loss", values):
        of_x = reduce_mean(absolute(data_x - reconstructed_data_x))
        of_y = reduce_mean(absolute(data_y - reconstructed_data_y))
        loss = (of_x + of_y) / 2.0
        _shown(
            add_summaries,
            {
                "cycle_consistency_loss_x2x": of_x,
                "cycle_consistency_loss_y2y": of_y,
                "cycle_consistency_loss": loss,
            },
        )
        return loss


def _stable_norm(tensors: Sequence[Any]) -> Any:
    """Returns the global norm, computed on tensors that are divided by their greatest element."""
    known = [tensor for tensor in tensors if tensor is not None]
    if not known:
        return 0.0
    greatest = reduce_max([reduce_max(absolute(tensor)) for tensor in known])
    return greatest * global_norm([tensor / greatest for tensor in known])


def combine_adversarial_loss(
    main_loss: Any,
    adversarial_loss: Any,
    weight_factor: Any = None,
    gradient_ratio: Any = None,
    gradient_ratio_epsilon: float = 1e-6,
    variables: Any = None,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
    scope: Any = None,
) -> Tensor:
    """Returns a loss with an adversarial one added, at a fixed weight or at a fixed ratio of their gradients.

    Args:
        main_loss: Tensor of float32, of shape [].
        adversarial_loss: Tensor of float32, of shape [].
        weight_factor: float or Tensor of float32 of shape [], the weight; None if there is a ratio.
        gradient_ratio: float or Tensor of float32 of shape [], the norm of the main gradients divided by that of the
            adversarial ones; None if there is a weight.
        gradient_ratio_epsilon: float, added to the norm that is divided by.
        variables: list of Variables, whose gradients count; None for all trainable ones.
        scalar_summaries: bool. If True, summaries show the losses.
        gradient_summaries: bool. If True, summaries show the norms of the gradients.
        scope: str, name scope, or None.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        ValueError: if both or neither of weight and ratio are given, or a loss has a wrong shape.
    """
    for loss in (main_loss, adversarial_loss):
        loss.shape.assert_is_compatible_with([])
    if weight_factor is None and gradient_ratio is None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be `None.`")
    if weight_factor is not None and gradient_ratio is not None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be specified.")
    chosen = get_trainable_variables() if variables is None else variables
    with name_scope(scope, "adversarial_loss", values=[main_loss, adversarial_loss]):
        norms = []
        if gradient_summaries or gradient_ratio is not None:
            norms = [_stable_norm(gradients(loss, chosen)) for loss in (main_loss, adversarial_loss)]
        _shown(scalar_summaries, {"main_loss": main_loss, "adversarial_loss": adversarial_loss})
        if gradient_summaries:
            _shown(True, {"main_loss_gradients": norms[0], "adversarial_loss_gradients": norms[1]})
        used = constant_value(convert_to_tensor(gradient_ratio if weight_factor is None else weight_factor))
        is_left_out = used is not None and bool(np.all(used == 0))
        factor = weight_factor
        if factor is None and not is_left_out:
            factor = norms[0] / (norms[1] + gradient_ratio_epsilon) / gradient_ratio
            scalar("adversarial_coefficient", factor)
        combined = main_loss
        if not is_left_out:
            combined = main_loss + stop_gradient(factor) * adversarial_loss
        return convert_to_tensor(combined)

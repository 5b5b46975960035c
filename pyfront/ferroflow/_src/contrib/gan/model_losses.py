"""Losses of adversarial networks, as functions of a `GANModel`."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.contrib.gan import auxiliary_losses as auxiliary, output_losses as wargs
from ferroflow._src.contrib.gan.parts import ACGANModel, CycleGANModel, GANLoss, GANModel, InfoGANModel
from ferroflow._src.framework.handles import Tensor


def _of_generator(loss: Any) -> Any:
    def of_model(gan_model: GANModel, **kwargs: Any) -> Tensor:
        made: Tensor = loss(gan_model.discriminator_gen_outputs, **kwargs)
        return made

    document(
        of_model,
        f"Returns `wargs.{loss.__name__}` of a GANModel; takes its other arguments by name.",
        name=loss.__name__,
    )
    return of_model


def _of_discriminator(loss: Any) -> Any:
    def of_model(gan_model: GANModel, **kwargs: Any) -> Tensor:
        made: Tensor = loss(gan_model.discriminator_real_outputs, gan_model.discriminator_gen_outputs, **kwargs)
        return made

    document(
        of_model,
        f"Returns `wargs.{loss.__name__}` of a GANModel; takes its other arguments by name.",
        name=loss.__name__,
    )
    return of_model


wasserstein_generator_loss = _of_generator(wargs.wasserstein_generator_loss)
wasserstein_discriminator_loss = _of_discriminator(wargs.wasserstein_discriminator_loss)
minimax_generator_loss = _of_generator(wargs.minimax_generator_loss)
minimax_discriminator_loss = _of_discriminator(wargs.minimax_discriminator_loss)
modified_generator_loss = _of_generator(wargs.modified_generator_loss)
modified_discriminator_loss = _of_discriminator(wargs.modified_discriminator_loss)
least_squares_generator_loss = _of_generator(wargs.least_squares_generator_loss)
least_squares_discriminator_loss = _of_discriminator(wargs.least_squares_discriminator_loss)


def wasserstein_gradient_penalty(gan_model: GANModel, **kwargs: Any) -> Tensor:
    """Returns `wargs.wasserstein_gradient_penalty` of a GANModel.

    Args:
        gan_model: GANModel.
        **kwargs: the other arguments of that function.

    Returns:
        Tensor of float32, of shape [].
    """
    return wargs.wasserstein_gradient_penalty(
        gan_model.real_data,
        gan_model.generated_data,
        gan_model.generator_inputs,
        gan_model.discriminator_fn,
        gan_model.discriminator_scope,
        **kwargs,
    )


def acgan_discriminator_loss(gan_model: ACGANModel, **kwargs: Any) -> Tensor:
    """Returns `wargs.acgan_discriminator_loss` of an ACGANModel.

    Args:
        gan_model: ACGANModel.
        **kwargs: the other arguments of that function.

    Returns:
        Tensor of float32, of shape [].
    """
    return auxiliary.acgan_discriminator_loss(
        gan_model.discriminator_real_classification_logits,
        gan_model.discriminator_gen_classification_logits,
        gan_model.one_hot_labels,
        **kwargs,
    )


def acgan_generator_loss(gan_model: ACGANModel, **kwargs: Any) -> Tensor:
    """Returns `wargs.acgan_generator_loss` of an ACGANModel.

    Args:
        gan_model: ACGANModel.
        **kwargs: the other arguments of that function.

    Returns:
        Tensor of float32, of shape [].
    """
    logits = gan_model.discriminator_gen_classification_logits
    return auxiliary.acgan_generator_loss(logits, gan_model.one_hot_labels, **kwargs)


def mutual_information_penalty(gan_model: InfoGANModel, **kwargs: Any) -> Tensor:
    """Returns `wargs.mutual_information_penalty` of an InfoGANModel.

    Args:
        gan_model: InfoGANModel.
        **kwargs: the other arguments of that function.

    Returns:
        Tensor of float32, of shape [].
    """
    inputs = gan_model.structured_generator_inputs
    return auxiliary.mutual_information_penalty(inputs, gan_model.predicted_distributions, **kwargs)


def cycle_consistency_loss(cyclegan_model: CycleGANModel, scope: Any = None, add_summaries: bool = False) -> Tensor:
    """Returns `wargs.cycle_consistency_loss` of a CycleGANModel.

    Args:
        cyclegan_model: CycleGANModel.
        scope: str, name scope, or None.
        add_summaries: bool. If True, summaries show the loss.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        ValueError: if the model is no CycleGANModel.
    """
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(f"`cyclegan_model` must be a `CycleGANModel`. Instead, was {type(cyclegan_model)}.")
    return auxiliary.cycle_consistency_loss(
        cyclegan_model.model_x2y.generator_inputs,
        cyclegan_model.reconstructed_x,
        cyclegan_model.model_y2x.generator_inputs,
        cyclegan_model.reconstructed_y,
        scope,
        add_summaries,
    )


def combine_adversarial_loss(
    gan_loss: GANLoss, gan_model: GANModel, non_adversarial_loss: Any, *args: Any, **kwargs: Any
) -> GANLoss:
    """Returns a GANLoss whose generator's loss is combined with another one.

    Args:
        gan_loss: GANLoss.
        gan_model: GANModel.
        non_adversarial_loss: Tensor of float32, of shape [], the main loss.
        *args: further arguments of `wargs.combine_adversarial_loss`, from `weight_factor` on.
        **kwargs: further arguments of that function, except `variables`.

    Returns:
        GANLoss.

    Raises:
        ValueError: if both or neither of weight and ratio are given, or a loss has a wrong shape.
    """
    names = ("weight_factor", "gradient_ratio", "gradient_ratio_epsilon")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    combined = auxiliary.combine_adversarial_loss(
        non_adversarial_loss, gan_loss.generator_loss, variables=gan_model.generator_variables, **given
    )
    return gan_loss._replace(generator_loss=combined)

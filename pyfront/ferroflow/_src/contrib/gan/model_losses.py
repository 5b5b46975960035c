"""Losses of adversarial networks, as functions of a `GANModel`."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.contrib.gan import output_losses as wargs
from ferroflow._src.contrib.gan.parts import GANModel
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

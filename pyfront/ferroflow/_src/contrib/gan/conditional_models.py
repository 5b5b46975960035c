"""Adversarial networks with classes, with structured inputs, and in cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.framework.model_variables import get_trainable_variables
from ferroflow._src.contrib.gan import model_losses as losses
from ferroflow._src.contrib.gan.auxiliary_losses import check_distributions
from ferroflow._src.contrib.gan.parts import ACGANModel, CycleGANLoss, CycleGANModel, GANLoss, InfoGANModel
from ferroflow._src.contrib.gan.training import checked_shapes, checked_weight, converted, gan_loss, gan_model
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.variables.scope import variable_scope

__all__ = ["acgan_model", "cyclegan_loss", "cyclegan_model", "infogan_model"]


def infogan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    real_data: Any,
    unstructured_generator_inputs: Any,
    structured_generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
) -> InfoGANModel:
    """Builds a generator with structured inputs, and a discriminator that also predicts them.

    Args:
        generator_fn: callable of the list of all inputs that gives data.
        discriminator_fn: callable of data and the inputs that gives outputs and a list of Distributions, one for each
            structured input.
        real_data: Tensor of any dtype, of shape [batch, ...].
        unstructured_generator_inputs: list of Tensors of any dtypes, of shape [batch, ...].
        structured_generator_inputs: list of Tensors of any dtypes, of shape [batch, ...].
        generator_scope: str or VariableScope, of the generator's variables.
        discriminator_scope: str or VariableScope, of the discriminator's variables.

    Returns:
        InfoGANModel.

    Raises:
        ValueError: if the shapes of generated and real data differ, or the distributions are no such list.
    """
    with variable_scope(generator_scope) as of_generator:
        structured = converted(structured_generator_inputs)
        inputs = converted(unstructured_generator_inputs) + structured
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as of_discriminator:
        gen_outputs, predicted = discriminator_fn(generated, inputs)
    check_distributions(predicted, structured)
    with variable_scope(of_discriminator, reuse=True):
        real = convert_to_tensor(real_data)
        real_outputs, _ = discriminator_fn(real, inputs)
    checked_shapes(generated, real)
    return InfoGANModel(
        inputs,
        generated,
        get_trainable_variables(of_generator),
        of_generator,
        generator_fn,
        real,
        real_outputs,
        gen_outputs,
        get_trainable_variables(of_discriminator),
        of_discriminator,
        lambda data, given: discriminator_fn(data, given)[0],
        structured,
        predicted,
        discriminator_fn,
    )


def _pair(outputs: Any) -> Any:
    if not isinstance(outputs, (tuple, list)) or len(outputs) != 2:
        raise TypeError(
            "A discriminator function for ACGAN must output a tuple consisting of (discrimination logits, "
            "classification logits)."
        )
    return outputs


def acgan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    real_data: Any,
    generator_inputs: Any,
    one_hot_labels: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> ACGANModel:
    """Builds a generator, and a discriminator that also classifies.

    Args:
        generator_fn: callable of the inputs that gives data.
        discriminator_fn: callable of data and the generator's inputs that gives outputs and the logits of classes.
        real_data: Tensor of any dtype, of shape [batch, ...].
        generator_inputs: Tensor of any dtype and shape, or list or dict of them.
        one_hot_labels: Tensor of a number dtype, of shape [batch, classes].
        generator_scope: str or VariableScope, of the generator's variables.
        discriminator_scope: str or VariableScope, of the discriminator's variables.
        check_shapes: bool. If True, generated and real data have compatible shapes.

    Returns:
        ACGANModel.

    Raises:
        ValueError: if the shapes differ, and `check_shapes` is True.
        TypeError: if the discriminator gives no pair.
    """
    with variable_scope(generator_scope) as of_generator:
        inputs = converted(generator_inputs)
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as scope, name_scope(f"{scope.name}/generated/"):
        gen_outputs, gen_logits = _pair(discriminator_fn(generated, inputs))
    with variable_scope(scope, reuse=True), name_scope(f"{scope.name}/real/"):
        real = convert_to_tensor(real_data)
        real_outputs, real_logits = _pair(discriminator_fn(real, inputs))
    if check_shapes:
        checked_shapes(generated, real)
    return ACGANModel(
        inputs,
        generated,
        get_trainable_variables(of_generator),
        of_generator,
        generator_fn,
        real,
        real_outputs,
        gen_outputs,
        get_trainable_variables(scope),
        scope,
        discriminator_fn,
        one_hot_labels,
        real_logits,
        gen_logits,
    )


def cyclegan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    data_x: Any,
    data_y: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    model_x2y_scope: Any = "ModelX2Y",
    model_y2x_scope: Any = "ModelY2X",
    check_shapes: bool = True,
) -> CycleGANModel:
    """Builds two models, of which each makes data of one kind from those of the other.

    Args:
        generator_fn: callable of data that gives data of the other kind.
        discriminator_fn: callable of data and the generator's inputs that gives outputs.
        data_x: Tensor of any dtype, of shape [batch, ...].
        data_y: Tensor of any dtype, of shape [batch, ...].
        generator_scope: str, the scope of each generator's variables.
        discriminator_scope: str, the scope of each discriminator's variables.
        model_x2y_scope: str or VariableScope, of the model that makes y from x.
        model_y2x_scope: str or VariableScope, of the model that makes x from y.
        check_shapes: bool. If True, generated and real data have compatible shapes.

    Returns:
        CycleGANModel.

    Raises:
        ValueError: if the shapes differ, and `check_shapes` is True.
    """
    models = []
    for scope, source, target in ((model_x2y_scope, data_x, data_y), (model_y2x_scope, data_y, data_x)):
        with variable_scope(scope):
            models.append(
                gan_model(
                    generator_fn,
                    discriminator_fn,
                    target,
                    source,
                    generator_scope,
                    discriminator_scope,
                    check_shapes,
                )
            )
    forth, back = models
    with variable_scope(back.generator_scope, reuse=True):
        reconstructed_x = back.generator_fn(forth.generated_data)
    with variable_scope(forth.generator_scope, reuse=True):
        reconstructed_y = forth.generator_fn(back.generated_data)
    return CycleGANModel(forth, back, reconstructed_x, reconstructed_y)


def cyclegan_loss(
    model: CycleGANModel,
    generator_loss_fn: Callable[..., Any] = losses.least_squares_generator_loss,
    discriminator_loss_fn: Callable[..., Any] = losses.least_squares_discriminator_loss,
    cycle_consistency_loss_fn: Callable[..., Any] = losses.cycle_consistency_loss,
    cycle_consistency_loss_weight: Any = 10.0,
    **kwargs: Any,
) -> CycleGANLoss:
    """Returns the losses of both models; those of the generators have that of the cycles added.

    Args:
        model: CycleGANModel.
        generator_loss_fn: callable of a GANModel and `add_summaries` that gives a generator's loss.
        discriminator_loss_fn: callable of a GANModel and `add_summaries` that gives a discriminator's loss.
        cycle_consistency_loss_fn: callable of the CycleGANModel and `add_summaries` that gives the loss of the cycles.
        cycle_consistency_loss_weight: float, the factor of the loss of the cycles.
        **kwargs: further arguments of `gan_loss`.

    Returns:
        CycleGANLoss.

    Raises:
        ValueError: if the model is no CycleGANModel, or the factor is negative.
    """
    if not isinstance(model, CycleGANModel):
        raise ValueError(f"`model` must be a `CycleGANModel`. Instead, was {type(model)}.")
    of_cycles = cycle_consistency_loss_fn(model, add_summaries=kwargs.get("add_summaries", True))
    weight = checked_weight(cycle_consistency_loss_weight, "cycle_consistency_loss_weight")
    more = weight * of_cycles

    def of(partial: Any) -> GANLoss:
        found = gan_loss(partial, generator_loss_fn, discriminator_loss_fn, **kwargs)
        return found._replace(generator_loss=found.generator_loss + more)

    with name_scope("cyclegan_loss_x2y"):
        forth = of(model.model_x2y)
    with name_scope("cyclegan_loss_y2x"):
        back = of(model.model_y2x)
    return CycleGANLoss(forth, back)

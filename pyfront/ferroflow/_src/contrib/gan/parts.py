"""The parts of generative adversarial networks, as named tuples."""

from __future__ import annotations

from typing import Any, NamedTuple


class GANModel(NamedTuple):
    """A generator and a discriminator, with their data, outputs and variables."""

    generator_inputs: Any
    generated_data: Any
    generator_variables: Any
    generator_scope: Any
    generator_fn: Any
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any


class InfoGANModel(NamedTuple):
    """A GANModel whose generator has structured inputs, of which the discriminator predicts distributions."""

    generator_inputs: Any
    generated_data: Any
    generator_variables: Any
    generator_scope: Any
    generator_fn: Any
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any
    structured_generator_inputs: Any
    predicted_distributions: Any
    discriminator_and_aux_fn: Any


class ACGANModel(NamedTuple):
    """A GANModel whose discriminator also classifies."""

    generator_inputs: Any
    generated_data: Any
    generator_variables: Any
    generator_scope: Any
    generator_fn: Any
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any
    one_hot_labels: Any
    discriminator_real_classification_logits: Any
    discriminator_gen_classification_logits: Any


class CycleGANModel(NamedTuple):
    """Two GANModels between two kinds of data, and the data that both make of their own."""

    model_x2y: Any
    model_y2x: Any
    reconstructed_x: Any
    reconstructed_y: Any


class CycleGANLoss(NamedTuple):
    """The GANLoss of each model of a CycleGANModel."""

    loss_x2y: Any
    loss_y2x: Any


class GANLoss(NamedTuple):
    """The losses of a generator and of a discriminator, Tensors of shape []."""

    generator_loss: Any
    discriminator_loss: Any


class GANTrainOps(NamedTuple):
    """The operations that train a generator and a discriminator, the one that counts steps, and hooks."""

    generator_train_op: Any
    discriminator_train_op: Any
    global_step_inc_op: Any
    train_hooks: Any = ()


class GANTrainSteps(NamedTuple):
    """The numbers of trainings of a generator and of a discriminator in each step."""

    generator_train_steps: int
    discriminator_train_steps: int

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

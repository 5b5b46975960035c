"""Adversarial networks from their functions to their training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.framework.model_variables import get_trainable_variables
from ferroflow._src.contrib.gan import model_losses as losses
from ferroflow._src.contrib.gan.parts import (
    ACGANModel,
    CycleGANModel,
    GANLoss,
    GANModel,
    GANTrainOps,
    GANTrainSteps,
    InfoGANModel,
)
from ferroflow._src.contrib.training.train_op import create_train_op
from ferroflow._src.contrib.training.training_loop import train
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.collections import get_regularization_loss
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import assert_greater_equal
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.supervision.sync_replicas_optimizer import SyncReplicasOptimizer
from ferroflow._src.training.global_step import get_or_create_global_step
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.scope import variable_scope


def converted(given: Any) -> Any:
    """Returns Tensors of a value, or of those of a list or dict."""
    if isinstance(given, (list, tuple)):
        return [convert_to_tensor(x) for x in given]
    if isinstance(given, dict):
        return {name: convert_to_tensor(x) for name, x in given.items()}
    return convert_to_tensor(given)


def checked_shapes(generated: Any, real: Any) -> None:
    """Raises a ValueError if generated data have another shape than real ones."""
    if not TensorShape(generated.get_shape()).is_compatible_with(real.get_shape()):
        raise ValueError(
            f"Generator output shape ({generated.get_shape()}) must be the same shape as real data "
            f"({real.get_shape()})."
        )


def checked_weight(weight: Any, name: str) -> Any:
    """Returns the factor of a loss; a negative one raises a ValueError, or an error of the step."""
    if isinstance(weight, Tensor):
        weight.shape.assert_is_compatible_with([])
        with control_dependencies([assert_greater_equal(weight, 0.0)]):
            return identity(weight)
    if weight is not None and weight < 0:
        raise ValueError(f"`{name}` must be greater than 0. Instead, was {weight}")
    return weight


def _is_used(weight: Any) -> bool:
    return isinstance(weight, Tensor) or (weight is not None and weight > 0)


def _with_pool(model: Any, tensor_pool_fn: Callable[..., Any] | None) -> Any:
    """Returns a model whose discriminator's outputs are those on data of a pool."""
    if tensor_pool_fn is None:
        return model
    data, inputs = tensor_pool_fn((model.generated_data, model.generator_inputs))
    with variable_scope(model.discriminator_scope, reuse=True):
        if isinstance(model, InfoGANModel):
            outputs, predicted = model.discriminator_and_aux_fn(data, inputs)
            return model._replace(discriminator_gen_outputs=outputs, predicted_distributions=predicted)
        outputs = model.discriminator_fn(data, inputs)
        if isinstance(model, ACGANModel):
            return model._replace(
                discriminator_gen_outputs=outputs[0], discriminator_gen_classification_logits=outputs[1]
            )
        return model._replace(discriminator_gen_outputs=outputs)


def gan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    real_data: Any,
    generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> GANModel:
    """Builds a generator and a discriminator.

    Args:
        generator_fn: callable of the inputs that gives data.
        discriminator_fn: callable of data and the generator's inputs that gives outputs.
        real_data: Tensor of any dtype, of shape [batch, ...].
        generator_inputs: Tensor of any dtype and shape, or list or dict of them.
        generator_scope: str or VariableScope, of the generator's variables.
        discriminator_scope: str or VariableScope, of the discriminator's variables.
        check_shapes: bool. If True, generated and real data have compatible shapes.

    Returns:
        GANModel.

    Raises:
        ValueError: if the shapes differ, and `check_shapes` is True.
    """
    with variable_scope(generator_scope) as of_generator:
        inputs = converted(generator_inputs)
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as of_discriminator:
        gen_outputs = discriminator_fn(generated, inputs)
    with variable_scope(of_discriminator, reuse=True):
        real = convert_to_tensor(real_data)
        real_outputs = discriminator_fn(real, inputs)
    if check_shapes:
        checked_shapes(generated, real)
    return GANModel(
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
        discriminator_fn,
    )


def gan_loss(
    model: Any,
    generator_loss_fn: Callable[..., Any] = losses.wasserstein_generator_loss,
    discriminator_loss_fn: Callable[..., Any] = losses.wasserstein_discriminator_loss,
    gradient_penalty_weight: Any = None,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    mutual_information_penalty_weight: Any = None,
    aux_cond_generator_weight: Any = None,
    aux_cond_discriminator_weight: Any = None,
    tensor_pool_fn: Callable[..., Any] | None = None,
    add_summaries: bool = True,
) -> GANLoss:
    """Returns the losses of a model, with those of regularizers in the scopes of both networks.

    Args:
        model: GANModel, ACGANModel or InfoGANModel.
        generator_loss_fn: callable of the model and `add_summaries` that gives the generator's loss.
        discriminator_loss_fn: callable of the model and `add_summaries` that gives the discriminator's loss.
        gradient_penalty_weight: float, the factor of the penalty on gradients; None for no penalty.
        gradient_penalty_epsilon: float, added before the square root.
        gradient_penalty_target: float, the target length of gradients.
        gradient_penalty_one_sided: bool. If True, shorter gradients are not penalized.
        mutual_information_penalty_weight: float, the factor of an InfoGANModel's penalty, or None.
        aux_cond_generator_weight: float, the factor of an ACGANModel's loss of generated classes, or None.
        aux_cond_discriminator_weight: float, the factor of an ACGANModel's loss of all classes, or None.
        tensor_pool_fn: callable of generated data and inputs that gives those of a pool, for the discriminator; or
            None.
        add_summaries: bool. If True, summaries show the losses.

    Returns:
        GANLoss.

    Raises:
        ValueError: if a factor is negative, or the model has no such loss.
    """
    penalty_weight = checked_weight(gradient_penalty_weight, "gradient_penalty_weight")
    info_weight = checked_weight(mutual_information_penalty_weight, "infogan_weight")
    gen_weight = checked_weight(aux_cond_generator_weight, "aux_cond_generator_weight")
    dis_weight = checked_weight(aux_cond_discriminator_weight, "aux_cond_discriminator_weight")
    if _is_used(info_weight) and not isinstance(model, InfoGANModel):
        raise ValueError(
            "When `mutual_information_penalty_weight` is provided, `model` must be an `InfoGANModel`. "
            f"Instead, was {type(model)}."
        )
    if (_is_used(gen_weight) or _is_used(dis_weight)) and not isinstance(model, ACGANModel):
        raise ValueError(
            "When `aux_cond_generator_weight` or `aux_cond_discriminator_weight` is provided, `model` must be an "
            f"`ACGANModel`. Instead, was {type(model)}."
        )
    of_generator = generator_loss_fn(model, add_summaries=add_summaries)
    of_discriminator = discriminator_loss_fn(_with_pool(model, tensor_pool_fn), add_summaries=add_summaries)
    if _is_used(penalty_weight):
        penalty = losses.wasserstein_gradient_penalty(
            model,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            add_summaries=add_summaries,
        )
        of_discriminator += penalty_weight * penalty
    if _is_used(info_weight):
        penalty = losses.mutual_information_penalty(model, add_summaries=add_summaries)
        of_discriminator += info_weight * penalty
        of_generator += info_weight * penalty
    if _is_used(gen_weight):
        of_generator += gen_weight * losses.acgan_generator_loss(model, add_summaries=add_summaries)
    if _is_used(dis_weight):
        of_discriminator += dis_weight * losses.acgan_discriminator_loss(model, add_summaries=add_summaries)
    more = [get_regularization_loss(scope.name) for scope in (model.generator_scope, model.discriminator_scope)]
    return GANLoss(of_generator + more[0], of_discriminator + more[1])


def _update_ops(model: GANModel, kwargs: dict[str, Any], is_checked: bool) -> tuple[list[Any], list[Any]]:
    """Returns the updates of the generator's and of the discriminator's layers."""
    given = set(kwargs.pop("update_ops", None) or get_collection(GraphKeys.UPDATE_OPS))
    parts = []
    for scope in (model.generator_scope, model.discriminator_scope):
        own = set(get_collection(GraphKeys.UPDATE_OPS, scope.name)) & given
        parts.append(sorted(own, key=lambda x: x.name))
    unused = given - set(parts[0]) - set(parts[1])
    if is_checked and unused:
        raise ValueError(f"There are unused update ops: {sorted(x.name for x in unused)}")
    return parts[0], parts[1]


def _own_step(optimizer: Any, name: str, updates: list[Any]) -> Any:
    """Returns a step that follows the global one, for an optimizer that needs one of its own; otherwise None."""
    if not isinstance(optimizer, SyncReplicasOptimizer):
        return None
    step = get_or_create_global_step()
    own = get_variable(
        f"dummy_global_step_{name}",
        shape=[],
        dtype=step.dtype.base_dtype,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
    )
    updates.append(own.assign(step))
    return own


def gan_train_ops(
    model: Any,
    loss: Any,
    generator_optimizer: Any,
    discriminator_optimizer: Any,
    check_for_unused_update_ops: bool = True,
    **kwargs: Any,
) -> GANTrainOps:
    """Returns the operations that train both networks.

    Args:
        model: GANModel, ACGANModel, InfoGANModel or CycleGANModel.
        loss: GANLoss, or CycleGANLoss of a CycleGANModel.
        generator_optimizer: Optimizer.
        discriminator_optimizer: Optimizer.
        check_for_unused_update_ops: bool. If True, all updates of layers belong to one of the networks.
        **kwargs: further arguments of `tf.contrib.training.create_train_op`.

    Returns:
        GANTrainOps.

    Raises:
        ValueError: if there are updates of neither network, and they are checked.
    """
    if isinstance(model, CycleGANModel):
        parts = []
        for name, one, own in (
            ("cyclegan_x2y_train", model.model_x2y, loss.loss_x2y),
            ("cyclegan_y2x_train", model.model_y2x, loss.loss_y2x),
        ):
            with name_scope(name):
                parts.append(
                    gan_train_ops(
                        one,
                        own,
                        generator_optimizer,
                        discriminator_optimizer,
                        check_for_unused_update_ops,
                        **kwargs,
                    )
                )
        return GANTrainOps(
            tuple(part.generator_train_op for part in parts),
            tuple(part.discriminator_train_op for part in parts),
            assign_add(get_or_create_global_step(), 1),
        )
    counted = assign_add(get_or_create_global_step(), 1)
    of_generator, of_discriminator = _update_ops(model, kwargs, check_for_unused_update_ops)
    generator_step = _own_step(generator_optimizer, "generator", of_generator)
    with name_scope("generator_train"):
        generator = create_train_op(
            loss.generator_loss,
            generator_optimizer,
            variables_to_train=model.generator_variables,
            global_step=generator_step,
            update_ops=of_generator,
            **kwargs,
        )
    discriminator_step = _own_step(discriminator_optimizer, "discriminator", of_discriminator)
    with name_scope("discriminator_train"):
        discriminator = create_train_op(
            loss.discriminator_loss,
            discriminator_optimizer,
            variables_to_train=model.discriminator_variables,
            global_step=discriminator_step,
            update_ops=of_discriminator,
            **kwargs,
        )
    return GANTrainOps(generator, discriminator, counted)


class RunTrainOpsHook(SessionRunHook):
    """Runs operations before each step.

    Args:
        train_ops: Operation, or Tensor of any dtype and shape, or list of them.
        train_steps: int, how often.
    """

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        self._train_ops = train_ops if isinstance(train_ops, (list, tuple)) else [train_ops]
        self._train_steps = train_steps

    def before_run(self, run_context: Any) -> None:
        """Runs the operations.

        Args:
            run_context: SessionRunContext of the step.
        """
        for _ in range(self._train_steps):
            run_context.session.run(self._train_ops)


def get_sequential_train_hooks(train_steps: GANTrainSteps = GANTrainSteps(1, 1)) -> Callable[..., list[Any]]:  # noqa: B008  # a tuple
    """Returns a function that gives the hooks of a training of one network after the other.

    Args:
        train_steps: GANTrainSteps.

    Returns:
        callable of GANTrainOps that gives a list of SessionRunHook.
    """

    def get_hooks(train_ops: GANTrainOps) -> list[Any]:
        return [
            RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
            RunTrainOpsHook(train_ops.discriminator_train_op, train_steps.discriminator_train_steps),
        ]

    return get_hooks


def get_joint_train_hooks(train_steps: GANTrainSteps = GANTrainSteps(1, 1)) -> Callable[..., list[Any]]:  # noqa: B008  # a tuple
    """Returns a function that gives the hooks of a training of both networks at a time.

    Args:
        train_steps: GANTrainSteps; the network with more steps makes the rest of them alone.

    Returns:
        callable of GANTrainOps that gives a list of SessionRunHook.
    """
    shared = min(train_steps.generator_train_steps, train_steps.discriminator_train_steps)

    def get_hooks(train_ops: GANTrainOps) -> list[Any]:
        of_generator, of_discriminator = train_ops.generator_train_op, train_ops.discriminator_train_op
        return [
            RunTrainOpsHook([of_generator, of_discriminator], shared),
            RunTrainOpsHook(of_generator, train_steps.generator_train_steps - shared),
            RunTrainOpsHook(of_discriminator, train_steps.discriminator_train_steps - shared),
        ]

    return get_hooks


def get_sequential_train_steps(train_steps: GANTrainSteps = GANTrainSteps(1, 1)) -> Callable[..., Any]:  # noqa: B008  # a tuple
    """Returns a `train_step_fn` for `tf.contrib.slim.learning.train` that trains one network after the other.

    Args:
        train_steps: GANTrainSteps.

    Returns:
        callable of a session, GANTrainOps, the global step and a dict with "should_stop"; it gives the sum of all
        losses and True if the training should stop.
    """

    def sequential_train_steps(
        sess: Any, train_ops: GANTrainOps, global_step: Any, train_step_kwargs: dict[str, Any]
    ) -> tuple[Any, Any]:
        of_generator = of_discriminator = 0.0
        for _ in range(train_steps.generator_train_steps):
            of_generator += sess.run(train_ops.generator_train_op)
        for _ in range(train_steps.discriminator_train_steps):
            of_discriminator += sess.run(train_ops.discriminator_train_op)
        sess.run(train_ops.global_step_inc_op)
        should_stop = sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
        return of_generator + of_discriminator, should_stop

    return sequential_train_steps


def gan_train(
    train_ops: GANTrainOps,
    logdir: str,
    get_hooks_fn: Callable[..., list[Any]] = get_sequential_train_hooks(),  # noqa: B008  # made once
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
) -> Any:
    """Trains until a hook stops.

    Args:
        train_ops: GANTrainOps.
        logdir: str, the folder of checkpoints and summaries.
        get_hooks_fn: callable of GANTrainOps that gives the hooks which train.
        master: str, the session's target.
        is_chief: bool. If True, this task initializes variables and writes files.
        scaffold: Scaffold, or None.
        hooks: list of SessionRunHook, or None.
        chief_only_hooks: list of SessionRunHook of the chief, or None.
        save_checkpoint_secs: float, seconds between two checkpoints; None for no checkpoints.
        save_summaries_steps: int, steps between two summaries; None for no summaries.
        config: ConfigProto, or None.

    Returns:
        int, the number of steps; None if there were none.
    """
    return train(
        train_ops.global_step_inc_op,
        logdir,
        master=master,
        is_chief=is_chief,
        scaffold=scaffold,
        hooks=[*get_hooks_fn(train_ops), *(hooks or [])],
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
    )

"""`Optimizer`: base of Keras's optimizers, with their hyper-parameters, slots and steps as in TF 1.15."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import dtypes, nest, tf_logging
from ferroflow._src.base.typing import DTypeLike, NestedTensors, TensorLike
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, device, init_scope, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.keras.backend import batch_get_value, batch_set_value, get_value, set_value
from ferroflow._src.keras.named import initializer as initializer_of
from ferroflow._src.keras.replicas import summed_over_replicas
from ferroflow._src.keras.schedules import (
    LearningRateSchedule,
    deserialize as deserialize_schedule,
    serialize as serialize_schedule,
)
from ferroflow._src.layers.naming import to_snake_case, unique_layer_name
from ferroflow._src.layers.sessions import track_variable
from ferroflow._src.ops.array.indexing import unique
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_norm, clip_by_value
from ferroflow._src.ops.math.segment import unsorted_segment_sum
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization
from ferroflow._src.variables.variable import Variable

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_OPTIONS = ("clipnorm", "clipvalue", "lr", "decay")
_State = dict[tuple[Any, Any], dict[str, Any]]


class Optimizer(Trackable):
    """Base of the optimizers, which update variables with the gradients of a loss.

    A subclass defines `_resource_apply_dense`, and what it needs of `_create_slots`, `_prepare_local` and
    `_resource_apply_sparse`; or `get_updates` as a whole.

    Args:
        name: str, the name scope of its variables and operations; None for one made of the class's name.
        **kwargs: `clipnorm`, float, the norm that each gradient is scaled down to. `clipvalue`, float, the size that
            elements of gradients are cut to. `decay`, float: the rate is divided by 1 + decay * steps. `lr`, which
            stands for `learning_rate`.

    Raises:
        TypeError: if a keyword argument is unknown.
        ValueError: if an argument is negative.
    """

    _hyper: dict[str, Any]
    updates: list[Any]

    def __init__(self, name: str | None = None, **kwargs: Any) -> None:
        for key, value in kwargs.items():
            if key not in _OPTIONS:
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if not isinstance(value, LearningRateSchedule) and not callable(value) and value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        self._hyper = {}
        self._name = name or unique_layer_name(to_snake_case(type(self).__name__), zero_based=True)
        self._use_locking = True
        self._slots: dict[Any, dict[str, Any]] = {}
        self._slot_names: list[str] = []
        self._weights: list[Any] = []
        self._iterations: Any = None
        # Places in checkpoints of slots that do not exist yet, by name and variable.
        self._waiting_slots: dict[tuple[str, Any], list[Any]] = {}
        self._hypers_created = False
        self._initial_decay = kwargs.get("decay", 0.0)
        self.updates = []
        for key in ("clipnorm", "clipvalue"):
            if key in kwargs:
                setattr(self, key, kwargs[key])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} optimizer of {len(vars(self).get('_weights', ()))} variables>"

    def __getattr__(self, name: str) -> Any:
        hyper = vars(self).get("_hyper", {})
        known = "learning_rate" if name == "lr" else name
        if known not in hyper:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return self._get_hyper(known)

    def __setattr__(self, name: str, value: Any) -> None:
        known = "learning_rate" if name == "lr" else name
        if known in vars(self).get("_hyper", {}):
            self._set_hyper(known, value)
        else:
            super().__setattr__(name, value)

    def minimize(
        self,
        loss: Callable[[], TensorLike],
        var_list: Any,
        grad_loss: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """Computes the gradients of a loss and applies them.

        Args:
            loss: callable without arguments that returns a Tensor of a float dtype.
            var_list: list of Variables of float dtypes, or callable that returns it; it is called after `loss`.
            grad_loss: Tensor of the loss's dtype and shape, the gradient of `loss`; None for ones.
            name: str, the name scope of the updates; None for the optimizer's.

        Returns:
            Operation that updates the variables and adds 1 to `iterations`.

        Raises:
            ValueError: if no variable has a gradient.
            TypeError: if `loss` is not callable.
        """
        return self.apply_gradients(self._compute_gradients(loss, var_list, grad_loss), name=name)

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss: Any = None) -> list[tuple[Any, Any]]:
        value = loss()
        variables = nest.flatten(var_list() if callable(var_list) else var_list)
        with name_scope(f"{self._name}/gradients"):
            found = self._clipped(gradients(value, variables, grad_loss))
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def _clipped(self, found: list[Any]) -> list[Any]:
        norm, size = getattr(self, "clipnorm", None), getattr(self, "clipvalue", None)
        if norm is not None:
            found = [g if g is None else clip_by_norm(g, norm) for g in found]
        if size is not None:
            found = [g if g is None else clip_by_value(g, -size, size) for g in found]
        return found

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """Returns the clipped gradients of a loss.

        A subclass that overrides `get_updates` gets Tensors, and in the scope of a strategy their sums over all
        replicas.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Tensors or IndexedSlices, of the dtypes and shapes of `params`.

        Raises:
            ValueError: if the loss does not depend on a variable.
        """
        params = nest.flatten(params)
        with name_scope(f"{self._name}/gradients"):
            found = gradients(loss, params)
            for variable, gradient in zip(params, found, strict=True):
                if gradient is None:
                    raise ValueError(
                        f"Variable {variable} has `None` for gradient. Please make sure that all of your ops have a "
                        "gradient defined (i.e. are differentiable). Common ops without gradient: K.argmax, K.round, "
                        "K.eval."
                    )
            if type(self).get_updates is not Optimizer.get_updates:
                dense = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in found]
                found = summed_over_replicas(dense)
            return self._clipped(found)

    def get_updates(self, loss: NestedTensors, params: list[Any]) -> list[Any]:
        """Returns the operations of one step; a subclass may override it.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Operations, or of Tensors of any dtype and shape, or of tuples of a Variable and its new value.

        Raises:
            ValueError: if the loss does not depend on a variable, or a variable has no float dtype.
            NotImplementedError: if a subclass defines neither this method nor `_resource_apply_dense`.
        """
        pairs = list(zip(self.get_gradients(loss, params), params, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        self.updates = [self.apply_gradients(pairs)]
        return self.updates

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], name: str | None = None) -> Operation:
        """Updates variables with gradients; in the scope of a strategy, with their sums over all replicas.

        Args:
            grads_and_vars: pairs of a gradient, Tensor or IndexedSlices, and its Variable of the same dtype and shape.
            name: str, the name scope of the updates; None for the optimizer's.

        Returns:
            Operation that updates the variables and adds 1 to `iterations`.

        Raises:
            ValueError: if no variable has a gradient.
            RuntimeError: if a variable with a constraint has a gradient of some rows.
        """
        pairs = _with_gradients(grads_and_vars)
        variables = [v for _, v in pairs]
        with name_scope(self._name):
            with init_scope():
                _ = self.iterations
                self._create_hypers()
                self._create_slots(variables)
            state = self._prepare(variables)
            sums = summed_over_replicas([g for g, _ in pairs])
            updates = []
            with name_scope(name or self._name):
                for gradient, variable in zip(sums, variables, strict=True):
                    with name_scope(f"update_{variable.op.name}"), colocate_with(variable):
                        updates.append(self._updated(gradient, variable, state))
                with control_dependencies(updates):
                    result: Any = assign_add(self.iterations, 1)
        return result if isinstance(result, Operation) else result.op

    def _updated(self, gradient: Any, variable: Any, state: _State) -> Any:
        if isinstance(variable, Tensor):
            raise NotImplementedError("Trying to update a Tensor ", variable)
        if isinstance(gradient, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, variable, gradient.indices, apply_state=state
            )
        update = self._resource_apply_dense(gradient, variable, apply_state=state)
        if variable.constraint is None:
            return update
        with control_dependencies([update]):
            return variable.assign(variable.constraint(variable))

    def _resource_apply_dense(self, grad: Tensor, handle: Any, apply_state: _State | None = None) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define _resource_apply_dense(grad, var, apply_state), or get_updates."
        )

    def _resource_apply_sparse(
        self, grad: Tensor, handle: Any, indices: Tensor, apply_state: _State | None = None
    ) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define _resource_apply_sparse(grad, var, indices, apply_state)."
        )

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor, **kwargs: Any
    ) -> Any:
        """Updates rows, after values of equal indices are added up."""
        once, position = unique(indices)
        summed = unsorted_segment_sum(grad, position, shape_of(once)[0])
        return self._resource_apply_sparse(summed, handle, once, **kwargs)

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes all slots of the variables."""

    def _prepare(self, var_list: list[Any]) -> _State:
        """Returns the tensors that updates share, for each device and dtype of variables."""
        state: _State = {}
        for key in {(v.device, v.dtype.base_dtype): None for v in var_list}:
            state[key] = {}
            with device(key[0] or None):
                self._prepare_local(*key, state)
        return state

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: _State) -> None:
        if "learning_rate" in self._hyper:
            apply_state[var_device, var_dtype]["lr_t"] = identity(self._decayed_lr(var_dtype))

    def _coefficients(self, variable: Any, state: _State | None) -> dict[str, Any]:
        """Returns the tensors that `_prepare_local` made for a variable."""
        key = (variable.device, variable.dtype.base_dtype)
        found = (state or {}).get(key)
        return found if found is not None else self._fallback_apply_state(*key)

    def _fallback_apply_state(self, var_device: Any, var_dtype: Any) -> dict[str, Any]:
        state: _State = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[var_device, var_dtype]

    def _set_hyper(self, name: str, value: Any) -> None:
        """Sets a hyper-parameter: a number, tensor, schedule, or callable without arguments that returns one."""
        before = self._hyper.get(name)
        if isinstance(before, Variable) and not isinstance(value, LearningRateSchedule):
            set_value(before, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Any:
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        value = value() if callable(value) and not isinstance(value, Variable) else value
        if not dtype or (isinstance(value, Variable) and value.dtype == dtype):
            return value
        return cast(value, dtype)

    def _create_hypers(self) -> None:
        if self._hypers_created:
            return
        for name, value in sorted(self._hyper.items()):
            if not isinstance(value, (Tensor, Variable)) and not callable(value):
                self._hyper[name] = self.add_weight(name, [], trainable=False, initializer=value)
        self._hypers_created = True

    def _serialize_hyperparameter(self, hyperparameter_name: str) -> Any:
        value = self._hyper[hyperparameter_name]
        if isinstance(value, LearningRateSchedule):
            return serialize_schedule(value)
        if isinstance(value, (Tensor, Variable)):
            return get_value(value)
        return value() if callable(value) else value

    def _decayed_lr(self, var_dtype: DTypeLike) -> Any:
        """Returns the learning rate of this step, a Tensor of shape []."""
        rate = self._get_hyper("learning_rate", var_dtype)
        if isinstance(rate, LearningRateSchedule):
            rate = cast(rate(cast(self.iterations, var_dtype)), var_dtype)
        if self._initial_decay > 0.0:
            step = cast(self.iterations, var_dtype)
            rate = rate / (1.0 + self._get_hyper("decay", var_dtype) * step)
        return rate

    @property
    def iterations(self) -> Any:
        """The number of steps so far: a Variable of int64, of shape []; it can be set before it is first used."""
        if self._iterations is None:
            self._iterations = self.add_weight("iter", [], dtype=dtypes.int64, trainable=False)
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been created"
            )
        self._iterations = variable
        self._weights.append(variable)

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: DTypeLike | None = None,
        initializer: Any = "zeros",
        trainable: bool | None = None,
        synchronization: object = VariableSynchronization.AUTO,
        aggregation: object = VariableAggregation.NONE,
    ) -> Any:
        """Makes a variable of the optimizer, which checkpoints of objects hold.

        Args:
            name: str, its name.
            shape: tuple of ints.
            dtype: DType; None for float32.
            initializer: initializer, its name, or a number.
            trainable: bool. If True or None, it is among the trainable variables.
            synchronization: accepted.
            aggregation: accepted.

        Returns:
            Variable of `dtype` and `shape`, behind a handle.
        """
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        is_made = isinstance(initializer, str) or callable(initializer)
        make = initializer_of(initializer) if is_made else None

        def value() -> Any:
            if make is not None:
                return make(shape, dtype=dtype)
            return convert_to_tensor(np.asarray(initializer, dtype.as_numpy_dtype), name="initial_value")

        variable = Variable(value, trainable=trainable is not False, name=name, use_resource=True)
        track_variable(variable)
        return self._track_trackable(variable, name, overwrite=True)

    def add_slot(self, var: Any, slot_name: str, initializer: Any = "zeros") -> Any:
        """Returns a slot of a variable, made if there is none.

        Args:
            var: Variable of a float dtype.
            slot_name: str, the slot's name.
            initializer: initializer, its name, or an array of the slot's first values.

        Returns:
            Variable of the dtype and shape of `var`.
        """
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        slots = self._slots.setdefault(var.op, {})
        if slot_name not in slots:
            made = initializer_of(initializer) if isinstance(initializer, str) or callable(initializer) else None
            shape, dtype = var.get_shape().as_list(), var.dtype.base_dtype
            value = initializer if made is None else lambda: made(shape, dtype=dtype)
            with colocate_with(var):
                slot = Variable(
                    value,
                    trainable=False,
                    name=f"{var.op.name}/{slot_name}",
                    dtype=dtype,
                    use_resource=is_resource_variable(var),
                )
            track_variable(slot)
            slots[slot_name] = slot
            waiting = self._waiting_slots.pop((slot_name, var.op), [])
            for position in sorted(waiting, key=lambda place: place.restore_uid, reverse=True):
                position.restore(slot)
            self._weights.append(slot)
        return slots[slot_name]

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """Returns a slot of a variable.

        Args:
            var: Variable of a float dtype.
            slot_name: str, the slot's name.

        Returns:
            Variable of the dtype and shape of `var`.

        Raises:
            KeyError: if there is no such slot.
        """
        slots = self._slots.get(var.op)
        if slots is None:
            raise KeyError(var.op.name)
        return slots[slot_name]

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots, in the order in which they were made."""
        return self._slot_names

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
        """Restores a slot of a variable, or keeps its place in the checkpoint until the slot is made."""
        slot = self._slots.get(variable.op, {}).get(slot_name)
        if slot is None:
            self._waiting_slots.setdefault((slot_name, variable.op), []).append(slot_variable_position)
        else:
            slot_variable_position.restore(slot)

    def variables(self) -> list[Any]:
        """Returns the optimizer's variables, without hyper-parameters, in the order in which they were made."""
        return self._weights

    @property
    def weights(self) -> list[Any]:
        """The optimizer's variables, without hyper-parameters, in the order in which they were made."""
        return self._weights

    @weights.setter
    def weights(self, variables: list[Any]) -> None:
        self._weights = list(variables)

    def get_weights(self) -> list[Any]:
        """Returns the values of its variables."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Assigns values to the optimizer's variables.

        Args:
            weights: list of arrays, of the dtypes and shapes of its variables, in their order.

        Raises:
            ValueError: if the number of arrays is wrong, or an array has another shape.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self._name} with a  weight list of length "
                f"{len(weights)}, but the optimizer was expecting {len(self.weights)} weights. Provided weights: "
                f"{str(weights)[:50]}..."
            )
        for variable, value in zip(self.weights, weights, strict=True):
            expected, found = tuple(variable.get_shape().as_list()), np.shape(value)
            if expected != found:
                raise ValueError(f"Optimizer weight shape {expected} not compatible with provided weight shape {found}")
        batch_set_value(list(zip(self.weights, weights, strict=True)))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        found = {"name": self._name}
        return {**found, **{key: vars(self)[key] for key in ("clipnorm", "clipvalue") if key in vars(self)}}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Makes an optimizer with the arguments that `get_config` gave.

        Args:
            config: dict of the arguments; `lr` stands for `learning_rate`.
            custom_objects: dict of the program's classes of schedules by name, or None.

        Returns:
            Optimizer of this class.
        """
        found = dict(config)
        for key in ("learning_rate", "lr"):
            if isinstance(found.get(key), Mapping):
                found[key] = deserialize_schedule(found[key], custom_objects)
        return cls(**found)

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}.")

    def _valid_dtypes(self) -> Iterable[Any]:
        return set(_FLOATS)


def _with_gradients(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Returns the pairs with a gradient, and warns of the others."""
    pairs = list(grads_and_vars)
    found = [pair for pair in pairs if pair[0] is not None]
    if pairs and not found:
        raise ValueError(f"No gradients provided for any variable: {[v.name for _, v in pairs]}.")
    missing = [v.name for g, v in pairs if g is None]
    if missing:
        tf_logging.warning("Gradients do not exist for variables %s when minimizing the loss.", missing)
    return found

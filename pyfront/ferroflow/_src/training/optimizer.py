"""`Optimizer`: computes gradients and applies them to variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from ferroflow._src.autodiff.gating import gate_together
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import FloatLike, TensorLike, TensorLikes
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from ferroflow._src.framework.default_graph import (
    colocate_with,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from ferroflow._src.framework.function import graphs_around
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.replication import Mode, ReduceOp, current_mode, is_last_loss_a_sum
from ferroflow._src.framework.trackable import Trackable, TrackableReference
from ferroflow._src.ops.array.indexing import unique
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.training import slot_creator
from ferroflow._src.variables.collections import trainable_variables
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.variable import Variable, reference_of

_GradientAndVariable = tuple[Any, Any]


def _key(var: Any) -> tuple[Any, str]:
    return var.op.graph, var.op.name


def _first(item: tuple[str, Any]) -> str:
    return item[0]


def _is_resource(var: Any) -> bool:
    return bool(var.op.type == "VarHandleOp")


def _scaled_loss(loss: Any, mode: Mode | None) -> Any:
    """Returns this replica's part of a mean loss over all replicas, whose gradients are added up."""
    if mode is None or not getattr(mode.strategy, "_scales_loss", False) or is_last_loss_a_sum():
        return loss
    replicas = mode.strategy.num_replicas_in_sync
    return loss * (1.0 / replicas) if replicas > 1 else loss


def _check_optimizable(var: Any) -> None:
    if not isinstance(var, Variable | Tensor) and not (hasattr(var, "op") and _is_resource(var)):
        raise NotImplementedError("Trying to optimize unsupported type ", var)


def _deduplicated(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Returns values of equal indices added up, and the indices without repetition."""
    once, position = unique(indices)
    return apply_op("UnsortedSegmentSum", [values, position, shape(once)[0]]).outputs[0], once


class Optimizer(Trackable):
    """Base class of optimizers; a subclass defines the update of one variable.

    `minimize` computes the gradients of a loss and applies them. To change gradients in between, call
    `compute_gradients` and `apply_gradients`.

    `gate_gradients` limits how early gradients may be applied, and changes no result. `GATE_NONE` adds no limit,
    `GATE_OP` makes the gradients of one operation available together, and `GATE_GRAPH` computes all before any is
    applied.

    Subclasses override `_apply_dense` and `_apply_sparse` (or `_apply_sparse_duplicate_indices`), and if they need
    them `_prepare`, `_create_slots`, `_finish` and `_valid_dtypes`. Slots are variables that belong to a trained one.

    Args:
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and part of the names of slots.

    Raises:
        ValueError: if `name` is empty.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slot_dict: dict[tuple[str, Any], Any] = {}
        # Places of slots in checkpoints that were restored before the slots were made.
        self._waiting_slots: dict[tuple[str, Any], list[Any]] = {}

    def __repr__(self) -> str:
        state = vars(self)
        rate = state.get("_learning_rate", state.get("_lr"))
        shown = "" if rate is None or callable(rate) else f" with learning rate {rate!r}"
        return f"<{type(self).__name__} {state.get('_name')!r}{shown}>"

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def minimize(
        self,
        loss: FloatLike,
        global_step: TensorLike | None = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Operation:
        """Adds the operations of a training step.

        Args:
            loss: float Tensor to be minimized, of any shape (of several elements it is their sum that is).
            global_step: variable that is increased by one after all updates, or None.
            var_list: variables to be updated, in any nest; all trainable ones by default.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: places each gradient with its forward operation.
            name: name of the returned operation; the optimizer's by default.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; ones by default.

        Returns:
            The operation that updates the variables, and the global step.

        Raises:
            ValueError: if there are no variables to train, or none of them has a gradient.
            NotImplementedError: if an element of `var_list` is neither a variable nor a tensor.
            RuntimeError: if a variable with a constraint has a sparse gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(g is None for g, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(v) for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: TensorLikes | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[_GradientAndVariable]:
        """Adds the operations that compute the gradients of a loss.

        Args:
            loss: float Tensor to be minimized, of any shape (of several elements it is their sum that is); or a
                function without arguments that gives it.
            var_list: variables to be updated, in any nest; all trainable ones by default.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: places each gradient with its forward operation.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; ones by default.

        Returns:
            A (gradient, variable) pair for each variable. The gradient is a Tensor or IndexedSlices of the variable's
            dtype and shape, or None if the loss does not depend on the variable.

        Raises:
            NotImplementedError: if an element of `var_list` is neither a variable nor a tensor.
            ValueError: if `gate_gradients` is unknown, a dtype cannot be trained, or there are no variables to train.
        """
        if callable(loss):
            loss = loss()
        loss = _scaled_loss(loss, current_mode())
        return self._gradients_of(
            loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )

    def _gradients_of(
        self,
        loss: Any,
        var_list: Any,
        gate_gradients: int,
        aggregation_method: int | None,
        colocate_gradients_with_ops: bool,
        grad_loss: Any,
        stop_gradients: Any = None,
    ) -> list[_GradientAndVariable]:
        """Adds the operations that compute the gradients of a loss that is not divided by the number of replicas."""
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not "
                f"{gate_gradients}"
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        graph = get_default_graph()
        if var_list is None:
            variables = trainable_variables() + graph.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
        else:
            variables = nest.flatten(var_list)
        for v in variables:
            _check_optimizable(v)
        if not variables:
            raise ValueError("No variables to optimize.")
        found = gradients(
            loss,
            [reference_of(v) if isinstance(v, Variable) else v for v in variables],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            stop_gradients=stop_gradients,
        )
        if gate_gradients == Optimizer.GATE_GRAPH and any(g is not None for g in found):
            found = gate_together(found)
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None and v.dtype != dtypes.resource])
        return pairs

    def apply_gradients(
        self,
        grads_and_vars: Iterable[_GradientAndVariable],
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """Adds the operations that update variables.

        Under a strategy of `tf.distribute`, the gradients of all replicas are added up first.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them; those without gradient are
                left out.
            global_step: variable that is increased by one after all updates, or None.
            name: name of the returned operation; the optimizer's by default.

        Returns:
            The operation that updates the variables, and the global step.

        Raises:
            TypeError: if a gradient cannot be made a tensor.
            ValueError: if there is no variable, or none has a gradient.
            NotImplementedError: if an element is neither a variable nor a tensor, or the optimizer has no rule for its
                gradient.
            RuntimeError: if a variable with a constraint has a sparse gradient; or within the scope of a strategy, but
                outside a function that it runs for each replica.
        """
        mode = current_mode()
        if mode is None:
            return self._apply_now(grads_and_vars, global_step, name)
        if mode.replica is None:
            raise RuntimeError("Use `_distributed_apply()` instead of `apply_gradients()` in a cross-replica context.")
        pairs = list(grads_and_vars)
        if pairs and all(g is None for g, _ in pairs):
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in pairs]}.")
        present = [(g, v) for g, v in pairs if g is not None]
        applied: Operation = mode.replica.merge_call(self._distributed_apply, args=(present, global_step, name))
        return applied

    def _distributed_apply(
        self,
        distribution: Any,
        grads_and_vars: Iterable[_GradientAndVariable],
        global_step: Any = None,
        name: str | None = None,
    ) -> Operation:
        """Adds the operations that update variables by the sums of all replicas' gradients."""
        pairs = list(grads_and_vars)
        sums = distribution.extended.batch_reduce_to(ReduceOp.SUM, pairs)
        return self._apply_now(zip(sums, [v for _, v in pairs], strict=True), global_step, name)

    def _apply_now(
        self, grads_and_vars: Iterable[_GradientAndVariable], global_step: Any = None, name: str | None = None
    ) -> Operation:
        pairs = [(self._as_gradient(g), v) for g, v in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        for _, v in pairs:
            _check_optimizable(v)
        updated = [(g, v) for g, v in pairs if g is not None]
        if not updated:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in pairs]}.")
        # A slot's initializer must not wait for the current control dependencies.
        with control_dependencies(None):
            self._create_slots([v for _, v in updated])
        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = []
            for g, v in updated:
                with name_scope("update_" + v.op.name), colocate_with(v):
                    updates.append(self._update(g, v))
            if global_step is None:
                result: Operation | Tensor = self._finish(updates, scope)
            else:
                with control_dependencies([self._finish(updates, "update")]), colocate_with(global_step):
                    result = assign_add(global_step, 1, name=scope)
        if not isinstance(result, Operation):
            result = result.op
        train_ops = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if result not in train_ops:
            train_ops.append(result)
        return result

    @staticmethod
    def _as_gradient(gradient: Any) -> Any:
        if gradient is None:
            return None
        try:
            converted = convert_to_tensor_or_indexed_slices(gradient)
        except TypeError:
            raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}") from None
        if not isinstance(converted, Tensor | IndexedSlices):
            raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {converted}")
        return converted

    def _update(self, gradient: Any, var: Any) -> Any:
        if isinstance(var, Tensor):
            raise NotImplementedError("Trying to update a Tensor ", var)
        if isinstance(gradient, IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            if _is_resource(var):
                return self._resource_apply_sparse_duplicate_indices(gradient.values, var, gradient.indices)
            return self._apply_sparse_duplicate_indices(gradient, var)
        apply = self._resource_apply_dense if _is_resource(var) else self._apply_dense
        update = apply(gradient, var)
        if var.constraint is None:
            return update
        with control_dependencies([update]):
            return var.assign(var.constraint(var))

    def _assert_valid_dtypes(self, tensors: Sequence[Any]) -> None:
        valid = self._valid_dtypes()
        for t in tensors:
            dtype = t.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"Invalid type {dtype!r} for {t.name}, expected: {list(valid)}.")

    def _valid_dtypes(self) -> set[Any]:
        """Returns the dtypes that losses, variables and gradients may have."""
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes all slots of the variables."""

    def _prepare(self) -> None:
        """Makes what all updates share, such as the learning rate."""

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        """Adds the update of a variable by a dense gradient; gives its operation or output."""
        raise NotImplementedError

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Adds the update of a variable by slices without repeated indices; gives its operation or output."""
        raise NotImplementedError

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        """Adds the update of a variable by slices; repeated indices are summed first."""
        values, indices = _deduplicated(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Any:
        """Calls `_apply_dense` for a resource variable."""
        raise NotImplementedError

    def _resource_apply_sparse(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        """Calls `_apply_sparse` for a resource variable."""
        raise NotImplementedError

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, var: Any, indices: Tensor) -> Any:
        """Calls `_apply_sparse_duplicate_indices` for a resource variable."""
        values, once = _deduplicated(grad, indices)
        return self._resource_apply_sparse(values, var, once)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        """Joins all updates into the one operation of that name."""
        return group(*update_ops, name=name_scope)

    def get_slot(self, var: Any, name: str) -> Any:
        """Returns the slot of a variable, or None.

        Args:
            var: a variable that was passed to `minimize` or `apply_gradients`.
            name: name of the slot.

        Returns:
            Variable, or None.
        """
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self) -> list[str]:
        """Returns the names of all slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Returns the variables that hold this optimizer's state in the default graph, sorted by name."""
        graph = get_default_graph()
        slots = [slot for named in self._slots.values() for slot in named.values()]
        return sorted((v for v in [*self._non_slot_variables(), *slots] if v.op.graph is graph), key=lambda v: v.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Any, val: Any, slot_name: str, op_name: str) -> Any:
        """Returns the slot of a variable, made with the initial value `val` if there is none."""
        return self._slot(var, slot_name, lambda: slot_creator.create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Any:
        """Returns the slot of a variable, made by `initializer` if there is none."""
        return self._slot(
            var,
            slot_name,
            lambda: slot_creator.create_slot_with_initializer(var, initializer, shape, dtype, op_name),
        )

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """Returns the slot of a variable, made of zeros if there is none."""
        return self._slot(var, slot_name, lambda: slot_creator.create_zeros_slot(var, op_name))

    def _slot(self, var: Any, slot_name: str, create: Callable[[], Any]) -> Any:
        """Returns the slot of a variable, made if there is none, then also restored if a checkpoint has it."""
        named, key = self._slot_dict(slot_name), _key(var)
        if key not in named:
            made = create()
            waiting = self._waiting_slots.pop((slot_name, key), [])
            for position in sorted(waiting, key=lambda place: place.restore_uid, reverse=True):
                position.restore(made)
            named[key] = made
        return named[key]

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
        """Restores a slot of a variable, or keeps its place in the checkpoint until the slot is made."""
        slot = self._slots.get(slot_name, {}).get(_key(variable))
        if slot is None:
            self._waiting_slots.setdefault((slot_name, _key(variable)), []).append(slot_variable_position)
        else:
            slot_variable_position.restore(slot)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """The edges, and those to the variables in the default graph that belong to no trained one."""
        graph = get_default_graph()
        own = [(name, v) for (name, of), v in self._non_slot_dict.items() if of is graph]
        return super()._checkpoint_dependencies + [TrackableReference(*item) for item in sorted(own, key=_first)]

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._get_non_slot_variable(name, graph=get_default_graph()) if found is None else found

    # True if variables that belong to no trained variable are of the kind of the trained ones, not of the scope's.
    _non_slots_follow_trained: ClassVar[bool] = True

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        """Returns a variable of the optimizer that belongs to no trained variable, one for each name and graph."""
        key = (name, colocate_with.graph)
        if key not in self._non_slot_dict:
            use_resource = is_resource_variable(colocate_with) if self._non_slots_follow_trained else None
            with colocate_with.graph.colocate_with(colocate_with):
                made = Variable(initial_value, name=name, trainable=False, use_resource=use_resource)
            # Without an edge: the default graph decides which of the variables of that name is the edge's.
            self._handle_deferred_dependencies(name, made)
            self._non_slot_dict[key] = made
        return self._non_slot_dict[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        # Variables are never those of a function's body, but of the graph around it.
        of = graph if graph is None else [graph, *graphs_around(graph)][-1]
        return self._non_slot_dict.get((name, of))

    def _non_slot_variables(self) -> Iterable[Any]:
        return self._non_slot_dict.values()


def prepare(optimizer: Optimizer) -> None:
    """Makes what all updates of a wrapped optimizer share, before it applies gradients."""
    optimizer._prepare()


def updated(optimizer: Optimizer, gradient: Any, var: Any) -> Any:
    """Adds the update of one variable by its gradient, and returns the operation or tensor."""
    return optimizer._update(gradient, var)


def uses_locking(optimizer: Optimizer) -> bool:
    """Returns the `use_locking` of an optimizer that another one wraps."""
    return optimizer._use_locking

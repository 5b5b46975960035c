"""`ConstrainedOptimizer`: base class of optimizers of problems with constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.constrained_optimization.problem import ConstrainedMinimizationProblem
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.variable import Variable


def _after_preparation(problem: ConstrainedMinimizationProblem, make: Callable[[], Any]) -> Any:
    preparing = problem.pre_train_ops
    with control_dependencies(preparing or []):
        return make()


class ConstrainedOptimizer(ABC):
    """Base class of optimizers of problems with constraints; a subclass defines `_minimize_constrained`.

    Args:
        optimizer: `tf.train.Optimizer` of the problem's variables.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    @property
    def optimizer(self) -> Optimizer:
        """The `tf.train.Optimizer` of the problem's variables."""
        return self._optimizer

    @abstractmethod
    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Returns the operation of a step; the arguments are those of `minimize_constrained`."""

    def minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Returns the operation of a step that minimizes the objective under the constraints.

        Args:
            minimization_problem: ConstrainedMinimizationProblem.
            global_step: variable that is increased by one after the step, or None.
            var_list: variables to be updated; None for all trainable ones.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH` of `tf.train.Optimizer`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
            name: str, name of the returned operation.
            grad_loss: Tensor of the dtype and shape of the loss, its gradient; None for ones.

        Returns:
            Operation; without `global_step`, float32 Variable of the state.

        Raises:
            ValueError: if the dtypes of objective and constraints differ, or shapes of constraints are not known.
        """
        return _after_preparation(
            minimization_problem,
            lambda: self._minimize_constrained(
                minimization_problem,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            ),
        )

    def minimize_unconstrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Returns the operation of a step that minimizes the objective alone.

        Args:
            minimization_problem: ConstrainedMinimizationProblem.
            global_step: variable that is increased by one after the step, or None.
            var_list: variables to be updated; None for all trainable ones.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH` of `tf.train.Optimizer`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
            name: str, name of the returned operation.
            grad_loss: Tensor of the dtype and shape of the objective, its gradient; None for ones.

        Returns:
            Operation.
        """
        return _after_preparation(
            minimization_problem,
            lambda: self.optimizer.minimize(
                minimization_problem.objective,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            ),
        )

    def minimize(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        unconstrained_steps: Any = None,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Returns the operation of a step, under the constraints from a given step on.

        Args:
            minimization_problem: ConstrainedMinimizationProblem.
            unconstrained_steps: int or integer Tensor of shape [], the number of first steps without constraints; None
                if all steps have constraints.
            global_step: variable that is increased by one after the step, or None.
            var_list: variables to be updated; None for all trainable ones.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH` of `tf.train.Optimizer`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
            name: str, name of the returned operation.
            grad_loss: Tensor of the dtype and shape of the loss, its gradient; None for ones.

        Returns:
            Operation; without `global_step`, float32 Variable of the state.

        Raises:
            ValueError: if `unconstrained_steps` is given without `global_step`; also as `minimize_constrained`.
        """
        arguments: dict[str, Any] = {
            "minimization_problem": minimization_problem,
            "global_step": global_step,
            "var_list": var_list,
            "gate_gradients": gate_gradients,
            "aggregation_method": aggregation_method,
            "colocate_gradients_with_ops": colocate_gradients_with_ops,
            "name": name,
            "grad_loss": grad_loss,
        }
        if unconstrained_steps is None:
            return self.minimize_constrained(**arguments)
        if global_step is None:
            raise ValueError("global_step cannot be None if unconstrained_steps is provided")
        first = convert_to_tensor(unconstrained_steps)
        return cond(
            cast(global_step, first.dtype) < first,
            true_fn=lambda: self.minimize_unconstrained(**arguments),
            false_fn=lambda: self.minimize_constrained(**arguments),
        )


class RegretOptimizer(ConstrainedOptimizer):
    """Base class of optimizers that weight the constraints by a state, which is trained against the variables.

    Args:
        optimizer: `tf.train.Optimizer` of the problem's variables.
        constraint_optimizer: `tf.train.Optimizer` of the state; None for `optimizer`, in the same update.
    """

    _STATE_NAME: str

    def __init__(self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None) -> None:
        super().__init__(optimizer)
        self._constraint_optimizer = constraint_optimizer

    @property
    def constraint_optimizer(self) -> Optimizer | None:
        """The `tf.train.Optimizer` of the state; None if `optimizer` updates it."""
        return self._constraint_optimizer

    @abstractmethod
    def _initial_state(self, num_constraints: int) -> Tensor:
        """Returns the first state, a float32 Tensor."""

    @abstractmethod
    def _loss_and_ascent(self, state: Any, objective: Any, constraints: Any, proxies: Any) -> tuple[Any, Any]:
        """Returns the loss of the variables, and the direction in which the state grows."""

    @abstractmethod
    def _projection_op(self, state: Any, name: str | None = None) -> Any:
        """Returns the assignment of the nearest state that is allowed."""

    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Returns the operation of a step; the arguments are those of `minimize_constrained`."""
        objective = minimization_problem.objective
        constraints = minimization_problem.constraints
        given = minimization_problem.proxy_constraints
        proxies = constraints if given is None else given
        if not objective.dtype.base_dtype == constraints.dtype.base_dtype == proxies.dtype.base_dtype:
            raise ValueError("objective, constraints and proxy_constraints must have the same dtype")
        count = minimization_problem.num_constraints
        constraints = reshape(constraints, shape=(count,))
        proxies = reshape(proxies, shape=(count,))
        state: Any = Variable(
            lambda: self._initial_state(count), trainable=False, name=self._STATE_NAME, use_resource=True
        )
        loss, ascent = self._loss_and_ascent(state, objective, constraints, proxies)
        pairs = self.optimizer.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        updates = self._updates(pairs, (-ascent, state))
        with control_dependencies(updates):
            if global_step is None:
                return self._projection_op(state, name=name)
            projected = self._projection_op(state, name="project")
            with colocate_with(global_step):
                counted = assign_add(global_step, 1, name="global_step_increment")
            return group(projected, counted, name=name)

    def _updates(self, pairs: list[tuple[Any, Any]], state_pair: tuple[Any, Any]) -> list[Any]:
        """Returns the updates of the variables and of the state; neither sees the other's."""
        if self.constraint_optimizer is None:
            return [self.optimizer.apply_gradients([*pairs, state_pair], name="update")]
        gradients = [gradient for gradient, _ in [*pairs, state_pair] if gradient is not None]
        with control_dependencies(gradients):
            return [
                self.optimizer.apply_gradients(pairs, name="update"),
                self.constraint_optimizer.apply_gradients([state_pair], name="optimizer_state_update"),
            ]

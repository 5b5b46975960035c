"""Optimizers outside of the graph: minimizers of functions of one vector, such as SciPy's, train variables."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import DictLike, FeedDict, FloatLike, SessionObject
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import placeholder, zeros_like
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.variables.collections import trainable_variables

# From the values of all variables, one after another in one vector, to what is computed with them.
_OfVector = Callable[[Any], Any]


def _in_one_vector(tensors: Sequence[Any]) -> Tensor:
    flat = [reshape(tensor, [-1]) for tensor in tensors]
    return flat[0] if len(flat) == 1 else concat(flat, 0)


class ExternalOptimizerInterface:
    """Base of the optimizers outside of the graph, with the loss and its gradients; subclasses define `_minimize`.

    Args:
        loss: float [], the loss to minimize.
        var_list: list of variables of known shapes that are changed; the trainable ones by default.
        equalities: list of float [] tensors that are held at zero.
        inequalities: list of float [] tensors that are held at zero or above.
        var_to_bounds: dict from variables to pairs of their lowest and highest values; each is None, a number, or an
            array that can be broadcast to the variable's shape.
        **optimizer_kwargs: objects of any kind, for the optimizer.

    Raises:
        ValueError: if there are no variables, or a variable's shape is unknown.
    """

    def __init__(
        self,
        loss: FloatLike,
        var_list: Sequence[Any] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: DictLike | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._equalities = list(equalities or [])
        self._inequalities = list(inequalities or [])
        self._vars = trainable_variables() if var_list is None else list(var_list)
        if not self._vars:
            raise ValueError("No variables to optimize.")
        self.optimizer_kwargs = optimizer_kwargs
        self._shapes = [tuple(var.get_shape().as_list()) for var in self._vars]
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])
        self._packing_slices = [slice(int(start), int(end)) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        self._packed_bounds = None if var_to_bounds is None else self._bounds(var_to_bounds)
        self._update_placeholders = [placeholder(var.dtype.base_dtype) for var in self._vars]
        self._var_updates = [
            var.assign(reshape(value, shape))
            for var, value, shape in zip(self._vars, self._update_placeholders, self._shapes, strict=True)
        ]
        self._packed_loss_grad = self._gradient(loss)
        self._packed_equality_grads = [self._gradient(tensor) for tensor in self._equalities]
        self._packed_inequality_grads = [self._gradient(tensor) for tensor in self._inequalities]
        self._packed_var = _in_one_vector(self._vars)

    def _bounds(self, var_to_bounds: Any) -> list[tuple[float, float]]:
        lowest: list[float] = []
        highest: list[float] = []
        for var, shape in zip(self._vars, self._shapes, strict=True):
            low, high = var_to_bounds.get(var, (None, None))
            lowest.extend(np.broadcast_to(-np.inf if low is None else low, shape).flat)
            highest.extend(np.broadcast_to(np.inf if high is None else high, shape).flat)
        return list(zip(lowest, highest, strict=True))

    def _gradient(self, tensor: Any) -> Tensor:
        found = gradients(tensor, self._vars)
        return _in_one_vector(
            [zeros_like(var) if one is None else one for var, one in zip(self._vars, found, strict=True)]
        )

    def minimize(
        self,
        session: SessionObject | None = None,
        feed_dict: FeedDict | None = None,
        fetches: Sequence[Any] | None = None,
        step_callback: Callable[..., Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss immediately, and assigns the variables at the end.

        Args:
            session: the `Session` that runs the loss; the default one by default.
            feed_dict: dict, fed to every run.
            fetches: list of Tensors of any dtypes and shapes, whose values `loss_callback` gets.
            step_callback: function, called after each step of the optimizer with the vector of all values.
            loss_callback: function, called after each computation of the loss, with the values of `fetches`.
            **run_kwargs: for `Session.run` when the variables are assigned.

        Raises:
            ValueError: if no session is given, and there is no default one.
            ImportError: if the optimizer's package is not installed.
        """
        session = session or get_default_session()
        if session is None:
            raise ValueError("Cannot minimize: no session is given, and no default session is registered.")
        fetches = list(fetches or [])

        def function(tensors: list[Any], callback: Callable[..., Any] | None = None) -> _OfVector:
            def evaluate(x: Any) -> list[Any]:
                # TF 1.x: a trial step feeds the variables and leaves what they hold alone.
                feeds: dict[Any, Any] = {
                    var: np.asarray(x[part]).reshape(shape)
                    for var, part, shape in zip(self._vars, self._packing_slices, self._shapes, strict=True)
                }
                feeds.update(feed_dict or {})
                values = session.run([*tensors, *fetches], feed_dict=feeds)
                if callback is not None:
                    callback(*values[len(tensors) :])
                return list(values[: len(tensors)])

            return evaluate

        def functions(tensors: Sequence[Any]) -> list[_OfVector]:
            return [function([tensor]) for tensor in tensors]

        found = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=function([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=functions(self._equalities),
            equality_grad_funcs=functions(self._packed_equality_grads),
            inequality_funcs=functions(self._inequalities),
            inequality_grad_funcs=functions(self._packed_inequality_grads),
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda xk: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [found[part] for part in self._packing_slices]
        session.run(
            self._var_updates, feed_dict=dict(zip(self._update_placeholders, values, strict=True)), **run_kwargs
        )

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: _OfVector,
        equality_funcs: list[_OfVector],
        equality_grad_funcs: list[_OfVector],
        inequality_funcs: list[_OfVector],
        inequality_grad_funcs: list[_OfVector],
        packed_bounds: list[tuple[float, float]] | None,
        step_callback: Callable[..., Any],
        optimizer_kwargs: dict[str, Any],
    ) -> Any:
        """Returns the vector at which the loss is least.

        Args:
            initial_val: float [n], where to begin.
            loss_grad_func: gives the loss and its gradient, float [n], at a vector.
            equality_funcs: give the values to hold at zero, each in a list of one.
            equality_grad_funcs: give the gradients of these, each in a list of one.
            inequality_funcs: give the values to hold at zero or above, each in a list of one.
            inequality_grad_funcs: give the gradients of these, each in a list of one.
            packed_bounds: n pairs of lowest and highest values; None if there are no bounds.
            step_callback: function, to be called after each step with the vector.
            optimizer_kwargs: further arguments of the constructor.

        Returns:
            float [n].

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method."
        )


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Optimizer that trains variables by `scipy.optimize.minimize`; `method` selects one of its methods, by default
    L-BFGS-B.

    Args:
        loss: float [], the loss to minimize.
        var_list: list of variables of known shapes that are changed; the trainable ones by default.
        equalities: list of float [] tensors that are held at zero, by methods that can, such as SLSQP.
        inequalities: list of float [] tensors that are held at zero or above, by methods that can.
        var_to_bounds: dict from variables to pairs of their lowest and highest values.
        **optimizer_kwargs: `method` (str), `options` (dict) and `tol` (float) of `scipy.optimize.minimize`.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: _OfVector,
        equality_funcs: list[_OfVector],
        equality_grad_funcs: list[_OfVector],
        inequality_funcs: list[_OfVector],
        inequality_grad_funcs: list[_OfVector],
        packed_bounds: list[tuple[float, float]] | None,
        step_callback: Callable[..., Any],
        optimizer_kwargs: dict[str, Any],
    ) -> Any:
        optimize = _scipy_optimize()
        given = dict(optimizer_kwargs)
        method = given.pop("method", self._DEFAULT_METHOD)
        for name in ("jac", "callback", "constraints", "bounds"):
            if name in given:
                raise ValueError(
                    "Bounds must be set using the var_to_bounds argument"
                    if name == "bounds"
                    else f"Optimizer keyword arg '{name}' is set automatically and cannot be injected manually"
                )

        def loss_and_gradient(x: Any) -> tuple[float, Any]:
            loss, gradient = loss_grad_func(x)
            return float(loss), np.asarray(gradient, np.float64)

        def constraints(kind: str, funcs: list[_OfVector], grads: list[_OfVector]) -> list[dict[str, Any]]:
            return [
                {"type": kind, "fun": _only(func), "jac": _only(grad)} for func, grad in zip(funcs, grads, strict=True)
            ]

        result = optimize.minimize(
            loss_and_gradient,
            np.asarray(initial_val, np.float64),
            jac=True,
            callback=step_callback,
            method=method,
            constraints=[
                *constraints("eq", equality_funcs, equality_grad_funcs),
                *constraints("ineq", inequality_funcs, inequality_grad_funcs),
            ],
            bounds=packed_bounds,
            **given,
        )
        lines = [
            "Optimization terminated with:",
            f"  Message: {result.message}",
            f"  Objective function value: {result.fun:f}",
        ]
        # Not every method counts these.
        if hasattr(result, "nit"):
            lines.append(f"  Number of iterations: {result.nit}")
        if hasattr(result, "nfev"):
            lines.append(f"  Number of functions evaluations: {result.nfev}")
        tf_logging.info("%s", "\n".join(lines))
        return result.x


def _only(function: _OfVector) -> _OfVector:
    return lambda x: np.asarray(function(x)[0], np.float64)


def _scipy_optimize() -> Any:
    try:
        return importlib.import_module("scipy.optimize")
    except ImportError as error:
        raise ImportError("ScipyOptimizerInterface needs the package scipy: pip install scipy") from error

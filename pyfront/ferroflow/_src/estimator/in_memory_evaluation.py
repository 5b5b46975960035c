"""Hook that evaluates within a training, with the values that the variables have just then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import ListLike
from ferroflow._src.estimator.estimator import Estimator, build_evaluation, write_evaluation
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_run_hook import SessionRunContext, SessionRunHook, SessionRunValues


def _global_variables() -> dict[str, Any]:
    return {variable.name: variable for variable in get_collection(GraphKeys.GLOBAL_VARIABLES)}


class InMemoryEvaluatorHook(SessionRunHook):
    """Hook that evaluates without checkpoints: before the training, in intervals of steps, and at its end.

    Args:
        estimator: Estimator, whose training the hook is given to.
        input_fn: callable, as `Estimator.evaluate`.
        steps: int, the number of batches; None for all that there are.
        hooks: list of SessionRunHook for the evaluation, or None.
        name: str, added to the name of the summaries' folder, or None.
        every_n_iter: int, the steps of training between two evaluations.

    Raises:
        ValueError: if `every_n_iter` is not positive, or the training has several tasks.

    Example:
        >>> head = tf.contrib.estimator.regression_head()
        >>> estimator = tf.estimator.LinearEstimator(head, [tf.feature_column.numeric_column("x")], "model")
        >>> input_fn = lambda: ({"x": tf.constant([[1.0], [2.0]])}, tf.constant([[2.0], [4.0]]))
        >>> hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, input_fn, steps=1, every_n_iter=2)
        >>> estimator = estimator.train(input_fn, hooks=[hook], steps=4)
        >>> print(sorted(tf.contrib.estimator.read_eval_metrics(estimator.eval_dir())))
        [0, 2, 4]
    """

    def __init__(
        self,
        estimator: Estimator,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: ListLike | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator = estimator
        self._input_fn = input_fn
        self._steps = steps
        self._eval_hooks = hooks
        self._name = name
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self) -> None:
        """Builds the evaluation in a graph of its own.

        Raises:
            ValueError: if the model has a Saver or an initialization function of its own.
        """
        self._timer.reset()
        self._iterations = 0
        self._graph = Graph()
        with self._graph.as_default():
            self._built = build_evaluation(self._estimator, self._input_fn, self._steps, self._eval_hooks)
            scaffold = self._built.scaffold
            if scaffold.saver is not None:
                raise ValueError("InMemoryEvaluator does not support custom saver")
            if scaffold.init_fn is not None:
                raise ValueError("InMemoryEvaluator does not support custom init_fn")
            variables = _global_variables()
            self._fed = {key: placeholder(variable.dtype.base_dtype) for key, variable in variables.items()}

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates the model as it is before the training.

        Args:
            session: Session of the training.
            coord: Coordinator of its threads.

        Raises:
            ValueError: if the training saves other objects than variables.
        """
        if get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError("InMemoryEvaluator does not support saveables other than global variables.")
        trained = _global_variables()
        with self._graph.as_default():
            evaluated = {key: variable for key, variable in _global_variables().items() if key in trained}
            self._feed = group(*(assign(variable, self._fed[key]) for key, variable in evaluated.items()))
        self._trained = {key: trained[key] for key in evaluated}
        self._evaluate(session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Evaluates the model if an interval is over.

        Args:
            run_context: SessionRunContext.
            run_values: SessionRunValues.
        """
        self._iterations += 1
        if self._timer.should_trigger_for_step(self._iterations):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates the trained model.

        Args:
            session: Session of the training.
        """
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        values = session.run(self._trained)
        fed = {self._fed[key]: value for key, value in values.items()}

        def set_variables(scaffold: Any, own: Any) -> None:
            del scaffold
            own.run(self._feed, feed_dict=fed)

        with self._graph.as_default():
            scaffold = Scaffold(init_fn=set_variables, copy_from_scaffold=self._built.scaffold)
            write_evaluation(self._estimator, self._name, self._built.run(None, scaffold))
        self._timer.update_last_triggered_step(self._iterations)

"""`Strategy`: how the replicas of a model train together, one replica in each process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import NestedTensors, TensorLike
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.data.iterator import Iterator as DatasetIterator
from ferroflow._src.distribute.choices import InputContext, InputReplicationMode
from ferroflow._src.distribute.contexts import as_reduce_op, require_cross_replica_context
from ferroflow._src.distribute.inputs import ReplicaIterator, part_of_rows
from ferroflow._src.distribute.strategy_extended import StrategyExtended
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.replication import Mode, ReduceOp, current_mode, entered
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum


class Strategy:
    """The way in which the replicas of a model train together.

    Each process has one replica, and a graph and a session of its own.

    Variables that are made in the scope begin with the values of the first process. An optimizer of `tf.train` adds up
    the gradients of all replicas before it applies them.

    Args:
        extended: StrategyExtended.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     w = tf.get_variable("w", initializer=4.0)
        ...     optimizer = tf.train.GradientDescentOptimizer(0.25)
        ...     train = strategy.experimental_run_v2(lambda: optimizer.minimize(tf.square(w)))
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(train)
        >>> print(strategy.num_replicas_in_sync, sess.run(w))
        1 2.0
    """

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended
        # True while an estimator builds its model: the loss of a replica is then divided by the number of replicas.
        self._scales_loss = False

    def __repr__(self) -> str:
        rank, size = self._extended.replicas
        return f"<{type(self).__name__}: replica {rank} of {size}>"

    # A strategy is not copied with the RunConfig that has it: it stands for this process's connections.
    def __deepcopy__(self, memo: Any) -> Strategy:
        return self

    @property
    def extended(self) -> Any:
        """The parts that libraries use, a StrategyExtended."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are reduced together."""
        return self._extended.replicas.size

    @contextmanager
    def scaling_loss(self) -> Iterator[None]:
        """Makes optimizers of `tf.train` divide mean losses by the number of replicas in a `with` block."""
        self._scales_loss = True
        try:
            yield
        finally:
            self._scales_loss = False

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Makes this strategy the current one in a `with` block. Code in it runs once for all replicas.

        Yields:
            The strategy.

        Raises:
            RuntimeError: if code that runs for one replica calls it, or code in the scope of another strategy.
        """
        mode = current_mode()
        if mode is not None:
            if mode.strategy is not self:
                raise RuntimeError("Mixing different tf.distribute.Strategy objects: already in the scope of another.")
            require_cross_replica_context(self._extended)
            yield self
            return
        with ExitStack() as stack:
            stack.enter_context(entered(Mode(self, None)))
            self._extended.enter_scopes(stack)
            yield self

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function for this process's replica with the next element of an iterator.

        Args:
            fn: callable of an element, which builds operations.
            input_iterator: iterator of `make_dataset_iterator` or `make_input_fn_iterator`; None for no argument.

        Returns:
            The result of the function.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
        """
        with self.scope():
            args = () if input_iterator is None else (input_iterator.get_next(),)
            return self.experimental_run_v2(fn, args)

    def experimental_run_v2(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Calls a function for this process's replica. The other processes do the same for theirs.

        Args:
            fn: callable, which builds operations.
            args: sequence of the function's arguments, any objects.
            kwargs: mapping of the function's arguments by name, any objects.

        Returns:
            The result of the function.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
        """
        return self._extended.call_for_each_replica(fn, args, kwargs)

    def reduce(self, reduce_op: Any, value: NestedTensors, axis: int | None = None) -> Any:
        """Returns the sum or the mean of all replicas' values.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value: nest of Tensors of float or integer dtypes and any shapes.
            axis: int, an axis of the values that is reduced as well, or None.

        Returns:
            Nest of Tensors of the same dtypes; of the same shapes, without the axis.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
            ValueError: if `reduce_op` is something else.
        """
        require_cross_replica_context(self._extended)
        reduce_op = as_reduce_op(reduce_op)
        extended = self._extended
        if axis is None:
            return extended.reduce_to(reduce_op, value, None)

        def along_axis(one: Any) -> Any:
            one = convert_to_tensor(one)
            total = extended.reduce_to(ReduceOp.SUM, reduce_sum(one, axis), None)
            if reduce_op is ReduceOp.SUM:
                return total
            count = extended.reduce_to(ReduceOp.SUM, shape(one, out_type=dtypes.int64)[axis], None)
            return total / cast(count, total.dtype)

        return nest.map_structure(along_axis, value)

    def group(self, value: Any, name: str | None = None) -> Operation:
        """Returns an operation that runs all operations of a nest.

        Args:
            value: nest of Tensors of any dtype and shape, or Operations.
            name: name of the operation.

        Returns:
            Operation.
        """
        flat = nest.flatten(value)
        if len(flat) == 1 and name is None:
            return flat[0].op if isinstance(flat[0], Tensor) else flat[0]
        return group(*flat, name=name)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """Returns the values of this process's replicas: the one value.

        Args:
            value: any object.

        Returns:
            tuple of the value.
        """
        return (value,)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the values of this process's replicas: the one value.

        Args:
            value: any object.

        Returns:
            tuple of the value.
        """
        return (value,)

    def make_dataset_iterator(self, dataset: Dataset) -> ReplicaIterator:
        """Returns an iterator of this replica's part of each batch.

        Args:
            dataset: Dataset of batches for all replicas together.

        Returns:
            Iterator with a method `initialize`.
        """
        return self._iterator(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(
        self,
        input_fn: Callable[[InputContext], Any],
        replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
    ) -> ReplicaIterator:
        """Returns an iterator of this replica's batches.

        Args:
            input_fn: callable of an InputContext that returns a Dataset of batches for one replica.
            replication_mode: `InputReplicationMode.PER_WORKER`.

        Returns:
            Iterator with a method `initialize`.

        Raises:
            ValueError: if `replication_mode` is something else, or the function does not return a Dataset.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode!r}")
        return self._iterator(self.experimental_distribute_datasets_from_function(input_fn))

    @staticmethod
    def _iterator(dataset: Dataset) -> ReplicaIterator:
        made: DatasetIterator = dataset.make_initializable_iterator()
        return ReplicaIterator(made)

    def experimental_distribute_dataset(self, dataset: Dataset) -> Dataset:
        """Returns the dataset of this replica's part of each batch.

        Every process reads all batches, in the same order if the dataset has one. Give a seed to `shuffle`. A last
        batch with fewer examples than replicas is left out.

        Args:
            dataset: Dataset of batches for all replicas together.

        Returns:
            Dataset of the same dtypes and shapes, but for the batch dimension.

        Raises:
            ValueError: if the number of replicas is known not to divide the batches' size.
            TypeError: if `dataset` is no Dataset.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"dataset must be a tf.data.Dataset, found {type(dataset).__name__}: {dataset!r}")
        return part_of_rows(dataset, self._extended.replicas)

    def experimental_distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Any]) -> Dataset:
        """Returns the dataset of this replica's batches.

        Args:
            dataset_fn: callable of an InputContext that returns a Dataset of batches for one replica.

        Returns:
            Dataset of the same dtypes and shapes.

        Raises:
            ValueError: if the function does not return a Dataset.
        """
        dataset = dataset_fn(self._extended.input_context())
        if not isinstance(dataset, Dataset):
            raise ValueError(f"the input function must return a tf.data.Dataset, found {type(dataset).__name__}")
        return self._extended.own_part(dataset)

    def experimental_make_numpy_dataset(self, numpy_input: NestedTensors, session: Any = None) -> Dataset:
        """Returns a dataset of the rows of arrays.

        Args:
            numpy_input: nest of arrays of shape [n, ...].
            session: accepted; the arrays are constants of the graph.

        Returns:
            Dataset of the arrays' dtypes and of shapes [...].
        """
        return self._extended.experimental_make_numpy_dataset(numpy_input, session=session)

    def colocate_vars_with(self, colocate_with_variable: TensorLike) -> AbstractContextManager[None]:
        """Returns a context in which variables are made on the device of another one.

        Args:
            colocate_with_variable: variable of any dtype and shape.

        Returns:
            Context manager.

        Raises:
            ValueError: if it is no variable of this strategy's scope.
        """
        return self._extended.colocate_vars_with(colocate_with_variable)

    def configure(
        self, session_config: Any = None, cluster_spec: Any = None, task_type: str | None = None, task_id: Any = None
    ) -> None:
        """Does nothing: a strategy finds its cluster when it is made.

        Args:
            session_config: accepted.
            cluster_spec: accepted.
            task_type: accepted.
            task_id: accepted.
        """

    def update_config_proto(self, config_proto: Any) -> Any:
        """Returns a copy of a ConfigProto: sessions need no options for strategies.

        Args:
            config_proto: ConfigProto.

        Returns:
            ConfigProto.
        """
        made = type(config_proto)()
        made.CopyFrom(config_proto)
        return made

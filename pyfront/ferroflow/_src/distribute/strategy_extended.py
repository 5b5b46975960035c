"""`StrategyExtended`: the parts of a strategy that libraries use: reductions over replicas, updates and variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import NestedTensors, TensorLike
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.distribute.choices import InputContext, Replicas
from ferroflow._src.distribute.contexts import ReplicaContext, as_reduce_op, require_cross_replica_context
from ferroflow._src.distribute.inputs import part_of_elements
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.replication import ReduceOp
from ferroflow._src.horovod import collectives
from ferroflow._src.variables.creation import variable_creator_scope
from ferroflow._src.variables.synchronization import VariableSynchronization

_LOCAL = "/replica:0/task:0/device:CPU:0"


class StrategyExtended:
    """The parts of a strategy that libraries use.

    Args:
        container_strategy: Strategy.
        replicas: this process's replica, and how many there are.
    """

    # True if every process reads all of the input, of which its replica takes a part.
    _shares_input = True

    def __init__(self, container_strategy: Any, replicas: Replicas | None = None) -> None:
        self._strategy = container_strategy
        self._replicas = Replicas() if replicas is None else replicas

    @property
    def replicas(self) -> Replicas:
        """This process's replica, and how many there are."""
        return self._replicas

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Names of the devices of this process's replica."""
        return (_LOCAL,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Names of the devices that have this process's variables."""
        return (_LOCAL,)

    @property
    def experimental_between_graph(self) -> bool:
        """True if each process builds a graph of its own."""
        return self._replicas.size > 1

    @property
    def experimental_should_init(self) -> bool:
        """True if this process initializes its variables."""
        return True

    @property
    def should_checkpoint(self) -> bool:
        """True if this process is the one that saves checkpoints."""
        return self._replicas.rank == 0

    @property
    def should_save_summary(self) -> bool:
        """True if this process is the one that saves summaries."""
        return self._replicas.rank == 0

    @property
    def trains_jointly(self) -> bool:
        """True if all processes take each step together, with equal variables."""
        return False

    def agreed(self, value: Any) -> Any:
        """Returns a value of the first process, on all processes.

        Args:
            value: object that can be pickled.

        Returns:
            The object.
        """
        return value

    @property
    def experimental_require_static_shapes(self) -> bool:
        """False: shapes may be known only in a step."""
        return False

    def call_for_each_replica(
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
        require_cross_replica_context(self)
        with self._strategy.scope(), ReplicaContext(self._strategy, self._replicas.rank):
            return fn(*args, **(kwargs or {}))

    def reduce_to(self, reduce_op: Any, value: NestedTensors, destinations: object) -> Any:
        """Returns the sum or the mean of all replicas' values.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value: nest of Tensors of float or integer dtypes and any shapes.
            destinations: accepted; the result is on all replicas.

        Returns:
            Nest of Tensors of the same dtypes and shapes.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
            ValueError: if `reduce_op` is something else.
        """
        require_cross_replica_context(self)
        reduce_op = as_reduce_op(reduce_op)
        return nest.map_structure(lambda one: self._reduced(reduce_op, one), value)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> list[Any]:
        """Returns the sums or means of several values over all replicas.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: list of pairs of a Tensor or IndexedSlices, of a float or integer dtype and any
                shape, and a destination, which is accepted.

        Returns:
            list of Tensors or IndexedSlices of the same dtypes and shapes.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
            ValueError: if `reduce_op` is something else.
        """
        require_cross_replica_context(self)
        reduce_op = as_reduce_op(reduce_op)
        return [self._reduced(reduce_op, value) for value, _ in value_destination_pairs]

    def _reduced(self, reduce_op: ReduceOp, value: Any) -> Any:
        if self._replicas.size == 1:
            return value
        if not isinstance(value, IndexedSlices):
            value = convert_to_tensor(value)
        op = collectives.Sum if reduce_op is ReduceOp.SUM else collectives.Average
        return collectives.allreduce(value, op=op)

    def broadcast_to(self, tensor: NestedTensors, destinations: object) -> Any:
        """Returns the value of the first replica, on all replicas.

        Args:
            tensor: Tensor of any dtype but string and any shape.
            destinations: accepted; the result is on all replicas.

        Returns:
            Tensor of the same dtype and shape.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
        """
        require_cross_replica_context(self)
        if self._replicas.size == 1:
            return tensor
        return nest.map_structure(lambda one: collectives.broadcast(one, 0), tensor)

    def update(
        self,
        var: TensorLike,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function that updates a variable.

        Args:
            var: variable of any dtype and shape.
            fn: callable of the variable and the arguments.
            args: sequence of any objects.
            kwargs: mapping from str to any objects.
            group: bool. If False, the result is a tuple of one result for each replica of this process.

        Returns:
            The result of the function, or a tuple of it.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
        """
        require_cross_replica_context(self)
        with colocate_with(var):
            result = fn(var, *args, **(kwargs or {}))
        return result if group else (result,)

    def update_non_slot(
        self,
        colocate_with: object,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function that updates variables which belong to no other variable.

        Args:
            colocate_with: accepted.
            fn: callable of the arguments.
            args: sequence of any objects.
            kwargs: mapping from str to any objects.
            group: bool. If False, the result is a tuple of one result for each replica of this process.

        Returns:
            The result of the function, or a tuple of it.

        Raises:
            RuntimeError: if code that runs for one replica calls it.
        """
        require_cross_replica_context(self)
        result = fn(*args, **(kwargs or {}))
        return result if group else (result,)

    def non_slot_devices(self, var_list: object) -> tuple[str, ...]:
        """Returns the devices for variables that belong to no other variable.

        Args:
            var_list: accepted.

        Returns:
            tuple of str.
        """
        return self.parameter_devices

    def value_container(self, value: Any) -> Any:
        """Returns the object that has a replica's value: the value itself.

        Args:
            value: any object.

        Returns:
            The object.
        """
        return value

    def variable_created_in_scope(self, v: Any) -> bool:
        """Returns True if a variable was made in this strategy's scope.

        Args:
            v: variable of any dtype and shape.

        Returns:
            bool.
        """
        return getattr(v, "_distribute_strategy", None) is self._strategy

    def read_var(self, v: Any) -> Tensor:
        """Returns a variable's value.

        Args:
            v: variable of any dtype and shape.

        Returns:
            Tensor of its dtype and shape.
        """
        return convert_to_tensor(v)

    def colocate_vars_with(self, colocate_with_variable: TensorLike) -> AbstractContextManager[None]:
        """Returns a context in which variables are made on the device of another one.

        Args:
            colocate_with_variable: variable of any dtype and shape.

        Returns:
            Context manager.

        Raises:
            ValueError: if it is no variable of this strategy's scope.
        """
        if not self.variable_created_in_scope(colocate_with_variable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), "
                f"not: {colocate_with_variable!r}"
            )
        return _colocated_variables(colocate_with_variable)

    def experimental_make_numpy_dataset(self, numpy_input: NestedTensors, session: Any = None) -> Dataset:
        """Returns a dataset of the rows of arrays.

        Args:
            numpy_input: nest of arrays of shape [n, ...].
            session: accepted; the arrays are constants of the graph.

        Returns:
            Dataset of the arrays' dtypes and of shapes [...].
        """
        return Dataset.from_tensor_slices(numpy_input)

    def experimental_run_steps_on_iterator(
        self, fn: Any, iterator: Any, iterations: int = 1, initial_loop_values: Any = None
    ) -> Any:
        """Raises NotImplementedError: several steps in one run have a use on TPUs alone.

        Args:
            fn: callable.
            iterator: iterator.
            iterations: int.
            initial_loop_values: nest of Tensors of any dtype and shape.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError(
            "experimental_run_steps_on_iterator is not implemented: run the operations of experimental_run in a Python "
            "loop. There is no TPU that would have to be kept busy."
        )

    def input_context(self) -> InputContext:
        """Returns the context for input functions."""
        size = self._replicas.size
        if self._shares_input:
            return InputContext(1, 0, size)
        return InputContext(size, self._replicas.rank, size)

    def own_part(self, dataset: Dataset) -> Dataset:
        """Returns this replica's elements of the dataset of an input function.

        Args:
            dataset: Dataset of batches.

        Returns:
            Dataset of the same dtypes and shapes.
        """
        return part_of_elements(dataset, self._replicas) if self._shares_input else dataset

    def enter_scopes(self, stack: ExitStack) -> None:
        """Enters what a scope of the strategy consists of besides its mode.

        Args:
            stack: `contextlib.ExitStack` that leaves it at its end.
        """
        stack.enter_context(variable_creator_scope(self._create))

    def _create(self, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        own: list[Tensor] = []
        if self._replicas.size > 1:
            kwargs = self._mirrored(kwargs, own)
        made = next_creator(**kwargs)
        if own:
            # A value that one process alone reads, such as `initialized_value`, must not wait for the others.
            made._initial_value = made._assigned_value = own[0]
        made._distribute_strategy = self._strategy
        return made

    def _mirrored(self, kwargs: dict[str, Any], own: list[Tensor]) -> dict[str, Any]:
        """Returns the arguments of a variable whose initializer assigns the first replica's initial value.

        Args:
            kwargs: the variable's arguments.
            own: list to which this replica's initial value is appended when it is made.
        """
        collections, initial = kwargs.get("collections") or (), kwargs.get("initial_value")
        is_local = GraphKeys.LOCAL_VARIABLES in collections
        on_read = kwargs.get("synchronization") in (VariableSynchronization.ON_READ, "ON_READ", 3)
        if initial is None or is_local or on_read or kwargs.get("variable_def") is not None:
            return kwargs
        dtype = kwargs.get("dtype")

        def of_first() -> Any:
            value = convert_to_tensor(initial() if callable(initial) else initial, dtype=dtype)
            if value.dtype.base_dtype == dtypes.string:
                return value
            own.append(value)
            return collectives.broadcast(value, 0)

        return {**kwargs, "initial_value": of_first}


@contextmanager
def _colocated_variables(variable: Any) -> Iterator[None]:
    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        with colocate_with(variable):
            return next_creator(**kwargs)

    with variable_creator_scope(create):
        yield

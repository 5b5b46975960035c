"""Keras models trained by several processes: `horovod.keras` and `horovod.tensorflow.keras`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DictLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.horovod import broadcasting, collectives
from ferroflow._src.horovod.collectives import Average
from ferroflow._src.horovod.compression import Compression
from ferroflow._src.horovod.process_group import size
from ferroflow._src.keras import model_files
from ferroflow._src.keras.backend import get_value, set_value
from ferroflow._src.keras.callbacks import Callback
from ferroflow._src.layers.sessions import get_session
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.variables.collections import global_variables


def DistributedOptimizer(  # noqa: N802  # Horovod's spelling
    optimizer: Any,
    name: str | None = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: type[Any] = Compression.none,
    sparse_as_dense: bool = False,
    op: int = Average,
    gradient_predivide_factor: float = 1.0,
) -> Any:
    """Returns an optimizer of Keras's that reduces the gradients of all processes.

    It is of a subclass of the optimizer's class, with the same name, so that models that are saved with it can be
    loaded without Horovod.

    Args:
        optimizer: Optimizer of Keras's.
        name: str, the name scope of the reductions.
        device_dense: accepted; there is one device.
        device_sparse: accepted; there is one device.
        compression: a class of `hvd.Compression`, the type in which gradients travel.
        sparse_as_dense: accepted; Keras's gradients are dense.
        op: `hvd.Average` or `hvd.Sum`.
        gradient_predivide_factor: float. With `hvd.Average`, gradients are divided by it before the sum, and by the
            number of processes over it after the sum.

    Returns:
        Optimizer with the arguments that `optimizer` has now.

    Raises:
        ValueError: if `op` is unknown, or `gradient_predivide_factor` is not positive, or is not 1 with another `op`
            than `hvd.Average`.
        NotImplementedError: if `op` is `hvd.Adasum`, or the optimizer is one of `tf.train`.
    """
    reduction = collectives.reduction_of(None, op)
    collectives.check_predivide(gradient_predivide_factor, reduction)
    how = ((device_dense, device_sparse), compression, reduction, gradient_predivide_factor)
    base = type(optimizer)
    scope = name or f"Distributed{base.__name__}"

    def get_gradients(self: Any, loss: TensorLike, params: list[Any]) -> list[Any]:
        """Returns the gradients of a loss, reduced over all processes.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Tensors, of the dtypes and shapes of `params`.
        """
        gradients = base.get_gradients(self, loss, params)
        if size() == 1:
            return list(gradients)
        with name_scope(f"{scope}_Allreduce"):
            return [collectives.allreduce_gradient(g, *how) for g in gradients]

    namespace = {"get_gradients": get_gradients, "__module__": base.__module__, "__doc__": base.__doc__}
    distributed: Any = type(base.__name__, (base,), namespace)
    return distributed.from_config(optimizer.get_config())


def broadcast_global_variables(root_rank: int) -> None:
    """Gives all global variables of Keras's session the values that they have on one process.

    Args:
        root_rank: int, the rank of the process whose values are taken.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    get_session().run(broadcasting.broadcast_global_variables(root_rank))


def _run(operation: Any, value: Any) -> Any:
    """Runs a collective operation on a value in a graph of its own."""
    value = convert_to_tensor(value)
    return get_session().run(operation(value))


def allreduce(
    value: TensorLike,
    name: str | None = None,
    average: bool | None = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    op: int | None = None,
    compression: type[Any] = Compression.none,
) -> Any:
    """Returns the average or the sum of a value over all processes.

    Args:
        value: array or Tensor of a float or integer dtype and any shape.
        name: name of the operation; it must be the same on all processes.
        average: bool, the older form of `op`: True for `Average`, False for `Sum`.
        prescale_factor: float that the value is multiplied by before the sum.
        postscale_factor: float that the result is multiplied by.
        op: `hvd.Average` (the default) or `hvd.Sum`.
        compression: a class of `hvd.Compression`, the type in which the value travels.

    Returns:
        ndarray of the same dtype and shape.

    Raises:
        ValueError: if `hvd.init` was not called, or if both `average` and `op` are given.
    """
    scales: dict[str, Any] = {"prescale_factor": prescale_factor, "postscale_factor": postscale_factor}
    return _run(lambda x: collectives.allreduce(x, average, op=op, name=name, compression=compression, **scales), value)


def allgather(value: TensorLike, name: str | None = None) -> Any:
    """Returns the values of all processes, one after the other in rank order.

    Args:
        value: array or Tensor of any dtype but string and shape [n, ...].
        name: name of the operation; it must be the same on all processes.

    Returns:
        ndarray of the same dtype and of shape [sum of all n, ...].

    Raises:
        ValueError: if `hvd.init` was not called, or if the value is a scalar.
    """
    return _run(lambda x: collectives.allgather(x, name=name), value)


def broadcast(value: TensorLike, root_rank: int, name: str | None = None) -> Any:
    """Returns the value of one process on all processes.

    Args:
        value: array or Tensor of any dtype but string and any shape.
        root_rank: int, the rank of the process whose value is returned.
        name: name of the operation; it must be the same on all processes.

    Returns:
        ndarray of the same dtype and shape.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return _run(lambda x: collectives.broadcast(x, root_rank, name=name), value)


def load_model(
    filepath: str,
    custom_optimizers: Iterable[Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    compression: type[Any] = Compression.none,
) -> Any:
    """Makes a model of a file, with its variables. It is not compiled: compile it with `DistributedOptimizer`.

    Args:
        filepath: str, the file, which `save_model` or Keras wrote.
        custom_optimizers: accepted; files' optimizers are not read.
        custom_objects: dict from names to the program's classes and functions; None if there are none.
        compression: accepted; it is an argument of `DistributedOptimizer`.

    Returns:
        Model or Sequential.

    Raises:
        ImportError: if h5py is not installed.
        ValueError: if the file has no model, or a class or function is unknown.
        tf.errors.DataLossError: if the file is damaged.
    """
    return model_files.load_model(filepath, custom_objects, compile=False)


class BroadcastGlobalVariablesCallback(Callback):
    """Callback that gives all global variables the values of one process when training begins.

    Variables that the first batch makes are broadcast after it.

    Args:
        root_rank: int, the rank of the process whose values are taken.
        device: accepted; there is one device.
    """

    def __init__(self, root_rank: int, device: str = "") -> None:
        super().__init__()
        self.root_rank = root_rank
        self.device = device
        self._done: set[str] = set()
        self._is_first = True

    def _broadcast(self) -> None:
        with self.model.graph.as_default():
            new = [v for v in global_variables() if v.name not in self._done]
            if new:
                get_session().run(broadcasting.broadcast_variables(new, self.root_rank))
            self._done.update(v.name for v in new)

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Broadcasts the variables.

        Args:
            logs: dict, not used.
        """
        self._broadcast()

    def on_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Broadcasts the variables that the first batch has made.

        Args:
            batch: int, the batch's number.
            logs: dict, not used.
        """
        if self._is_first:
            self._is_first = False
            self._broadcast()


class MetricAverageCallback(Callback):
    """Callback that replaces the metrics of an epoch by their averages over all processes.

    It must come before callbacks that use these metrics.

    Args:
        device: accepted; there is one device.
    """

    def __init__(self, device: str = "") -> None:
        super().__init__()
        self.device = device
        # By metric: what is fed, and its average.
        self._averages: dict[str, tuple[Any, Any]] = {}

    def _average(self, metric: str, value: Any) -> Any:
        if metric not in self._averages:
            fed = placeholder(dtypes.float64, [], name=f"MetricAverage_{metric}")
            self._averages[metric] = fed, collectives.allreduce(fed, op=Average)
        fed, average = self._averages[metric]
        return get_session().run(average, {fed: value})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Replaces the metrics by their averages.

        Args:
            epoch: int, the epoch's number.
            logs: dict from names of metrics to their values, which is changed.
        """
        if not logs or size() == 1:
            return
        with self.model.graph.as_default():
            # All processes average in the same order.
            logs.update({metric: self._average(metric, value) for metric, value in sorted(logs.items())})


class LearningRateScheduleCallback(Callback):
    """Callback that multiplies the learning rate of the beginning by a factor of the epoch.

    With momentum correction, the momentum of the first batch with a new rate is multiplied by the new rate and divided
    by the old one.

    Args:
        multiplier: float; or function from the epoch to a float. With `staircase` False the function gets fractions of
            epochs.
        start_epoch: int, the first epoch with this factor.
        end_epoch: int, the first epoch without it; None for no end.
        staircase: bool. If True, the rate changes once in an epoch, else with each batch.
        momentum_correction: bool. If True, the momentum is corrected.
        steps_per_epoch: int, the batches of an epoch; needed if `staircase` is False and the data have no length.
        initial_lr: float, the learning rate of the beginning; by default the optimizer's when training begins.
    """

    def __init__(
        self,
        multiplier: Any,
        start_epoch: int = 0,
        end_epoch: int | None = None,
        staircase: bool = True,
        momentum_correction: bool = True,
        steps_per_epoch: int | None = None,
        initial_lr: float | None = None,
    ) -> None:
        super().__init__()
        self.start_epoch = start_epoch
        self.end_epoch = end_epoch
        self.staircase = staircase if callable(multiplier) else True
        self.momentum_correction = momentum_correction
        self.initial_lr = initial_lr
        self.steps_per_epoch = steps_per_epoch
        self.current_epoch: int | None = None
        self.multiplier = multiplier if callable(multiplier) else lambda epoch: multiplier
        self._momentum: float | None = None

    def _batches(self) -> int:
        """Returns the number of batches of an epoch."""
        if self.params.get("steps"):
            return int(self.params["steps"])
        if self.params.get("samples") and self.params.get("batch_size"):
            return -(-int(self.params["samples"]) // int(self.params["batch_size"]))
        raise ValueError(
            f"Could not autodetect the number of steps per epoch. Please specify the steps_per_epoch parameter to the "
            f"{type(self).__name__}()."
        )

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Reads the learning rate of the beginning.

        Args:
            logs: dict, not used.

        Raises:
            ValueError: if the number of batches of an epoch is needed and unknown.
        """
        if self.initial_lr is None:
            self.initial_lr = float(get_value(self.model.optimizer.lr))
        if not self.staircase and not self.steps_per_epoch:
            self.steps_per_epoch = self._batches()

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
        """Notes the epoch.

        Args:
            epoch: int, the epoch's number.
            logs: dict, not used.
        """
        self.current_epoch = epoch

    def on_batch_begin(self, batch: int, logs: DictLike | None = None) -> None:
        """Sets the learning rate.

        Args:
            batch: int, the batch's number.
            logs: dict, not used.
        """
        epoch = self.current_epoch or 0
        if epoch < self.start_epoch or (self.end_epoch is not None and epoch >= self.end_epoch):
            return
        if self.staircase:
            if batch == 0:
                self._adjust(epoch)
        else:
            self._adjust(epoch + batch / (self.steps_per_epoch or 1))

    def _adjust(self, epoch: float) -> None:
        optimizer = self.model.optimizer
        before = float(get_value(optimizer.lr))
        rate = (self.initial_lr or 0.0) * float(self.multiplier(epoch))
        set_value(optimizer.lr, rate)
        if self.momentum_correction and before != rate and before > 0 and _has_momentum(optimizer):
            self._momentum = float(get_value(optimizer.momentum))
            set_value(optimizer.momentum, self._momentum * rate / before)

    def on_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Sets the momentum back.

        Args:
            batch: int, the batch's number.
            logs: dict, not used.
        """
        if self._momentum is not None:
            set_value(self.model.optimizer.momentum, self._momentum)
            self._momentum = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds the learning rate to the epoch's metrics.

        Args:
            epoch: int, the epoch's number.
            logs: dict, to which `lr` is added.
        """
        if logs is not None:
            logs["lr"] = float(get_value(self.model.optimizer.lr))


def _has_momentum(optimizer: Any) -> bool:
    return hasattr(optimizer, "momentum") and hasattr(optimizer.momentum, "op")


class LearningRateWarmupCallback(LearningRateScheduleCallback):
    """Callback that lets the learning rate grow from that of one process to that of all, in the first epochs.

    The optimizer's learning rate is that of all processes, for example that of one times `hvd.size()`. It begins with
    this rate divided by the number of processes.

    Args:
        warmup_epochs: int, the epochs in which the rate grows.
        momentum_correction: bool. If True, the momentum is corrected.
        steps_per_epoch: int, the batches of an epoch; needed if the data have no length.
        verbose: int, above 0 to print when the rate has grown.
        initial_lr: float, the learning rate of all processes; by default the optimizer's when training begins.
    """

    def __init__(
        self,
        warmup_epochs: int = 5,
        momentum_correction: bool = True,
        steps_per_epoch: int | None = None,
        verbose: int = 0,
        initial_lr: float | None = None,
    ) -> None:
        def multiplier(epoch: float) -> float:
            # So that the last batch of the warmup has the whole rate.
            epoch += 1.0 / (self.steps_per_epoch or 1)
            return 1.0 / size() * (epoch * (size() - 1) / warmup_epochs + 1)

        super().__init__(
            multiplier,
            start_epoch=0,
            end_epoch=warmup_epochs,
            staircase=False,
            momentum_correction=momentum_correction,
            steps_per_epoch=steps_per_epoch,
            initial_lr=initial_lr,
        )
        self.verbose = verbose

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds the learning rate to the epoch's metrics, and prints it after the warmup.

        Args:
            epoch: int, the epoch's number.
            logs: dict, to which `lr` is added.
        """
        super().on_epoch_end(epoch, logs)
        if self.end_epoch is not None and epoch == self.end_epoch - 1 and self.verbose > 0:
            rate = float(get_value(self.model.optimizer.lr))
            print(f"\nEpoch {epoch + 1}: finished gradual learning rate warmup to {rate:g}.")

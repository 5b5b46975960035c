"""Collective operations on tensors: `hvd.allreduce`, `hvd.allgather`, `hvd.broadcast`."""

from __future__ import annotations

import re
from typing import Any, Final

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.horovod.compression import Compression
from ferroflow._src.horovod.process_group import size

Average: Final = 0
Sum: Final = 1
Adasum: Final = 2


def _name(op_type: str, name: str | None, tensor: Any) -> str:
    """Returns the name of a node: that of its tensor on all ranks, which must agree."""
    return name or f"{op_type}_{re.sub('[^a-zA-Z0-9_]', '_', tensor.name)}"


def reduction_of(average: bool | None, op: int | None) -> int:
    """Returns the reduction that the arguments `average` and `op` of Horovod's functions choose.

    Args:
        average: bool, the older argument; None if it is not given.
        op: `Average`, `Sum`, or None.

    Returns:
        int, `Average` or `Sum`.

    Raises:
        ValueError: if both are given, or `op` is unknown.
        NotImplementedError: if `op` is `Adasum`.
    """
    if average is not None and op is not None:
        raise ValueError("The op parameter supersedes average. Please provide only one of them.")
    if op is None:
        return Sum if average is False else Average
    if op == Adasum:
        raise NotImplementedError("hvd.Adasum is not implemented: use op=hvd.Average or op=hvd.Sum.")
    if op not in (Average, Sum):
        raise ValueError(f"op must be hvd.Average or hvd.Sum, found {op!r}")
    return op


def check_predivide(factor: float, op: int) -> None:
    """Raises an error for a wrong argument `gradient_predivide_factor`.

    Args:
        factor: float, the argument.
        op: `Average` or `Sum`.

    Raises:
        ValueError: if the factor is not positive, or is not 1 with another reduction than `Average`.
    """
    if not factor > 0:
        raise ValueError(f"gradient_predivide_factor must be positive, found {factor!r}")
    if factor != 1.0 and op != Average:
        raise ValueError("gradient_predivide_factor not supported with op != Average")


def allreduce_gradient(gradient: Any, devices: tuple[str, str], compression: type[Any], op: int, factor: float) -> Any:
    """Returns a gradient reduced over all processes.

    Args:
        gradient: Tensor or IndexedSlices of a float dtype and any shape.
        devices: accepted.
        compression: a class of `hvd.Compression`.
        op: `Average` or `Sum`.
        factor: float. A mean is divided by it before the sum, and by the number of processes over it after the sum.

    Returns:
        Tensor or IndexedSlices of the same dtype and shape.
    """
    if factor == 1.0 or isinstance(gradient, IndexedSlices):
        # Slices are not added up, so that no sum can overflow.
        return allreduce(gradient, None, *devices, compression=compression, op=op)
    before, after = 1.0 / factor, factor / size()
    return allreduce(gradient, None, *devices, compression, Sum, before, after)


def allreduce(
    tensor: TensorLike,
    average: bool | None = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: type[Any] = Compression.none,
    op: int | None = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    name: str | None = None,
) -> Any:
    """Returns the average or the sum of a tensor over all processes. All have it in the same dtype and shape.

    The sum of IndexedSlices has the slices of all processes, one after the other. Gradients flow back to all
    processes.

    Args:
        tensor: Tensor of a float or integer dtype and any shape; or IndexedSlices.
        average: bool, the older form of `op`: True for `Average`, False for `Sum`.
        device_dense: accepted; there is one device.
        device_sparse: accepted; there is one device.
        compression: a class of `hvd.Compression`, the type in which the tensor travels.
        op: `hvd.Average` (the default) or `hvd.Sum`.
        prescale_factor: float that the tensor is multiplied by before the sum.
        postscale_factor: float that the result is multiplied by.
        name: name of the operation; it must be the same on all processes.

    Returns:
        Tensor of the same dtype and shape; or IndexedSlices with the slices of all processes.

    Raises:
        ValueError: if `hvd.init` was not called, or if both `average` and `op` are given.
        NotImplementedError: if `op` is `hvd.Adasum`, or IndexedSlices are scaled.
        tf.errors.FailedPreconditionError: if dtypes, shapes or operations of the processes differ (in `Session.run`).
        tf.errors.UnknownError: if a process has ended or is lost (in `Session.run`).
    """
    reduction, count = reduction_of(average, op), size()
    if isinstance(tensor, IndexedSlices):
        if prescale_factor != 1.0 or postscale_factor != 1.0:
            raise NotImplementedError("hvd.allreduce cannot scale IndexedSlices: multiply their values.")
        values, indices = allgather(tensor.values), allgather(tensor.indices)
        if reduction == Average:
            values = tensor_op("RealDiv", [values, _like(count, values)])
        return IndexedSlices(values, indices, tensor.dense_shape)
    tensor = convert_to_tensor(tensor)
    sent, context = compression.compress(tensor)
    scales = {"prescale_factor": float(prescale_factor), "postscale_factor": float(postscale_factor)}
    if not sent.dtype.is_floating:
        if prescale_factor != 1.0 or postscale_factor != 1.0:
            raise ValueError(f"hvd.allreduce can scale tensors of floats only, not of {sent.dtype.name}")
        summed = _allreduce(sent, Sum, scales, name)
        averaged = tensor_op("Div", [summed, _like(count, summed)]) if reduction == Average else summed
        return compression.decompress(averaged, context)
    return compression.decompress(_allreduce(sent, reduction, scales, name), context)


def _allreduce(tensor: Tensor, reduction: int, scales: dict[str, float], name: str | None) -> Tensor:
    attrs = {"reduce_op": reduction, **scales}
    return tensor_op("HorovodAllreduce", [tensor], attrs, _name("HorovodAllreduce", name, tensor))


def _like(count: int, tensor: Tensor) -> Tensor:
    return convert_to_tensor(count, tensor.dtype)


def allgather(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Returns the tensors of all processes, one after the other in rank order.

    Args:
        tensor: Tensor of any dtype but string and shape [n, ...]. All but the first dimension are the same on all
            processes.
        name: name of the operation; it must be the same on all processes.

    Returns:
        Tensor of the same dtype and of shape [sum of all n, ...].

    Raises:
        ValueError: if `hvd.init` was not called, or if the tensor is a scalar.
        tf.errors.FailedPreconditionError: if dtypes, shapes or operations of the processes differ (in `Session.run`).
        tf.errors.UnknownError: if a process has ended or is lost (in `Session.run`).
    """
    size()
    tensor = convert_to_tensor(tensor)
    return tensor_op("HorovodAllgather", [tensor], name=_name("HorovodAllgather", name, tensor))


def broadcast(tensor: TensorLike, root_rank: int, name: str | None = None) -> Tensor:
    """Returns the tensor of one process on all processes.

    Args:
        tensor: Tensor of any dtype but string and any shape, the same on all processes.
        root_rank: int, the rank of the process whose tensor is returned.
        name: name of the operation; it must be the same on all processes.

    Returns:
        Tensor of the same dtype and shape.

    Raises:
        ValueError: if `hvd.init` was not called.
        tf.errors.InvalidArgumentError: if there is no such rank (in `Session.run`).
        tf.errors.FailedPreconditionError: if dtypes, shapes or roots of the processes differ (in `Session.run`).
        tf.errors.UnknownError: if a process has ended or is lost (in `Session.run`).
    """
    size()
    tensor = convert_to_tensor(tensor)
    attrs = {"root_rank": root_rank}
    return tensor_op("HorovodBroadcast", [tensor], attrs, _name("HorovodBroadcast", name, tensor))


def rank_op(name: str | None = None) -> Tensor:
    """Returns this process's rank as a tensor, so that a graph does not depend on it.

    Args:
        name: name of the operation.

    Returns:
        int32 Tensor of shape [].
    """
    return tensor_op("HorovodRank", [], name=name)


def size_op(name: str | None = None) -> Tensor:
    """Returns the number of processes as a tensor, so that a graph does not depend on it.

    Args:
        name: name of the operation.

    Returns:
        int32 Tensor of shape [].
    """
    return tensor_op("HorovodSize", [], name=name)

"""Gradients of collective operations: each rank's loss depends on the tensors of all ranks."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import concat, expand_dims, item, select, shape, term, zeros_like
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor

_sum = term("HorovodAllreduce")
_gather = term("HorovodAllgather")
_part = term("Slice", 3)
_begins = term("Cumsum", 2, exclusive=True)


def _allreduce(op: Operation, grad: Tensor) -> Tensor:
    scales = {name: op.get_attr(name) for name in ("reduce_op", "prescale_factor", "postscale_factor")}
    return tensor_op("HorovodAllreduce", [grad], scales)


def _allgather(op: Operation, grad: Tensor) -> Tensor:
    """Returns the sum of all ranks' gradients of this rank's rows."""
    own = shape(op.inputs[0])
    begins = _begins(_gather(expand_dims(item(own, 0), 0)), 0)
    begin = expand_dims(tensor_op("GatherV2", [begins, tensor_op("HorovodRank", []), 0]), 0)
    others = tensor_op("Fill", [expand_dims(tensor_op("Size", [own]) - 1, 0), 0])
    return _part(_sum(grad), concat([begin, others]), own)


def _broadcast(op: Operation, grad: Tensor) -> Tensor:
    """Returns the sum of all ranks' gradients on the root, and zeros elsewhere."""
    is_root = tensor_op("Equal", [tensor_op("HorovodRank", []), op.get_attr("root_rank")])
    summed = _sum(grad)
    return select(is_root, summed, zeros_like(summed))


register({"HorovodAllreduce": _allreduce, "HorovodAllgather": _allgather, "HorovodBroadcast": _broadcast})
register_none(["HorovodRank", "HorovodSize"])

"""Conversions of operations that move, join and cut tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ferroflow.command_line.onnx_export.calls import Call, Conversion

# Slices of ONNX end here if they have no end.
_END: Final = np.iinfo(np.int64).max
_START: Final = -np.iinfo(np.int64).max


def _reshape(call: Call) -> str:
    # A 0 in the shape is a size here, and not that of the input.
    return (
        call.node("Reshape", call.inputs[0], call.vector(1), allowzero=1)
        if _may_be_empty(call)
        else call.node("Reshape", call.inputs[0], call.vector(1))
    )


def _may_be_empty(call: Call) -> bool:
    shape = call.value_or_none(1)
    return shape is not None and 0 in shape and -1 not in shape


def _transpose(call: Call) -> str:
    return call.transposed(call.inputs[0], [int(axis) for axis in call.value(1, "the order of dimensions")])


def _expand_dims(call: Call) -> str:
    return call.node("Unsqueeze", call.inputs[0], call.vector(1))


def _squeeze(call: Call) -> str:
    axes = list(call.attr("squeeze_dims") or ())
    if not axes:
        if None in call.shape():
            raise call.fail("without axes, all dimensions must be known")
        axes = [i for i, size in enumerate(call.shape()) if size == 1]
    return call.node("Squeeze", call.inputs[0], call.ints(*axes))


def _concat(axis_at: int) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        axis = int(call.value(axis_at % len(call.inputs), "the axis"))
        parts = call.inputs[1:] if axis_at == 0 else call.inputs[:-1]
        return call.node("Concat", *parts, axis=axis)

    return convert


def _pack(call: Call) -> str:
    axis = int(call.attr("axis"))
    if axis < 0:
        axis += call.rank() + 1
    return call.node("Concat", *(call.node("Unsqueeze", name, call.ints(axis)) for name in call.inputs), axis=axis)


def _unpack(call: Call) -> list[str]:
    axis, count = int(call.attr("axis")), len(call.op.outputs)
    if count == 1:
        return [call.node("Squeeze", call.inputs[0], call.ints(axis))]
    parts = call.nodes("Split", count, call.inputs[0], call.ints(*[1] * count), axis=axis)
    return [call.node("Squeeze", part, call.ints(axis)) for part in parts]


def _split(call: Call) -> list[str]:
    axis, count = int(call.value(0, "the axis")), len(call.op.outputs)
    return call.nodes("Split", count, call.inputs[1], axis=axis)


def _split_v(call: Call) -> list[str]:
    axis = int(call.value(2, "the axis"))
    sizes = [int(size) for size in call.value(1, "the sizes")]
    if -1 in sizes:
        whole = call.shape()[axis]
        if whole is None:
            raise call.fail("a size of -1 of a dimension that is not known")
        sizes[sizes.index(-1)] = whole - sum(size for size in sizes if size != -1)
    return call.nodes("Split", len(sizes), call.inputs[0], call.ints(*sizes), axis=axis)


def _slice(call: Call) -> str:
    begin, size = call.value_or_none(1), call.value_or_none(2)
    if begin is not None and size is not None:
        ends = [_END if s == -1 else int(b) + int(s) for b, s in zip(begin, size, strict=True)]
        return call.node("Slice", call.inputs[0], call.ints(*map(int, begin)), call.ints(*ends))
    starts, sizes = call.int64(1), call.int64(2)
    to_end = call.node("Equal", sizes, call.ints(-1))
    ends_at = call.node("Where", to_end, call.ints(_END), call.node("Add", starts, sizes))
    return call.node("Slice", call.inputs[0], starts, ends_at)


def _strided_slice(call: Call) -> str:
    masks = {name: int(call.attr(f"{name}_mask")) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    strides = [int(stride) for stride in call.value(3, "the strides")]
    count, rank = len(strides), call.rank()
    begins, ends = (_entries(call, i, count) for i in (1, 2))
    named = sum(not (masks["new_axis"] | masks["ellipsis"]) >> i & 1 for i in range(count))
    axes: list[int] = []
    first: list[str] = []
    last: list[str] = []
    steps: list[int] = []
    removed: list[int] = []
    added: list[int] = []
    axis = place = 0
    for i in range(count):
        if masks["ellipsis"] >> i & 1:
            axis += rank - named
            place += rank - named
            continue
        if masks["new_axis"] >> i & 1:
            added.append(place)
            place += 1
            continue
        shrinks = bool(masks["shrink_axis"] >> i & 1)
        step = 1 if shrinks else strides[i]
        axes.append(axis)
        steps.append(step)
        from_start = masks["begin"] >> i & 1 and not shrinks
        first.append(call.ints(0 if step > 0 else _END) if from_start else begins(i))
        if shrinks:
            removed.append(axis)
            last.append(_after(call, begins(i)))
        else:
            last.append(call.ints(_END if step > 0 else _START) if masks["end"] >> i & 1 else ends(i))
            place += 1
        axis += 1
    found = call.inputs[0]
    if axes:
        joined = [call.node("Concat", *parts, axis=0) for parts in (first, last)]
        found = call.node("Slice", found, *joined, call.ints(*axes), call.ints(*steps))
    if removed:
        found = call.node("Squeeze", found, call.ints(*removed))
    if added:
        found = call.node("Unsqueeze", found, call.ints(*added))
    return found


def _entries(call: Call, i: int, count: int) -> Callable[[int], str]:
    """Returns a function that gives an element of an input as a vector of one int64."""
    values = call.value_or_none(i)
    if values is not None:
        return lambda at: call.ints(int(values[at]))
    return lambda at: call.node("Slice", call.int64(i), call.ints(at), call.ints(at + 1))


def _after(call: Call, index: str) -> str:
    """Returns the end of a slice of one element, also for an index from the end."""
    following = call.node("Add", index, call.ints(1))
    is_last = call.node("Equal", index, call.ints(-1))
    return call.node("Where", is_last, call.ints(_END), following)


def _gather(call: Call) -> str:
    axis = int(call.value(2, "the axis")) if len(call.inputs) > 2 else 0
    if call.attr("batch_dims", 0):
        raise call.fail("batch_dims")
    return call.node("Gather", call.inputs[0], call.inputs[1], axis=axis)


def _gather_nd(call: Call) -> str:
    return call.node("GatherND", call.inputs[0], call.int64(1))


def _tile(call: Call) -> str:
    return call.node("Tile", call.inputs[0], call.int64(1))


def _fill(call: Call) -> str:
    return call.node("Expand", call.inputs[1], call.int64(0))


def _broadcast_to(call: Call) -> str:
    return call.node("Expand", call.inputs[0], call.int64(1))


def _range(call: Call) -> str:
    return call.node("Range", *call.inputs)


def _shape_part(call: Call, name: str) -> str:
    wanted = call.attr("out_type")
    return name if wanted.name == "int64" else call.cast(name, wanted.as_numpy_dtype)


def _shape(call: Call) -> str:
    return _shape_part(call, call.node("Shape", call.inputs[0]))


def _size(call: Call) -> str:
    return _shape_part(call, call.node("Size", call.inputs[0]))


def _rank(call: Call) -> str:
    return call.cast(call.node("Size", call.node("Shape", call.inputs[0])), np.int32)


def _pad(mode: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        kind = mode
        if mode == "mirror":
            if call.attr("mode") not in (b"REFLECT", "REFLECT"):
                raise call.fail("the mode SYMMETRIC")
            kind = "reflect"
        pads = call.node("Reshape", call.transposed(call.int64(1), [1, 0]), call.ints(-1))
        value = [call.inputs[2]] if len(call.inputs) > 2 else []
        return call.node("Pad", call.inputs[0], pads, *value, mode=kind)

    return convert


def _one_hot(call: Call) -> str:
    rank, axis = call.rank(), int(call.attr("axis"))
    axis = rank if axis == -1 else axis
    depth = call.node("Reshape", call.int64(1), call.ints())
    classes = call.node("Range", call.const(np.int64(0)), depth, call.const(np.int64(1)))
    classes = call.node("Reshape", classes, call.ints(-1, *[1] * (rank - axis)))
    is_on = call.node("Equal", call.node("Unsqueeze", call.int64(0), call.ints(axis)), classes)
    return call.node("Where", is_on, call.inputs[2], call.inputs[3])


def _reverse(call: Call) -> str:
    axes = [int(axis) for axis in call.value(1, "the axes")]
    if not axes:
        return call.node("Identity", call.inputs[0])
    count = len(axes)
    bounds = (call.ints(*[-1] * count), call.ints(*[_START] * count), call.ints(*axes), call.ints(*[-1] * count))
    return call.node("Slice", call.inputs[0], *bounds)


def _reverse_sequence(call: Call) -> str:
    batch, time = int(call.attr("batch_dim")), int(call.attr("seq_dim"))
    if {batch, time} != {0, 1}:
        raise call.fail(f"batch_dim {batch} and seq_dim {time}, which are not 0 and 1")
    return call.node("ReverseSequence", call.inputs[0], call.int64(1), batch_axis=batch, time_axis=time)


def _where(call: Call) -> str:
    return call.transposed(call.node("NonZero", call.inputs[0]), [1, 0])


def _scatter_nd(call: Call) -> str:
    zeros = call.node("Expand", call.scalar(0, 1), call.int64(2))
    return call.node("ScatterND", zeros, call.int64(0), call.inputs[1], reduction="add")


def _blocks(call: Call, name: str) -> tuple[list[int], np.ndarray[Any, Any]]:
    block = [int(size) for size in call.value(1, "the block")]
    return block, call.value(2, name)


def _space_to_batch(call: Call) -> str:
    block, paddings = _blocks(call, "the paddings")
    count, rank = len(block), call.rank()
    pads = np.zeros([2, rank], np.int64)
    pads[:, 1 : 1 + count] = np.transpose(paddings)
    padded = call.node("Pad", call.inputs[0], call.ints(*pads.ravel().tolist()))
    sizes = call.node("Shape", padded)
    parts = [_dimensions(call, sizes, 0, 1)]
    for i, size in enumerate(block):
        parts += [call.node("Div", _dimensions(call, sizes, 1 + i, 2 + i), call.ints(size)), call.ints(size)]
    rest = _dimensions(call, sizes, 1 + count, rank) if rank > 1 + count else None
    split = call.node("Reshape", padded, call.node("Concat", *parts, *([rest] if rest else []), axis=0))
    inner = [2 + 2 * i for i in range(count)]
    outer = [1 + 2 * i for i in range(count)]
    moved = call.transposed(split, [*inner, 0, *outer, *range(1 + 2 * count, rank + count)])
    sized = [call.ints(-1), *parts[1::2], *([rest] if rest else [])]
    return call.node("Reshape", moved, call.node("Concat", *sized, axis=0))


def _batch_to_space(call: Call) -> str:
    block, crops = _blocks(call, "the crops")
    count, rank = len(block), call.rank()
    sizes = call.node("Shape", call.inputs[0])
    rest = [_dimensions(call, sizes, 1 + count, rank)] if rank > 1 + count else []
    inner = [_dimensions(call, sizes, 1 + i, 2 + i) for i in range(count)]
    split = call.node(
        "Reshape", call.inputs[0], call.node("Concat", call.ints(*block), call.ints(-1), *inner, *rest, axis=0)
    )
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    moved = call.transposed(split, [*order, *range(2 * count + 1, rank + count)])
    grown = [call.node("Mul", size, call.ints(factor)) for size, factor in zip(inner, block, strict=True)]
    joined = call.node("Reshape", moved, call.node("Concat", call.ints(-1), *grown, *rest, axis=0))
    starts = [int(crop[0]) for crop in crops]
    ends = [-int(crop[1]) or _END for crop in crops]
    return call.node("Slice", joined, call.ints(*starts), call.ints(*ends), call.ints(*range(1, 1 + count)))


def _dimensions(call: Call, sizes: str, start: int, end: int) -> str:
    return call.node("Slice", sizes, call.ints(start), call.ints(end))


def _identities(call: Call) -> list[str]:
    return [call.node("Identity", name) for name in call.inputs]


_AXIS: Final = "an axis that no feed changes"
_BLOCK: Final = "blocks and margins that no feed changes"

ARRAYS: Final[dict[str, Conversion]] = {
    "BatchToSpaceND": Conversion("Reshape, Transpose, Slice", _batch_to_space, _BLOCK),
    "BroadcastTo": Conversion("Expand", _broadcast_to),
    "Concat": Conversion("Concat", _concat(0), _AXIS),
    "ConcatV2": Conversion("Concat", _concat(-1), _AXIS),
    "ExpandDims": Conversion("Unsqueeze", _expand_dims),
    "Fill": Conversion("Expand", _fill),
    "Gather": Conversion("Gather", _gather),
    "GatherNd": Conversion("GatherND", _gather_nd),
    "GatherV2": Conversion("Gather", _gather, f"{_AXIS}; batch_dims of 0"),
    "IdentityN": Conversion("Identity", _identities),
    "MirrorPad": Conversion("Pad", _pad("mirror"), "the mode REFLECT"),
    "OneHot": Conversion("Range, Equal, Where", _one_hot),
    "Pack": Conversion("Unsqueeze, Concat", _pack),
    "Pad": Conversion("Pad", _pad("constant")),
    "PadV2": Conversion("Pad", _pad("constant")),
    "Range": Conversion("Range", _range),
    "Rank": Conversion("Shape, Size", _rank),
    "Reshape": Conversion("Reshape", _reshape),
    "ReverseSequence": Conversion("ReverseSequence", _reverse_sequence, "batch and sequence in the first dimensions"),
    "ReverseV2": Conversion("Slice", _reverse, "axes that no feed changes"),
    "ScatterNd": Conversion("ScatterND", _scatter_nd),
    "Shape": Conversion("Shape", _shape),
    "Size": Conversion("Size", _size),
    "Slice": Conversion("Slice", _slice),
    "SpaceToBatchND": Conversion("Pad, Reshape, Transpose", _space_to_batch, _BLOCK),
    "Split": Conversion("Split", _split, _AXIS),
    "SplitV": Conversion("Split", _split_v, f"{_AXIS}, and such sizes"),
    "Squeeze": Conversion("Squeeze", _squeeze),
    "StridedSlice": Conversion("Slice, Squeeze, Unsqueeze", _strided_slice, "strides that no feed changes"),
    "Tile": Conversion("Tile", _tile),
    "Transpose": Conversion("Transpose", _transpose, "an order that no feed changes"),
    "Unpack": Conversion("Split, Squeeze", _unpack),
    "Where": Conversion("NonZero, Transpose", _where),
}

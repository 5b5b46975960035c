"""Properties of a program of one op that make a difference an accepted one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from differential.comparison import Difference
from differential.language import decode_array

Program = dict[str, Any]


def _arguments(program: Program) -> dict[str, Any]:
    """Returns the keywords of the step with the op that the program is about."""
    op = program["about"].split()[-1]
    found = [keywords for _, function, _, keywords in program["steps"] if function == f"raw_ops.{op}"]
    return found[-1] if found else {}


def _data(program: Program, argument: str) -> list[Any] | None:
    """Returns the dtype, shape and elements of an argument; None if it is not one of the program's arrays."""
    name = _arguments(program).get(argument, {}).get("ref")
    # Quantized numbers are bits of whole ones.
    name = {step[0]: step[2][0]["ref"] for step in program["steps"] if step[1] == "bitcast"}.get(name, name)
    arrays = {step[0]: step[2][0] for step in program["steps"] if step[1] == "constant"}
    arrays |= {key["ref"]: data for run in program["runs"] for key, data in run.get("feed", [])}
    return arrays[name]["array"] if name in arrays else None


def _given(program: Program, argument: str) -> np.ndarray[Any, Any] | None:
    """Returns the array of an argument, bfloat16 as float32; None if it is not one of the program's arrays."""
    data = _data(program, argument)
    if data is None:
        return None
    dtype, shape, elements = data
    return decode_array(None, "float32" if dtype == "bfloat16" else dtype, shape, elements)


def _dtype(program: Program, argument: str) -> str | None:
    data = _data(program, argument)
    return None if data is None else data[0]


def _arrays(data: Any) -> Iterator[Any]:
    if isinstance(data, dict):
        yield from [data] if "array" in data else _arrays(list(data.values()))
    elif isinstance(data, list):
        for item in data:
            yield from _arrays(item)


def has_nan(program: Program) -> bool:
    """Returns True if an array of the program has a NaN."""
    arrays = _arrays([program["steps"], program["runs"]])
    return any(isinstance(x, float) and math.isnan(x) for data in arrays for x in data["array"][2])


def splits_along_an_unknown_dimension(program: Program) -> bool:
    """Returns True if the program's split is fed its dimension."""
    fed = {key["ref"] for run in program["runs"] for key, _ in run.get("feed", [])}
    return _arguments(program).get("axis", {}).get("ref") in fed


def has_wide_unsigned_data(program: Program) -> bool:
    """Returns True if the data of the program's op are of uint32 or uint64."""
    return _dtype(program, "data") in ("uint32", "uint64")


def reads_the_greatest_byte_first(program: Program) -> bool:
    """Returns True if the program's op reads numbers whose first byte is the greatest."""
    return _arguments(program).get("little_endian") is False


def is_adjoint(program: Program) -> bool:
    """Returns True if the program's op takes the adjoint of its matrix."""
    return _arguments(program).get("adjoint") is True


def is_not_training(program: Program) -> bool:
    """Returns True if the program's normalization does not train."""
    return _arguments(program).get("is_training") is False


def has_a_type_that_is_not_written(program: Program) -> bool:
    """Returns True if the program has numbers of a type that TensorFlow does not write."""
    text = json.dumps([program["steps"], program["runs"]])
    return any(f'"{dtype}"' in text for dtype in ("complex64", "complex128", "bfloat16", "qint32"))


def is_operand_for_nan(program: Program, difference: Difference) -> bool:
    """Returns True if a clip of bfloat16 differs only where ours is NaN, and TensorFlow's is an operand there."""
    operands = [_given(program, name) for name in ("t", "clip_value_min", "clip_value_max")]
    theirs, ours = np.asarray(difference.tensorflow), np.asarray(difference.ours)
    if any(operand is None for operand in operands) or _dtype(program, "t") != "bfloat16" or theirs.shape != ours.shape:
        return False
    differ = np.isnan(ours) & ~np.isnan(theirs)
    # The elements of the program are rounded to eight bits.
    named = [np.isclose(np.broadcast_to(operand, theirs.shape), theirs, rtol=2**-8, atol=0) for operand in operands]
    return bool(np.any(named, axis=0)[differ].all()) and np.array_equal(theirs[~differ], ours[~differ], equal_nan=True)


def pools_otherwise(program: Program) -> bool:
    """Returns True if the `orig_output` of a pool's gradient is not a pool's output."""
    return _arguments(program).get("orig_output") != {"ref": "pooled"}


def sets_another_diagonal(program: Program) -> bool:
    """Returns True if the diagonals that `k` names are not the main one alone."""
    k = _given(program, "k")
    return k is None or bool(np.any(k))


def takes_another_diagonal_of_unknown_matrices(program: Program) -> bool:
    """Returns True if the diagonals that `k` names are not the main one alone, and a side has an unknown size."""
    name = _arguments(program)["input"]["ref"]
    known = next((step[2][1]["shape"] for step in program["steps"] if step[:2] == [name, "placeholder"]), [0, 0])
    return sets_another_diagonal(program) and (known is None or None in known[-2:])


def has_batches(program: Program) -> bool:
    """Returns True if the shape of random numbers has several batches of own parameters, or needs several batches."""
    shape = _given(program, "shape")
    return shape is None or int(np.prod(shape)) > 100


def has_infinite_numbers(program: Program) -> bool:
    """Returns True if an array of the program has an infinite number."""
    arrays = _arrays([program["steps"], program["runs"]])
    return any(isinstance(x, float) and math.isinf(x) for data in arrays for x in data["array"][2])


def is_empty(program: Program) -> bool:
    """Returns True if an array of the program has no elements."""
    return any(0 in data["array"][1] for data in _arrays([program["steps"], program["runs"]]))


def asks_for_an_element_shape(program: Program) -> bool:
    """Returns True if a step of the program reads the shape of a list's elements."""
    return any(step[1] == "raw_ops.TensorListElementShape" for step in program["steps"])


def has_bfloat16(program: Program) -> bool:
    """Returns True if an array of the program has bfloat16."""
    return any(data["array"][0] == "bfloat16" for data in _arrays([program["steps"], program["runs"]]))


def has_a_short_float(program: Program) -> bool:
    """Returns True if an array of the program has float16."""
    return any(data["array"][0] == "float16" for data in _arrays([program["steps"], program["runs"]]))


def inserts_keys_together(program: Program) -> bool:
    """Returns True if an insertion into a barrier has several keys."""
    arrays = {step[0]: step[2][0]["array"] for step in program["steps"] if step[1] == "constant"}
    insertions = [step[3] for step in program["steps"] if step[1] == "raw_ops.BarrierInsertMany"]
    return any(len(arrays[insertion["keys"]["ref"]][2]) > 1 for insertion in insertions)


def has_a_refused_sign(program: Program) -> bool:
    """Returns True if an update of float16 has a rate that is not positive, or a negative strength."""
    rate, *strengths = (_given(program, name) for name in ("lr", "l1", "l2"))
    if _dtype(program, "lr") != "float16" or rate is None or any(strength is None for strength in strengths):
        return False
    return bool(np.any(rate <= 0)) or any(bool(np.any(strength < 0)) for strength in strengths)


def agree_up_to_the_greatest_length(program: Program, difference: Difference) -> bool:
    """Returns True if both have as many steps, and agree in the first ones, whose number is `seq_len_max`."""
    length = _given(program, "seq_len_max")
    theirs, ours = np.asarray(difference.tensorflow), np.asarray(difference.ours)
    if length is None or theirs.ndim != 3 or theirs.shape != ours.shape or not int(length) < len(theirs):
        return False
    parts = (side[: int(length)] for side in (theirs, ours))
    rounding = 8e-3 if _dtype(program, "x") == "float16" else 1e-4
    return np.allclose(*parts, rtol=rounding, atol=rounding / 10, equal_nan=True)


def has_updates_of_another_shape(program: Program) -> bool:
    """Returns True if the updates of a scatter are not one slice of its variable for each index."""
    arrays = {step[0]: step[2][0]["array"][1] for step in program["steps"] if step[1] == "constant"}
    given = _arguments(program)
    written = [step[3] for step in program["steps"] if step[1] == "raw_ops.AssignVariableOp"]
    values = [arrays[write["value"]["ref"]] for write in written if write["resource"] == given.get("resource")]
    if not values:
        return False
    indices, updates = (arrays[given[name]["ref"]] for name in ("indices", "updates"))
    return updates not in ([], [*indices, *values[0][1:]])


def is_the_upper_bound(program: Program, difference: Difference) -> bool:
    """Returns True if a clip of bfloat16 differs only where TensorFlow's is the upper bound and ours the lower one."""
    low, high = (_given(program, name) for name in ("clip_value_min", "clip_value_max"))
    theirs, ours = np.asarray(difference.tensorflow), np.asarray(difference.ours)
    if low is None or high is None or _dtype(program, "t") != "bfloat16" or theirs.shape != ours.shape:
        return False
    # The elements of the program are rounded to eight bits.
    bounds = zip((theirs, ours), (high, low), strict=True)
    named = [np.isclose(side, np.broadcast_to(bound, side.shape), rtol=2**-8, atol=0) for side, bound in bounds]
    return bool(np.all(named, axis=0)[theirs != ours].all())


def dilates(program: Program) -> bool:
    """Returns True if the program's op has dilations other than a one for each of four dimensions."""
    return _arguments(program).get("dilations", [1] * 4) != [1] * 4


def has_a_bucket_beyond(program: Program) -> bool:
    """Returns True if the program counts a bucket that is not below `num_buckets`."""
    given = _arguments(program)
    arrays = {step[0]: step[2][0] for step in program["steps"] if step[1] == "constant"}
    arrays |= {key["ref"]: data for run in program["runs"] for key, data in run.get("feed", [])}
    lists = [arrays.get(feature["ref"]) for feature in given.get("bucketized_features_list", [])]
    return any(bucket >= given["num_buckets"] for data in lists if data for bucket in data["array"][2])


def broadcasts_within(program: Program) -> bool:
    """Returns True if neither operand of the program's op has the shape in which the other one's ends."""
    shapes = [data[1] for data in (_data(program, "x"), _data(program, "y")) if data is not None]
    if len(shapes) != 2:
        return False
    short, long = sorted(shapes, key=len)
    return long[len(long) - len(short) :] != short


def has_one_class(program: Program) -> bool:
    """Returns True if the program's loss is one of a single class."""
    data = _data(program, "inputs")
    return data is not None and data[1][-1:] == [1]


def has_equal_inputs(program: Program) -> bool:
    """Returns True if a number occurs twice in the program's inputs."""
    data = _data(program, "inputs")
    return data is not None and len(set(data[2])) < len(data[2])


def has_huge_numbers(program: Program) -> bool:
    """Returns True if an array of the program has a NaN, an infinity or a number beyond 1e20."""
    arrays = _arrays([program["steps"], program["runs"]])
    parts = (y for data in arrays for x in data["array"][2] for y in (x if isinstance(x, list) else [x]))
    return any(isinstance(x, float) and not abs(x) < 1e20 for x in parts)


def has_a_negative_scale(program: Program) -> bool:
    """Returns True if the program normalizes by a sum that a negative number scales or moves."""
    given = _arguments(program)
    return given.get("alpha", 1) < 0 or given.get("bias", 1) < 0


def has_wide_unsigned_numbers(program: Program) -> bool:
    """Returns True if an array of the program has unsigned numbers of several bytes."""
    arrays = _arrays([program["steps"], program["runs"]])
    return any(data["array"][0] in ("uint16", "uint32", "uint64") for data in arrays)


def has_rare_whole_numbers(program: Program) -> bool:
    """Returns True if an array of the program has whole numbers of a type for which 1.15 has few kernels."""
    arrays = _arrays([program["steps"], program["runs"]])
    return any(data["array"][0] in ("int8", "int16", "uint16", "uint32", "uint64") for data in arrays)


def has_a_complex_adjoint(program: Program) -> bool:
    """Returns True if the program multiplies by the adjoint of a sparse matrix of complex numbers."""
    dtype = _dtype(program, "a_values")
    return _arguments(program).get("adjoint_a") is True and dtype is not None and dtype.startswith("complex")


def has_unsorted_rows(program: Program) -> bool:
    """Returns True if the program searches in a row whose elements do not ascend."""
    rows = _given(program, "sorted_inputs")
    return rows is not None and bool((np.diff(rows, axis=-1) < 0).any())

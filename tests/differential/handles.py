"""Programs of raw ops behind handles: arrays, tables, random numbers of a state, temporary variables and datasets."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from differential.states import State
from differential.writing import Data, array, at, program as make_program, tf

_TABLES = (("string", "int64"), ("int64", "string"), ("int64", "float32"), ("int64", "int64"), ("string", "float32"))
_PHILOX = 1


def _in_order(c: State, calls: list[Callable[[Callable[..., Data]], Data]]) -> list[Data]:
    """Returns the results of calls, each of which runs after the one before."""
    made: list[Data] = []
    for call in calls:
        inner = c.writer.inside(c.call("control_dependencies", made[-1:]))
        made.append(call(lambda op, inner=inner, **keywords: inner.call(f"raw_ops.{op}", **keywords)))
    return made


def _written(c: State, handle: Data, flow: Data, shape: list[int], dtype: str) -> tuple[Data, list[Data], list[int]]:
    """Writes to an array of four places; returns the flow, the values, and the places that are full."""
    rng, free, values = c.rng, [0, 1, 2, 3], []
    for turn in range(rng.randint(1, 3)):
        way = rng.choice(("write", "write", "scatter", "split" if turn == 0 else "write"))
        own = shape if rng.random() < 0.97 else [*shape, 1]
        places = rng.sample(free, min(len(free), rng.choice((1, 2, 2)) if way == "scatter" else 1))
        if rng.random() < 0.05:
            places = [rng.choice((-1, 4, 0)) for _ in places]
        if way == "write" and places:
            value = c.reals(own, dtype)
            named = {"handle": handle, "flow_in": flow, "index": c.whole(places[0])}
            flow = c.raw("TensorArrayWriteV3", value=value, **named)
        elif way == "split":
            lengths, places = rng.choice(([1, 2, 0, 1], [1, 1, 1, 1], [2, 0, 0, 0])), [0, 1, 2, 3]
            value = c.reals([sum(lengths) + (rng.random() < 0.05), *own[1:]], dtype)
            named = {"handle": handle, "flow_in": flow, "lengths": c.whole(lengths, "int64")}
            flow = c.raw("TensorArraySplitV3", value=value, **named)
        else:
            value = c.reals([len(places), *own], dtype)
            named = {"handle": handle, "flow_in": flow, "indices": c.whole(np.array(places, np.int32))}
            flow = c.raw("TensorArrayScatterV3", value=value, **named)
        values.append(value)
        free = [place for place in free if place not in places]
    return flow, values, [place for place in range(4) if place not in free]


def _read(way: str, named: dict[str, Data], raw: Callable[..., Data]) -> Data:
    made = raw(f"TensorArray{way.title()}V3", **named)
    return at(made, 0) if way == "concat" else made


def _array(c: State) -> dict[str, Any]:
    """Writes to an array of tensors, and reads of it, in one step."""
    rng, dtype = c.rng, c.rng.choice(("float32", "float32", "int32", "float64"))
    shape = rng.choice(([2], [], [1, 2]))
    made = c.raw(
        "TensorArrayV3",
        size=c.whole(4 if rng.random() < 0.7 else rng.choice((0, 2))),
        dtype=tf(dtype),
        element_shape={"shape": rng.choice((shape, None, [None] * len(shape)))},
        dynamic_size=rng.random() < 0.5,
        clear_after_read=rng.random() < 0.5,
        identical_element_shapes=rng.random() < 0.3,
        tensor_array_name="",
    )
    handle = at(made, 0)
    flow, values, full = _written(c, handle, at(made, 1), shape, dtype)
    reads: list[Callable[[Callable[..., Data]], Data]] = []
    for _ in range(rng.randint(1, 3)):
        way, named = rng.choice(("read", "read", "gather", "concat", "size")), {"handle": handle, "flow_in": flow}
        kind: dict[str, Data] = {"dtype": tf(dtype)}
        if way == "read":
            named["index"] = c.whole(rng.choice(full) if full and rng.random() < 0.9 else rng.choice((0, 3, 5, -1)))
        elif way == "gather":
            places = rng.sample(full, min(len(full), rng.choice((1, 2, 4)))) if rng.random() < 0.9 else [4]
            named["indices"] = c.whole(np.array(places, np.int32))
            kind["element_shape"] = {"shape": rng.choice((shape, None))}
        elif way == "concat":
            kind["element_shape_except0"] = {"shape": rng.choice((shape[1:], None))}
        reads.append(functools.partial(_read, way, named if way == "size" else {**named, **kind}))
    fetch = _in_order(c, reads)
    c.run(fetch)
    if dtype.startswith("float") and rng.random() < 0.5:
        c.run(c.call("gradients", fetch[0], values[-1:]))
    return make_program("raw array", c.writer, c.runs)


def _keys(c: State, dtype: str, count: int) -> Data:
    if dtype == "string":
        return c.call("constant", array([c.rng.choice((b"a", b"b", b"c", b"")) for _ in range(count)], "string"))
    return c.whole([c.rng.choice((1, 2, 3, -4)) for _ in range(count)], dtype)


def _values(c: State, dtype: str, shape: list[int]) -> Data:
    if dtype == "string":
        words = [c.rng.choice((b"x", b"y", b"")) for _ in range(int(np.prod(shape)))]
        return c.call("constant", array(np.array(words, object).reshape(shape), "string"))
    return c.reals(shape, dtype)


def _table(c: State) -> dict[str, Any]:
    """Insertions to a table, removals and what is found, each in a step."""
    rng = c.rng
    key, value = rng.choice(_TABLES)
    kind = rng.choice(("MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2", "HashTableV2"))
    types = {"key_dtype": tf(key), "value_dtype": tf(value)}
    shared = {"container": "", "shared_name": "table", "use_node_name_sharing": False}
    inner: list[int] = []
    if kind in ("MutableHashTableOfTensorsV2", "MutableDenseHashTableV2") and (key, value) != ("int64", "string"):
        inner = [2] if "OfTensors" in kind or rng.random() < 0.5 else []
        shared["value_shape"] = {"shape": inner}
    if kind == "MutableDenseHashTableV2":
        # Keys of its own mark places that are empty.
        (key, value) = rng.choice((("int64", "int64"), ("int64", "float32"), ("string", "float32")))
        types.pop("key_dtype")
        types["value_dtype"] = tf(value)
        empty, deleted = (b"-", b"+") if key == "string" else (-1, -2)
        shared["empty_key"], shared["deleted_key"] = (
            c.call("constant", array(number, key), **({} if key == "string" else {"dtype": tf(key)}))
            for number in (empty, deleted)
        )
        shared |= {"initial_num_buckets": rng.choice((4, 8, 8, 8, 3)), "max_load_factor": 0.8}
    table = c.raw(kind, **shared, **types)
    for turn in range(rng.randint(2, 6)):
        count = rng.choice((0, 1, 2, 3))
        way = rng.choice(("Insert", "Insert", "Find", "Find", "Remove", "Size", "Import"))
        if kind == "HashTableV2" and rng.random() < 0.9:
            way, count = "Insert" if turn == 0 else rng.choice(("Find", "Size")), 1 if turn == 0 else count
        keys = _keys(c, key, count)
        if way == "Size":
            c.run(c.raw("LookupTableSizeV2", table_handle=table))
        elif way == "Find":
            own = inner if rng.random() < 0.95 else [*inner, 1]
            default = _values(c, value, own)
            c.run(c.raw("LookupTableFindV2", table_handle=table, keys=keys, default_value=default))
        elif way == "Remove":
            c.run(c.raw("LookupTableRemoveV2", table_handle=table, keys=keys))
        else:
            rows = [count if rng.random() < 0.95 else count + 1, *inner]
            op = "InitializeTableV2" if kind == "HashTableV2" else f"LookupTable{way}V2"
            c.run(c.raw(op, table_handle=table, keys=keys, values=_values(c, value, rows)))
    c.run(c.raw("LookupTableSizeV2", table_handle=table))
    return make_program(f"raw table, {kind}", c.writer, c.runs)


def _random(c: State) -> dict[str, Any]:
    """Numbers from a state that a variable holds, which each step moves on."""
    rng = c.rng
    first = c.whole([rng.randrange(100) for _ in range(3)], "int64")
    static = {"shape": rng.choice(([3], [3], None))}
    state = c.raw("VarHandleOp", dtype=tf("int64"), shape=static, container="", shared_name="state")
    c.run(c.raw("AssignVariableOp", resource=state, value=first))
    for _ in range(rng.randint(1, 3)):
        named = {"resource": state, "algorithm": c.whole(_PHILOX if rng.random() < 0.95 else 7, "int64")}
        shape = c.whole(np.array(rng.choice(([2, 3], [5], [], [0], [257])), np.int32))
        way = rng.choice(("Uniform", "StandardNormalV2", "TruncatedNormal", "UniformInt", "UniformFullInt", "skip"))
        if way == "skip":
            c.run(c.raw("RngSkip", **named, delta=c.whole(rng.choice((0, 1, 100)), "int64")))
        elif way == "UniformInt":
            whole = rng.choice(("int32", "int64"))
            low, high = (c.whole(number, whole) for number in (-3, rng.choice((7, 7, 1000, -3))))
            c.run(c.raw("StatefulUniformInt", **named, shape=shape, minval=low, maxval=high))
        else:
            dtypes = ("int32", "int64", "uint32", "uint64") if "Int" in way else ("float32", "float64", "float16")
            c.run(c.raw(f"Stateful{way}", **named, shape=shape, dtype=tf(rng.choice(dtypes))))
        c.run(c.raw("ReadVariableOp", resource=state, dtype=tf("int64")))
    return make_program("raw random numbers of a state", c.writer, c.runs)


def _variable(c: State) -> dict[str, Any]:
    """Variables that have no value yet, or none any longer, and variables of one step."""
    rng, dtype = c.rng, c.rng.choice(("float32", "int32", "float64"))
    shape = rng.choice(([2], [], [2, 0]))
    way = rng.choice(("reference", "handle", "handle", "temporary"))
    if way == "temporary":
        made = c.raw("TemporaryVariable", shape={"shape": shape}, dtype=tf(dtype), var_name="temporary")
        change = rng.choice(("Assign", "AssignAdd"))
        more = {"validate_shape": True} if change == "Assign" else {}
        changed = c.raw(change, ref=made, value=c.reals(shape, dtype), use_locking=True, **more)
        if rng.random() < 0.5:
            changed = c.raw("AssignSub", ref=changed, value=c.reals(shape, dtype), use_locking=True)
        name = "temporary" if rng.random() < 0.9 else "another"
        if change == "Assign":
            c.run(c.raw("DestroyTemporaryVariable", ref=changed, var_name=name))
    elif way == "reference":
        made = c.raw("VariableV2", shape={"shape": shape}, dtype=tf(dtype), container="", shared_name="")
        is_set = c.raw("IsVariableInitialized", ref=made)
        c.run(is_set)
        c.run(c.raw("Assign", ref=made, value=c.reals(shape, dtype), validate_shape=True, use_locking=True))
        c.run(is_set)
    else:
        static = {"shape": rng.choice((shape, None))}
        made = c.raw("VarHandleOp", dtype=tf(dtype), shape=static, container="", shared_name="variable")
        assign = c.raw("AssignVariableOp", resource=made, value=c.reals(shape, dtype))
        ways = [
            c.raw("VarIsInitializedOp", resource=made),
            c.raw("ReadVariableOp", resource=made, dtype=tf(dtype)),
            c.raw("VariableShape", input=made, out_type=tf(rng.choice(("int32", "int64")))),
            c.raw("AssignAddVariableOp", resource=made, value=c.reals(shape, dtype)),
            c.raw("DestroyResourceOp", resource=made, ignore_lookup_error=rng.random() < 0.5),
            assign,
        ]
        for _ in range(rng.randint(2, 6)):
            c.run(rng.choice(ways))
    return make_program(f"raw variable, {way}", c.writer, c.runs)


def _dataset(c: State) -> dict[str, Any]:
    """A pipeline without functions, whose elements one batch gathers."""
    rng = c.rng
    start = rng.choice(("range", "slices", "random", "tensors"))
    dtype = "int64" if start in ("range", "random") else rng.choice(("float32", "int32"))
    shape: list[Any] = []

    def whole(value: Any) -> Data:
        return c.whole(value, "int64")

    def kind() -> dict[str, Data]:
        return {"output_types": [tf(dtype)], "output_shapes": [{"shape": shape}]}

    if start == "range":
        bounds = rng.choice(((0, 7, 1), (0, 7, 3), (5, -3, -2), (0, 0, 1), (2, 9, -1)))
        made = c.raw("RangeDataset", **dict(zip(("start", "stop", "step"), map(whole, bounds), strict=True)), **kind())
    elif start == "random":
        made = c.raw(
            "ExperimentalRandomDataset", seed=whole(rng.choice((1, 0, 7))), seed2=whole(rng.choice((2, 9))), **kind()
        )
        made = c.raw("TakeDataset", input_dataset=made, count=whole(rng.choice((1, 5))), **kind())
    else:
        shape = rng.choice(([2], []))
        rows = rng.choice((3, 1, 0))
        own = c.reals([rows, *shape] if start == "slices" else shape, dtype)
        op = "TensorSliceDataset" if start == "slices" else "TensorDataset"
        made = c.raw(op, components=[own], output_shapes=[{"shape": shape}])
    for _ in range(rng.randint(0, 3)):
        way = rng.choice(("take", "skip", "repeat", "shuffle", "concatenate", "shard", "cache", "batch", "unbatch"))
        named: dict[str, Data] = {"input_dataset": made}
        if way in ("take", "skip"):
            made = c.raw(f"{way.title()}Dataset", **named, count=whole(rng.choice((1, 2, 3, -1, 50, 0))), **kind())
        elif way == "repeat":
            made = c.raw("RepeatDataset", **named, count=whole(rng.choice((0, 1, 3))), **kind())
        elif way == "shuffle":
            seeds = {"seed": whole(rng.choice((3, 8))), "seed2": whole(rng.choice((0, 4)))}
            size = whole(rng.choice((1, 2, 100, 0)))
            made = c.raw("ShuffleDataset", **named, buffer_size=size, **seeds, reshuffle_each_iteration=False, **kind())
        elif way == "concatenate":
            made = c.raw("ConcatenateDataset", **named, another_dataset=made, **kind())
        elif way == "shard":
            numbers = {"num_shards": whole(rng.choice((1, 2, 3))), "index": whole(rng.choice((0, 1)))}
            made = c.raw("ShardDataset", **named, **numbers, require_non_empty=rng.random() < 0.1, **kind())
        elif way == "cache":
            made = c.raw("CacheDataset", **named, filename=c.call("constant", array(b"", "string")), **kind())
        elif way == "batch":
            shape = [2, *shape]
            drop = c.call("constant", array(True))
            more = {"batch_size": whole(2), "drop_remainder": drop, "parallel_copy": False}
            made = c.raw("BatchDatasetV2", **named, **more, **kind())
        elif shape:
            shape = shape[1:]
            made = c.raw("UnbatchDataset", **named, **kind())
    # The gathered batch has any number of elements.
    shape = [None, *shape]
    size = whole(rng.choice((100, 100, 2)))
    drop = c.call("constant", array(False))
    named = {"input_dataset": made, "batch_size": size, "drop_remainder": drop, "parallel_copy": False}
    c.run(c.raw("DatasetToSingleElement", dataset=c.raw("BatchDatasetV2", **named, **kind()), **kind()))
    return make_program("raw dataset", c.writer, c.runs)


_KINDS = (_array, _array, _table, _table, _random, _variable, _dataset, _dataset)


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    return rng.choice(_KINDS)(State(rng))

"""Programs of ops on state: updates of variables, lists, stacks, accumulators, barriers and staging areas."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, at, program as make_program, tf

from ferroflow import _core

_APPLIES = tuple(sorted(name for name in _core.op_names() if re.match("(Resource)?(Sparse)?Apply", name)))
_SCATTERS = tuple(
    f"{kind}Scatter{way}" for kind in ("", "Resource") for way in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
)
_SCATTERS_ND = tuple(f"{kind}ScatterNd{way}" for kind in ("", "Resource") for way in ("Add", "Sub", "Update"))
_FLOATS = ("float32", "float32", "float64", "float16")
_RESOURCE = _core.op_info("VarHandleOp")["outputs"][0]["type"]


class State:
    """Writes the steps and runs of a program.

    Attributes:
        call: adds the call of a function.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.writer = Writer()
        self.call = self.writer.call
        self.draw = np.random.RandomState(rng.randrange(1 << 30))
        self.runs: list[Data] = []
        self._reads: list[Data] = []
        self._initial: list[Data] = []

    def raw(self, op: str, **arguments: Data) -> Data:
        return self.call(f"raw_ops.{op}", **arguments)

    def reals(self, shape: list[int], dtype: str, low: float = -2, high: float = 2) -> Data:
        values = self.draw.uniform(low, high, shape)
        if self.rng.random() < 0.06 and values.size:
            values = np.array(values)
            values.reshape(-1)[0] = self.rng.choice((np.nan, np.inf, -np.inf, -0.0, 0.0))
        if dtype.startswith(("int", "uint")):
            values = self.draw.randint(0 if dtype[0] == "u" else -3, 6, shape)
        return self.call("constant", array(np.asarray(values).astype(dtype)), dtype=tf(dtype))

    def whole(self, values: Any, dtype: str = "int32") -> Data:
        return self.call("constant", array(values, dtype), dtype=tf(dtype))

    def variable(self, shape: list[int], dtype: str, is_resource: bool, low: float = -2) -> Data:
        """A variable, whose initial value the first run assigns."""
        value = self.reals(shape, dtype, low)
        static = {"shape": shape if self.rng.random() < 0.8 or not is_resource else None}
        if is_resource:
            name = f"s{len(self._reads)}"
            made = self.raw("VarHandleOp", dtype=tf(dtype), shape=static, container="", shared_name=name)
            self._initial.append(self.raw("AssignVariableOp", resource=made, value=value))
            self._reads.append(self.raw("ReadVariableOp", resource=made, dtype=tf(dtype)))
        else:
            made = self.raw("VariableV2", shape=static, dtype=tf(dtype), container="", shared_name="")
            self._initial.append(self.raw("Assign", ref=made, value=value, validate_shape=True, use_locking=True))
            self._reads.append(made)
        return made

    def run(self, fetch: Data) -> None:
        self.runs.append({"fetch": fetch})

    def updated(self, about: str, update: Data, times: int = 2) -> dict[str, Any]:
        """The program that assigns the initial values, runs an update, and reads all variables each time."""
        self.run(self._initial)
        for _ in range(times):
            self.run(update)
            self.run(self._reads)
        return make_program(about, self.writer, self.runs)


def _indices(c: State, rows: int, count: int) -> list[int]:
    wrong = c.rng.random() < 0.1
    return [c.rng.choice((rows, -1, 100)) if wrong and i == 0 else c.rng.randrange(rows) for i in range(count)]


def _apply(c: State) -> dict[str, Any]:
    op = c.rng.choice(_APPLIES)
    info = _core.op_info(op)
    dtype = c.rng.choice(_FLOATS)
    shape = c.rng.choice(([3, 2], [3, 2], [4], [2, 1, 3]))
    count = c.rng.choice((1, 2, 4, 0))
    arguments: dict[str, Data] = {}
    for arg in info["inputs"]:
        name = arg["name"]
        is_variable = arg["is_ref"] or arg.get("type") == _RESOURCE
        if is_variable:
            low = -2 if name in ("var", "linear", "m", "mg", "gradient_accumulator") else 0.1
            own = shape if c.rng.random() < 0.97 else [*shape, 1]
            arguments[name] = c.variable(own, dtype, not arg["is_ref"], low)
        elif name in ("grad", "gradient", "delta"):
            rows = [count, *shape[1:]] if "Sparse" in op else list(shape)
            if c.rng.random() < 0.06:
                rows = c.rng.choice(([*rows, 1], rows[:-1], [n + 1 for n in rows], []))
            arguments[name] = c.reals(rows, dtype)
        elif name == "indices":
            arguments[name] = c.whole(_indices(c, shape[0], count), c.rng.choice(("int32", "int64")))
        elif name == "global_step":
            arguments[name] = c.whole(c.rng.choice((1, 2, 7)), "int64")
        else:
            number = c.rng.choice((0.1, 0.1, 0.5, 0.9, 0.0, 1.0, 2.0))
            if name == "lr_power":
                number = c.rng.choice((-0.5, -0.5, -1.0, 0.0, 0.5))
            elif name.endswith("_power"):
                number = c.rng.choice((0.9, 0.5))
            values = number if c.rng.random() < 0.97 else [number]
            arguments[name] = c.call("constant", array(values, dtype), dtype=tf(dtype))
    for attr in info["attrs"]:
        if attr["type"] == "bool" and c.rng.random() < 0.5:
            arguments[attr["name"]] = c.rng.random() < 0.5
    return c.updated(op, c.raw(op, **arguments), c.rng.choice((1, 3)))


def _scatter(c: State) -> dict[str, Any]:
    op = c.rng.choice(_SCATTERS + _SCATTERS_ND)
    is_resource = op.startswith("Resource")
    dtype = c.rng.choice(("float32", "float64", "int32", "int64", "float16", "uint8", "int8"))
    shape = c.rng.choice(([4, 2], [3], [3, 2, 2]))
    variable = c.variable(shape, dtype, is_resource)
    kind = c.rng.choice(("int32", "int64"))
    if "Nd" in op:
        depth = c.rng.randint(1, len(shape))
        outer = c.rng.choice(([2], [1], [0], [2, 2], []))
        count = int(np.prod(outer))
        places = np.array([_indices(c, n, count) for n in shape[:depth]]).T.reshape([*outer, depth])
        rows = [*outer, *shape[depth:]]
    else:
        outer = c.rng.choice(([2], [3], [0], [2, 2], []))
        places = np.reshape(_indices(c, shape[0], int(np.prod(outer))), outer)
        rows = [*outer, *shape[1:]] if c.rng.random() < 0.9 else []
    if c.rng.random() < 0.06:
        rows = c.rng.choice(([*rows, 1], rows[1:], [n + 1 for n in rows]))
    indices, updates = c.whole(places, kind), c.reals(rows, dtype)
    target = {"resource" if is_resource and "Nd" not in op else "ref": variable}
    return c.updated(op, c.raw(op, **target, indices=indices, updates=updates))


def _part(c: State) -> dict[str, Any]:
    op = c.rng.choice(
        (
            *("StridedSliceAssign", "ResourceStridedSliceAssign", "ResourceGather", "ResourceGatherNd", "CountUpTo"),
            *("ResourceCountUpTo", "AssignAddVariableOp", "AssignSubVariableOp", "AssignAdd", "AssignSub"),
        )
    )
    is_resource = op.startswith("Resource") or op.endswith("VariableOp")
    if "CountUpTo" in op:
        dtype = c.rng.choice(("int32", "int64"))
        counter = c.variable(c.rng.choice(([], [], [1])), dtype, is_resource)
        more = {"T": tf(dtype)} if is_resource else {}
        named = {"resource" if is_resource else "ref": counter}
        return c.updated(op, c.raw(op, **named, limit=c.rng.choice((0, 3, 6)), **more), 4)
    dtype = c.rng.choice(("float32", "float64", "int32", "int64"))
    shape = [4, 3]
    variable = c.variable(shape, dtype, is_resource)
    if "Slice" in op:
        bounds = [c.rng.choice(((0, n, 1), (1, 3, 1), (0, n, 2), (-1, -n - 1, -1), (2, 2, 1))) for n in shape]
        bounds = bounds[: c.rng.choice((1, 2, 2))]
        sizes = [len(range(*slice(*bound).indices(n))) for bound, n in zip(bounds, shape, strict=False)]
        if (-1, -5, -1) in bounds[:1]:
            sizes[0] = 4
        rows = [*sizes, *shape[len(bounds) :]] if c.rng.random() < 0.85 else c.rng.choice(([], [1], [2, 2]))
        begin, end, strides = (c.whole([bound[i] for bound in bounds]) for i in range(3))
        masks = {name: c.rng.choice((0, 0, 0, 1, 2)) for name in ("begin_mask", "end_mask", "shrink_axis_mask")}
        value = c.reals(rows, dtype)
        return c.updated(op, c.raw(op, ref=variable, begin=begin, end=end, strides=strides, value=value, **masks))
    if "Gather" in op:
        depth = c.rng.randint(1, 2)
        places: Any = _indices(c, 4, 3) if op == "ResourceGather" else [_indices(c, n, 2) for n in shape[:depth]]
        places = np.array(places).T
        return c.updated(op, c.raw(op, resource=variable, indices=c.whole(places), dtype=tf(dtype)), 1)
    rows = shape if c.rng.random() < 0.8 else c.rng.choice(([], [3], [4, 3, 1]))
    named = {"resource" if is_resource else "ref": variable}
    return c.updated(op, c.raw(op, **named, value=c.reals(rows, dtype)))


def _list(c: State) -> dict[str, Any]:
    """A chain of ops on a list of tensors."""
    dtype = c.rng.choice(("float32", "int32", "float64"))
    kind = {"element_dtype": tf(dtype)}
    shape = c.rng.choice(([2], [], [2, 1]))
    known = c.whole(c.rng.choice((shape, shape, [-1] * len(shape))) if shape else np.zeros([0], np.int32))
    # Ops that read may state another shape.
    others = (-1, [-1] * len(shape), [*shape, 1], [-1, 1], [3])
    stated = known if c.rng.random() < 0.7 else c.whole(c.rng.choice([other for other in others if other != []]))
    start = c.rng.choice(("empty", "reserve", "from", "scatter", "split"))
    if start == "empty":
        made = c.raw("EmptyTensorList", element_shape=known, max_num_elements=c.whole(-1), **kind)
    elif start == "reserve":
        made = c.raw("TensorListReserve", element_shape=known, num_elements=c.whole(c.rng.choice((0, 3))), **kind)
    elif start == "from":
        made = c.raw("TensorListFromTensor", tensor=c.reals([3, *shape], dtype), element_shape=known)
    elif start == "scatter":
        places = c.whole(c.rng.sample(range(4), 3))
        values = c.reals([3, *shape], dtype)
        if c.rng.random() < 0.5:
            made = c.raw("TensorListScatter", tensor=values, indices=places, element_shape=known)
        else:
            count = c.whole(c.rng.choice((4, 5, -1)))
            made = c.raw("TensorListScatterV2", tensor=values, indices=places, element_shape=known, num_elements=count)
    else:
        lengths = c.whole(c.rng.choice(([1, 2], [3, 0], [1, 1, 1], [2, 2])), "int64")
        made = c.raw("TensorListSplit", tensor=c.reals([3, *shape], dtype), element_shape=known, lengths=lengths)
    for _ in range(c.rng.randint(0, 4)):
        way = c.rng.choice(("set", "push", "pop", "resize", "scatter", "lists", "get", "gather", "shape"))
        place = c.whole(c.rng.choice((0, 1, 2, -1)))
        if way == "set":
            made = c.raw("TensorListSetItem", input_handle=made, index=place, item=c.reals(shape, dtype))
        elif way == "push":
            made = c.raw("TensorListPushBack", input_handle=made, tensor=c.reals(shape, dtype))
        elif way == "pop":
            popped = c.raw("TensorListPopBack", input_handle=made, element_shape=stated, **kind)
            c.run(at(popped, 1))
            made = at(popped, 0)
        elif way == "resize":
            made = c.raw("TensorListResize", input_handle=made, size=c.whole(c.rng.choice((0, 2, 5))))
        elif way == "scatter":
            values = c.reals([2, *shape], dtype)
            indices = c.whole(c.rng.choice(([0, 2], [1, 1], [0, 4])))
            made = c.raw("TensorListScatterIntoExistingList", input_handle=made, tensor=values, indices=indices)
        elif way == "lists":
            made = c.raw("TensorListConcatLists", input_a=made, input_b=made, **kind)
        elif way == "get":
            c.run(c.raw("TensorListGetItem", input_handle=made, index=place, element_shape=stated, **kind))
        elif way == "gather":
            indices = c.whole(c.rng.choice(([0, 1], [2, 0, 0], [9])))
            c.run(c.raw("TensorListGather", input_handle=made, indices=indices, element_shape=stated, **kind))
        else:
            c.run(c.raw("TensorListElementShape", input_handle=made, shape_type=tf("int32")))
    c.run(c.raw("TensorListLength", input_handle=made))
    c.run(c.raw("TensorListStack", input_handle=made, element_shape=stated, num_elements=-1, **kind))
    if shape and c.rng.random() < 0.5:
        leading = c.whole(np.zeros([0]), "int64")
        c.run(c.raw("TensorListConcatV2", input_handle=made, element_shape=stated, leading_dims=leading, **kind))
    return make_program("list of tensors", c.writer, c.runs)


def _stack(c: State) -> dict[str, Any]:
    """Pushes and pops of a stack, one after the other in each step."""
    dtype = c.rng.choice(("float32", "int32", "float64"))
    size = c.whole(c.rng.choice((-1, 2, 0)))
    stack = c.raw("StackV2", max_size=size, elem_type=tf(dtype), stack_name="stack")
    last: list[Data] = []
    fetch: list[Data] = []
    writer = c.writer
    for _ in range(c.rng.randint(1, 5)):
        context = writer.call("control_dependencies", last)
        inner = writer.inside(context)
        value = array(np.asarray(c.draw.randint(0, 9, c.rng.choice(([], [2], [0])))).astype(dtype))
        if c.rng.random() < 0.6:
            given = inner.call("constant", value, dtype=tf(dtype))
            made = inner.call("raw_ops.StackPushV2", handle=stack, elem=given, swap_memory=False)
        else:
            made = inner.call("raw_ops.StackPopV2", handle=stack, elem_type=tf(dtype))
        last = [made]
        fetch.append(made)
    if c.rng.random() < 0.3:
        inner = writer.inside(writer.call("control_dependencies", last))
        fetch.append(inner.call("raw_ops.StackCloseV2", handle=stack))
    c.run(fetch)
    return make_program("stack", c.writer, c.runs)


def _accumulator(c: State) -> dict[str, Any]:
    """Gradients that are applied to an accumulator and taken from it."""
    is_sparse = c.rng.random() < 0.5
    prefix = "Sparse" if is_sparse else ""
    dtype = c.rng.choice(("float32", "float64"))
    known = c.rng.choice(([3, 2], [3, 2], None))
    more = {"reduction_type": c.rng.choice(("MEAN", "SUM"))}
    named = {"dtype": tf(dtype), "shape": {"shape": known}, "container": "", "shared_name": ""}
    handle = c.raw(f"{prefix}ConditionalAccumulator", **named, **more)
    kind = "Sparse" if is_sparse else ""
    count = 0
    for _ in range(c.rng.randint(2, 7)):
        way = c.rng.choice(("apply", "apply", "apply", "take", "step", "size"))
        if way == "apply":
            step = c.whole(c.rng.choice((0, 0, 1, 2)), "int64")
            if is_sparse:
                places = sorted(c.rng.sample(range(3), c.rng.choice((1, 2, 0))))
                parts = {
                    "gradient_indices": c.whole(np.array(places), "int64"),
                    "gradient_values": c.reals([len(places), 2], dtype),
                    "gradient_shape": c.whole(c.rng.choice(([3, 2], [3, 2], [3, 3])), "int64"),
                    "has_known_shape": c.rng.random() < 0.7,
                }
                made = c.raw("SparseAccumulatorApplyGradient", handle=handle, local_step=step, **parts)
            else:
                gradient = c.reals([3, 2] if c.rng.random() < 0.9 else [2], dtype)
                made = c.raw("AccumulatorApplyGradient", handle=handle, local_step=step, gradient=gradient)
            c.run(made)
            count += 1
        elif way == "size":
            c.run(c.raw("AccumulatorNumAccumulated", handle=handle))
        elif way == "step":
            step = c.whole(c.rng.choice((0, 1, 2)), "int64")
            c.run(c.raw("AccumulatorSetGlobalStep", handle=handle, new_global_step=step))
        elif count == 0:
            # Nothing to take would be waited for.
            continue
    c.run(c.raw("AccumulatorNumAccumulated", handle=handle))
    good = c.reals([3, 2], dtype)
    last = c.whole(9, "int64")
    if is_sparse:
        places = c.whole([0, 1, 2], "int64")
        shape = c.whole([3, 2], "int64")
        parts = {"gradient_indices": places, "gradient_values": good, "gradient_shape": shape, "has_known_shape": True}
        c.run(c.raw("SparseAccumulatorApplyGradient", handle=handle, local_step=last, **parts))
    else:
        c.run(c.raw("AccumulatorApplyGradient", handle=handle, local_step=last, gradient=good))
    c.run(c.raw(f"{kind}AccumulatorTakeGradient", handle=handle, num_required=c.whole(1), dtype=tf(dtype)))
    c.run(c.raw("AccumulatorNumAccumulated", handle=handle))
    return make_program(f"accumulator{', sparse' * is_sparse}", c.writer, c.runs)


def _barrier(c: State) -> dict[str, Any]:
    """Values that are inserted in a barrier, and complete elements that are taken."""
    types = [tf("float32"), tf("int32")]
    handle = c.raw("Barrier", component_types=types, shapes=[{"shape": [2]}, {"shape": []}], capacity=-1)
    inserted: list[set[str]] = [set(), set()]
    for _ in range(c.rng.randint(2, 6)):
        component = c.rng.choice((0, 1))
        keys = c.rng.sample(("a", "b", "c"), c.rng.choice((1, 2)))
        named = c.call("constant", array([key.encode() for key in keys], "string"))
        values = c.reals([len(keys), 2], "float32") if component == 0 else c.reals([len(keys)], "int32")
        c.run(c.raw("BarrierInsertMany", handle=handle, keys=named, values=values, component_index=component))
        inserted[component] |= set(keys)
        c.run([c.raw("BarrierReadySize", handle=handle), c.raw("BarrierIncompleteSize", handle=handle)])
    ready = len(inserted[0] & inserted[1])
    if ready:
        c.run(
            c.raw(
                "BarrierTakeMany",
                handle=handle,
                num_elements=c.whole(c.rng.randint(1, ready)),
                component_types=types,
                allow_small_batch=c.rng.random() < 0.5,
                wait_for_incomplete=False,
                timeout_ms=-1,
            )
        )
    c.run(c.raw("BarrierClose", handle=handle, cancel_pending_enqueues=c.rng.random() < 0.5))
    return make_program("barrier", c.writer, c.runs)


def _staging(c: State) -> dict[str, Any]:
    """Values that are staged, looked at and taken."""
    kind = c.rng.choice(("", "Map", "OrderedMap"))
    dtypes = [tf("float32"), tf("int32")]
    area = {"dtypes": dtypes, "capacity": 0, "memory_limit": 0, "container": "", "shared_name": "area"}
    held: list[int] = []
    for _ in range(c.rng.randint(2, 6)):
        values = [c.reals([2], "float32"), c.reals([], "int32")]
        way = c.rng.choice(("stage", "stage", "peek", "take", "size", "clear", "any"))
        if way == "stage":
            if not kind:
                staged = {key: item for key, item in area.items() if key != "dtypes"}
                c.run(c.raw("Stage", values=values, **staged))
                held.append(0)
            else:
                key = c.rng.choice([k for k in range(9) if k not in held])
                places = c.whole([0, 1])
                c.run(c.raw(f"{kind}Stage", key=c.whole(key, "int64"), indices=places, values=values, **area))
                held.append(key)
        elif way == "size":
            c.run(c.raw(f"{kind or 'Stage'}Size", **area))
        elif way == "clear":
            c.run(c.raw(f"{kind or 'Stage'}Clear", **area))
            held.clear()
        elif held and not kind:
            if way == "peek":
                c.run(c.raw("StagePeek", index=c.whole(c.rng.randrange(len(held))), **area))
            else:
                c.run(c.raw("Unstage", **area))
                held.pop()
        elif held:
            places = c.whole([0, 1])
            if way == "any" and kind == "OrderedMap":
                c.run(c.raw("OrderedMapUnstageNoKey", indices=places, **area))
                held.remove(min(held))
            else:
                key = c.rng.choice(held)
                op = f"{kind}{'Peek' if way == 'peek' else 'Unstage'}"
                c.run(c.raw(op, key=c.whole(key, "int64"), indices=places, **area))
                if way != "peek":
                    held.remove(key)
    return make_program(f"staging{kind and ', '}{kind}", c.writer, c.runs)


_KINDS = (_apply, _apply, _apply, _scatter, _scatter, _part, _list, _list, _stack, _accumulator, _barrier, _staging)


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    return rng.choice(_KINDS)(State(rng))

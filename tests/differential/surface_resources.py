"""Programs of tables, queues, TensorArrays and partitioned variables."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from differential.surface_inputs import Inputs, Options
from differential.writing import Data, at, program as make_program, tf


def table_program(rng: random.Random) -> dict[str, Any]:
    c = Inputs(rng)
    call = c.writer.call
    key, value = rng.choice(
        (("string", "int64"), ("int64", "string"), ("int64", "float32"), ("string", "float32"), ("int32", "int32"))
    )
    keys, values = c.numbers([3], key), c.numbers([3], value)
    kind = rng.choice(("static", "index", "from_index", "mutable", "mutable", "dense"))
    runs: list[Data] = []
    asked = c.numbers(rng.choice(([4], [2, 2], [], [0])), key)
    if kind == "static":
        made = call(
            "contrib.lookup.HashTable",
            call("contrib.lookup.KeyValueTensorInitializer", keys, values),
            {"string": "none"}.get(value, -1),
        )
        runs.append({"fetch": call("tables_initializer"), "feed": c.feed})
        fetch = [call(".lookup", made, asked), call(".size", made)]
    elif kind == "index":
        made = call(
            "contrib.lookup.index_table_from_tensor",
            c.words([3]),
            **c.some({"num_oov_buckets": (1, 3), "default_value": (7,)}),
        )
        runs.append({"fetch": call("tables_initializer"), "feed": c.feed})
        fetch = [call(".lookup", made, c.words([4]))]
    elif kind == "from_index":
        made = call(
            "contrib.lookup.index_to_string_table_from_tensor", c.words([3]), **c.some({"default_value": ("d",)})
        )
        runs.append({"fetch": call("tables_initializer"), "feed": c.feed})
        fetch = [call(".lookup", made, c.numbers([4], "int64", -1, 5))]
    else:
        if kind == "mutable":
            made = call("contrib.lookup.MutableHashTable", tf(key), tf(value), {"string": "none"}.get(value, -1))
        else:
            made = call(
                "contrib.lookup.MutableDenseHashTable", tf("int64"), tf("float32"), -1.0, empty_key=-9, deleted_key=-8
            )
            keys, values, asked = c.numbers([3], "int64"), c.numbers([3], "float32"), c.numbers([4], "int64")
        runs.append({"fetch": call(".insert", made, keys, values), "feed": c.feed})
        if rng.random() < 0.4:
            runs.append({"fetch": call(".remove", made, asked), "feed": c.feed})
        fetch = [call(".lookup", made, asked), call(".size", made)]
    runs.append({"fetch": fetch, "feed": c.feed})
    return make_program(f"table, {kind}", c.writer, runs)


def queue_program(rng: random.Random) -> dict[str, Any]:
    c = Inputs(rng)
    call = c.writer.call
    kind = rng.choice(("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue"))
    shape = rng.choice(([2], [], None)) if kind != "PaddingFIFOQueue" else [rng.choice((None, 2))]
    dtype = rng.choice(("float32", "int32", "string"))
    shapes = None if shape is None else [{"shape": shape}]
    if kind == "PriorityQueue":
        made = call(f"{kind}", 5, [tf(dtype)], [{"shape": shape or []}])
    elif kind == "RandomShuffleQueue":
        made = call(f"{kind}", 5, 0, [tf(dtype)], **({} if shapes is None else {"shapes": shapes}), seed=4)
    elif shapes is None:
        made = call(f"{kind}", 5, [tf(dtype)])
    else:
        made = call(f"{kind}", 5, [tf(dtype)], shapes)
    size = [n or rng.choice((0, 1, 2)) for n in shape or []]
    runs: list[Data] = []
    for number in range(rng.choice((1, 2, 3))):
        element = c.numbers(size, dtype)
        parts = [c.put(np.array(rng.randrange(5)), "int64"), element] if kind == "PriorityQueue" else [element]
        runs.append({"fetch": call(".enqueue", made, parts), "feed": c.feed})
        if number == 0 and shape is not None and rng.random() < 0.4:
            many = c.numbers([2, *size], dtype)
            parts = [c.put(np.array([3, 1]), "int64"), many] if kind == "PriorityQueue" else [many]
            runs.append({"fetch": call(".enqueue_many", made, parts), "feed": c.feed})
    runs.append({"fetch": call(".size", made)})
    runs.append({"fetch": call(".dequeue", made)})
    # A closed queue gives what it has; no call waits.
    runs.append({"fetch": call(".close", made)})
    runs.append({"fetch": call(rng.choice((".dequeue_up_to", ".dequeue_many")), made, rng.choice((0, 1, 2, 4)))})
    runs.append({"fetch": [call(".size", made), call(".is_closed", made)]})
    runs.append({"fetch": call(".dequeue", made)})
    runs.append({"fetch": call(".enqueue", made, [c.numbers(size, dtype)]), "feed": c.feed})
    return make_program(f"queue, {kind}", c.writer, runs)


def array_program(rng: random.Random) -> dict[str, Any]:
    c = Inputs(rng)
    call = c.writer.call
    dtype, size = rng.choice(("float32", "float64", "int32", "string")), rng.choice((0, 1, 3))
    options = c.some(
        {
            "dynamic_size": (True,),
            "clear_after_read": (False,),
            "infer_shape": (False,),
            "element_shape": ({"shape": [2]}, {"shape": [None]}),
            "tensor_array_name": ("named",),
        },
        0.3,
    )
    made = call("TensorArray", tf(dtype), size, **options)
    fetch: list[Data] = []
    elements = []
    for place in range(rng.choice((1, size, size + 1))):
        element = c.numbers([2] if rng.random() < 0.9 else [rng.choice((0, 3))], dtype)
        elements.append(element)
        made = call(".write", made, rng.choice((place, place, place, 0, -1)), element)
    way = rng.choice(("stack", "stack", "concat", "read", "gather", "size", "split", "unstack", "scatter"))
    if way == "unstack":
        made = call(
            ".unstack",
            call("TensorArray", tf(dtype), rng.choice((2, 3)), **options),
            c.numbers([rng.choice((2, 3)), 2], dtype),
        )
        fetch.append(call(".stack", made))
    elif way == "scatter":
        made = call(
            ".scatter",
            call("TensorArray", tf(dtype), 4, **options),
            [0, rng.choice((2, 3, 0, 5))],
            c.numbers([2, 2], dtype),
        )
        fetch.append(call(".read", made, 0))
    elif way == "split":
        made = call(
            ".split",
            call("TensorArray", tf(dtype), 2, **options),
            c.numbers([4, 2], dtype),
            rng.choice(([1, 3], [2, 2], [1, 1])),
        )
        fetch.append(call(".concat", made))
    elif way == "read":
        fetch += [call(".read", made, rng.choice((0, 1, 5, -1))), call(".read", made, 0)]
    elif way == "gather":
        fetch.append(call(".gather", made, rng.choice(([0], [0, 0], [1, 0], []))))
    else:
        fetch.append(call(f".{way}", made))
    runs: list[Data] = [{"fetch": fetch, "feed": c.feed}]
    if dtype.startswith("float") and way in ("stack", "concat", "read") and elements and rng.random() < 0.6:
        runs.append({"fetch": call("gradients", fetch[0], elements[:2]), "feed": c.feed})
    return make_program(f"array, {way}", c.writer, runs)


def variables_program(rng: random.Random) -> dict[str, Any]:
    c = Inputs(rng)
    writer = c.writer
    partitioner = rng.choice(
        (
            ("fixed_size_partitioner", [rng.choice((1, 2, 3))]),
            ("variable_axis_size_partitioner", [16]),
            ("min_max_variable_partitioner", [3]),
            None,
        )
    )
    options: Options = {} if partitioner is None else {"partitioner": writer.call(partitioner[0], *partitioner[1])}
    if rng.random() < 0.4:
        options["use_resource"] = True
    if rng.random() < 0.3:
        options["regularizer"] = writer.call(
            rng.choice(("contrib.layers.l2_regularizer", "contrib.layers.l1_regularizer")), 0.1
        )
    scope = writer.inside(
        writer.call("variable_scope", rng.choice(("a", "a/b")), **c.some({"reuse": (tf("AUTO_REUSE"),)}))
    )
    shape = rng.choice(([5, 2], [4], [3, 4], []))
    w = scope.call("get_variable", "w", shape, **options)
    again = scope.call("get_variable", rng.choice(("w", "v")), shape, **options)
    call = writer.call
    rows = c.numbers([3], "int32", 0, 3)
    way = rng.choice(("embedding", "convert", "convert", "optimizer", "save"))
    runs: list[Data] = [{"fill": rng.randrange(100)}]
    if way == "embedding" and len(shape) == 2:
        read = call(
            "nn.embedding_lookup", w, rows, **c.some({"partition_strategy": ("div", "mod"), "max_norm": (0.5,)})
        )
    else:
        read = call("convert_to_tensor", w)
    loss = call("reduce_sum", call("square", read))
    if way == "optimizer":
        optimizer = (
            call(rng.choice(("train.AdamOptimizer", "train.MomentumOptimizer", "train.AdagradOptimizer")), 0.1, **({}))
            if rng.random() < 0.7
            else call("train.FtrlOptimizer", 0.1)
        )
        runs.append({"fetch": call(".minimize", optimizer, loss), "feed": c.feed})
        call(".get_slot_names", optimizer)
    call("global_variables")
    call("trainable_variables")
    call("get_collection", "regularization_losses")
    saver = call("train.Saver", **c.some({"sharded": (True,), "max_to_keep": (1,), "name": ("keep",)}))
    call(".as_saver_def", saver)
    # The names in a checkpoint.
    call("value", at(saver, "saver_def", "filename_tensor_name"))
    call("report_uninitialized_variables")
    runs += [{"fetch": read, "feed": c.feed}, {"fetch": loss, "feed": c.feed}, {"fetch": call("global_variables")}]
    runs.append({"fetch": again})
    runs.append({"fetch": "save/SaveV2/tensor_names:0"})
    return make_program(f"variables, {way}", writer, runs)

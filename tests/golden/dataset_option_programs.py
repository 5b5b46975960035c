"""Programs of `tf.data` that use options, specifications and the other names of TF 1.13 to 1.15."""

from __future__ import annotations

from typing import Any

import numpy as np
from golden.recent_runs import Program, nodes


def _pipeline(tf: Any, **values: Any) -> Any:
    options = tf.data.Options()
    for path, value in values.items():
        *way, last = path.split("__")
        at = options
        for name in way:
            at = getattr(at, name)
        setattr(at, last, value)
    dataset = tf.data.Dataset.range(4).map(lambda x: x + 1).with_options(options).batch(2)
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        value = sess.run(following)
    graph = tf.get_default_graph().as_graph_def()
    names = [n.name for n in graph.node if n.op == "OptimizeDataset"]
    attrs = [list(n.attr["optimization_configs"].list.s) for n in graph.node if n.op == "OptimizeDataset"]
    constants = [
        tf.contrib.util.constant_value(t.inputs[1]) for t in map(tf.get_default_graph().get_operation_by_name, names)
    ]
    budget = [n.attr["cpu_budget"].i for n in graph.node if n.op == "ModelDataset"]
    return {"value": value, "nodes": nodes(tf), "configs": attrs, "names": constants, "budget": budget}


def _defaults(tf: Any) -> Any:
    experimental = tf.data.experimental
    found = {}
    for kind in (
        tf.data.Options,
        experimental.OptimizationOptions,
        experimental.MapVectorizationOptions,
        experimental.ThreadingOptions,
        experimental.StatsOptions,
        experimental.DistributeOptions,
    ):
        options = kind()
        names = [n for n in dir(options) if not n.startswith("_") and not callable(getattr(options, n))]
        found[kind.__name__] = {n: repr(type(getattr(options, n)).__name__) for n in names}
        found[f"{kind.__name__} equal"] = kind() == options
    return found


def _merged(tf: Any) -> Any:
    first, second = tf.data.Options(), tf.data.Options()
    first.experimental_deterministic = False
    second.experimental_optimization.map_fusion = True
    second.experimental_threading.private_threadpool_size = 3
    both = tf.data.Dataset.range(3).with_options(first).concatenate(tf.data.Dataset.range(3).with_options(second))
    options = both.repeat().options()
    return [
        options.experimental_deterministic,
        options.experimental_optimization.map_fusion,
        options.experimental_threading.private_threadpool_size,
        options.merge(first) == options,
        first == second,
        first != second,
    ]


def _conflict(tf: Any) -> Any:
    first, second = tf.data.Options(), tf.data.Options()
    first.experimental_optimization.map_fusion = False
    second.experimental_optimization.map_fusion = True
    tf.data.Dataset.range(3).with_options(first).with_options(second)


def _wrong_type(tf: Any) -> Any:
    tf.data.Options().experimental_deterministic = 1


def _wrong_name(tf: Any) -> Any:
    tf.data.Options().deterministic = True


def _reference(tf: Any) -> Any:
    variable = tf.Variable(3, dtype=tf.int64)
    dataset = tf.data.Dataset.range(4).map(lambda x: x + variable)
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    del iterator
    return nodes(tf)


def _specifications(tf: Any) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(
        {"a": np.zeros([2, 3]), "b": ([1, 2], tf.SparseTensor([[0, 1]], [1], [2, 2]))}
    )
    window = tf.data.Dataset.range(4).window(2)
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    get = tf.data.experimental.get_structure
    found = [dataset.element_spec, window.element_spec, iterator.element_spec, get(dataset), get(iterator)]
    return [repr(f) for f in found]


def _spec_rules(tf: Any) -> Any:
    dense, sparse = tf.TensorSpec([None, 2], tf.int32, "a"), tf.SparseTensorSpec([None, 2], tf.int32)
    same, slices = tf.SparseTensorSpec([3, 2], tf.int32), tf.IndexedSlicesSpec([4, 2], tf.float32)
    value = tf.SparseTensor([[0, 1]], [1], [2, 2])
    return [
        *map(repr, (dense, sparse, same, slices, tf.SparseTensorSpec(), tf.data.DatasetSpec(dense))),
        sparse.is_compatible_with(same),
        sparse.is_compatible_with(value),
        sparse.is_compatible_with(dense),
        dense.is_compatible_with(tf.zeros([3, 2], tf.int32)),
        dense.is_compatible_with(3),
        repr(sparse.most_specific_compatible_type(tf.SparseTensorSpec([3, 4], tf.int32))),
        repr(dense.most_specific_compatible_type(tf.TensorSpec([3, 4], tf.int32))),
        sparse == tf.SparseTensorSpec([None, 2], tf.int32),
        sparse == same,
        hash(sparse) == hash(tf.SparseTensorSpec([None, 2], tf.int32)),
        sparse.value_type is tf.SparseTensor,
        dense.value_type is tf.Tensor,
        slices.value_type is tf.IndexedSlices,
        isinstance(dense, tf.TypeSpec),
        repr(tf.data.experimental.TensorStructure(tf.int32, [2])),
        repr(tf.data.experimental.SparseTensorStructure(tf.int32, [2])),
    ]


def _spec_conflict(tf: Any) -> Any:
    tf.SparseTensorSpec([2], tf.int32).most_specific_compatible_type(tf.SparseTensorSpec([2], tf.int64))


def _all(tf: Any, dataset: Any) -> Any:
    following = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(following))
            except tf.errors.OutOfRangeError:
                return found


def _unbatch(tf: Any) -> Any:
    dataset = tf.data.Dataset.range(5).batch(2).unbatch()
    return {"nodes": nodes(tf), "values": _all(tf, dataset)}


def _variant(tf: Any) -> Any:
    experimental = tf.data.experimental
    dataset = tf.data.Dataset.range(5).batch(2)
    again = experimental.from_variant(experimental.to_variant(dataset), dataset.element_spec)
    return [repr(again.element_spec), _all(tf, again)]


def _legacy(tf: Any) -> Any:
    dataset = tf.data.Dataset.range(6).map_with_legacy_function(lambda x: x * x)
    dataset = dataset.filter_with_legacy_function(lambda x: tf.equal(x % 2, 0))
    apply = tf.data.experimental.map_and_batch_with_legacy_function(lambda x: x + 1, 2)
    dataset = dataset.apply(apply).apply(tf.data.experimental.copy_to_device("/cpu:0"))
    return _all(tf, dataset)


def _parsed(tf: Any) -> Any:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()
    dataset = tf.data.Dataset.from_tensor_slices([example, example, example]).batch(2)
    features = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.FixedLenFeature([1], tf.float32, [2.5])}
    return _all(tf, dataset.apply(tf.data.experimental.parse_example_dataset(features, 2)))


def _parsed_wrongly(tf: Any) -> Any:
    apply = tf.data.experimental.parse_example_dataset({"a": tf.FixedLenFeature([], tf.int64)})
    tf.data.Dataset.range(3).apply(apply)


PROGRAMS: dict[str, Program] = {
    "default options": _defaults,
    "merged options": _merged,
    "options that conflict": _conflict,
    "an option of a wrong type": _wrong_type,
    "an option of a wrong name": _wrong_name,
    "no options": _pipeline,
    "no tuning": lambda tf: _pipeline(tf, experimental_optimization__autotune=False),
    "a budget": lambda tf: _pipeline(tf, experimental_optimization__autotune_cpu_budget=3),
    "rewrites": lambda tf: _pipeline(
        tf, experimental_optimization__map_fusion=True, experimental_optimization__noop_elimination=False
    ),
    "only named rewrites": lambda tf: _pipeline(
        tf,
        experimental_optimization__apply_default_optimizations=False,
        experimental_optimization__map_vectorization__enabled=True,
        experimental_optimization__map_vectorization__use_choose_fastest=True,
    ),
    "no rewrites": lambda tf: _pipeline(tf, experimental_optimization__apply_default_optimizations=False),
    "any order and buffers": lambda tf: _pipeline(
        tf, experimental_deterministic=False, experimental_optimization__autotune_buffers=True
    ),
    "a variable by reference": _reference,
    "specifications of elements": _specifications,
    "rules of specifications": _spec_rules,
    "specifications that conflict": _spec_conflict,
    "unbatch": _unbatch,
    "variants": _variant,
    "legacy functions": _legacy,
    "parsed examples": _parsed,
    "parsed numbers": _parsed_wrongly,
}

"""Small programs that differentiate, and what their graphs look like: names, types, inputs, gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# TF renamed these after 1.x.
_RENAMED = {
    "AddV2": "Add",
    "SelectV2": "Select",
    "BatchMatMulV2": "BatchMatMul",
    "ones_like/Shape/shape_as_tensor": "ones_like/Shape",
}


def _x(tf: Any, shape: Any = (2, 3), name: str = "x", dtype: str = "float32") -> Any:
    return tf.placeholder(getattr(tf, dtype), shape, name=name)


def _unary(name: str) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x = _x(tf)
        return tf.gradients(getattr(tf, name)(x), x)

    program.__name__ = name
    return program


def _activation(name: str) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x = _x(tf)
        return tf.gradients(getattr(tf.nn, name)(x), x)

    program.__name__ = f"nn_{name}"
    return program


def _binary(name: str, shapes: tuple[Any, Any], kind: str) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x, y = _x(tf, shapes[0]), _x(tf, shapes[1], "y")
        return tf.gradients(getattr(tf, name)(x, y), [x, y])

    program.__name__ = f"{name}_{kind}"
    return program


def _second(name: str) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x = _x(tf)
        function = getattr(tf, name, None) or getattr(tf.nn, name)
        return tf.gradients(tf.gradients(function(x), x), x)

    program.__name__ = f"second_{name}"
    return program


def _reduction(name: str, shape: Any, axis: Any, keep: bool, kind: str) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x = _x(tf, shape)
        return tf.gradients(getattr(tf, name)(x, axis, keepdims=keep), x)

    program.__name__ = f"{name}_{kind}"
    return program


def _product(ta: bool, tb: bool, dtype: str = "float32") -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x = _x(tf, (3, 2) if ta else (2, 3), dtype=dtype)
        y = _x(tf, (4, 3) if tb else (3, 4), "y", dtype=dtype)
        z = tf.matmul(x, y, transpose_a=ta, transpose_b=tb)
        return tf.gradients(z, [x, y], grad_ys=[z])

    program.__name__ = f"matmul_{'t' if ta else 'n'}{'t' if tb else 'n'}_{dtype}"
    return program


def _batch_product(ax: bool, ay: bool) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        x = _x(tf, (5, 3, 2) if ax else (5, 2, 3))
        y = _x(tf, (5, 4, 3) if ay else (5, 3, 4), "y")
        return tf.gradients(tf.matmul(x, y, adjoint_a=ax, adjoint_b=ay), [x, y])

    program.__name__ = f"batch_matmul_{'a' if ax else 'n'}{'a' if ay else 'n'}"
    return program


def several_paths(tf: Any) -> Any:
    """Two ys, a given seed, and gradients that are added up."""
    x = tf.constant(2.0, name="x")
    y = x * x + x
    return tf.gradients([y, x * 3], [x], grad_ys=[1.0, None])


def y_between(tf: Any) -> Any:
    """A y that another y depends on."""
    x = _x(tf)
    y = tf.tanh(x)
    z = tf.exp(y)
    return tf.gradients([y, z], [x, y])


def x_between(tf: Any) -> Any:
    """An x that depends on another x."""
    x = _x(tf)
    y = tf.tanh(x, name="y")
    return tf.gradients(tf.exp(y), [y, x])


def no_path(tf: Any) -> Any:
    """Independent tensors, integers in between, stopped gradients."""
    x = _x(tf)
    y = _x(tf, name="y")
    through_int = tf.cast(tf.cast(x, tf.int32), tf.float32)
    return [
        tf.gradients(tf.exp(x), [x, y]),
        tf.gradients(through_int, x),
        tf.gradients(tf.stop_gradient(x) * y, [x, y]),
        tf.gradients(tf.exp(tf.sin(x)), [x], stop_gradients=[x]),
    ]


def stop_gradients(tf: Any) -> Any:
    """Tensors to be held constant."""
    x = _x(tf)
    a = tf.exp(x, name="a")
    b = tf.sin(a * x, name="b")
    return [tf.gradients(a + b, [x, a, b], stop_gradients=[a, b]), tf.gradients(a * b, [x], stop_gradients=[a])]


def trees_of_sums(tf: Any) -> Any:
    """The aggregation method that adds pairs."""
    x = _x(tf)
    y = tf.exp(x) * tf.sin(x) + tf.tanh(x)
    return tf.gradients(y, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)


def gated(tf: Any) -> Any:
    """Gradients of one operation behind a gate."""
    x, y = _x(tf), _x(tf, name="y")
    return tf.gradients(tf.exp(x * y), [x, y], gate_gradients=True)


def named(tf: Any) -> Any:
    """A name, and a scope around."""
    x = _x(tf)
    with tf.name_scope("outer"):
        g = tf.gradients(tf.exp(x), x, name="by_x")
        h = tf.gradients(tf.exp(x), x, name="by_x")
    return [g, h]


def gather_twice(tf: Any) -> Any:
    """Slices that are joined, and slices beside a dense gradient."""
    x = _x(tf, (5, 3))
    y = tf.gather(x, [0, 1]) * 2.0
    z = tf.gather(x, [2, 1])
    g = tf.gradients([y, z], x)[0]
    h = tf.gradients([tf.gather(x, [0, 1]), tf.exp(x)], x)[0]
    return [g.values, g.indices, g.dense_shape, h]


def gather_known_rank(tf: Any) -> Any:
    """A gather of rows of unknown number."""
    x = _x(tf, (None, 3))
    i = tf.placeholder(tf.int32, [None], name="i")
    g = tf.gradients(tf.gather(x, i), x)[0]
    return [g.values, g.indices, g.dense_shape]


def concat(tf: Any) -> Any:
    """Parts along the second dimension."""
    x, y = _x(tf, (2, 3)), _x(tf, (2, 4), "y")
    return tf.gradients(tf.concat([x, y], 1), [x, y])


def concat_unknown(tf: Any) -> Any:
    """Parts of unknown shape."""
    x, y = _x(tf, (None, 3)), _x(tf, (None, 3), "y")
    return tf.gradients(tf.concat([x, y], 0), [x, y])


def stack_and_unstack(tf: Any) -> Any:
    """Parts along a new dimension, and back."""
    x, y = _x(tf), _x(tf, name="y")
    a, b = tf.unstack(tf.stack([x, y], axis=1), axis=1)
    return tf.gradients(a * b, [x, y])


def split(tf: Any) -> Any:
    """Equal and unequal parts, of which one is not used."""
    x = _x(tf, (6, 2))
    a, b, _ = tf.split(x, 3)
    c, _ = tf.split(x, [4, 2])
    return [tf.gradients(a * b, x), tf.gradients(c, x)]


def slices(tf: Any) -> Any:
    """Slices by size, by strides, and of unknown shape."""
    x = _x(tf, (4, 5))
    y = _x(tf, (None, 5), "y")
    return [tf.gradients([tf.slice(x, [1, 0], [2, 3]), x[1:3, ::2], x[0]], x), tf.gradients(y[:, 1], y)]


def reshapes(tf: Any) -> Any:
    """Changes of shape."""
    x = _x(tf, (2, 1, 3))
    y = _x(tf, (None, 3), "y")
    return [
        tf.gradients(tf.reshape(x, [3, 2]), x),
        tf.gradients(tf.reshape(y, [-1]), y),
        tf.gradients(tf.expand_dims(x, 0), x),
        tf.gradients(tf.squeeze(x), x),
        tf.gradients(tf.transpose(x, [2, 0, 1]), x),
    ]


def tile(tf: Any) -> Any:
    """Copies."""
    x = _x(tf)
    return tf.gradients(tf.tile(x, [2, 4]), x)


def pad(tf: Any) -> Any:
    """A frame of zeros."""
    x = _x(tf)
    return tf.gradients(tf.pad(x, [[1, 1], [0, 2]]), x)


def fill(tf: Any) -> Any:
    """One number many times."""
    x = _x(tf, ())
    return tf.gradients(tf.fill([2, 3], x), x)


def where(tf: Any) -> Any:
    """A choice by element."""
    x, y = _x(tf), _x(tf, name="y")
    return tf.gradients(tf.where(x > y, x, y), [x, y])


def add_n(tf: Any) -> Any:
    """A sum of many."""
    x, y = _x(tf), _x(tf, name="y")
    return tf.gradients(tf.add_n([x, y, x]), [x, y])


def cast(tf: Any) -> Any:
    """Other floats."""
    x = _x(tf)
    return tf.gradients(tf.cast(x, tf.float64), x)


def bias_add(tf: Any) -> Any:
    """Biases."""
    x, y = _x(tf), _x(tf, (3,), "y")
    return tf.gradients(tf.nn.bias_add(x, y), [x, y])


def softmax_cross_entropy(tf: Any) -> Any:
    """Losses of classifiers, of which the labels get a gradient too."""
    x, y = _x(tf), _x(tf, name="y")
    return tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=y), [x, y])


def sparse_softmax_cross_entropy(tf: Any) -> Any:
    """Losses of classifiers with class numbers."""
    x = _x(tf)
    y = tf.placeholder(tf.int32, [2], name="y")
    return tf.gradients(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=y), x)


def sigmoid_cross_entropy(tf: Any) -> Any:
    """Losses of yes-or-no questions."""
    x, y = _x(tf), _x(tf, name="y")
    return tf.gradients(tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=y), x)


def complex_numbers(tf: Any) -> Any:
    """Gradients of complex numbers are conjugated."""
    x, y = _x(tf, dtype="complex64"), _x(tf, name="y", dtype="complex64")
    return tf.gradients(x * y + tf.exp(x), [x, y], grad_ys=x)


def _layers(tf: Any) -> tuple[Any, Any]:
    x = _x(tf, (None, 4))
    w = tf.Variable(tf.zeros([4, 3]), name="w")
    b = tf.Variable(tf.zeros([3]), name="b")
    return tf.reduce_mean(tf.nn.relu(tf.matmul(x, w) + b)), [w, b]


def _minimize(gate: int, counts: bool) -> Callable[[Any], Any]:
    def program(tf: Any) -> Any:
        loss, _ = _layers(tf)
        step = tf.train.get_or_create_global_step() if counts else None
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step, gate_gradients=gate)
        return [train.name, [op.name for op in tf.get_collection("train_op")]]

    program.__name__ = f"minimize_gate_{gate}{'_counting' if counts else ''}"
    return program


def minimize_slices(tf: Any) -> Any:
    """Rows of a variable are updated."""
    v = tf.Variable(tf.zeros([4, 3]), name="v")
    loss = tf.reduce_sum(tf.gather(v, [1, 2]))
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, gate_gradients=2, name="train").name


def apply_with_constraint(tf: Any) -> Any:
    """A constraint is applied after the update."""
    v = tf.Variable(tf.zeros([3]), name="v", constraint=lambda x: x * 2.0)
    return tf.train.GradientDescentOptimizer(tf.constant(0.5)).minimize(tf.reduce_sum(v * v)).name


_SHAPES = {
    "same": ((2, 3), (2, 3)),
    "row": ((2, 3), (3,)),
    "batch": ((None, 3), (3,)),
    "unknown": ((None, 3), (None, 3)),
    "scalar": ((), (2, 3)),
}

PROGRAMS: list[Callable[[Any], Any]] = [
    *map(
        _unary,
        """abs acos acosh asin asinh atan atanh cos cosh erf erfc exp expm1 lgamma log log1p negative reciprocal
        rsqrt sigmoid sign sin sinh sqrt square tan tanh floor""".split(),  # noqa: SIM905
    ),
    *map(_activation, ["elu", "log_softmax", "relu", "relu6", "selu", "softmax", "softplus", "softsign"]),
    *(
        _binary(name, shapes, kind)
        for name in "add subtract multiply divide".split()  # noqa: SIM905
        for kind, shapes in _SHAPES.items()
    ),
    *(
        _binary(name, _SHAPES[kind], kind)
        for name in "div maximum minimum pow squared_difference floormod floordiv atan2".split()  # noqa: SIM905
        for kind in ("same", "row")
    ),
    *map(_second, ["exp", "tanh", "sigmoid", "sqrt", "rsqrt", "reciprocal", "relu", "elu", "softplus", "square"]),
    *(
        _reduction(name, shape, axis, keep, kind)
        for name in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_prod")
        for kind, shape, axis, keep in (
            ("all", (2, 3), None, False),
            ("all_batch", (None, 3), None, False),
            ("axis_batch", (None, 3), 1, False),
            ("keep_batch", (None, 3), [0], True),
        )
    ),
    *(_product(ta, tb) for ta in (False, True) for tb in (False, True)),
    _product(False, True, "complex64"),
    *(_batch_product(ax, ay) for ax in (False, True) for ay in (False, True)),
    several_paths,
    y_between,
    x_between,
    no_path,
    stop_gradients,
    trees_of_sums,
    gated,
    named,
    gather_twice,
    gather_known_rank,
    concat,
    concat_unknown,
    stack_and_unstack,
    split,
    slices,
    reshapes,
    tile,
    pad,
    fill,
    where,
    add_n,
    cast,
    bias_add,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
    sigmoid_cross_entropy,
    complex_numbers,
    *(_minimize(gate, counts) for gate in (0, 1, 2) for counts in (False, True)),
    minimize_slices,
    apply_with_constraint,
]


def _renamed(text: str) -> str:
    for new, old in _RENAMED.items():
        text = text.replace(new, old)
    return text


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return _renamed(value.name)


def _waits(op: Any) -> list[str]:
    # TF keeps what a gradient recomputes waiting for the gradient that arrives; here the planner decides when it is
    # computed. What gates and updates wait for is compared.
    if not ("tuple" in op.name or op.name.startswith(("GradientDescent", "train"))):
        return []
    return sorted(_renamed(c.name) for c in op.control_inputs)


def with_first_seeds(made: dict[str, Any]) -> dict[str, Any]:
    """What `describe` gives in TensorFlow 2, with the names of TensorFlow 1.x where gradients start."""
    renamed: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name, kind, *_ in made["nodes"]:
        scope, _, last = name.rpartition("/")
        if kind == "Fill" and last.startswith("grad_ys_"):
            number = counts[scope] = counts.get(scope, -1) + 1
            renamed[name] = f"{scope}/Fill" + f"_{number}" * (number > 0)
            renamed[f"{name}/Const"] = name

    def name_of(text: str) -> str:
        node, colon, place = text.partition(":")
        return renamed.get(node, node) + colon + place

    def in_all(value: Any) -> Any:
        return [in_all(v) for v in value] if isinstance(value, list) else value and name_of(value)

    nodes = [[name_of(name), kind, in_all(inputs), in_all(waits)] for name, kind, inputs, waits in made["nodes"]]
    return {"result": in_all(made["result"]), "nodes": nodes}


def describe(tf: Any, program: Callable[[Any], Any]) -> dict[str, Any]:
    """What `program` returned, by name, and all nodes it made."""
    with tf.Graph().as_default() as graph:
        result = _plain(program(tf))
        nodes = [
            [_renamed(op.name), _renamed(op.type), [_renamed(t.name) for t in op.inputs], _waits(op)]
            for op in graph.get_operations()
        ]
    return {"result": result, "nodes": nodes}

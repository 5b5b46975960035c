"""Small programs that make variables and scopes, and what their graphs look like: names, types, inputs, collections."""

from __future__ import annotations

import hashlib
import random
from typing import Any

# Sums were renamed after TF 1.x.
_TYPES = {"AddV2": "Add"}

_COLLECTIONS = (
    "variables",
    "trainable_variables",
    "local_variables",
    "model_variables",
    "moving_average_variables",
    "regularization_losses",
    "mine",
)


def plain_variables(tf: Any) -> list[Any]:
    """Names made unique, constants and callables as initial values."""
    a = tf.Variable(1.0)
    b = tf.Variable([1, 2], name="v")
    c = tf.Variable(lambda: tf.zeros([3], tf.float64), name="v")
    with tf.name_scope("outer"):
        d = tf.Variable([[True]], name="v", trainable=False)
        e = tf.Variable(tf.ones([2, 2]), collections=["mine"])
    f = tf.Variable("text", name="s")
    return [a.name, b.name, c.name, d.name, e.name, f.name, c.dtype.name, d.shape.as_list(), repr(f)]


def variable_in_control_dependencies(tf: Any) -> list[Any]:
    """A variable does not wait for what is around it."""
    a = tf.Variable(0.0, name="a")
    with tf.control_dependencies([a.initializer]):
        b = tf.Variable(1.0, name="b")
        c = tf.Variable(lambda: tf.zeros([2]), name="c")
        r = b.read_value()
    return [b.initializer.name, [x.name for x in r.op.control_inputs], [x.name for x in c.op.control_inputs]]


def name_scopes_and_variable_scopes(tf: Any) -> list[Any]:
    """Name scopes are not part of the names that get_variable makes."""
    names = []
    with tf.name_scope("ns"), tf.variable_scope("vs") as vs:
        v = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        w = tf.Variable(1.0, name="w")
        c = tf.constant(1.0, name="c")
        names += [v.name, w.name, c.name, vs.name, vs.original_name_scope]
    with tf.variable_scope("vs", reuse=True) as again:
        v2 = tf.get_variable("w", [2])
        names += [v2.name, v2 is v, tf.constant(1.0, name="c").name, again.original_name_scope]
    return names


def reopened_scope(tf: Any) -> list[Any]:
    """A captured scope opened again: the same variable names, new operation names."""
    found = []
    with tf.variable_scope("tower") as tower:
        tf.get_variable("w", [1])
        with tf.variable_scope("inner"):
            tf.get_variable("w", [1])
    with tf.variable_scope("other"):
        with tf.variable_scope(tower, reuse=True) as t:
            found += [t.name, t.original_name_scope, tf.get_variable("w", [1]).name, tf.constant(0, name="c").name]
            with tf.variable_scope("inner") as i:
                found += [i.name, i.original_name_scope, i.reuse, tf.get_variable("w", [1]).name]
                found += [tf.constant(0, name="c").name]
        with tf.variable_scope(tower, auxiliary_name_scope=False) as t:
            found += [t.original_name_scope, tf.constant(0, name="d").name, tf.get_variable("z", [1]).name]
    with tf.variable_scope(tower):
        found += [tf.constant(0, name="c").name]
        tf.get_variable_scope().reuse_variables()
        found += [tf.get_variable("w", [1]).name, tf.get_variable_scope().reuse]
    return [*found, tower.reuse]


def default_names(tf: Any) -> list[Any]:
    """Scopes that are given only a default name are made unique."""
    found = []
    for _ in range(3):
        with tf.variable_scope(None, default_name="layer") as s:
            found += [s.name, s.original_name_scope, tf.get_variable("w", [2]).name]
            for _ in range(2):
                with tf.variable_scope(None, "deep") as d:
                    found += [d.name, d.original_name_scope, tf.get_variable("w", [2]).name]
    with tf.variable_scope("layer"), tf.variable_scope(None, "deep") as d:
        found += [d.name, d.original_name_scope]
    with tf.name_scope("layer"), tf.variable_scope(None, "layer") as s:
        found += [s.name, s.original_name_scope]
    with tf.variable_scope("given", "ignored") as s:
        found += [s.name]
    return found


def reused_scope_object(tf: Any) -> list[Any]:
    """One `variable_scope` entered twice."""
    scope = tf.variable_scope("twice", reuse=tf.AUTO_REUSE)
    found = []
    for _ in range(2):
        with scope as s:
            found += [s.name, s.original_name_scope, tf.get_variable("w", [1]).name, tf.constant(1, name="c").name]
    return found


def scope_defaults(tf: Any) -> list[Any]:
    """Initializer, regularizer, dtype and custom getter come from the scope."""

    regularized = []

    def noted(v: Any) -> None:
        regularized.append(v.name)

    def renamed(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        return getter(name + "_renamed", *args, **kwargs)

    with tf.variable_scope(
        "d", initializer=tf.ones_initializer(), regularizer=noted, dtype=tf.float64, custom_getter=renamed
    ) as s:
        a = tf.get_variable("a", [2])
        with tf.variable_scope("e", regularizer=tf.no_regularizer):
            b = tf.get_variable("b", [2], dtype=tf.float32)
    return [a.name, a.dtype.name, b.name, b.dtype.name, s.dtype.name, s.regularizer is noted, sorted(set(regularized))]


def auto_reuse(tf: Any) -> list[Any]:
    """AUTO_REUSE makes once and then finds, and inner scopes inherit it."""
    names = []
    for _ in range(2):
        with tf.variable_scope("auto", reuse=tf.AUTO_REUSE), tf.variable_scope("in", reuse=False):
            names.append(tf.get_variable("w", [3], initializer=tf.constant_initializer(2.0)).name)
    return [*names, len(tf.global_variables())]


def local_and_other_collections(tf: Any) -> list[Any]:
    """get_local_variable, collections by argument, filtering by scope."""
    with tf.variable_scope("a"):
        x = tf.get_local_variable("x", [1])
        y = tf.get_variable("y", [1], collections=["mine"], trainable=False)
    z = tf.get_variable("z", initializer=3.5, collections=["model_variables", "variables"])
    return [
        x.name,
        y.name,
        z.name,
        [v.name for v in tf.local_variables("a")],
        [v.name for v in tf.local_variables("b")],
    ]


def initializers_by_value(tf: Any) -> list[Any]:
    """Numbers, lists, tensors, classes and functions as initializers."""
    a = tf.get_variable("a", initializer=1)
    b = tf.get_variable("b", initializer=[[1.0, 2.0]])
    c = tf.get_variable("c", initializer=tf.constant([1.0], name="start"))
    d = tf.get_variable("d", [2], initializer=tf.zeros_initializer)
    e = tf.get_variable("e", [2], dtype=tf.int32)
    f = tf.get_variable("f", shape=(), initializer=tf.zeros_initializer(), dtype=tf.bool)
    return [[v.name, v.dtype.name, v.shape.as_list()] for v in (a, b, c, d, e, f)]


def random_initializers(tf: Any) -> list[Any]:
    """The operations behind random initializers."""
    with tf.variable_scope("r"):
        tf.get_variable("default", [2, 3])
        tf.get_variable("uniform", [2], initializer=tf.random_uniform_initializer(-1, 1, seed=3))
        tf.get_variable("normal", [2], initializer=tf.random_normal_initializer(0.0, 0.5))
        tf.get_variable("truncated", [2], initializer=tf.truncated_normal_initializer(stddev=0.1))
        tf.get_variable("scaled", [2, 2, 3, 4], initializer=tf.variance_scaling_initializer(mode="fan_out"))
    return [v.name for v in tf.trainable_variables()]


def partitioned(tf: Any) -> list[Any]:
    """Slices of a partitioned variable and their concatenation."""
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(3)):
        w = tf.get_variable("w", [7, 2], initializer=tf.ones_initializer())
        s = tf.get_variable("s", [], initializer=tf.ones_initializer())
    value = tf.convert_to_tensor(w)
    infos = [v._get_save_slice_info() for v in w]
    return [
        w.name,
        [v.name for v in w],
        [[i.full_name, i.full_shape, i.var_offset, i.var_shape, i.spec] for i in infos],
        s.name,
        value.name,
        value.shape.as_list(),
    ]


def partitioned_from_value(tf: Any) -> list[Any]:
    """A partitioned variable whose initial value is a tensor, found again without a partitioner."""
    start = tf.constant([[1.0, 2.0, 3.0, 4.0]], name="start")
    with tf.variable_scope("p"):
        w = tf.get_variable("w", initializer=start, partitioner=tf.variable_axis_size_partitioner(8, axis=1))
    with tf.variable_scope("p", reuse=True):
        again = tf.get_variable("w", [1, 4])
    return [again is w, [v.name for v in w], [v.shape.as_list() for v in w]]


def caching_and_devices(tf: Any) -> list[Any]:
    """Devices of variables, their initial values and their cached reads."""
    with tf.device("/job:ps/task:0"):
        a = tf.Variable(1.0, name="a")
        b = tf.Variable(lambda: tf.zeros([1]), name="b", caching_device="/cpu:0")
    with tf.variable_scope("s", caching_device="/job:worker"):
        c = tf.get_variable("c", [1], initializer=tf.zeros_initializer())
    return [[v.device, v.value().device, v.initializer.device, v.initial_value.device] for v in (a, b, c)]


def assigns(tf: Any) -> list[Any]:
    """The operations that write."""
    v = tf.Variable([1.0, 2.0], name="v")
    made = [v.assign([0.0, 1.0]), v.assign_add([1.0, 1.0]), v.assign_sub([1.0, 1.0], use_locking=True)]
    with tf.name_scope("read"):
        made.append(v.read_value())
    return [[t.name, t.dtype.name, t.op.get_attr("use_locking") if "ssign" in t.op.type else None] for t in made]


def dependent_initial_values(tf: Any) -> list[Any]:
    """An initial value that reads another variable, computed from that variable's initial value."""
    a = tf.Variable(2.0, name="a")
    b = tf.Variable(a * 3.0, name="b")
    return [a.name, b.name, b.initial_value.name]


def initializer_operations(tf: Any) -> list[Any]:
    """Operations that initialize and check."""
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(2.0, name="b", collections=["local_variables"], trainable=False)
    init = tf.global_variables_initializer()
    local = tf.local_variables_initializer()
    some = tf.variables_initializer([a, b], name="some")
    none = tf.variables_initializer([], name="none")
    is_set = tf.is_variable_initialized(a)
    asserted = tf.assert_variables_initialized([a, b])
    return [init.name, local.name, some.name, none.name, is_set.name, asserted.name]


def element_access(tf: Any) -> list[Any]:
    """Operators and slices read the variable through its one read."""
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    made = [v + 1.0, 2.0 * v, -v, v / v, v[0], v[1:]]
    return [[t.name, [i.name for i in t.op.inputs][:2]] for t in made]


PROGRAMS = (
    plain_variables,
    variable_in_control_dependencies,
    name_scopes_and_variable_scopes,
    reopened_scope,
    default_names,
    reused_scope_object,
    scope_defaults,
    auto_reuse,
    local_and_other_collections,
    initializers_by_value,
    random_initializers,
    partitioned,
    partitioned_from_value,
    caching_and_devices,
    assigns,
    dependent_initial_values,
    initializer_operations,
    element_access,
)


class _RandomProgram:
    """Scopes and variables nested at random: what comes first in `log` when two packages differ is the cause."""

    _NAMES = ("a", "b", "c", "a_1")
    _DEPTH = 4

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf = tf
        self.random = random.Random(seed)
        self.log: list[Any] = []
        self._captured: list[Any] = []
        self._left: list[Any] = []

    def block(self, depth: int = 0) -> None:
        for _ in range(self.random.randint(1, 4)):
            kind, name = self.random.randint(0, 12), self.random.choice(self._NAMES)
            try:
                self._statement(kind, name, depth)
            except (ValueError, RuntimeError) as error:
                self.log.append([type(error).__name__, str(error)[:60]])

    def _statement(self, kind: int, name: str, depth: int) -> None:
        tf, choose = self.tf, self.random.choice
        nests = depth < self._DEPTH
        if kind <= 1 and nests:
            with tf.name_scope(name) as scope:
                self.log.append(scope)
                self.block(depth + 1)
        elif kind <= 4 and nests:
            reuse = choose([None, None, None, False, True, tf.AUTO_REUSE])
            opened = tf.variable_scope(name, reuse=reuse, auxiliary_name_scope=choose([True, True, True, False]))
            self._inside(opened, depth)
            self._left.append(opened)
        elif kind == 5 and nests and self._captured:
            reuse = choose([None, True, tf.AUTO_REUSE])
            again = choose(self._captured)
            self._inside(tf.variable_scope(again, reuse=reuse, auxiliary_name_scope=choose([True, False])), depth)
        elif kind == 6 and nests:
            self._inside(tf.variable_scope(None, default_name=name), depth)
        elif kind == 7 and nests and self._left:
            # An object that is entered twice at once is an error; one that was left may be entered again.
            opened = self._left.pop(self.random.randrange(len(self._left)))
            self._inside(opened, depth)
            self._left.append(opened)
        elif kind == 8:
            self.log.append(tf.Variable(1.0, name=name).name)
        elif kind == 9:
            self.log.append(tf.constant(1.0, name=name).name)
        else:
            partitioner = tf.fixed_size_partitioner(2) if kind == 10 and choose([True, False]) else None
            shape = choose([[2], [2], [2], [2], [3]])
            zeros = tf.zeros_initializer()
            self.log.append(tf.get_variable(name, shape, initializer=zeros, partitioner=partitioner).name)

    def _inside(self, opened: Any, depth: int) -> None:
        with opened as scope:
            self._captured.append(scope)
            self.log.append([scope.name, scope.original_name_scope, str(scope.reuse)])
            self.block(depth + 1)


RANDOM_PROGRAMS = 100


def random_scopes(tf: Any, seed: int) -> dict[str, Any]:
    """What a random program of scopes and variables does.

    Args:
        tf: the package to run it with.
        seed: int, which program.

    Returns:
        A dict that JSON can hold: the `log` of the program, and a `digest` of its graph's node names and variables.
    """
    program = _RandomProgram(tf, seed)
    with tf.Graph().as_default() as graph:
        program.block()
        names = [op.name for op in graph.get_operations()] + [v.name for v in tf.global_variables()]
    return {"log": program.log, "digest": hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]}


# Initializers by name: (maker, shape). Each is made with op seed 2 and drawn under graph seed 1.
INITIALIZERS = {
    "random_uniform": (lambda i, tf: i.random_uniform(-2.0, 3.0, seed=2), [5]),
    "random_uniform_int64": (lambda i, tf: i.random_uniform(-5, 100, seed=2, dtype=tf.int64), [5]),
    "random_normal": (lambda i, tf: i.random_normal(1.0, 0.5, seed=2), [5]),
    "random_normal_float64": (lambda i, tf: i.random_normal(1.0, 0.5, seed=2, dtype=tf.float64), [5]),
    "truncated_normal": (lambda i, tf: i.truncated_normal(stddev=0.1, seed=2), [2, 3]),
    "uniform_unit_scaling": (lambda i, tf: i.uniform_unit_scaling(1.5, seed=2), [3, 4]),
    "variance_scaling": (lambda i, tf: i.variance_scaling(seed=2), [2, 4]),
    "variance_scaling_untruncated": (
        lambda i, tf: i.variance_scaling(2.0, "fan_out", "untruncated_normal", seed=2),
        [3, 2, 4],
    ),
    "glorot_uniform": (lambda i, tf: i.glorot_uniform(seed=2), [3, 4]),
    "glorot_normal": (lambda i, tf: i.glorot_normal(seed=2), [3, 4]),
    "he_normal": (lambda i, tf: i.he_normal(seed=2), [5]),
    "he_uniform": (lambda i, tf: i.he_uniform(seed=2), [3, 4]),
    "lecun_normal": (lambda i, tf: i.lecun_normal(seed=2), [2, 2, 2, 3]),
    "lecun_uniform": (lambda i, tf: i.lecun_uniform(seed=2), [3, 4]),
    "orthogonal": (lambda i, tf: i.orthogonal(2.0, seed=2), [4, 3]),
    "orthogonal_wide": (lambda i, tf: i.orthogonal(seed=2), [2, 2, 6]),
    "identity": (lambda i, tf: i.identity(3.0), [2, 3]),
}


def initial_value(tf: Any, initializers: Any, case: str) -> list[float]:
    """The numbers of an initializer.

    Args:
        tf: the package to draw them with.
        initializers: its `tf.initializers`.
        case: a key of `INITIALIZERS`.

    Returns:
        A flat list of float; each is a float32 or float64 number exactly.
    """
    make, shape = INITIALIZERS[case]
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        value = make(initializers, tf)(shape)
        with tf.Session() as sess:
            return [float(x) for x in sess.run(value).ravel()]


def describe(tf: Any, program: Any) -> dict[str, Any]:
    """What a program returns and the graph it leaves.

    Args:
        tf: the package to run it with.
        program: one of `PROGRAMS`.

    Returns:
        A dict that JSON can hold: `result`; `nodes`, each [name, type, inputs, control inputs, colocation]; and
        `collections`.
    """
    graph = tf.Graph()
    with graph.as_default():
        result = program(tf)
    nodes = []
    for op in graph.get_operations():
        # The conditional behind an initialized value has another form here.
        if "cond" in op.name.split("/") or op.type == "IsVariableInitialized":
            continue
        nodes.append(
            [
                op.name,
                _TYPES.get(op.type, op.type),
                ["cond" if "cond" in t.name.split("/") else t.name for t in op.inputs],
                sorted(c.name for c in op.control_inputs),
                sorted(g.decode() for g in op.colocation_groups()),
            ]
        )
    collections = {key: [item.name for item in graph.get_collection(key)] for key in _COLLECTIONS}
    return {"result": result, "nodes": nodes, "collections": {k: v for k, v in collections.items() if v}}

"""A step that is interrupted leaves what outlives it as it was, or as the whole step would have left it.

A test hook ends the step at a chosen check of its watch: between two instructions, two parallel tasks, or in a wait.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interruption import checks_of, interrupted, places

import ferroflow as tf
from ferroflow._src.ops.queue.barriers import Barrier
from ferroflow._src.ops.queue.record_input import RecordInput
from ferroflow._src.ops.queue.staging import MapStagingArea

SIZE = 1 << 17
"""Elements of a variable whose update takes several tasks."""

ROWS, WIDTH = 1 << 9, 1 << 8

ONE_THREAD = tf.ConfigProto(intra_op_parallelism_threads=1)
"""For the same number of checks in every step: others run tasks unchecked."""

State = dict[str, Any]
"""By name: what is read of a thing that is updated at once, a list of tensors where several are."""


class Case:
    """A step and what it changes.

    Attributes:
      reset: brings the state to where it was before the step.
      step: runs the step.
      read: gives the state, by names of things that one op updates.
    """

    def __init__(self, reset: Callable[[], Any], step: Callable[[], Any], read: Callable[[], State]) -> None:
        self.reset, self.step, self.read = reset, step, read


Make = Callable[[Any, pathlib.Path], Case]


def _bytes(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_bytes(v) for v in value)
    return value.tobytes() if isinstance(value, np.ndarray | np.generic) else value


def _over_variables(session: Any, step: Any, groups: dict[str, list[Any]]) -> Case:
    initializers = [v.initializer for group in groups.values() for v in group]
    return Case(
        lambda: session.run(initializers),
        lambda: session.run(step),
        lambda: session.run(groups),
    )


def _optimizer(make: Callable[[], Any], sparse: bool, resource: bool) -> Make:
    def case(session: Any, _: pathlib.Path) -> Case:
        values = np.linspace(-1.0, 1.0, ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH)
        w = tf.get_variable("w", initializer=values, use_resource=resource)
        if sparse:
            rows = tf.gather(w, tf.constant(np.arange(0, 2 * ROWS, 3) % ROWS))
            loss = tf.reduce_sum(tf.square(rows) * 0.5 + rows)
        else:
            loss = tf.reduce_sum(tf.square(tf.matmul(w, tf.ones([WIDTH, 64]) * 0.01))) + tf.reduce_sum(tf.tanh(w))
        optimizer = make()
        step = optimizer.minimize(loss)
        slots = [optimizer.get_slot(w, name) for name in optimizer.get_slot_names()]
        others = [v for v in tf.global_variables() if v is not w and not any(v is s for s in slots)]
        return _over_variables(session, step, {"w": [w, *slots]} | {v.op.name: [v] for v in others})

    return case


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "Nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adam": lambda: tf.train.AdamOptimizer(0.1),
    "Adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "Adadelta": lambda: tf.train.AdadeltaOptimizer(0.1),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    "CenteredRMSProp": lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
    "Ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "ProximalGradientDescent": lambda: tf.train.ProximalGradientDescentOptimizer(0.1, 0.01),
    "ProximalAdagrad": lambda: tf.train.ProximalAdagradOptimizer(0.1),
    "AddSign": lambda: tf.contrib.opt.AddSignOptimizer(0.1),
    "PowerSign": lambda: tf.contrib.opt.PowerSignOptimizer(0.1),
    "AdaMax": lambda: tf.contrib.opt.AdaMaxOptimizer(0.1),
}
"""Those of which one op updates the variable and its slots."""

SPARSE = ("GradientDescent", "Momentum", "Adagrad", "Adadelta", "RMSProp", "CenteredRMSProp", "Ftrl")


def _changed(change: Callable[[Any, Any, Any], Any]) -> Make:
    def case(session: Any, _: pathlib.Path) -> Case:
        v = tf.Variable(np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH))
        rows = tf.constant(np.arange(0, 3 * ROWS, 7) % ROWS)
        updates = tf.tanh(tf.fill([rows.shape[0].value, WIDTH], 0.5)) + 2.0
        return _over_variables(session, change(v, rows, updates), {"v": [v]})

    return case


CHANGES: dict[str, Make] = {
    "assign": _changed(lambda v, _r, _u: v.assign(tf.tanh(v) + 1.0)),
    "assign_add": _changed(lambda v, _r, _u: v.assign_add(tf.tanh(v))),
    "assign_sub": _changed(lambda v, _r, _u: v.assign_sub(tf.tanh(v))),
    "scatter_update": _changed(lambda v, r, u: tf.scatter_update(v, r, u)),
    "scatter_add": _changed(lambda v, r, u: tf.scatter_add(v, r, u)),
    "scatter_sub": _changed(lambda v, r, u: tf.scatter_sub(v, r, u)),
    "scatter_mul": _changed(lambda v, r, u: tf.scatter_mul(v, r, u)),
    "scatter_div": _changed(lambda v, r, u: tf.scatter_div(v, r, u)),
    "scatter_nd_add": _changed(lambda v, r, u: tf.scatter_nd_add(v, tf.expand_dims(r, 1), u)),
    "strided_assign": _changed(lambda v, _r, _u: v[::2, 1:].assign(tf.tanh(v)[::2, 1:])),
}


def _resource(session: Any, _: pathlib.Path) -> Case:
    v = tf.get_variable("v", initializer=np.ones([SIZE], np.float32), use_resource=True)
    return _over_variables(session, v.assign_add(tf.tanh(v * 0.5)), {"v": [v]})


def _table(make: Callable[[], Any]) -> Make:
    def case(session: Any, _: pathlib.Path) -> Case:
        table, keys = make(), np.arange(20_000)
        clear = table.insert(keys, np.zeros(20_000, np.float32))
        insert = table.insert(keys, tf.tanh(tf.cast(keys, tf.float32)) + 1.0)
        found = table.lookup(keys)
        return Case(lambda: session.run(clear), lambda: session.run(insert), lambda: {"table": session.run(found)})

    return case


def _static_table(session: Any, path: pathlib.Path) -> Case:
    (path / "vocabulary").write_text("".join(f"word{i}\n" for i in range(5000)))
    made: list[Any] = []

    def reset() -> None:
        table = tf.contrib.lookup.index_table_from_file(str(path / "vocabulary"))
        made[:] = [table.init, table.size()]

    def read() -> State:
        try:
            return {"table": int(session.run(made[1]))}
        except tf.errors.FailedPreconditionError:
            return {"table": None}

    return Case(reset, lambda: session.run(made[0]), read)


QUEUES: dict[str, Callable[[], Any]] = {
    "fifo": lambda: tf.FIFOQueue(8, [tf.float32], [[SIZE]]),
    "padding": lambda: tf.PaddingFIFOQueue(8, [tf.float32], [[None]]),
    "shuffling": lambda: tf.RandomShuffleQueue(8, 0, [tf.float32], [[SIZE]], seed=1),
}


def _queue(kind: str, many: bool, taking: bool) -> Make:
    def case(session: Any, _: pathlib.Path) -> Case:
        queue = QUEUES[kind]()
        x = tf.placeholder(tf.float32, [None])
        made = tf.tanh(x) + 1.0
        put = queue.enqueue_many([tf.stack([made, made * 2.0])]) if many else queue.enqueue([made])
        out = queue.dequeue_many(2) if many else queue.dequeue()
        step = tf.tanh(out) if taking else put
        fill, size, drop = queue.enqueue_many([tf.ones([2, SIZE])]), queue.size(), queue.dequeue()
        feed = {x: np.linspace(0.0, 1.0, SIZE, dtype=np.float32)}

        def empty() -> list[Any]:
            rows = [session.run(drop) for _ in range(session.run(size))]
            return sorted(rows, key=np.ndarray.tobytes) if kind == "shuffling" else rows

        def reset() -> None:
            empty()
            session.run(fill)

        return Case(reset, lambda: session.run(step, feed), lambda: {"queue": empty()})

    return case


def _priority_queue(session: Any, _: pathlib.Path) -> Case:
    queue = tf.PriorityQueue(8, [tf.float32], [[SIZE]])
    put = queue.enqueue_many(
        [np.array([2, 1], np.int64), tf.tanh(tf.stack([tf.fill([SIZE], 0.5), tf.fill([SIZE], 0.7)]))]
    )
    size, drop = queue.size(), queue.dequeue()
    one = queue.enqueue([np.int64(3), tf.ones([SIZE])])

    def empty() -> list[Any]:
        return [session.run(drop)[1] for _ in range(session.run(size))]

    def reset() -> None:
        empty()
        session.run(one)

    return Case(reset, lambda: session.run(put), lambda: {"queue": empty()})


def _barrier(session: Any, _: pathlib.Path) -> Case:
    made: list[Any] = []

    def reset() -> None:
        table = Barrier((tf.float32, tf.float32), shapes=((SIZE,), (SIZE,)))
        rows = tf.tanh(tf.stack([tf.fill([SIZE], 0.5), tf.fill([SIZE], 0.7)]))
        session.run(table.insert_many(0, ["a", "b"], rows))
        made[:] = [table.insert_many(1, ["a", "b"], tf.tanh(rows)), table.ready_size(), table.take_many(2)[2]]

    def read() -> State:
        return {"barrier": session.run(made[2]) if session.run(made[1]) else None}

    return Case(reset, lambda: session.run(made[0]), read)


def _map_staging(session: Any, _: pathlib.Path) -> Case:
    area = MapStagingArea([tf.float32], [[SIZE]], ordered=True)
    one, two = np.int64(1), np.int64(2)
    fill = area.put(one, [tf.ones([SIZE])], [0])
    put, size, get = area.put(two, [tf.tanh(tf.fill([SIZE], 0.5))], [0]), area.size(), area.get()

    def empty() -> list[Any]:
        return [session.run(get)[1] for _ in range(session.run(size))]

    def reset() -> None:
        empty()
        session.run(fill)

    return Case(reset, lambda: session.run(put), lambda: {"area": empty()})


def _reader(session: Any, path: pathlib.Path) -> Case:
    (path / "lines").write_text("".join(f"{i}\n" for i in range(5000)))
    names = tf.FIFOQueue(4, [tf.string], [[]])
    reader = tf.TextLineReader()
    put, size, drop = names.enqueue([str(path / "lines")]), names.size(), names.dequeue()
    start_again, following = reader.reset(), reader.read(names)[1]
    step = tf.reduce_max(tf.tanh(tf.string_to_number(reader.read_up_to(names, 3000)[1])))

    def reset() -> None:
        for _ in range(session.run(size)):
            session.run(drop)
        session.run(start_again)
        session.run(put)

    return Case(reset, lambda: session.run(step), lambda: {"reader": session.run(following)})


def _staging(taking: bool) -> Make:
    def case(session: Any, _: pathlib.Path) -> Case:
        area = tf.contrib.staging.StagingArea([tf.float32], [[SIZE]])
        put, get, size = area.put([tf.tanh(tf.fill([SIZE], 0.5))]), area.get(), area.size()
        fill = area.put([tf.ones([SIZE])])
        step = tf.tanh(get) if taking else put

        def empty() -> list[Any]:
            return [session.run(get) for _ in range(session.run(size))]

        def reset() -> None:
            empty()
            session.run(fill)

        return Case(reset, lambda: session.run(step), lambda: {"area": empty()})

    return case


def _accumulator(session: Any, _: pathlib.Path) -> Case:
    accumulator = tf.ConditionalAccumulator(tf.float32, [SIZE])
    # Of a step later than all takes, or they would be dropped as stale.
    one, many = (accumulator.apply_grad(g, 1 << 40) for g in (tf.ones([SIZE]), tf.tanh(tf.fill([SIZE], 0.5))))
    count, mean = accumulator.num_accumulated(), accumulator.take_grad(1)

    def read() -> State:
        return {"sum": (int(session.run(count)), session.run(mean))}

    def reset() -> None:
        if session.run(count):
            session.run(mean)
        session.run(one)

    return Case(reset, lambda: session.run(many), read)


def _sparse_accumulator(session: Any, _: pathlib.Path) -> Case:
    accumulator = tf.SparseConditionalAccumulator(tf.float32, [ROWS, WIDTH])
    rows = tf.constant(np.arange(ROWS, dtype=np.int64))

    def apply(values: Any) -> Any:
        return accumulator.apply_indexed_slices_grad(tf.IndexedSlices(values, rows), 1 << 40)

    one, many = apply(tf.ones([ROWS, WIDTH])), apply(tf.tanh(tf.fill([ROWS, WIDTH], 0.5)))
    count, mean = accumulator.num_accumulated(), accumulator.take_indexed_slices_grad(1)

    def read() -> State:
        return {"sum": (int(session.run(count)), session.run(mean).values)}

    def reset() -> None:
        if session.run(count):
            session.run(mean)
        session.run(one)

    return Case(reset, lambda: session.run(many), read)


def _checkpoint(session: Any, path: pathlib.Path) -> Case:
    v = tf.Variable(np.zeros([SIZE], np.float32), name="v")
    w = tf.Variable(np.zeros([SIZE], np.float32), name="w")
    saver = tf.train.Saver()
    add = [v.assign_add(tf.ones([SIZE])), w.assign_add(tf.ones([SIZE]))]
    prefix = str(path / "model")

    def reset() -> None:
        session.run([v.initializer, w.initializer])
        saver.save(session, prefix, write_meta_graph=False)
        session.run(add)

    def read() -> State:
        reader = tf.train.NewCheckpointReader(prefix)
        return {"checkpoint": (reader.get_tensor("v"), reader.get_tensor("w"))}

    return Case(reset, lambda: saver.save(session, prefix, write_meta_graph=False), read)


def _restored(session: Any, path: pathlib.Path) -> Case:
    v = tf.Variable(np.full([SIZE], 3.0, np.float32), name="v")
    saver = tf.train.Saver()
    session.run(v.initializer)
    prefix = saver.save(session, str(path / "model"), write_meta_graph=False)
    zero = v.assign(tf.zeros([SIZE]))
    return Case(lambda: session.run(zero), lambda: saver.restore(session, prefix), lambda: {"v": session.run(v)})


def _file(session: Any, path: pathlib.Path) -> Case:
    text = tf.reduce_join(tf.as_string(tf.tanh(tf.range(20_000.0))))
    name = path / "written"
    write = tf.write_file(str(name), text)
    return Case(lambda: name.write_bytes(b"old"), lambda: session.run(write), lambda: {"file": name.read_bytes()})


def _summary(session: Any, path: pathlib.Path) -> Case:
    writer = tf.contrib.summary.create_file_writer(str(path / "log"), flush_millis=0)
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        step = tf.train.get_or_create_global_step()
        written = tf.contrib.summary.histogram("h", tf.tanh(tf.range(float(SIZE))), step=step)
        session.run(tf.global_variables_initializer())
        tf.contrib.summary.initialize(graph=None, session=session)
    flush = writer.flush()

    def read() -> State:
        session.run(flush)
        (log,) = (path / "log").iterdir()
        events = [e.summary.SerializeToString() for e in tf.train.summary_iterator(str(log)) if e.summary.value]
        assert len(set(events)) <= 1
        count, before = len(events), read_before[0]
        read_before[0] = count
        return {"events": count - before}

    read_before = [0]
    return Case(read, lambda: session.run(written), read)


STATES: dict[str, Make] = {
    **{f"{name} of a variable": _optimizer(make, False, False) for name, make in OPTIMIZERS.items()},
    **{f"{name} of a resource": _optimizer(make, False, True) for name, make in OPTIMIZERS.items()},
    **{f"{name} of rows": _optimizer(OPTIMIZERS[name], True, False) for name in SPARSE},
    **{f"{name} of a resource's rows": _optimizer(OPTIMIZERS[name], True, True) for name in SPARSE},
    **CHANGES,
    "assign_add of a resource": _resource,
    "table": _table(lambda: tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, -1.0)),
    "dense table": _table(lambda: tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.float32, -1.0, -1)),
    "table from a file": _static_table,
    **{
        f"{kind} queue, {'many' if many else 'one'}, {'taken' if taking else 'put'}": _queue(kind, many, taking)
        for kind in QUEUES
        for many in (False, True)
        for taking in (False, True)
    },
    "priority queue": _priority_queue,
    "barrier": _barrier,
    "map staging area": _map_staging,
    "reader": _reader,
    "staging area, put": _staging(False),
    "staging area, taken": _staging(True),
    "accumulator": _accumulator,
    "accumulator of rows": _sparse_accumulator,
    "checkpoint saved": _checkpoint,
    "checkpoint restored": _restored,
    "file": _file,
    "summary": _summary,
}


@pytest.mark.parametrize("name", STATES)
def test_state_is_as_before_or_as_after_the_whole_step(name: str, tmp_path: pathlib.Path) -> None:
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        case = STATES[name](session, tmp_path)
        case.reset()
        before = {key: _bytes(value) for key, value in case.read().items()}
        case.reset()
        checks = checks_of(case.step)
        after = {key: _bytes(value) for key, value in case.read().items()}
        assert before != after
        stopped = 0
        for at in places(checks, 6, name):
            case.reset()
            stopped += interrupted(case.step, at)
            for key, value in case.read().items():
                assert _bytes(value) in (before[key], after[key]), f"{key}, interrupted at check {at} of {checks}"
        assert stopped
        case.reset()
        case.step()
        assert {key: _bytes(value) for key, value in case.read().items()} == after


@pytest.mark.parametrize(
    "draw",
    {
        "uniform": lambda: tf.random_uniform([SIZE], seed=3),
        "normal": lambda: tf.random_normal([SIZE], seed=3),
        "truncated": lambda: tf.truncated_normal([SIZE], seed=3),
        "gamma": lambda: tf.random_gamma([SIZE // 16], 2.0, seed=3),
        "poisson": lambda: tf.random_poisson(2.0, [SIZE // 16], seed=3),
        "multinomial": lambda: tf.multinomial(tf.ones([256, 8]), 64, seed=3),
        "integers": lambda: tf.random_uniform([SIZE], 0, 1000, tf.int32, seed=3),
        "shuffle": lambda: tf.random_shuffle(tf.range(SIZE), seed=3),
        "dropout": lambda: tf.nn.dropout(tf.ones([SIZE]), 0.5, seed=3),
    }.items(),
    ids=lambda item: item[0],
)
def test_a_random_op_goes_on_with_the_numbers_of_a_step(draw: tuple[str, Callable[[], Any]]) -> None:
    with tf.Graph().as_default():
        value = tf.tanh(tf.cast(draw[1](), tf.float32))
        with tf.Session(config=ONE_THREAD) as session:
            wanted = [session.run(value).tobytes() for _ in range(16)]
            assert len(set(wanted)) == 16
        with tf.Session(config=ONE_THREAD) as session:
            checks = checks_of(lambda: session.run(value))
            following = 1
            for at in places(checks, 4, draw[0]):
                assert interrupted(lambda: session.run(value), at)
                number = wanted.index(session.run(value).tobytes())
                assert number in (following, following + 1), f"interrupted at check {at} of {checks}"
                following = number + 1


def test_records_go_on_after_an_interrupted_step(tmp_path: pathlib.Path) -> None:
    with tf.python_io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for i in range(64):
            writer.write(b"%02d" % i)
    with tf.Graph().as_default():
        records = RecordInput(str(tmp_path / "records"), batch_size=8, buffer_size=16, seed=3).get_yield_op()
        value = tf.tanh(tf.string_to_number(records) / 100.0)
        with tf.Session(config=ONE_THREAD) as session:
            wanted = [session.run(value).tobytes() for _ in range(16)]
            assert len(set(wanted)) == 16
        with tf.Session(config=ONE_THREAD) as session:
            checks = checks_of(lambda: session.run(value))
            following = 1
            for at in places(checks, 4, "records"):
                assert interrupted(lambda: session.run(value), at)
                number = wanted.index(session.run(value).tobytes())
                assert number in (following, following + 1), f"interrupted at check {at} of {checks}"
                following = number + 1


def _kernels(op: Any) -> int:
    """The most kernels that run for an operation."""
    found: set[Any] = set()
    left = [op]
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += [x.op for x in one.inputs] + one.control_inputs
    return sum(one.type not in ("Const", "VariableV2", "Identity") for one in found)


@pytest.mark.parametrize(
    "compute",
    {
        "product": lambda x: tf.matmul(x, x),
        "convolution": lambda x: tf.nn.conv2d(
            tf.reshape(x, [1, ROWS, ROWS, 1]), tf.ones([5, 5, 1, 16]), [1, 1, 1, 1], "SAME"
        ),
        "pooling": lambda x: tf.nn.max_pool(tf.reshape(x, [8, 64, 64, 8]), [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
        "reduction": lambda x: tf.reduce_sum(x, axis=0) + tf.reduce_max(x, axis=1),
        "elementwise": lambda x: tf.lgamma(tf.abs(x) + 1.0) * tf.tanh(x),
        "transpose": lambda x: tf.transpose(x) + 0.0,
        "cumsum": lambda x: tf.cumsum(x, axis=1),
        "sort": lambda x: tf.nn.top_k(x, 10)[0],
        "softmax": lambda x: tf.nn.softmax(x),
        "fft": lambda x: tf.abs(tf.fft2d(tf.cast(x, tf.complex64))),
        "resize": lambda x: tf.image.resize_bilinear(tf.reshape(x, [1, ROWS, ROWS, 1]), [900, 900]),
        "gather": lambda x: tf.gather(x, np.arange(ROWS)[::-1].copy()),
        "cholesky": lambda x: tf.matrix_inverse(tf.reshape(x, [16, 128, 128]) + 200.0 * tf.eye(128)),
    }.items(),
    ids=lambda item: item[0],
)
def test_a_long_kernel_is_interrupted_between_its_tasks(compute: tuple[str, Callable[[Any], Any]]) -> None:
    with tf.Graph().as_default(), tf.Session(config=ONE_THREAD) as session:
        x = tf.Variable(np.linspace(-1.0, 1.0, ROWS * ROWS, dtype=np.float32).reshape(ROWS, ROWS))
        value = compute[1](x)
        session.run(x.initializer)
        wanted = session.run(value).tobytes()
        checks = checks_of(lambda: session.run(value))
        assert checks > _kernels(value.op) + 3, "no loop checks the watch between its tasks"
        for at in places(checks, 5, compute[0]):
            assert interrupted(lambda: session.run(value), at)
            assert session.run(value).tobytes() == wanted

"""One process without a launcher: the same program, without MPI."""

import numpy as np
import pytest

import ferroflow as tf
import ferroflow.horovod.keras as keras_hvd
import ferroflow.horovod.tensorflow as hvd
from ferroflow._src.horovod import process_group
from ferroflow._src.horovod.launchers import choose_library_of_launcher, launched_size


@pytest.fixture
def alone(monkeypatch):
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "PALS_NRANKS"):
        monkeypatch.delenv(name, raising=False)
    hvd.init()
    yield
    hvd.shutdown()


def test_numbers_of_a_process_alone(alone):
    numbers = [hvd.rank(), hvd.size(), hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()]
    assert numbers == [0, 1, 0, 1, 0, 1]
    assert [hvd.is_initialized(), hvd.mpi_threads_supported(), hvd.is_homogeneous()] == [True] * 3


@pytest.mark.parametrize(
    "function",
    [hvd.rank, hvd.size, hvd.local_rank, hvd.local_size, hvd.mpi_threads_supported, lambda: hvd.allreduce(1.0)],
)
def test_functions_need_init(function):
    with pytest.raises(ValueError, match=r"^Horovod has not been initialized; use hvd.init\(\)\.$"):
        function()


def test_operations_of_a_process_alone(alone):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with tf.Session() as sess:
        scaled = hvd.allreduce(x, prescale_factor=0.5, postscale_factor=4.0, name="scaled")
        for value, expected in (
            (hvd.allreduce(x, name="a"), x),
            (hvd.allreduce(x, average=False, name="b"), x),
            (scaled, x * 2),
            (hvd.allgather(x, name="c"), x),
            (hvd.broadcast(x, 0, name="d"), x),
            (hvd.allreduce(np.array([3, 4]), name="e"), np.array([3, 4])),
        ):
            np.testing.assert_array_equal(sess.run(value), expected)
    assert keras_hvd.allreduce(np.float32(3)) == 3


def test_a_graph_made_before_shutdown_fails_after_it(alone):
    value = hvd.allreduce(tf.constant([1.0]))
    hvd.shutdown()
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError, match=r"use hvd.init\(\)"):
        sess.run(value)


def test_static_shapes_and_names(alone):
    x = tf.placeholder(tf.float32, [None, 3], name="some/input")
    assert hvd.allreduce(x).shape.as_list() == [None, 3]
    assert hvd.allgather(tf.zeros([2, 3])).shape.as_list() == [None, 3]
    assert hvd.broadcast(x, 0).op.name == "HorovodBroadcast_some_input_0"
    with pytest.raises(ValueError, match="at least rank 1"):
        hvd.allgather(tf.constant(1.0))


def test_wrong_arguments_are_errors(alone):
    x = tf.constant([1.0])
    with pytest.raises(ValueError, match="op parameter supersedes average"):
        hvd.allreduce(x, average=True, op=hvd.Sum)
    with pytest.raises(ValueError, match=r"op must be hvd\.Average or hvd\.Sum, found 7"):
        hvd.allreduce(x, op=7)
    with pytest.raises(NotImplementedError, match="Adasum"):
        hvd.DistributedOptimizer(tf.train.AdamOptimizer(), op=hvd.Adasum)
    with pytest.raises(ValueError, match="tensors of floats only, not of int32"):
        hvd.allreduce(tf.constant([1]), prescale_factor=2.0)
    for factor, op, message in ((0.0, hvd.Average, "must be positive"), (2.0, hvd.Sum, "not supported with op")):
        with pytest.raises(ValueError, match=f"gradient_predivide_factor {message}"):
            hvd.DistributedOptimizer(tf.train.AdamOptimizer(), op=op, gradient_predivide_factor=factor)
    with pytest.raises(ValueError, match="backward_passes_per_step must be positive"):
        hvd.DistributedOptimizer(tf.train.AdamOptimizer(), backward_passes_per_step=0)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="root rank 3 is not below"):
        sess.run(hvd.broadcast(x, 3))
    assert isinstance(hvd.DistributedOptimizer(tf.train.AdamOptimizer()), tf.train.Optimizer)
    assert isinstance(hvd.DistributedOptimizer(tf.keras.optimizers.SGD()), tf.keras.optimizers.SGD)
    with pytest.raises(ValueError, match="found str"):
        hvd.DistributedOptimizer("adam")


def test_several_passes_make_one_update(alone):
    v = tf.get_variable("v", initializer=tf.constant([10.0, 20.0]))
    x = tf.placeholder(tf.float32, [2])
    optimizer = hvd.DistributedOptimizer(tf.train.GradientDescentOptimizer(1.0), backward_passes_per_step=3)
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(tf.reduce_sum(v * x), global_step=step)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        seen = []
        for i in range(7):
            sess.run(train, {x: [i + 1, 0]})
            seen.append((*sess.run(v).tolist(), int(sess.run(step))))
    kept, first, second = (10.0, 20.0, 0), (4.0, 20.0, 1), (-11.0, 20.0, 2)
    assert seen == [kept, kept, first, first, first, second, second]


def test_launchers_are_seen_in_the_environment():
    assert launched_size({}) == (1, "no launcher")
    assert launched_size({"PMI_SIZE": "4"}) == (4, "mpirun of MPICH")
    assert launched_size({"OMPI_COMM_WORLD_SIZE": "2", "SLURM_STEP_NUM_TASKS": "1"}) == (2, "mpirun of Open MPI")
    assert launched_size({"SLURM_STEP_NUM_TASKS": "8"}) == (8, "srun")
    assert launched_size({"PMI_SIZE": "many"}) == (1, "no launcher")


@pytest.mark.parametrize(
    ("environment", "library"),
    [
        ({"OMPI_COMM_WORLD_SIZE": "2"}, "libmpi.so.40"),
        ({"OMPI_COMM_WORLD_SIZE": "2", "MPI4PY_LIBMPI": "/opt/libmpi.so"}, "/opt/libmpi.so"),
        ({"OMPI_COMM_WORLD_SIZE": "2", "MPI4PY_MPIABI": "openmpi"}, None),
        ({"PMI_SIZE": "2"}, None),
    ],
)
def test_mpi4py_loads_the_library_of_the_launcher(environment, library):
    choose_library_of_launcher(environment)
    assert environment.get("MPI4PY_LIBMPI") == library


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("FERROFLOW_MPI_SUM", "fast", "must be 'rank' or 'mpi', found 'fast'"),
        ("HOROVOD_FUSION_THRESHOLD", "big", "must be a number, found 'big'"),
        ("FERROFLOW_MPI_LOST_AFTER", "-1", "must not be negative or infinite, found '-1'"),
        ("HOROVOD_STALL_CHECK_TIME_SECONDS", "nan", "must not be negative or infinite, found 'nan'"),
    ],
)
def test_options_are_checked(monkeypatch, variable, text, message):
    monkeypatch.setenv(variable, text)
    with pytest.raises(ValueError, match=message):
        hvd.init()
    assert not hvd.is_initialized()


def test_several_processes_need_mpi4py(monkeypatch):
    monkeypatch.setenv("PMI_SIZE", "4")
    monkeypatch.setitem(process_group.sys.modules, "mpi4py", None)
    with pytest.raises(ImportError, match=r"mpirun of MPICH started 4 processes, but mpi4py.*ferroflow\[mpi\]"):
        hvd.init()


def test_a_gradient_is_submitted_before_the_next_ones_are_computed(alone):
    """The plan places a reduction behind its input, and not at the end of the step."""
    hidden, weights = tf.ones([4, 8]), []
    for i in range(4):
        weights.append(tf.get_variable(f"w{i}", initializer=np.full([8, 8], 0.1, np.float32)))
        hidden = tf.tanh(tf.matmul(hidden, weights[-1]))
    gradients = tf.gradients(tf.reduce_sum(hidden), weights)
    reduced = [hvd.allreduce(g, name=f"reduced_{i}") for i, g in enumerate(gradients)]
    update = tf.train.GradientDescentOptimizer(0.1).apply_gradients(zip(reduced, weights, strict=True))
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    nodes = [n for device in metadata.step_stats.dev_stats for n in device.node_stats]
    order = [n.node_name for n in sorted(nodes, key=lambda n: n.all_start_micros)]
    assert [name for name in order if name.startswith("reduced_")] == [f"reduced_{i}" for i in (3, 2, 1, 0)]
    computed = [gradients[i].op.name for i in (3, 2, 1, 0)]
    for reduction, later in zip(("reduced_3", "reduced_2", "reduced_1"), computed[1:], strict=True):
        assert order.index(reduction) < order.index(later)


def test_the_optimizer_is_a_class_that_programs_derive_from(alone):
    class Own(hvd.DistributedOptimizer):
        def __init__(self, optimizer, **kwargs):
            super().__init__(optimizer, **kwargs)
            self.reduced = 0

        def compute_gradients(self, *args, **kwargs):
            pairs = self._optimizer.compute_gradients(*args, **kwargs)
            with tf.name_scope(self._name + "_Own"):
                found = [
                    (hvd.allreduce(g, device_dense=self._device_dense, compression=self._compression), v)
                    for g, v in pairs
                ]
            self.reduced += len(found)
            return found

    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable([1.0, 2.0])
        optimizer = Own(tf.train.GradientDescentOptimizer(0.5), sparse_as_dense=True)
        assert isinstance(optimizer, hvd.DistributedOptimizer)
        assert isinstance(optimizer, tf.train.Optimizer)
        train = optimizer.minimize(tf.reduce_sum(w))
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(w).tolist() == [0.5, 1.5]
        assert optimizer.reduced == 1

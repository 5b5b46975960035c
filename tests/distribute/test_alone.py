"""Strategies in a process that is alone: contexts, names, inputs, and what they refuse."""

import inspect

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.distribute.choices import Replicas
from ferroflow._src.distribute.inputs import part_of_elements, part_of_rows


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    with tf.Graph().as_default():
        yield


STRATEGIES = {
    "mirrored": lambda: tf.distribute.MirroredStrategy(),
    "contrib mirrored": lambda: tf.contrib.distribute.MirroredStrategy(num_gpus=1),
    "workers": lambda: tf.distribute.experimental.MultiWorkerMirroredStrategy(),
    "collective": lambda: tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=0),
    "one device": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    "central": lambda: tf.distribute.experimental.CentralStorageStrategy(),
    "servers": lambda: tf.contrib.distribute.ParameterServerStrategy(),
}


@pytest.mark.parametrize("make", STRATEGIES.values(), ids=STRATEGIES)
def test_one_replica_trains_as_without_a_strategy(make):
    strategy = make()
    with strategy.scope() as entered:
        assert entered is strategy is tf.distribute.get_strategy()
        assert tf.distribute.has_strategy()
        assert tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context() is None
        w = tf.get_variable("w", initializer=4.0)
        assert strategy.extended.variable_created_in_scope(w)
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).batch(2))
        optimizer = tf.train.GradientDescentOptimizer(0.25)

        def step(x):
            context = tf.distribute.get_replica_context()
            assert not tf.distribute.in_cross_replica_context()
            assert context.strategy is strategy
            loss = tf.reduce_mean(tf.square(w - x))
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(context.all_reduce("mean", loss)), context.replica_id_in_sync_group

        loss, replica = strategy.experimental_run(step, iterator)
        total = strategy.reduce(tf.distribute.ReduceOp.SUM, loss)
        rows = strategy.reduce("MEAN", tf.constant([[1.0, 3.0], [5.0, 7.0]]), axis=0)
    assert not tf.distribute.has_strategy()
    assert strategy.num_replicas_in_sync == 1
    assert strategy.experimental_local_results(loss) == strategy.unwrap(loss) == (loss,)
    with tf.Session(config=strategy.update_config_proto(tf.ConfigProto())) as sess:
        sess.run([*iterator.initialize(), tf.global_variables_initializer()])
        assert sess.run([loss, replica, total]) == [6.5, 0, 6.5]
        assert sess.run(w) == 2.75
        assert sess.run(rows).tolist() == [3.0, 5.0]
        sess.run(loss)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(loss)


def test_outside_of_scopes_the_default_strategy_changes_nothing():
    strategy, context = tf.distribute.get_strategy(), tf.distribute.get_replica_context()
    assert strategy.num_replicas_in_sync == context.num_replicas_in_sync == 1
    assert not tf.distribute.in_cross_replica_context()
    w = tf.get_variable("w", initializer=4.0)
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    train = context.merge_call(lambda s, x: optimizer.minimize(tf.square(x)), args=(w,))
    assert strategy.experimental_run_v2(tf.distribute.has_strategy) is False
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(w) == 2.0


def test_a_strategy_belongs_to_the_graph_of_its_scope():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        with tf.Graph().as_default():
            assert not tf.distribute.has_strategy()
        with strategy.scope():
            assert tf.distribute.get_strategy() is strategy
        with pytest.raises(RuntimeError, match="Mixing different"), tf.distribute.MirroredStrategy().scope():
            pass


def test_code_of_the_wrong_context_is_refused():
    strategy, optimizer = tf.distribute.MirroredStrategy(), tf.train.AdamOptimizer()
    with strategy.scope():
        w = tf.get_variable("w", initializer=4.0)
        with pytest.raises(RuntimeError, match=r"^Use `_distributed_apply\(\)` instead of `apply_gradients\(\)` in a"):
            optimizer.minimize(tf.square(w))

        def replica():
            with pytest.raises(RuntimeError, match="Method requires being in cross-replica context"):
                strategy.reduce("SUM", w)
            with pytest.raises(RuntimeError, match="Method requires being in cross-replica context"):
                strategy.experimental_run_v2(lambda: None)
            with pytest.raises(ValueError, match="reduce_op must be"):
                tf.distribute.get_replica_context().all_reduce("max", w)
            with pytest.raises(ValueError, match="No gradients provided for any variable"):
                optimizer.apply_gradients([(None, w)])
            tf.contrib.distribute.require_replica_context(tf.distribute.get_replica_context())
            return optimizer._distributed_apply

        apply = strategy.experimental_run_v2(replica)
        update = apply(strategy, [(tf.constant(1.0), w)])
        context = tf.distribute.ReplicaContext(strategy, 0)
        with pytest.raises(RuntimeError, match="runs once for all replicas"):
            context.merge_call(lambda s: None)
        with context:
            assert tf.distribute.get_replica_context() is context
    assert isinstance(update, tf.Operation)


def test_a_strategy_may_be_set_for_the_rest_of_the_program():
    strategy = tf.distribute.MirroredStrategy()
    tf.distribute.experimental_set_strategy(strategy)
    assert tf.distribute.get_strategy() is strategy
    tf.distribute.experimental_set_strategy(None)
    assert not tf.distribute.has_strategy()
    with strategy.scope(), pytest.raises(RuntimeError, match="Must not be called inside"):
        tf.distribute.experimental_set_strategy(strategy)


def test_losses_are_scaled_in_estimators_only():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        assert tf.distribute.get_loss_reduction() is tf.distribute.ReduceOp.SUM
        with strategy.scaling_loss():
            assert tf.distribute.get_loss_reduction() is tf.distribute.ReduceOp.MEAN
            tf.losses.mean_squared_error([1.0], [2.0], reduction=tf.losses.Reduction.SUM)
            assert tf.distribute.get_loss_reduction() is tf.distribute.ReduceOp.SUM
            tf.losses.mean_squared_error([1.0], [2.0])
            assert tf.distribute.get_loss_reduction() is tf.distribute.ReduceOp.MEAN
    assert tf.distribute.get_loss_reduction() is tf.distribute.ReduceOp.SUM


def drawn(dataset):
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(element))
            except tf.errors.OutOfRangeError:
                return found


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8])
def test_replicas_take_elements_in_turn_and_equally_many(count):
    parts = [drawn(part_of_elements(tf.data.Dataset.range(count), Replicas(rank, 3))) for rank in range(3)]
    assert parts == [list(range(rank, count - count % 3, 3)) for rank in range(3)]


@pytest.mark.parametrize("count", [12, 13, 14, 15, 17])
def test_replicas_take_the_rows_of_batches(count):
    rows = np.arange(count)
    dataset = tf.data.Dataset.from_tensor_slices({"a": rows, "b": np.stack([rows, -rows], 1)}).batch(6)
    parts = [drawn(part_of_rows(dataset, Replicas(rank, 3))) for rank in range(3)]
    # A last batch with fewer rows than replicas is left out.
    whole = count if count % 6 == 0 or count % 6 >= 3 else count - count % 6
    together = [np.concatenate([part[i]["a"] for part in parts]) for i in range(len(parts[0]))]
    np.testing.assert_array_equal(np.concatenate(together), rows[:whole])
    assert all((e["b"][:, 1] == -e["a"]).all() and len(e["a"]) for part in parts for e in part)


def test_batches_that_cannot_be_divided_are_refused():
    with pytest.raises(ValueError, match="The batch size 4 is not divisible by the number of replicas 3"):
        part_of_rows(tf.data.Dataset.from_tensor_slices(np.zeros([8])).batch(4, drop_remainder=True), Replicas(0, 3))
    with pytest.raises(ValueError, match="must have batches"):
        part_of_rows(tf.data.Dataset.range(3), Replicas(0, 3))
    sparse = tf.data.Dataset.from_tensors(tf.SparseTensor([[0, 0]], [1.0], [3, 3]))
    with pytest.raises(NotImplementedError, match="SparseTensors cannot be divided"):
        part_of_rows(sparse, Replicas(0, 3))
    context = tf.distribute.InputContext(2, 1, 4)
    assert context.get_per_replica_batch_size(12) == 3
    with pytest.raises(ValueError, match="`global_batch_size` 10 is not divisible by `num_replicas_in_sync` 4"):
        context.get_per_replica_batch_size(10)
    with pytest.raises(ValueError, match=r"must return a tf\.data\.Dataset, found int"):
        tf.distribute.MirroredStrategy().make_input_fn_iterator(lambda context: 3)


def test_what_needs_accelerators_says_so(caplog):
    for make in (tf.distribute.experimental.TPUStrategy, tf.contrib.distribute.initialize_tpu_system):
        with pytest.raises(NotImplementedError, match="needs TPUs, and there are none"):
            make()
    with pytest.raises(ValueError, match="Must only specify one of `devices` and `num_gpus`"):
        tf.contrib.distribute.MirroredStrategy(["/gpu:0"], num_gpus=1)
    with caplog.at_level("WARNING"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    assert "ferroflow launch --mpi 2 PROGRAM" in caplog.text
    with pytest.raises(NotImplementedError, match="in a Python loop"):
        tf.distribute.MirroredStrategy().extended.experimental_run_steps_on_iterator(None, None)
    with pytest.raises(ValueError, match="communication must be a CollectiveCommunication"):
        tf.distribute.experimental.MultiWorkerMirroredStrategy("ring")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{", "TF_CONFIG is not JSON"),
        ("[]", "must be a JSON object"),
        ('{"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0}}', "no job `chief` or `worker`"),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}', "index 1, is not among those"),
    ],
)
def test_a_wrong_cluster_is_an_error(monkeypatch, config, message):
    monkeypatch.setenv("TF_CONFIG", config)
    with pytest.raises(ValueError, match=message):
        tf.distribute.experimental.MultiWorkerMirroredStrategy()


# As `inspect.signature` shows them in TensorFlow 1.15.5.
SIGNATURES = {
    "distribute.Strategy.experimental_run": "self, fn, input_iterator",
    "distribute.Strategy.experimental_run_v2": "self, fn, args, kwargs",
    "distribute.Strategy.reduce": "self, reduce_op, value, axis",
    "distribute.Strategy.make_input_fn_iterator": "self, input_fn, replication_mode",
    "distribute.Strategy.configure": "self, session_config, cluster_spec, task_type, task_id",
    "distribute.StrategyExtended.update": "self, var, fn, args, kwargs, group",
    "distribute.StrategyExtended.update_non_slot": "self, colocate_with, fn, args, kwargs, group",
    "distribute.StrategyExtended.batch_reduce_to": "self, reduce_op, value_destination_pairs",
    "distribute.StrategyExtended.reduce_to": "self, reduce_op, value, destinations",
    "distribute.StrategyExtended.call_for_each_replica": "self, fn, args, kwargs",
    "distribute.ReplicaContext.merge_call": "self, merge_fn, args, kwargs",
    "distribute.ReplicaContext.all_reduce": "self, reduce_op, value",
    "distribute.MirroredStrategy.__init__": "self, devices, cross_device_ops",
    "distribute.OneDeviceStrategy.__init__": "self, device",
    "distribute.InputContext.__init__": "self, num_input_pipelines, input_pipeline_id, num_replicas_in_sync",
    "distribute.experimental.MultiWorkerMirroredStrategy.__init__": "self, communication",
    "distribute.experimental.ParameterServerStrategy.__init__": "self, cluster_resolver",
    "distribute.experimental.CentralStorageStrategy.__init__": "self, compute_devices, parameter_device",
    "contrib.distribute.CollectiveAllReduceStrategy.__init__": "self, num_gpus_per_worker, communication",
    "contrib.distribute.ParameterServerStrategy.__init__": "self, num_gpus_per_worker",
    "contrib.distribute.MirroredStrategy.__init__": (
        "self, devices, num_gpus, num_gpus_per_worker, cross_device_ops, auto_shard_dataset, cross_tower_ops"
    ),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_are_tensorflows(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    assert ", ".join(inspect.signature(found).parameters) == SIGNATURES[name]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: tf.distribute.OneDeviceStrategy(None), TypeError, "must be a str, found None"),
        (lambda: tf.distribute.OneDeviceStrategy("/foo:0"), ValueError, "Unknown attribute: 'foo'"),
        (lambda: tf.distribute.MirroredStrategy(["/foo:0"]), ValueError, "Unknown attribute: 'foo'"),
        (lambda: tf.distribute.MirroredStrategy("/cpu:0"), ValueError, "Unknown attribute: 'c'"),
        (lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/device:CPU:0"]), ValueError, "No duplicates allowed"),
        (lambda: tf.distribute.NcclAllReduce(num_packs=-1), ValueError, "num_packs >= 0, but -1 is specified"),
        (lambda: tf.distribute.HierarchicalCopyAllReduce(-1), ValueError, "num_packs >= 0, but -1 is specified"),
        (
            lambda: tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1),
            ValueError,
            "both `num_gpus` and `num_gpus_per_worker`",
        ),
    ],
)
def test_wrong_devices_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_one_device_has_the_name_of_this_process():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    assert strategy.extended.worker_devices == ("/replica:0/task:0/device:CPU:0",)
    with strategy.scope():
        assert tf.Variable(1.0).device == "/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize("wrong", [None, 3, "tensor", "variable of no scope"])
def test_variables_are_colocated_with_variables_of_the_scope_alone(wrong):
    given = {"tensor": lambda: tf.constant(1.0), "variable of no scope": lambda: tf.Variable(1.0)}
    value = given[wrong]() if wrong in given else wrong
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        own = tf.Variable(2.0)
        with strategy.extended.colocate_vars_with(own):
            tf.Variable(3.0)
        with pytest.raises(ValueError, match="must only be passed a variable created in this"):
            strategy.extended.colocate_vars_with(value)


@pytest.mark.parametrize("wrong", [None, 3, [1]])
def test_only_datasets_are_distributed(wrong):
    with pytest.raises(TypeError, match=r"dataset must be a tf\.data\.Dataset, found"):
        tf.distribute.MirroredStrategy().experimental_distribute_dataset(wrong)


def test_a_replica_does_not_enter_the_scope():
    strategy = tf.distribute.MirroredStrategy()

    def enter():
        with strategy.scope():
            pass

    with pytest.raises(RuntimeError, match="cross-replica context"):
        strategy.experimental_run_v2(enter)


def test_reductions_of_variables_are_reductions_of_values():
    convert = tf.distribute.ReduceOp.from_variable_aggregation
    assert convert(tf.VariableAggregation.SUM) is tf.distribute.ReduceOp.SUM
    assert convert(tf.VariableAggregation.MEAN) is tf.distribute.ReduceOp.MEAN
    with pytest.raises(ValueError, match="Could not convert"):
        convert(tf.VariableAggregation.NONE)

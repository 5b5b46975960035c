"""`RunConfig` checks its values, and reads what task of which cluster it is from `TF_CONFIG`."""

import json

import pytest

import ferroflow as tf

RunConfig = tf.estimator.RunConfig
CLUSTER = {"chief": ["a:1"], "ps": ["b:1", "b:2"], "worker": ["c:1", "c:2"]}


@pytest.fixture
def set_config(monkeypatch):
    return lambda **config: monkeypatch.setenv("TF_CONFIG", json.dumps(config))


def test_alone_it_is_the_chief(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    config = RunConfig()
    assert (config.is_chief, config.master, config.task_type, config.task_id) == (True, "", "worker", 0)
    assert (config.num_ps_replicas, config.num_worker_replicas) == (0, 1)
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps, config.keep_checkpoint_max) == (600, None, 5)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ({"type": "chief", "index": 0}, (True, "grpc://a:1", 0)),
        ({"type": "worker", "index": 1}, (False, "grpc://c:2", 2)),
        ({"type": "ps", "index": 1}, (False, "grpc://b:2", 4)),
        ({"type": "evaluator", "index": 0}, (False, "", None)),
    ],
)
def test_a_task_of_a_cluster(set_config, task, expected):
    set_config(cluster=CLUSTER, task=task)
    config = RunConfig()
    assert (config.is_chief, config.master, config.global_id_in_cluster) == expected
    replicas = (0, 0) if task["type"] == "evaluator" else (2, 3)
    assert (config.num_ps_replicas, config.num_worker_replicas) == replicas
    assert config.evaluation_master == ""


def test_a_cluster_may_have_a_master(set_config):
    set_config(cluster={"master": ["a:1"], "worker": ["c:1"]}, task={"type": "master", "index": 0}, model_dir="/m")
    config = RunConfig()
    assert (config.is_chief, config.num_worker_replicas, config.model_dir) == (True, 2, "/m")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"cluster": {"worker": ["c:1"]}, "task": {"type": "worker", "index": 0}}, 'one "chief" node'),
        ({"cluster": {**CLUSTER, "chief": ["a:1", "a:2"]}, "task": {}}, 'only one "chief" node'),
        ({"cluster": CLUSTER, "task": {"index": 0}}, "task type must be set"),
        ({"cluster": CLUSTER, "task": {"type": "worker"}}, "task index must be set"),
        ({"cluster": CLUSTER, "task": {"type": "worker", "index": -1}}, "non-negative"),
        ({"cluster": CLUSTER, "task": {"type": "worker", "index": 2}}, "not a valid task_id"),
        ({"cluster": CLUSTER, "task": {"type": "other", "index": 0}}, "not a valid task_type"),
        ({"task": {"type": "ps", "index": 0}}, "task type must be WORKER"),
        ({"task": {"index": 1}}, "task index must be 0"),
        ({"model_dir": ""}, "model_dir in TF_CONFIG should be non-empty"),
        ({"cluster": {**CLUSTER, "master": ["m:1"]}, "task": {}}, "job `chief` is not supported"),
    ],
)
def test_a_cluster_that_is_not_right_is_refused(set_config, config, reason):
    set_config(**config)
    with pytest.raises(ValueError, match=reason):
        RunConfig()


@pytest.mark.parametrize(
    ("kwargs", "reason"),
    [
        ({"model_dir": ""}, "non-empty"),
        ({"save_summary_steps": -1}, "save_summary_steps should be >= 0"),
        ({"save_checkpoints_steps": 1, "save_checkpoints_secs": 1}, "cannot be both set"),
        ({"save_checkpoints_secs": -1}, "save_checkpoints_secs should be >= 0"),
        ({"keep_checkpoint_max": -1}, "keep_checkpoint_max should be >= 0"),
        ({"keep_checkpoint_every_n_hours": 0}, "> 0"),
        ({"log_step_count_steps": 0}, "> 0"),
        ({"tf_random_seed": 0.5}, "tf_random_seed must be integer"),
        ({"session_config": {}}, "instance of ConfigProto"),
        ({"device_fn": lambda other: other}, 'exactly one argument "op"'),
    ],
)
def test_values_are_checked(monkeypatch, kwargs, reason):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    with pytest.raises(ValueError, match=reason):
        RunConfig(**kwargs)


def test_a_copy_may_differ(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    config = RunConfig(tf_random_seed=1)
    other = config.replace(model_dir="/m", save_checkpoints_steps=5)
    assert (other.model_dir, other.save_checkpoints_steps, other.save_checkpoints_secs) == ("/m", 5, None)
    assert (config.model_dir, config.save_checkpoints_secs, other.tf_random_seed) == (None, 600, 1)
    with pytest.raises(ValueError, match="Replacing master is not supported"):
        config.replace(master="x")
    with pytest.raises(ValueError, match="cannot be both set"):
        config.replace(save_checkpoints_steps=1, save_checkpoints_secs=1)


@pytest.mark.parametrize("name", ["train_distribute", "eval_distribute"])
def test_strategies_are_checked_in_copies_too(monkeypatch, name):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = tf.distribute.MirroredStrategy()
    for make in (RunConfig, RunConfig().replace):
        with pytest.raises(TypeError, match=f"{name} must be a tf.distribute.Strategy, found 3"):
            make(**{name: 3})
        config = make(**{name: strategy})
        # A copy has the strategy itself, not a copy of it.
        assert getattr(config, name) is getattr(config.replace(tf_random_seed=1), name) is strategy
        assert config.is_chief
    assert getattr(RunConfig().replace(**{name: None}), name) is None


def test_strategies_may_be_given_together(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy, other = tf.distribute.MirroredStrategy(), tf.distribute.OneDeviceStrategy("/cpu:0")
    both = tf.contrib.distribute.DistributeConfig(strategy, other)
    config = RunConfig(experimental_distribute=both)
    assert (config.train_distribute, config.eval_distribute) == (strategy, other)
    assert config.replace(tf_random_seed=1).train_distribute is strategy
    with pytest.raises(ValueError, match="must not both be set"):
        RunConfig(experimental_distribute=both, train_distribute=other)
    remote = tf.contrib.distribute.DistributeConfig(strategy, None, {"worker": ["localhost:1"]})
    with pytest.raises(NotImplementedError, match="a remote_cluster is not offered"):
        RunConfig(experimental_distribute=remote)


def test_a_strategy_without_the_other_tasks_of_the_cluster_is_refused(monkeypatch):
    cluster = {"cluster": {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}, "task": {"type": "worker", "index": 1}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
    with pytest.raises(ValueError, match="TF_CONFIG has 2 tasks that train, but MirroredStrategy has one replica"):
        RunConfig(train_distribute=tf.distribute.MirroredStrategy())
    cluster["task"] = {"type": "evaluator", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
    config = RunConfig(train_distribute=tf.distribute.experimental.MultiWorkerMirroredStrategy())
    assert (config.task_type, config.is_chief, config.master) == ("evaluator", False, "")


def test_a_strategy_with_parameter_servers_leaves_the_cluster_as_it_is(monkeypatch):
    cluster = {"chief": ["127.0.0.1:1"], "ps": ["127.0.0.1:2"], "worker": ["127.0.0.1:3"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}}))
    strategy = tf.distribute.experimental.ParameterServerStrategy()
    config = RunConfig(train_distribute=strategy)
    assert (config.master, config.is_chief, config.num_ps_replicas) == ("grpc://127.0.0.1:3", False, 1)
    assert not strategy.extended.should_checkpoint
    with strategy.scope():
        v = tf.get_variable("v", [])
        assert v.device == "/job:ps/task:0"
        assert (v + 1.0).device == "/job:worker/task:0"
    context = strategy.extended.input_context()
    assert (context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync) == (2, 1, 1)


@pytest.mark.parametrize("name", ["model_dir", "tf_random_seed", "session_config", "train_distribute"])
def test_values_are_changed_in_copies_alone(name):
    config = tf.estimator.RunConfig()
    with pytest.raises(AttributeError, match=rf"can't set attribute '{name}'.*RunConfig.replace\({name}="):
        setattr(config, name, None)
    copy = config.replace(tf_random_seed=3)
    assert (config.tf_random_seed, copy.tf_random_seed) == (None, 3)
    with pytest.raises(AttributeError, match="can't set attribute"):
        copy.tf_random_seed = 4


def test_unknown_protocols_are_refused():
    with pytest.raises(ValueError, match=r"protocol should be grpc or grpc\+verbs"):
        tf.estimator.RunConfig(protocol="http")

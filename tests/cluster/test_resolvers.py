"""Laws of the cluster resolvers: given clusters, unions of them, TF_CONFIG and Slurm's environment."""

import json
import os

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.contrib.cluster_resolver.slurm_resolver import expand_hostlist, expand_tasks_per_node

resolver = tf.contrib.cluster_resolver
CLUSTER = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}


def simple(cluster, *args, **kwargs):
    return resolver.SimpleClusterResolver(tf.train.ClusterSpec(cluster), *args, **kwargs)


@pytest.fixture
def environment(monkeypatch):
    def set_all(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value if isinstance(value, str) else json.dumps(value))

    monkeypatch.delenv("TF_CONFIG", raising=False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return set_all


def test_a_given_cluster_is_told_again():
    given = simple(CLUSTER, "here:1", "worker", 1, "lab", {"GPU": 2}, "grpc")
    assert given.cluster_spec() == tf.train.ClusterSpec(CLUSTER)
    assert (given.task_type, given.task_id, given.environment, given.rpc_layer) == ("worker", 1, "lab", "grpc")
    assert given.num_accelerators() == {"GPU": 2}
    assert given.master() == "grpc://here:1"
    assert given.master("worker", 0) == "grpc://b:1"
    assert given.master("worker", 0, rpc_layer="tcp") == "tcp://b:1"
    assert simple(CLUSTER).master() == ""
    assert simple(CLUSTER).num_accelerators() == {}


def test_wrong_arguments_of_a_given_cluster_are_refused():
    with pytest.raises(TypeError, match="cluster_spec must be a ClusterSpec"):
        resolver.SimpleClusterResolver(CLUSTER)
    with pytest.raises(TypeError, match="master must be a string"):
        simple(CLUSTER, 1)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        simple(CLUSTER).master("x", 0)


def test_a_resolver_must_tell_cluster_and_master():
    with pytest.raises(TypeError, match="abstract"):
        resolver.ClusterResolver()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_lists_of_tasks_are_joined_in_order(sizes):
    parts = [[f"h{i}:{j}" for j in range(size)] for i, size in enumerate(sizes)]
    union = resolver.UnionClusterResolver(*(simple({"worker": part} if part else {}) for part in parts))
    expected = [address for part in parts for address in part]
    assert union.cluster_spec().as_dict() == ({"worker": expected} if expected else {})


def test_tasks_with_indices_keep_them():
    union = resolver.UnionClusterResolver(simple({"worker": ["a:1"], "ps": ["p:1"]}), simple({"worker": {3: "b:1"}}))
    assert union.cluster_spec().as_dict() == {"worker": {0: "a:1", 3: "b:1"}, "ps": ["p:1"]}
    twice = resolver.UnionClusterResolver(simple({"worker": ["a:1", "b:1"]}), simple({"worker": {1: "c:1"}}))
    with pytest.raises(KeyError, match=r"Duplicate keys detected when merging two ClusterSpecs: \{1\}"):
        twice.cluster_spec()


def test_a_union_is_otherwise_the_first_resolver_unless_told():
    first = simple({"ps": ["a:1"]}, "first:1", "ps", 0, "lab", {"GPU": 1}, "grpc")
    second = simple({"worker": ["b:1"]}, "second:1", "worker", 5)
    union = resolver.UnionClusterResolver(first, second)
    assert (union.task_type, union.task_id, union.environment, union.rpc_layer) == ("ps", 0, "lab", "grpc")
    assert union.num_accelerators() == {"GPU": 1}
    assert union.master() == "grpc://first:1"
    assert union.master("worker", 0) == "b:1"
    told = resolver.UnionClusterResolver(second, task_type="x", task_id=0, rpc_layer="tcp")
    assert (told.task_type, told.task_id, told.rpc_layer) == ("x", 0, "tcp")


def test_wrong_parts_of_a_union_are_refused():
    with pytest.raises(ValueError, match="At least one ClusterResolver is required"):
        resolver.UnionClusterResolver()
    with pytest.raises(TypeError, match="All arguments must be a sub-class"):
        resolver.UnionClusterResolver(simple({}), tf.train.ClusterSpec({}))
    with pytest.raises(ValueError, match="Unexpected kwargs"):
        resolver.UnionClusterResolver(simple({}), task="x")


def test_tf_config_tells_cluster_and_task(environment):
    environment(TF_CONFIG={"cluster": CLUSTER, "task": {"type": "worker", "index": 1}, "rpc_layer": "grpc"})
    found = resolver.TFConfigClusterResolver()
    assert found.cluster_spec() == tf.train.ClusterSpec(CLUSTER)
    assert (found.task_type, found.task_id, found.rpc_layer) == ("worker", 1, "grpc")
    assert found.master() == "grpc://c:1"
    assert found.master("ps", 0) == "grpc://a:1"
    assert found.num_accelerators() == {}


def test_arguments_come_before_tf_config(environment):
    environment(TF_CONFIG={"cluster": CLUSTER, "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"})
    found = resolver.TFConfigClusterResolver("ps", 0, "tcp", "lab")
    assert (found.task_type, found.task_id, found.rpc_layer, found.environment) == ("ps", 0, "tcp", "lab")
    assert found.master() == "tcp://a:1"
    found.task_type, found.task_id = None, None
    assert (found.task_type, found.task_id) == ("worker", 1)


@pytest.mark.parametrize("config", ["", "{}", '{"cluster": {"worker": ["a:1"]}}'])
def test_a_program_alone_has_an_empty_master(environment, config):
    environment(TF_CONFIG=config)
    assert resolver.TFConfigClusterResolver().master() == ""


def test_tf_config_may_name_the_master(environment):
    environment(TF_CONFIG={"cluster": CLUSTER, "session_master": "grpc://here:1"})
    assert resolver.TFConfigClusterResolver().master() == "grpc://here:1"


def test_a_wrong_tf_config_is_refused(environment):
    environment(TF_CONFIG="{")
    with pytest.raises(ValueError, match="TF_CONFIG is not JSON"):
        resolver.TFConfigClusterResolver().cluster_spec()
    environment(TF_CONFIG="[]")
    with pytest.raises(ValueError, match="must be a JSON object"):
        resolver.TFConfigClusterResolver().cluster_spec()
    environment(TF_CONFIG={"cluster": CLUSTER})
    with pytest.raises(RuntimeError, match="TF_CONFIG has no `task`"):
        resolver.TFConfigClusterResolver().master()


def test_slurm_gives_the_tasks_of_a_step(environment):
    environment(
        SLURM_PROCID="3",
        SLURM_STEP_NUM_TASKS="5",
        SLURM_STEP_NODELIST="n[08-09],m1",
        SLURM_STEP_TASKS_PER_NODE="2(x2),1",
    )
    found = resolver.SlurmClusterResolver({"ps": 1, "worker": 4}, port_base=9000)
    assert found.get_task_info() == (None, None)
    assert found.cluster_spec().as_dict() == {
        "ps": ["m1:9000"],
        "worker": ["n08:9000", "n08:9001", "n09:9000", "n09:9001"],
    }
    assert found.get_task_info() == ("worker", 2)
    assert found.master() == "grpc://n09:9000"
    assert found.master("ps", 0, "tcp") == "tcp://m1:9000"
    assert resolver.SlurmClusterResolver().cluster_spec().num_tasks("worker") == 5


def test_slurm_divides_the_gpus_of_a_host(environment, monkeypatch):
    environment(SLURM_PROCID="1", SLURM_STEP_NUM_TASKS="2")
    found = resolver.SlurmClusterResolver(gpus_per_node=4, tasks_per_node={"n": 2})
    assert found.num_accelerators() == {"GPU": 2}
    with monkeypatch.context() as patched:
        patched.setenv("CUDA_VISIBLE_DEVICES", "")
        found.cluster_spec()
        assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    with pytest.raises(RuntimeError, match="more GPUs per node than available"):
        resolver.SlurmClusterResolver(gpus_per_node=1, gpus_per_task=1, tasks_per_node={"n": 2})


def test_what_is_no_slurm_step_is_refused(environment, monkeypatch):
    monkeypatch.delenv("SLURM_PROCID", raising=False)
    with pytest.raises(RuntimeError, match="SLURM_PROCID not found in environment"):
        resolver.SlurmClusterResolver()
    environment(SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="2", SLURM_STEP_NODELIST="n1")
    with pytest.raises(RuntimeError, match="Requested 3 tasks but only 2 were assigned"):
        resolver.SlurmClusterResolver({"worker": 3}, tasks_per_node=2)


@pytest.mark.parametrize(
    ("hosts", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-2],m5,o[3-4,6,7-9]", ["n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"]),
        ("n[008-011]", ["n008", "n009", "n010", "n011"]),
        ("n[1,3]-ib,x", ["n1-ib", "n3-ib", "x"]),
        ("", []),
    ],
)
def test_lists_of_hosts_are_expanded(hosts, names):
    assert expand_hostlist(hosts) == names


@pytest.mark.parametrize("hosts", ["n[1-2", "n]1[", "a,,b", "n[1-2]]", "n[-2]", "n[1-x]"])
def test_wrong_lists_of_hosts_are_refused(hosts):
    with pytest.raises(ValueError, match="Invalid hostlist format"):
        expand_hostlist(hosts)


def test_numbers_of_tasks_are_expanded():
    assert expand_tasks_per_node("3(x2),2,1") == [3, 3, 2, 1]
    for wrong in ("", "3(2)", "x", "3,,1"):
        with pytest.raises(ValueError, match="Invalid tasks-per-node"):
            expand_tasks_per_node(wrong)


@pytest.mark.parametrize("name", ["TPUClusterResolver", "GceClusterResolver", "KubernetesClusterResolver"])
def test_resolvers_of_clouds_say_what_to_use_instead(name):
    with pytest.raises(NotImplementedError, match=f"{name}: ferroflow .*TFConfigClusterResolver"):
        getattr(resolver, name)("x")

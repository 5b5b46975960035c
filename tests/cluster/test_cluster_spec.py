"""Laws of `tf.train.ClusterSpec`: all ways to describe a cluster agree, and wrong ones are refused."""

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

addresses = st.from_regex(r"[a-z]{1,5}:[1-9][0-9]{0,3}", fullmatch=True)
jobs = st.lists(addresses, max_size=4) | st.dictionaries(st.integers(0, 9), addresses, max_size=4)
clusters = st.dictionaries(st.sampled_from(["ps", "worker", "chief", "evaluator"]), jobs)


def indexed(cluster):
    return {job: tasks if isinstance(tasks, dict) else dict(enumerate(tasks)) for job, tasks in cluster.items()}


@given(clusters)
def test_dicts_messages_and_specs_describe_the_same_cluster(cluster):
    spec = tf.train.ClusterSpec(cluster)
    for other in (spec, spec.as_dict(), spec.as_cluster_def(), indexed(cluster)):
        again = tf.train.ClusterSpec(other)
        assert again == spec
        assert (again != spec) is False
        assert again.as_cluster_def() == spec.as_cluster_def()
        assert str(again) == str(spec)
    assert spec == indexed(cluster)
    assert bool(spec) is bool(cluster)


@given(clusters)
def test_the_accessors_agree(cluster):
    spec = tf.train.ClusterSpec(cluster)
    assert spec.jobs == list(cluster)
    for job, tasks in indexed(cluster).items():
        assert spec.num_tasks(job) == len(tasks)
        assert spec.task_indices(job) == sorted(tasks)
        listed = spec.job_tasks(job)
        assert {i: address for i, address in enumerate(listed) if address is not None} == tasks
        assert all(spec.task_address(job, i) == address for i, address in tasks.items())
        dense = tasks and sorted(tasks) == list(range(len(tasks)))
        assert spec.as_dict()[job] == (listed if dense else tasks)


def test_the_message_lists_the_jobs_by_name():
    cluster_def = tf.train.ClusterSpec({"worker": ["b:1"], "ps": {3: "a:1"}}).as_cluster_def()
    assert isinstance(cluster_def, tf.train.ClusterDef)
    assert [(job.name, dict(job.tasks)) for job in cluster_def.job] == [("ps", {3: "a:1"}), ("worker", {0: "b:1"})]
    assert all(isinstance(job, tf.train.JobDef) for job in cluster_def.job)


def test_a_spec_does_not_follow_later_changes_of_its_source():
    source = {"ps": {0: "a:1"}}
    spec = tf.train.ClusterSpec(source)
    copy = tf.train.ClusterSpec(spec)
    source["ps"][0] = "b:1"
    spec.as_dict()["ps"][0] = "c:1"
    assert spec.task_address("ps", 0) == copy.task_address("ps", 0) == "a:1"


@pytest.mark.parametrize(
    ("cluster", "error", "words"),
    [
        (3, TypeError, "`cluster` must be a dictionary mapping one or more job names to lists of network addresses"),
        ([], TypeError, "or a `ClusterDef` protocol buffer"),
        ({"ps": "host:1"}, TypeError, "The tasks for job 'ps' must be a list or a dictionary from integers to strings"),
        ({3: ["a:1"]}, TypeError, "Job name 3 must be bytes or unicode"),
        ({"ps": [3]}, TypeError, "Task address 3 must be bytes or unicode"),
        ({"ps": [None]}, TypeError, "Task address None must be bytes or unicode"),
        ({"ps": {"first": "a:1"}}, ValueError, "invalid literal for int"),
        ({"ps": {1 << 40: "a:1"}}, ValueError, "out of range"),
        ({"ps": {-1: "a:1"}}, ValueError, "Task index -1 of job 'ps' must not be negative"),
    ],
)
def test_what_describes_no_cluster_is_refused(cluster, error, words):
    with pytest.raises(error, match=words):
        tf.train.ClusterSpec(cluster)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda spec: spec.num_tasks("x"), "No such job in cluster: 'x'"),
        (lambda spec: spec.task_indices("x"), "No such job in cluster: 'x'"),
        (lambda spec: spec.job_tasks("x"), "No such job in cluster: 'x'"),
        (lambda spec: spec.task_address("x", 0), "No such job in cluster: 'x'"),
        (lambda spec: spec.task_address("ps", 1), "No task with index 1 in job 'ps'"),
    ],
)
def test_unknown_jobs_and_tasks_are_value_errors(ask, words):
    with pytest.raises(ValueError, match=words):
        ask(tf.train.ClusterSpec({"ps": ["a:1"]}))


def test_names_and_addresses_may_be_bytes():
    spec = tf.train.ClusterSpec({b"ps": [b"a:1"], "worker": ["b:1"]})
    assert spec.task_address(b"ps", 0) == b"a:1"
    assert spec.as_cluster_def().job[0].tasks[0] == "a:1"
    assert str(spec) == "ClusterSpec({b'ps': [b'a:1'], 'worker': ['b:1']})"


def test_a_server_def_holds_the_cluster():
    cluster_def = tf.train.ClusterSpec({"ps": ["a:1"]}).as_cluster_def()
    server_def = tf.train.ServerDef(cluster=cluster_def, job_name="ps", task_index=0, protocol="grpc")
    assert tf.train.ClusterSpec(tf.train.ServerDef.FromString(server_def.SerializeToString()).cluster) == {
        "ps": {0: "a:1"}
    }

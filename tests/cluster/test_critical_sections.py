"""Critical sections over several tasks: a lock, its variable and the reader may be in different processes."""

import pytest

import ferroflow as tf

PS, OTHER, WORKER = "/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:0"


@pytest.mark.parametrize("variable_at", [PS, OTHER, WORKER])
@pytest.mark.parametrize("lock_at", [PS, WORKER])
def test_reads_behind_a_lock_see_all_writes_before_it(cluster, config, lock_at, variable_at):
    with tf.Graph().as_default(), tf.Session(cluster, config=config) as session:
        with tf.device(lock_at):
            section = tf.CriticalSection()
        with tf.device(variable_at):
            v = tf.get_variable("v", initializer=0, use_resource=True)

        def read_and_add():
            read = v.read_value()
            with tf.device(WORKER):
                increased = read + 1
            with tf.control_dependencies([v.assign(increased)]):
                return tf.identity(increased)

        values = [section.execute(read_and_add) for _ in range(5)]
        session.run(v.initializer)
        for step in range(3):
            assert sorted(session.run(values)) == list(range(5 * step + 1, 5 * step + 6))
        assert session.run(v.value()) == 15

"""Critical sections: parts of concurrent steps, and of one step, run one at a time and see each other's writes."""

import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf


def read_and_add(variable, amount):
    """Returns a function that reads a variable, then writes what it read plus an amount."""

    def section():
        # The sum reads the variable: readers of an alias of a reference variable see what was written meanwhile.
        read = tf.add(variable.read_value(), 0)
        written = variable.assign(read + amount)
        with tf.control_dependencies([written]):
            return tf.identity(read)

    return section


def in_threads(count, work):
    failures = []

    def run():
        try:
            work()
        except Exception as e:
            failures.append(e)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []


@pytest.mark.parametrize("use_resource", [False, True])
def test_each_part_of_a_step_sees_the_writes_of_those_before_it(use_resource):
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.CriticalSection()
        v = tf.get_variable("v", initializer=0.0, use_resource=use_resource)
        reads = [section.execute(read_and_add(v, 2.0)) for _ in range(100)]
        session.run(v.initializer)
        assert sorted(session.run(reads)) == [2.0 * i for i in range(100)]
        assert sorted(session.run(reads[:50])) == [200 + 2.0 * i for i in range(50)]
        assert session.run(v) == 300


@pytest.mark.parametrize("use_resource", [False, True])
def test_no_update_of_concurrent_steps_is_lost(use_resource):
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.CriticalSection()
        v = tf.get_variable("v", initializer=0, use_resource=use_resource)
        # The step also reads the variable without the lock: that value is older than what the sections must see.
        outside = v.read_value() * 1
        reads = [section.execute(read_and_add(v, 1)) for _ in range(3)]
        session.run(v.initializer)
        seen = []

        def work():
            for _ in range(40):
                before, read = session.run([outside, reads])
                assert min(read) >= before
                seen.extend(read)

        in_threads(4, work)
        assert sorted(seen) == list(range(480))
        assert session.run(v) == 480


def test_the_raw_operations_have_the_same_rule():
    with tf.Graph().as_default(), tf.Session() as session:
        mutex = tf.raw_ops.MutexV2(shared_name="one")
        again = tf.raw_ops.MutexV2(shared_name="one")
        v = tf.get_variable("v", initializer=0, use_resource=True)
        reads = []
        for i in range(20):
            lock = tf.raw_ops.MutexLock(mutex=[mutex, again][i % 2])
            with tf.control_dependencies([lock]):
                read = read_and_add(v, 1)()
            with tf.control_dependencies([read]):
                free = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
            with tf.control_dependencies([free]):
                reads.append(tf.identity(read))
        session.run(v.initializer)
        assert session.run(reads) == list(range(20))


def test_a_part_that_needs_another_ones_value_goes_after_it():
    with tf.Graph().as_default(), tf.Session() as session:
        mutex = tf.raw_ops.MutexV2(shared_name="one")
        first = tf.raw_ops.MutexLock(mutex=mutex)
        second = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([second]):
            value = tf.constant(3) + tf.constant(4)
        with tf.control_dependencies([value]):
            second_free = tf.raw_ops.ConsumeMutexLock(mutex_lock=second)
        with tf.control_dependencies([first, second_free]):
            first_free = tf.raw_ops.ConsumeMutexLock(mutex_lock=first)
        session.run([first_free], options=tf.RunOptions(timeout_in_ms=20000))


def test_loops_and_single_parts_share_a_lock():
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.CriticalSection()
        v = tf.get_variable("v", initializer=0, use_resource=True)
        late = tf.py_func(lambda: np.int32(1), [], tf.int32)

        def slow():
            read = v.read_value()
            with tf.control_dependencies([v.assign(read + late)]):
                return tf.identity(read)

        before = section.execute(slow)
        count, total = tf.while_loop(
            lambda i, _: i < 50,
            lambda i, total: (i + 1, total + section.execute(read_and_add(v, 1))),
            [0, 0],
        )
        after = [section.execute(slow) for _ in range(3)]
        session.run(v.initializer)
        options = tf.RunOptions(timeout_in_ms=30000)
        for step in range(3):
            start = 54 * step
            a, (n, s), b = session.run([before, [count, total], after], options=options)
            assert n == 50
            reads = sorted([a, *b])
            assert len(set(reads)) == 4
            assert start <= reads[0]
            assert reads[-1] < start + 54
            assert s == sum(range(start, start + 54)) - sum(reads)


@given(st.data())
def test_sections_are_serializable(data):
    """Sections that read and write in any order give the values of some serial order."""
    locks = data.draw(st.integers(1, 2), label="locks")
    operations = st.lists(st.tuples(st.booleans(), st.integers(1, 5)), min_size=1, max_size=3)
    section = st.tuples(st.integers(0, locks - 1), operations)
    parts = data.draw(st.lists(section, min_size=1, max_size=6), label="sections")
    fetched = data.draw(st.permutations(range(len(parts))), label="fetched")
    with tf.Graph().as_default(), tf.Session() as session:
        sections = [tf.CriticalSection() for _ in range(locks)]
        variables = [tf.get_variable(f"v{i}", initializer=0, use_resource=bool(i)) for i in range(locks)]

        def body(lock, operations):
            def read():
                return tf.add(variables[lock].read_value(), 0)

            def section():
                found = [read()]
                for writes, amount in operations:
                    with tf.control_dependencies([found[-1]]):
                        if writes:
                            done = variables[lock].assign_add(amount)
                            with tf.control_dependencies([done]):
                                found.append(read())
                        else:
                            found.append(read())
                with tf.control_dependencies(found):
                    return tf.stack(found)

            return section

        results = [sections[lock].execute(body(lock, operations)) for lock, operations in parts]
        session.run(tf.global_variables_initializer())
        values = session.run([results[i] for i in fetched])
        ends = session.run(variables)
    for lock in range(locks):
        mine = [(parts[i][1], list(v)) for i, v in zip(fetched, values, strict=True) if parts[i][0] == lock]
        added = [sum(amount for writes, amount in operations if writes) for operations, _ in mine]
        assert ends[lock] == sum(added)
        for operations, read in mine:
            steps = [amount if writes else 0 for writes, amount in operations]
            assert np.diff(read).tolist() == steps
        # Parts in the order of their first reads follow each other without a gap.
        at = 0
        for (_, read), amount in sorted(zip(mine, added, strict=True), key=lambda part: (part[0][1][0], part[1])):
            assert read[0] == at
            at += amount


def test_a_lock_is_free_after_a_part_fails():
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.CriticalSection(shared_name="cs")
        v = tf.get_variable("v", initializer=0.0, use_resource=True)
        session.run(v.initializer)

        def failing():
            with tf.control_dependencies([tf.Assert(False, ["wrong"])]):
                return v.read_value()

        broken, whole = section.execute(failing), section.execute(v.read_value)
        for _ in range(20):
            with pytest.raises(tf.errors.InvalidArgumentError, match="wrong"):
                session.run([broken, whole])
            assert session.run(whole) == 0.0


def test_an_uninitialized_variable_behind_a_lock_is_named():
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.CriticalSection()
        v = tf.get_variable("v", initializer=0.0)
        with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"):
            session.run(section.execute(lambda: v.read_value() + 1.0))
        with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"):
            session.run(section.execute(lambda: v.read_value().op))


def test_the_graph_has_tensorflows_nodes():
    with tf.Graph().as_default() as graph:
        section = tf.CriticalSection(name="cs")
        v = tf.get_variable("v", shape=[], initializer=tf.zeros_initializer(), use_resource=True)
        x = tf.constant(2.0, name="x")

        def fn():
            read = v.read_value()
            with tf.control_dependencies([read]):
                written = v.assign_add(x)
            with tf.control_dependencies([written]):
                return tf.identity(read), written

        outputs = section.execute(fn, name="ex")
        nodes = {
            op.name: (op.type, [i.name for i in op.inputs], sorted(c.name for c in op.control_inputs))
            for op in graph.get_operations()
        }
    assert [output.name for output in outputs] == ["ex/Identity_4:0", "ex/Identity_5:0"]
    assert section.name == "cs"
    # Values of TensorFlow 1.15.5.
    assert nodes["ex/MutexLock"] == ("MutexLock", ["cs:0"], ["ex/group_deps"])
    assert nodes["ex/Read/ReadVariableOp"] == ("ReadVariableOp", ["v:0"], ["ex/MutexLock"])
    assert nodes["ex/group_deps"] == ("NoOp", [], ["v", "x"])
    assert nodes["ex/ConsumeMutexLock"] == ("ConsumeMutexLock", ["ex/MutexLock:0"], ["ex/Identity_2", "ex/Identity_3"])
    assert nodes["ex/Identity_4"] == ("Identity", ["ex/tuple/control_dependency:0"], ["ex/ConsumeMutexLock"])
    assert graph.get_collection("critical_sections") == [section]
    assert [e.op.name for e in graph.get_collection("critical_section_executions")] == ["ex/MutexLock"]


def test_a_section_inside_itself_or_over_anothers_resources_is_refused():
    with tf.Graph().as_default():
        section, other = tf.CriticalSection(shared_name="cs"), tf.CriticalSection(shared_name="other")
        same = tf.CriticalSection(shared_name="cs")
        with pytest.raises(
            ValueError, match="attempts to directly access the CriticalSection in which it would be running"
        ):
            section.execute(lambda: same.execute(lambda: tf.constant(1.0) + 1.0))
        v = tf.get_variable("v", initializer=0.0, use_resource=True)
        section.execute(lambda: v + 1.0)
        for exclusive in [True, False]:
            with pytest.raises(ValueError, match="requested exclusive resource access"):
                other.execute(lambda: v + 1.0, exclusive_resource_access=exclusive)
        w = tf.get_variable("w", initializer=0.0, use_resource=True)
        section.execute(lambda: w + 1.0, exclusive_resource_access=False)
        other.execute(lambda: w + 1.0, exclusive_resource_access=False)


def test_the_form_of_1_8_passes_arguments():
    with tf.Graph().as_default(), tf.Session() as session:
        section = tf.contrib.framework.CriticalSection()
        added = section.execute(lambda a, b: a + b, tf.constant(1.0), b=tf.constant(2.0), name="sum")
        assert session.run(added) == 3.0
        assert added.name.startswith("sum/")


def test_messages_are_refused():
    with pytest.raises(NotImplementedError, match="shared_name"):
        tf.CriticalSection(critical_section_def=object())
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.CriticalSection(name="a", critical_section_def=object())

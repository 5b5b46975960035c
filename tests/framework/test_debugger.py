"""`tensorflow.python.debug`: the debugger's commands, the folders of values, and what runs beside them."""

import io

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python import debug


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


def _graph():
    x = tf.placeholder(tf.float32, [2], name="x")
    w = tf.Variable([2.0, 0.0], name="w")
    product = tf.multiply(x, w, name="product")
    quotient = tf.divide(1.0, product, name="quotient")
    return x, w, quotient


def _typed(monkeypatch, *lines):
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_commands_on_a_pipe(monkeypatch, capsys):
    x, w, quotient = _graph()
    sess = debug.LocalCLIDebugWrapperSession(tf.Session(), ui_type="readline")
    _typed(
        monkeypatch, "run -n", "help", "ri", "run", "lt", "pt product:0", "pt product [1:2]", "ni quotient",
        "li product", "lo x", "pf x", "lt -f has_inf_or_nan", "nonsense", "pt nothing", "run",
    )  # fmt: skip
    sess.run(w.initializer)
    result = sess.run(quotient, {x: [1.0, 3.0]})
    np.testing.assert_array_equal(result, [0.5, np.inf])
    shown = capsys.readouterr().out
    for text in (
        "about to run: w/Assign",
        "print_tensor, pt",
        "Feeds: [x:0]",
        "product:0  Mul  float32  (2,)  8 bytes",
        "[2. 0.]",
        "[0.]",
        "Op: RealDiv",
        "[Placeholder] x",
        "[Mul] product",
        "[1. 3.]",
        'Invalid command prefix "nonsense"',
        'Watch key "nothing:0:DebugIdentity" does not exist',
    ):
        assert text in shown, text
    listed = shown.split("lt -f")[-1]
    assert "quotient:0" in listed


def test_a_filter_runs_until_a_value_passes(monkeypatch, capsys):
    x, w, quotient = _graph()
    sess = debug.LocalCLIDebugWrapperSession(tf.Session())
    sess.add_tensor_filter("large", lambda datum, tensor: datum.node_name == "product" and tensor[0] > 100)
    sess.session.run(w.initializer)
    _typed(monkeypatch, "run -f nothing", "run -f large", "pt product", "run -t 3", "run -n")
    seen = []
    for i in range(80):
        sess.run(quotient, {x: [i, 1.0]})
        if "filter large passes" in capsys.readouterr().out:
            seen.append(i)
    assert seen == [51]


def test_the_program_goes_on_where_the_input_ends(monkeypatch):
    _, w, _ = _graph()
    _typed(monkeypatch)
    with debug.LocalCLIDebugWrapperSession(tf.Session()) as sess:
        sess.run(tf.global_variables_initializer())
        assert w.eval().tolist() == [2.0, 0.0]
        assert tf.train.Saver().save(sess, f"{tf.test.get_temp_dir()}/model")


def test_a_failing_step_is_shown_and_raised(monkeypatch, capsys):
    x = tf.placeholder(tf.float32, name="x")
    checked = tf.check_numerics(1.0 / x, "bad")
    sess = debug.LocalCLIDebugWrapperSession(tf.Session())
    _typed(monkeypatch, "run", "ni x", "run")
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        sess.run(checked, {x: 0.0})
    assert "step failed" in capsys.readouterr().out


def test_exit_ends_the_program(monkeypatch):
    _typed(monkeypatch, "exit")
    with pytest.raises(SystemExit):
        debug.LocalCLIDebugWrapperSession(tf.Session()).run(tf.constant(1))


def test_values_of_a_step_are_those_of_a_step_without_the_debugger():
    """The law of watching: fetching every value changes no result, in training too."""

    def losses(wrap, folder):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(3)
            w = tf.get_variable("w", [3, 3])
            loss = tf.reduce_sum(tf.square(tf.matmul(w, tf.random_normal([3, 2]))))
            train = tf.train.AdamOptimizer(0.1).minimize(loss)
            sess.run(tf.global_variables_initializer())
            session = wrap(sess, folder)
            return [session.run([loss, train])[0] for _ in range(5)]

    folder = f"{tf.test.get_temp_dir()}/dumped"
    assert losses(debug.DumpingDebugWrapperSession, folder) == losses(lambda sess, _: sess, None)


def test_a_folder_of_values(tmp_path):
    x, w, quotient = _graph()
    with tf.Session() as sess:
        sess.run(w.initializer)
        dumping = debug.DumpingDebugWrapperSession(sess, str(tmp_path / "dump"))
        dumping.run(quotient, {x: [1.0, 3.0]})
    (step,) = (tmp_path / "dump").iterdir()
    found = debug.DebugDumpDir(str(step))
    assert found.get_tensors("product", 0, "DebugIdentity")[0].tolist() == [2.0, 0.0]
    assert [datum.node_name for datum in found.find(debug.has_inf_or_nan)] == ["quotient"]
    assert set(found.nodes()) >= {"x", "product", "quotient"}
    assert found.run_feed_keys_info == "x:0"
    (path,) = found.get_tensor_file_paths("quotient", 0)
    assert debug.load_tensor_from_event_file(path).tolist() == [0.5, float("inf")]
    assert found.size == len(list(found)) == len(found.dumped_tensor_data)
    with pytest.raises(ValueError, match="does not exist"):
        found.get_tensors("product", 1)
    with pytest.raises(ValueError, match="non-empty"):
        debug.DumpingDebugWrapperSession(sess, str(tmp_path))
    with pytest.raises(OSError, match="does not exist"):
        debug.DebugDumpDir(str(tmp_path / "nothing"))


def test_hooks(tmp_path, monkeypatch, capsys):
    step = tf.train.get_or_create_global_step()
    train = tf.assign_add(step, 1, name="train")
    hooks = [debug.LocalCLIDebugHook(ui_type="readline"), debug.DumpingDebugHook(str(tmp_path / "dump"))]
    _typed(monkeypatch, "run", "lt", "run", "run -n", "run -n")
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        assert [sess.run(train) for _ in range(3)] == [1, 2, 3]
    assert "train:0  AssignAdd" in capsys.readouterr().out
    assert len(list((tmp_path / "dump").iterdir())) == 3


def test_values_within_loops_and_conditionals_are_left_out(tmp_path):
    x = tf.placeholder(tf.int32, [], name="x")
    chosen = tf.cond(x > 0, lambda: x + 1, lambda: x - 1)
    total = tf.while_loop(lambda i: i < 10, lambda i: i + chosen, [x])
    with tf.Session() as sess:
        assert debug.DumpingDebugWrapperSession(sess, str(tmp_path)).run(total, {x: 3}) == 11
    (step,) = tmp_path.iterdir()
    assert "x" in debug.DebugDumpDir(str(step)).nodes()


@pytest.mark.parametrize("name", ["TensorBoardDebugWrapperSession", "GrpcDebugHook", "TensorBoardDebugHook"])
def test_debug_servers_are_refused_with_advice(name):
    with pytest.raises(NotImplementedError, match="LocalCLIDebugWrapperSession"):
        getattr(debug, name)(None, "localhost:6064")


@pytest.mark.parametrize(
    ("value", "expected"),
    [([1.0, np.nan], True), ([np.inf], True), ([1j * np.inf], True), ([1.0], False), ([3], False), (b"nan", False)],
)
def test_has_inf_or_nan(value, expected):
    assert debug.has_inf_or_nan(None, np.array(value)) is expected
    assert debug.has_inf_or_nan(None, None) is False

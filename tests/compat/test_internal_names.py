"""Libraries of TensorFlow 1's time find the internal names that they import, with TensorFlow's meaning."""

import importlib
import inspect
import subprocess
import sys
import types

import numpy as np
import pytest
from compat.internal_names import IMPORTED, NAMES
from compat.virtual_paths import names_an_absent_function

import ferroflow as tf
from ferroflow.python import _table


@pytest.mark.parametrize("module", NAMES)
def test_names_are_there(module):
    found = importlib.import_module(f"ferroflow.{module}")
    missing = [name for name in NAMES[module].split() if not hasattr(found, name)]
    assert missing == []


@pytest.mark.parametrize("module", IMPORTED)
def test_modules_of_what_is_not_offered_can_be_imported(module):
    found = importlib.import_module(f"ferroflow.{module}")
    with pytest.raises(AttributeError, match="is not in ferroflow"):
        found.no_such_name  # noqa: B018


def test_a_name_is_a_module_only_where_tensorflow_has_one():
    for path, entry in _table._table().items():
        if not path or path.startswith("contrib") or names_an_absent_function(path):
            continue
        module = importlib.import_module(f"ferroflow.{path}")
        for name in entry.get("names", {}):
            found = getattr(module, name, None)
            assert not isinstance(found, types.ModuleType), f"{path}.{name}"


def test_a_function_stands_before_the_module_of_its_name():
    importlib.import_module("ferroflow.contrib.framework.python.ops.arg_scope")
    assert tf.contrib.framework.python.ops.arg_scope is tf.contrib.framework.arg_scope
    from ferroflow.contrib.framework.python.ops import arg_scope

    assert arg_scope is tf.contrib.framework.arg_scope


def test_what_a_module_lacks_is_an_import_error():
    with pytest.raises(ImportError):
        exec("from ferroflow.python.framework.smart_cond import no_such_function")
    with pytest.raises(ImportError):
        exec("from ferroflow.python.ops.control_flow_ops import no_such_function")


def test_the_table_costs_nothing_until_it_is_used():
    code = "import sys, ferroflow; print([m for m in sys.modules if 'internals' in m or m == 'ferroflow.python'])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_ragged_dispatchers_are_imported_when_a_function_first_refuses_its_arguments():
    code = """
import sys
import ferroflow as tf
late = {f"ferroflow._src.ops.ragged.{m}" for m in ("broadcasting", "dispatching", "joining", "reducing", "selecting")}
late.add("ferroflow.ragged")
print(sorted(late & set(sys.modules)))
rows = tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3])
print(type(tf.reduce_sum(rows, axis=1)).__name__, sorted(late - set(sys.modules)))
value = tf.Session().run(rows + 1)
print(type(value).__module__, type(value) is tf.ragged.RaggedTensorValue)
"""
    lines = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
    assert lines == ["[]", "Tensor ['ferroflow.ragged']", "ferroflow.ragged True"]


def test_questions_about_eager_execution_are_answered_for_graphs():
    from ferroflow.contrib import eager as tfe
    from ferroflow.python import tf2
    from ferroflow.python.eager import context

    assert not (context.executing_eagerly())
    assert not (context.in_eager_mode())
    assert not (context.context().executing_eagerly())
    assert context.in_graph_mode()
    assert not (tfe.executing_eagerly())
    assert not (tf2.enabled())
    with context.graph_mode():
        pass
    with pytest.raises(NotImplementedError, match="eager"), context.eager_mode():
        pass
    (gradient,) = tfe.gradients_function(lambda x: x * x)(3.0)  # as in TensorFlow 1.15, which builds a graph, too
    with tf.Session(graph=gradient.graph) as session:
        assert session.run(gradient) == 6.0


def test_arguments_of_decorated_and_bound_callables():
    import functools

    from ferroflow.python.estimator.util import fn_args
    from ferroflow.python.util import function_utils, tf_decorator, tf_inspect

    def given(a, b, c=3, *rest, d=4, **more):
        return a

    class Called:
        def __call__(self, features, labels):
            return features

    wrapped = tf_decorator.make_decorator(given, lambda *args, **kwargs: given(*args, **kwargs))
    assert tf_inspect.getargspec(wrapped) == (["a", "b", "c"], "rest", "more", (3,))
    assert tf_inspect.getargspec(functools.partial(given, 1, c=5)) == (["b", "c"], "rest", "more", (5,))
    assert tf_inspect.getfullargspec(wrapped).kwonlyargs == ["d"]

    # Other decorators are not looked through, as in TensorFlow; those of this package are.
    @functools.wraps(given)
    def passing(*args, **kwargs):
        return given(*args, **kwargs)

    assert tf_inspect.getargspec(passing) == ([], "args", "kwargs", None)
    assert tf_inspect.getargspec(tf.contrib.framework.add_arg_scope(given)).args == ["a", "b", "c"]
    assert fn_args(Called()) == ("features", "labels")
    assert fn_args(Called().__call__) == ("features", "labels")
    assert fn_args(functools.partial(given, 1, c=5)) == ("b",)
    assert function_utils.has_kwargs(given)
    assert not function_utils.has_kwargs(Called())
    assert function_utils.get_func_name(functools.partial(given)) == "given"
    with pytest.raises(ValueError, match="callable"):
        fn_args(3)
    with pytest.raises(ValueError, match="default"):
        tf_inspect.getargspec(functools.partial(given, a=1))


def test_old_functions_warn_once_and_say_so_in_their_documentation(monkeypatch):
    from ferroflow._src.base import tf_logging
    from ferroflow.python.util import deprecation

    written = []
    monkeypatch.setattr(tf_logging, "warning", lambda text, *_: written.append(text))

    @deprecation.deprecated("2018-01-01", "Use new.")
    def old(x):
        """Adds one."""
        return x + 1

    @deprecation.deprecated_args(None, "Give size.", "length", ("kind", 2))
    def sized(length=None, size=None, kind=2):
        return length or size

    assert (old(1), old(2)) == (2, 3)
    assert len(written) == 1
    assert "2018-01-01" in written[0]
    assert old.__doc__ == "Adds one. (deprecated)\n\nInstructions for updating:\nUse new."
    assert (sized(size=3), sized(size=3, kind=2)) == (3, 3)
    assert len(written) == 1
    assert (sized(4), sized(length=4), sized(kind=3)) == (4, 4, None)
    assert len(written) == 3
    with deprecation.silence():
        assert deprecation.deprecated_alias("a", "b", len)([1]) == 1
    assert len(written) == 3
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        deprecation.deprecated("soon", "Use new.")
    with pytest.raises(ValueError, match="not present"):
        deprecation.deprecated_args(None, "Give size.", "nothing")(lambda x: x)


def test_undocumented_names_are_removed_and_come_back():
    from ferroflow.python.util import all_util

    module = types.ModuleType("documented", "Text.\n\n@@kept\n")
    module.kept, module.allowed, module.gone, module._own = 1, 2, 3, 4
    sys.modules["documented"] = module
    try:
        all_util.remove_undocumented("documented", ["allowed"])
        assert (module.kept, module.allowed, module._own, hasattr(module, "gone")) == (1, 2, 4, False)
        all_util.reveal_undocumented("documented.gone")
        assert module.gone == 3
    finally:
        del sys.modules["documented"]


def test_a_function_with_a_gradient_of_its_own():
    from ferroflow.python.framework import function

    @function.Defun(tf.float32, python_grad_func=lambda op, grad: 3.0 * grad * op.inputs[0])
    def same(x):
        return tf.identity(x)

    @function.Defun(tf.float32, tf.float32)
    def slope(x, grad):
        return 10.0 * x * grad

    @function.Defun(tf.float32, grad_func=slope, shape_func=lambda op: [[2]])
    def square(x):
        return x * x

    @function.Defun(func_name="both")
    def both(x, y):
        return x + y, x * y

    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        feed = {x: [1.0, 2.0]}
        assert sess.run(tf.gradients(same(x), x)[0], feed).tolist() == [3.0, 6.0]
        assert square(x).shape.as_list() == [2]
        assert sess.run(tf.gradients(square(x), x)[0], feed).tolist() == [10.0, 20.0]
        total, product = both(x, 2.0 * x)
        assert [v.tolist() for v in sess.run([total, product], feed)] == [[3.0, 6.0], [2.0, 8.0]]
        assert sess.run(tf.gradients(product, x)[0], feed).tolist() == [4.0, 8.0]
        assert both.name == "both"
        with pytest.raises(ValueError, match="number of arguments"):
            square(x, x)
    with pytest.raises(ValueError, match="defaults"):
        function.Defun()(lambda x=1: x)
    with pytest.raises(ValueError, match="twice"):
        function.Defun(grad_func=slope, python_grad_func=len)


def test_a_tape_in_a_graph_sees_what_it_recorded_alone():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=3.0)
        unused = tf.get_variable("unused", initializer=1.0)
        x = tf.constant(2.0)
        before = x * 5.0
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * v + before
            with tape.stop_recording():
                hidden = x * 7.0
            z = y + hidden
        sess.run(tf.global_variables_initializer())
        assert sess.run(tape.gradient(z, [x, v])) == [12.0, 4.0]
        assert tape.gradient(z, {"a": unused}) == {"a": None}
        assert tape.watched_variables() == (v,)
        other = tf.constant(1.0)
        with tf.GradientTape(watch_accessed_variables=False) as once:
            w = v * other
        assert once.gradient(w, [v, other]) == [None, None]
        with pytest.raises(RuntimeError, match="only be called once"):
            once.gradient(w, v)


def test_elements_of_graphs_are_told_apart():
    from ferroflow.python.framework import ops

    with tf.Graph().as_default() as graph:
        dense, variable = tf.constant(1.0), tf.Variable(1.0)
        sparse = tf.SparseTensor([[0]], [1.0], [1])
        assert isinstance(dense, ops._TensorLike)
        assert isinstance(sparse, ops._TensorLike)
        assert not isinstance(variable, ops._TensorLike)
        assert [ops.is_dense_tensor_like(t) for t in (dense, variable, sparse, 1.0)] == [True, True, False, False]
        assert ops._get_graph_from_inputs([dense, sparse]) is graph

        class Like:
            name = property(lambda self: "like")
            dtype = property(lambda self: tf.float32)

        ops.register_dense_tensor_like_type(Like)
        assert ops.is_dense_tensor_like(Like())
        with pytest.raises(TypeError, match="`name` property"):
            ops.register_dense_tensor_like_type(int)
    assert ops.strip_name_scope("loc:@a/b/c", "a/") == "loc:@b/c"
    assert ops.strip_name_scope("^ab/c", "a") == "^ab/c"
    assert ops.prepend_name_scope("^b", "a") == "^a/b"
    assert ops.uid() != ops.uid()


def test_device_functions_reach_objects_in_place_of_operations():
    class Old:
        device = None

        def _set_device(self, device):
            self.device = device

    class New:
        text = None

        def _set_device_from_string(self, text):
            self.text = text

    with tf.Graph().as_default() as graph:
        old, new = Old(), New()
        graph._apply_device_functions(old)
        graph._apply_device_functions(new)
        assert old.device is new.text is None
        with tf.device("/device:GPU:1"):
            graph._apply_device_functions(old)
            graph._apply_device_functions(new)
        assert (old.device.device_type, old.device.device_index, new.text) == ("GPU", 1, "/device:GPU:1")


def test_shapes_and_bools_as_keras_takes_them():
    shape = tf.TensorShape([2, None])
    assert [d.value for d in shape._dims] == [2, None]
    shape._dims = [3]
    assert shape.as_list() == [3]
    assert tf.TensorShape(None)._dims is None
    assert tf.compat.dimension_value(tf.Dimension(3)) == tf.dimension_value(3) == 3
    assert tf.Tensor.__nonzero__ is tf.Tensor.__bool__
    with tf.Graph().as_default(), tf.Session() as sess:
        a = np.ones((2, 3, 3), np.float32)
        assert sess.run(tf.matmul(a, a, adjoint_a=None, adjoint_b=None))[0, 0, 0] == 3.0


@pytest.mark.parametrize(
    "name",
    [
        *("Adadelta", "AdagradDA", "Adagrad", "Adam", "Ftrl", "GradientDescent", "Momentum", "ProximalAdagrad"),
        *("ProximalGradientDescent", "RMSProp", "SyncReplicas"),
    ],
)
def test_optimizers_derive_from_optimizer_directly(name):
    assert getattr(tf.train, f"{name}Optimizer").__base__ is tf.train.Optimizer


def test_walks_over_graphs():
    from ferroflow.contrib import graph_editor as ge

    with tf.Graph().as_default() as graph:
        with tf.name_scope("in"):
            a = tf.placeholder(tf.float32, name="a")
            b = tf.exp(a, name="b")
        with tf.control_dependencies([b]):
            free = tf.constant(1.0, name="free")
        c = tf.add(b, free, name="c")
        d = tf.argmax([c], name="d")
        assert ge.get_backward_walk_ops(c.op) == [c.op, b.op, free.op, a.op]
        assert ge.get_backward_walk_ops([c], inclusive=False, stop_at_ts=[b]) == [free.op]
        assert b.op in ge.get_backward_walk_ops(free.op, control_inputs=True)
        assert ge.get_backward_walk_ops(d.op, only_differentiable=True) == [d.op]
        assert ge.get_forward_walk_ops(a.op, within_ops=[b.op, c.op]) == [a.op, b.op, c.op]
        assert ge.get_within_boundary_ops(a.op, c.op) == [a.op]
        assert ge.select_ops("^in/", graph=graph) == [a.op, b.op]
        assert ge.select_ts("(?#ts)^free:0$", "(?#ops)in", graph=graph) == [free]
        assert ge.get_name_scope_ops(graph, "in") == [a.op, b.op]
        assert ge.get_tensors(graph)[:2] == [a, b]
        with pytest.raises(ValueError, match="graph"):
            ge.select_ops("in")
        with pytest.raises(TypeError, match="Expected a type"):
            ge.make_list_of_op([1])


def test_conditionals_and_loops_are_found():
    from ferroflow.python.ops import control_flow_util as util

    with tf.Graph().as_default():
        inside = []

        def body(i):
            inside.append(tf.cond(i > 1, lambda: i + 1, lambda: tf.identity(i + 2)))
            return i + 1

        tf.while_loop(lambda i: i < 3, body, [0])
        outside = tf.constant(1)
        assert util.IsInWhileLoop(inside[0].op)
        assert not util.IsInCond(inside[0].op)
        assert not util.IsInWhileLoop(outside.op)
        assert util.GetContainingXLAContext(None) is None
        assert not util.GraphOrParentsInXlaContext(tf.get_default_graph())


def test_ops_as_messages():
    from ferroflow.core.framework import op_def_pb2
    from ferroflow.python import pywrap_tensorflow as pywrap
    from ferroflow.python.framework import op_def_registry

    ops = op_def_pb2.OpList.FromString(pywrap.TF_GetBuffer(pywrap.TF_GetAllOpList()))
    by_name = {op.name: op for op in ops.op}
    assert [arg.name for arg in by_name["MatMul"].input_arg] == ["a", "b"]
    assert set(op_def_registry.get_registered_ops()) == set(by_name)
    op_def_registry.register_op_list(ops)
    ops.op.add(name="NoSuchOp")
    with pytest.raises(ValueError, match="NoSuchOp"):
        op_def_registry.register_op_list(ops)


def test_lists_of_tensors_are_equal_if_they_hold_the_same_tensors():
    class Case(tf.test.TestCase):
        def test_one(self):
            pair = (tf.zeros([2]), tf.ones([2]))
            self.assertAllEqual(pair, list(pair))
            self.assertAllEqual((pair, pair[0]), [pair, pair[0]])
            with pytest.raises(AssertionError):
                self.assertAllEqual(pair, (tf.zeros([2]), pair[1]))
            # One tensor is evaluated, also without a session.
            self.assertAllEqual(pair[0], [0.0, 0.0])

    result = Case("test_one").run()
    assert result.wasSuccessful(), result.failures + result.errors


def test_decorators_of_tests_run_them_in_graphs():
    from ferroflow.python.framework import test_util

    class Case(tf.test.TestCase):
        @test_util.run_in_graph_and_eager_modes
        def test_one(self):
            assert tf.get_default_session() is not None
            self.assertEmpty([])
            self.assertLen([1], 1)
            self.assertItemsEqual([1, 2], [2, 1])
            with self.captureWritesToStream(sys.__stdout__) as written:
                sys.__stdout__.write("hello")
            self.seen = written.contents()

        @test_util.run_gpu_only
        def test_two(self):
            raise AssertionError

    case = Case("test_one")
    result = case.run()
    assert result.wasSuccessful()
    assert case.seen == "hello"
    assert Case("test_two").run().skipped
    with pytest.raises(ValueError, match="only supports test methods"):
        test_util.run_in_graph_and_eager_modes(Case)
    assert inspect.isclass(test_util.run_all_in_graph_and_eager_modes(Case))
    rows = test_util.generate_combinations_with_testcase_name(a=[1, 2], b=["x"])
    assert [(r["a"], r["b"]) for r in rows] == [(1, "x"), (2, "x")]
    assert len({r["testcase_name"] for r in rows}) == 2

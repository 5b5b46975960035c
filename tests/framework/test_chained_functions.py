"""Functions that call each other to any depth, and chains of calls: their values, gradients, and errors."""

from __future__ import annotations

import pytest

import ferroflow as tf

CALLS = ["direct", "PartitionedCall", "StatefulPartitionedCall"]


def _call(node, call, function, argument):
    node.input.append(argument)
    node.op = function if call == "direct" else call
    if call != "direct":
        node.attr["Tin"].list.type.append(tf.float32.as_datatype_enum)
        node.attr["Tout"].list.type.append(tf.float32.as_datatype_enum)
        node.attr["f"].func.name = function


def _function(graph_def, name):
    """Adds a function of x to the library and returns it with a node to be filled, whose first output it returns."""
    function = graph_def.library.function.add()
    function.signature.name = name
    function.signature.input_arg.add(name="x", type=tf.float32.as_datatype_enum)
    function.signature.output_arg.add(name="y", type=tf.float32.as_datatype_enum)
    return function, function.node_def.add(name="n")


def _square(graph_def, name):
    function, node = _function(graph_def, name)
    node.op = "Square"
    node.input.append("x")
    node.attr["T"].type = tf.float32.as_datatype_enum
    function.ret["y"] = "n:y:0"


def _start():
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    node.attr["shape"].shape.SetInParent()
    return graph_def


def nested(depth, call):
    """The graph of x -> f(f(... x ^ 2)): each function calls the one before."""
    graph_def = _start()
    _square(graph_def, "f0")
    for i in range(1, depth):
        function, node = _function(graph_def, f"f{i}")
        _call(node, call, f"f{i - 1}", "x")
        function.ret["y"] = "n:y:0" if call == "direct" else "n:output:0"
    _call(graph_def.node.add(name="y"), call, f"f{depth - 1}", "x")
    return graph_def


def chained(length, call):
    """The graph of x ** (2 ** length): each node calls one function of the value before."""
    graph_def = _start()
    _square(graph_def, "f0")
    last = "x"
    for i in range(length):
        name = "y" if i == length - 1 else f"y{i}"
        _call(graph_def.node.add(name=name), call, "f0", last)
        last = name
    return graph_def


def _value_and_gradient(graph_def, x):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        y, at = graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0")
        (gradient,) = tf.gradients(y, at)
        assert gradient.shape == at.shape
        assert max(len(op.name) for op in graph.get_operations()) < 100
        return session.run([y, gradient], {at: x})


@pytest.mark.parametrize("call", CALLS)
def test_gradients_pass_through_functions_in_functions(call):
    assert _value_and_gradient(nested(100, call), 3.0) == [9.0, 6.0]


@pytest.mark.parametrize("call", CALLS)
def test_gradients_pass_through_long_chains_of_calls(call):
    assert _value_and_gradient(chained(2_000, call), 1.0)[0] == 1.0
    assert _value_and_gradient(chained(3, call), 2.0) == [256.0, 8 * 2.0**7]


def test_ten_thousand_chained_calls_have_their_value():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(chained(10_000, "direct"), name="")
        assert session.run("y:0", {"x:0": 1.0}) == 1.0
        tf.gradients(graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0"))


def test_ten_thousand_nested_calls_are_too_deep_for_the_stack():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(nested(10_000, "direct"), name="")
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"[Ff]unctions are nested too deeply"):
            session.run("y:0", {"x:0": 1.0})
        tf.gradients(graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0"))


def test_the_second_gradient_of_functions_in_functions():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(nested(5, "direct"), name="")
        x = graph.get_tensor_by_name("x:0")
        (first,) = tf.gradients(graph.get_tensor_by_name("y:0"), x)
        (second,) = tf.gradients(first, x)
        assert session.run([first, second], {x: 3.0}) == [6.0, 2.0]


def test_a_function_that_calls_itself_has_no_gradient():
    graph_def = _start()
    function, node = _function(graph_def, "f0")
    _call(node, "PartitionedCall", "f0", "x")
    function.ret["y"] = "n:output:0"
    _call(graph_def.node.add(name="y"), "PartitionedCall", "f0", "x")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(NotImplementedError, match="f0 calls itself"):
            tf.gradients(graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0"))


def test_the_gradient_of_a_call_does_not_compute_results_that_it_does_not_use():
    graph_def = _start()
    function, node = _function(graph_def, "f0")
    # Fails whenever it runs: the argument has one element.
    shape = function.node_def.add(name="shape", op="Const")
    shape.attr["dtype"].type = tf.int32.as_datatype_enum
    shape.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([2]))
    node.op = "Reshape"
    node.input.extend(["x", "shape:output:0"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["Tshape"].type = tf.int32.as_datatype_enum
    function.ret["y"] = "n:output:0"
    function, node = _function(graph_def, "f1")
    _call(node, "PartitionedCall", "f0", "x")
    function.ret["y"] = "n:output:0"
    _call(graph_def.node.add(name="y"), "PartitionedCall", "f1", "x")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        y, x = graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0")
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: 1.0})
        (gradient,) = tf.gradients(y, x, grad_ys=[tf.constant([5.0])])
        assert session.run(gradient, {x: 1.0}) == 5.0


def test_a_result_without_a_gradient_passes_none():
    graph_def = _start()
    function, node = _function(graph_def, "f0")
    node.op = "StopGradient"
    node.input.append("x")
    node.attr["T"].type = tf.float32.as_datatype_enum
    function.ret["y"] = "n:output:0"
    _call(graph_def.node.add(name="y"), "PartitionedCall", "f0", "x")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        assert tf.gradients(graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0")) == [None]


def _two_functions():
    graph_def = _start()
    for name in ("f", "g"):
        _square(graph_def, name)
    _call(graph_def.node.add(name="y"), "direct", "f", "x")
    return graph_def


def _named_as(graph_def, name):
    graph_def.library.function[1].signature.name = name


def _with_gradients(graph_def, *pairs):
    for function, gradient in pairs:
        graph_def.library.gradient.add(function_name=function, gradient_func=gradient)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda g: (_named_as(g, "f"), setattr(g.library.function[1].node_def[0], "op", "Neg")),
            "a different function",
        ),
        (lambda g: _named_as(g, "Neg"), "'Neg' because an op with the same name already exists"),
        (lambda g: _with_gradients(g, ("f", "none")), "missing 'none' FunctionDef"),
        (lambda g: _with_gradients(g, ("none", "g")), "missing 'none' FunctionDef"),
        (lambda g: _with_gradients(g, ("f", "g"), ("f", "f")), "'f' because it already has gradient function 'g'"),
        (
            lambda g: setattr(g.node[1].attr["other"], "i", 3),
            "mentions attr 'other' not in the signature of function f",
        ),
    ],
)
def test_a_library_whose_names_are_ambiguous_is_refused(change, message):
    graph_def = _two_functions()
    change(graph_def)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.import_graph_def(graph_def)


@pytest.mark.parametrize("change", [lambda g: _named_as(g, "f"), lambda g: _with_gradients(g, ("f", "g"), ("f", "g"))])
def test_a_function_or_gradient_may_be_in_a_library_twice(change):
    graph_def = _two_functions()
    change(graph_def)
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, {"x": tf.constant(3.0)}, ["y:0"])
        assert session.run(y) == 9.0

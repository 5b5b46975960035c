"""A GraphDef becomes a graph again: names, inputs, attributes, devices and colocation survive; faults are named."""

import gc
import weakref

import numpy as np
import pytest
from google.protobuf import text_format

import ferroflow as tf

DTYPES = [
    *(tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32),
    *(tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string, tf.qint8, tf.quint8, tf.qint32),
]


def message(text, producer=134, min_consumer=0):
    graph_def = tf.GraphDef()
    text_format.Parse(f"versions {{ producer: {producer} min_consumer: {min_consumer} }} {text}", graph_def)
    return graph_def


def imported(graph_def, name="", **arguments):
    with tf.Graph().as_default() as graph:
        elements = tf.import_graph_def(graph_def, name=name, **arguments)
    return graph, elements


def value_of(dtype):
    if dtype is tf.string:
        return np.array([b"a", b"bc"], object)
    if dtype.is_quantized:
        return np.array([(0,), (1,)], dtype.as_numpy_dtype)
    return np.array([0, 1], dtype.as_numpy_dtype)


def program():
    """A graph with variables, scopes, devices, colocation, control edges and gradients."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
            b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
        with tf.device("/cpu:0"):
            loss = tf.reduce_mean(tf.nn.relu(tf.matmul(x, w) + b), name="loss")
        with tf.colocate_with(w), tf.control_dependencies([loss]):
            tf.identity(b, name="late")
        tf.train.GradientDescentOptimizer(0.5).minimize(loss, name="train")
        tf.variables_initializer([w, b], name="init")
    return graph


def test_an_imported_graph_has_the_message_it_came_from():
    graph_def = program().as_graph_def()
    graph, _ = imported(graph_def)
    assert graph.as_graph_def() == graph_def


def test_an_imported_program_computes_the_same():
    graph, _ = imported(program().as_graph_def())
    with tf.Session(graph=graph) as sess:
        sess.run("init")
        feed = {"x:0": np.ones([4, 3])}
        assert sess.run("loss:0", feed) == 3.0
        sess.run("train", feed)
        assert sess.run("loss:0", feed) < 3.0


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_constants_of_every_type_survive(dtype):
    with tf.Graph().as_default() as graph:
        tf.constant(value_of(dtype), dtype, name="c")
    graph_def = graph.as_graph_def()
    again, _ = imported(graph_def)
    assert again.as_graph_def() == graph_def


def test_nodes_may_come_in_any_order():
    graph_def = program().as_graph_def()
    backwards = tf.GraphDef(versions=graph_def.versions)
    backwards.node.extend(reversed(graph_def.node))
    graph, _ = imported(backwards)
    assert {n.name: n for n in graph.as_graph_def().node} == {n.name: n for n in graph_def.node}


def test_names_get_the_prefix_import_by_default():
    _, (op, tensor) = imported(message('node { name: "a" op: "IntOutput" }'), name=None, return_elements=["a", "a:0"])
    assert op.name == "import/a"
    assert tensor is op.outputs[0]


def test_a_prefix_in_use_is_made_unique_and_one_with_a_slash_is_taken_as_it_is():
    graph_def = message('node { name: "a" op: "IntOutput" } node { name: "b" op: "IntInput" input: "a" }')
    with tf.Graph().as_default():
        names = [tf.import_graph_def(graph_def, name=n, return_elements=["a"])[0].name for n in ("p", "p", "p/", "p/")]
    assert names == ["p/a", "p_1/a", "p/a_1", "p/a_2"]


def test_names_in_use_are_made_unique_with_the_names_that_refer_to_them():
    graph_def = message(
        'node { name: "a" op: "None" }'
        'node { name: "b" op: "None" input: "^a" attr { key: "_class" value { list { s: "loc:@a" } } } }'
    )
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        a, b = tf.import_graph_def(graph_def, name="", return_elements=["a", "b"])
    assert (a.name, b.name) == ("a_1", "b_1")
    assert b.control_inputs == [a]
    assert b.colocation_groups() == [b"loc:@a_1"]


def test_operations_made_later_do_not_take_imported_names():
    with tf.Graph().as_default():
        tf.import_graph_def(message('node { name: "a" op: "None" }'), name="")
        assert tf.no_op(name="a").name == "a_1"


def test_mapped_inputs_replace_nodes_of_the_message():
    graph_def = message(
        'node { name: "a" op: "TwoIntOutputs" }'
        'node { name: "b" op: "TwoIntInputs" input: "a" input: "a:1" }'
        'node { name: "c" op: "None" input: "^a" }'
    )
    with tf.Graph().as_default():
        one, trigger = tf.constant(1), tf.no_op()
        a, b, c = tf.import_graph_def(graph_def, input_map={"a": one, b"^a": trigger}, return_elements=["a", "b", "c"])
    assert list(b.inputs) == [one, a.outputs[1]]
    assert c.control_inputs == [trigger]


def test_a_mapped_variable_is_read():
    graph_def = message(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'
        'node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }'
    )
    with tf.Graph().as_default():
        v = tf.Variable(2.0)
        with pytest.raises(ValueError, match="requires a non-empty `name` if `input_map` contains non-Tensor values"):
            tf.import_graph_def(graph_def, input_map={"x:0": v}, name="")
        (y,) = tf.import_graph_def(graph_def, input_map={"x:0": v}, return_elements=["y:0"])
        with tf.Session() as sess:
            sess.run(v.initializer)
            assert sess.run(y) == -2.0


def test_default_attributes_are_filled_in():
    _, (op,) = imported(message('node { name: "a" op: "OpWithDefaultAttr" }'), return_elements=["a"])
    assert op.get_attr("default_float") == 123.0


@pytest.mark.parametrize("value", ["b: false", 's: ""', "i: 0", "list { }"])
def test_attributes_of_newer_programs_that_ask_for_nothing_are_dropped(value):
    text = 'node { name: "a" op: "IntOutput" attr { key: "newer" value { %s } } }' % value  # noqa: UP031
    _, (op,) = imported(message(text), return_elements=["a"])
    with pytest.raises(ValueError, match="has no attr named 'newer'"):
        op.get_attr("newer")


def test_shapes_in_the_message_narrow_the_inferred_ones():
    shapes = 'attr { key: "_output_shapes" value { list { shape { dim { size: 7 } } } } }'
    text = f'node {{ name: "a" op: "FloatOutput" {shapes} }}'
    _, (tensor,) = imported(message(text), return_elements=["a:0"])
    assert tensor.shape.as_list() == [7]


def test_devices_are_completed_by_the_scopes_around_the_import():
    graph_def = message('node { name: "a" op: "None" device: "/job:worker" } node { name: "b" op: "None" }')
    with tf.Graph().as_default(), tf.device("/job:ps/task:3"):
        a, b = tf.import_graph_def(graph_def, return_elements=["a", "b"])
    assert (a.device, b.device) == ("/job:worker/task:3", "/job:ps/task:3")


def test_a_colocated_node_has_its_partners_device():
    graph_def = message(
        'node { name: "b" op: "None" attr { key: "_class" value { list { s: "loc:@a" } } } }'
        'node { name: "a" op: "None" device: "/device:CPU:0" }'
    )
    _, (b,) = imported(graph_def, return_elements=["b"])
    assert b.device == "/device:CPU:0"


def test_control_dependencies_around_the_import_hold():
    with tf.Graph().as_default():
        first = tf.no_op()
        with tf.control_dependencies([first]):
            (a,) = tf.import_graph_def(message('node { name: "a" op: "None" }'), return_elements=["a"])
    assert a.control_inputs == [first]


def test_scopes_around_the_import_reach_every_node():
    graph_def = message(
        'node { name: "a" op: "IntOutput" device: "/job:worker" } node { name: "b" op: "IntInput" input: "a" }'
    )
    seen = []
    with tf.Graph().as_default() as graph:
        first = tf.no_op()
        with (
            graph.device(lambda op: seen.append(op.name) or f"{op.device}/task:2"),
            graph.gradient_override_map({"IntInput": "Other"}),
            graph.control_dependencies([first]),
        ):
            a, b = tf.import_graph_def(graph_def, name="", return_elements=["a", "b"])
    assert seen == ["a", "b"]
    assert (a.device, b.device) == ("/job:worker/task:2", "/task:2")
    assert b.get_attr("_gradient_op_type") == b"Other"
    assert a.control_inputs == [first]
    assert b.control_inputs == []


def test_an_import_within_a_branch_belongs_to_it():
    graph_def = message(
        'node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }'
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'
    )
    with tf.Graph().as_default():
        x, pred = tf.constant(2.0), tf.placeholder(tf.bool, [])

        def negated():
            return tf.import_graph_def(graph_def, input_map={"x:0": x}, return_elements=["y:0"])[0]

        y = tf.cond(pred, negated, lambda: x)
        with tf.Session() as sess:
            assert [sess.run(y, {pred: value}) for value in (True, False)] == [-2.0, 2.0]


def test_what_a_device_function_raises_is_raised():
    def refuse(op):
        raise KeyError(op.name)

    with tf.Graph().as_default() as graph, graph.device(refuse), pytest.raises(KeyError, match="a"):
        tf.import_graph_def(message('node { name: "a" op: "None" }'), name="")


def test_there_is_one_operation_for_each_imported_node_however_it_is_asked_for():
    graph, _ = imported(program().as_graph_def())
    loss = graph.get_tensor_by_name("loss:0")
    assert graph.get_operation_by_name("loss") is loss.op
    (reader,) = [op for op in loss.op.inputs[0].consumers() if op.name == "loss"]
    assert reader is loss.op
    assert loss.op in graph.get_operations()
    assert [op._id for op in graph.get_operations()] == list(range(graph.version))
    assert graph.get_operations()[loss.op._id] is loss.op


def test_an_imported_operation_knows_the_line_of_the_import():
    graph, _ = imported(message('node { name: "a" op: "None" }'))
    functions = [row[2] for row in graph.get_operation_by_name("a").traceback if row[0] == __file__]
    assert functions[-2:] == ["test_an_imported_operation_knows_the_line_of_the_import", "imported"]


def test_a_graph_goes_on_after_an_import_that_failed():
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="expected inputs"):
            tf.import_graph_def(message('node { name: "a" op: "None" } node { name: "b" op: "IntInput" }'), name="")
        names = [tf.no_op(name="a").name, tf.no_op(name="b").name]
        assert [op.name for op in graph.get_operations()] == names == ["a", "b"]


def test_an_imported_graph_that_nobody_holds_is_gone_at_once():
    graph_def = program().as_graph_def()
    enabled = gc.isenabled()
    gc.disable()
    try:
        graph = weakref.ref(imported(graph_def)[0])
        assert graph() is None
    finally:
        if enabled:
            gc.enable()


def test_attributes_of_functions_survive():
    attr = 'attr { key: "f" value { func { name: "body" attr { key: "n" value { i: 3 } } } } }'
    text = f'node {{ name: "a" op: "FuncAttr" {attr} }}'
    graph, _ = imported(message(text))
    assert graph.as_graph_def().node[0] == message(text).node[0]


def test_versions_are_those_all_parts_can_be_read_with():
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message("", producer=20, min_consumer=5))
        tf.import_graph_def(message("", producer=30, min_consumer=3))
    assert (graph.graph_def_versions.producer, graph.graph_def_versions.min_consumer) == (20, 5)


FAULTS = [
    ('node { name: "a" op: "None" } node { name: "a" op: "None" }', "Node 'a' is not unique"),
    ('node { name: "a b" op: "None" }', "Node 'a b': Node name contains invalid characters"),
    ('node { name: "a" }', "Node 'a' does not specify an operation"),
    ('node { name: "b" op: "IntInput" input: "a:0" }', "Node 'b': Unknown input node 'a:0'"),
    ('node { name: "b" op: "IntInput" input: "a:x" }', "Node 'b': Unknown input node 'a:x'"),
    ('node { name: "b" op: "None" input: "^a" }', r"Node 'b': Unknown input node '\^a'"),
    (
        'node { name: "a" op: "IntOutput" } node { name: "b" op: "IntInput" input: "^a" input: "a" }',
        "Node 'b': Control dependencies must come after regular dependencies",
    ),
    (
        'node { name: "a" op: "FloatOutput" } node { name: "b" op: "FloatInput" input: "a:1" }',
        "Node 'b': Connecting to invalid output 1 of source node a which has 1 outputs",
    ),
    (
        'node { name: "a" op: "IntOutput" } node { name: "b" op: "None" input: "a" }',
        "NodeDef expected inputs '' do not match 1 inputs specified",
    ),
    (
        'node { name: "a" op: "IntOutput" } node { name: "b" op: "IntInputFloatInput" input: "a" }',
        "NodeDef expected inputs 'int32, float' do not match 1 inputs specified",
    ),
    (
        'node { name: "a" op: "IntOutput" } node { name: "b" op: "FloatInput" input: "a" }',
        "Input 0 of node b was passed int32 from a:0 incompatible with expected float.",
    ),
    (
        'node { name: "a" op: "None" input: "^b" } node { name: "b" op: "None" input: "^a" }',
        "2 nodes in a cycle, 'a' among them",
    ),
    (
        'node { name: "b" op: "None" attr { key: "_class" value { list { s: "loc:@a" } } } }',
        "Node 'b' expects to be colocated with unknown node 'a'",
    ),
    (
        'node { name: "a" op: "IntAttr" attr { key: "foo" value { s: "one" } } }',
        "Node 'a': AttrValue had value with type 's' when 'int' expected for attr 'foo'",
    ),
    (
        'node { name: "a" op: "IntOutput" attr { key: "newer" value { i: 1 } } }',
        "NodeDef mentions attr 'newer' not in op IntOutput",
    ),
    (
        'node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
        'attr { key: "_output_shapes" value { list { shape { } shape { } } } } }',
        "Node 'a' has 1 outputs but the _output_shapes attribute specifies shapes for 2 outputs",
    ),
]


@pytest.mark.parametrize(("text", "words"), FAULTS)
def test_a_malformed_graph_is_refused_with_the_nodes_name(text, words):
    with pytest.raises(ValueError, match=words):
        imported(message(text))


def test_a_constant_whose_shape_overflows_is_refused():
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="a", op="Const")
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    node.attr["value"].tensor.dtype = tf.float32.as_datatype_enum
    for size in (1 << 40, 1 << 40):
        node.attr["value"].tensor.tensor_shape.dim.add(size=size)
    with pytest.raises(ValueError, match="Node 'a': attr 'value'"):
        imported(graph_def)


def test_unregistered_ops_of_functions_are_listed_with_those_of_nodes() -> None:
    message = tf.GraphDef()
    message.node.add(name="a", op="Nope")
    function = message.library.function.add()
    function.signature.name = "body"
    function.node_def.add(name="b", op="Nada")
    function.node_def.add(name="c", op="NoOp")
    words = r"not registered 'Nada' \(node 'b' of function 'body'\), 'Nope' \(node 'a'\)"
    with tf.Graph().as_default() as graph, pytest.raises(tf.errors.NotFoundError, match=words):
        tf.import_graph_def(message)
    assert not graph.get_operations()


def test_all_unknown_ops_are_listed_in_one_error():
    with pytest.raises(tf.errors.NotFoundError, match=r"not registered 'Nada' \(node 'b'\), 'Nope' \(node 'a'\)"):
        imported(message('node { name: "a" op: "Nope" } node { name: "b" op: "Nada" }'))


def test_all_nodes_of_an_unknown_op_are_named():
    nodes = message('node { name: "a" op: "Nope" } node { name: "b" op: "NoOp" } node { name: "c/d" op: "Nope" }')
    with pytest.raises(tf.errors.NotFoundError, match=r"'Nope' \(node 'a'\).* 'Nope' is in a, c/d\."):
        imported(nodes)


def test_an_unknown_op_leaves_the_graph_as_it_was():
    with tf.Graph().as_default() as graph:
        with pytest.raises(tf.errors.NotFoundError):
            tf.import_graph_def(message('node { name: "a" op: "None" } node { name: "b" op: "Nope" }'))
        assert graph.get_operations() == []


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"graph_def": ""}, TypeError, "graph_def must be a GraphDef proto."),
        ({"input_map": ["a:0"]}, TypeError, "input_map must be a dictionary mapping strings to Tensor objects"),
        ({"return_elements": [7]}, TypeError, "return_elements must be a list of strings"),
        ({"return_elements": ["a:b:c"]}, ValueError, "Cannot convert 'a:b:c' to a tensor name"),
        ({"return_elements": ["b"]}, ValueError, "Requested return node 'b' not found in graph def"),
        ({"return_elements": ["b:0"]}, ValueError, "Requested return tensor 'b:0' not found in graph def"),
        ({"return_elements": ["a:1"]}, ValueError, r"Invalid return output 1 of node 'a', which has 1 output\(s\)"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        imported(**{"graph_def": message('node { name: "a" op: "IntOutput" }'), **arguments})


@pytest.mark.parametrize("key", ["b:0", "a:2", "^b"])
def test_a_mapped_input_that_names_nothing_is_refused(key):
    with tf.Graph().as_default():
        source = tf.constant(1)
        with pytest.raises(ValueError, match=r"Attempted to map inputs that were not found in graph_def: \["):
            tf.import_graph_def(message('node { name: "a" op: "IntOutput" }'), input_map={key: source})


@pytest.mark.parametrize(
    ("versions", "words"),
    [
        ({"producer": -1}, r"GraphDef producer version -1 below min producer 0 supported by TensorFlow \S+"),
        (
            {"min_consumer": 1 << 30},
            r"GraphDef min consumer version 1073741824 above current version \d+",
        ),
    ],
)
def test_a_graph_of_another_age_is_refused(versions, words):
    with pytest.raises(ValueError, match=words):
        imported(message("", **versions))


def test_old_graphs_meant_any_shape_where_they_wrote_a_scalars():
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [], name="x")
    for producer, shape in ((21, None), (22, 0)):
        graph_def = graph.as_graph_def()
        graph_def.versions.producer = producer
        with tf.Graph().as_default():
            (x,) = tf.import_graph_def(graph_def, return_elements=["x:0"])
            assert x.shape.ndims == shape


def pipeline(*factors):
    """The message of a graph whose functions, one for each factor, multiply three by the factors."""
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.from_tensors(3)
        for factor in factors:
            dataset = dataset.map(lambda x, factor=factor: x * factor)
        tf.identity(dataset.make_one_shot_iterator().get_next(), name="y")
    return graph.as_graph_def()


def functions_of(graph):
    return [function.signature.name for function in graph.as_graph_def().library.function]


def test_functions_come_with_the_nodes_that_call_them():
    message = pipeline(2, 5)
    graph, (y,) = imported(message, return_elements=["y:0"])
    assert functions_of(graph) == [function.signature.name for function in message.library.function]
    with tf.Session(graph=graph) as session:
        assert session.run(y) == 30


@pytest.mark.parametrize("backwards", [False, True])
def test_functions_whose_names_are_taken_get_others(backwards):
    factors = [(2,), (5,), (2,), (7, 2), (2, 7)]
    with tf.Graph().as_default() as graph:
        ys = []
        for each in factors:
            message = pipeline(*each)
            if backwards:
                functions = list(message.library.function)[::-1]
                del message.library.function[:]
                message.library.function.extend(functions)
            ys += tf.import_graph_def(message, return_elements=["y:0"])
        names = functions_of(graph)
        assert len(set(names)) == len(names)
        # The third message has the functions of the first, and the last message one of them.
        assert len(names) == 2 + 2 + 0 + 3 + 2
        with tf.Session() as session:
            assert session.run(ys) == [3 * int(np.prod(each)) for each in factors]
    # Their names survive another import.
    again, found = imported(graph.as_graph_def(), return_elements=[y.name for y in ys])
    with tf.Session(graph=again) as session:
        assert session.run(found) == [3 * int(np.prod(each)) for each in factors]


@pytest.mark.parametrize("name", ["", "scope"])
@pytest.mark.parametrize(
    "last",
    [
        'name: "c" op: "MatMul" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } }',
        'name: "c" op: "Identity" input: "a:1" attr { key: "T" value { type: DT_FLOAT } }',
        'name: "c" op: "Identity" input: "a" attr { key: "T" value { type: DT_INT32 } }',
        'name: "c" op: "Identity" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } }',
    ],
)
def test_a_failed_import_leaves_the_graph_as_it_was(name, last):
    def placeholder(node, rows):
        sizes = f"dim {{ size: {rows} }} dim {{ size: {rows} }}"
        return (
            f'node {{ name: "{node}" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} '
            f'attr {{ key: "shape" value {{ shape {{ {sizes} }} }} }} }} '
        )

    nodes = placeholder("a", 2) + placeholder("b", 3)
    with tf.Graph().as_default() as graph:
        kept = tf.placeholder(tf.float32, [2, 2], name="kept")
        for arguments in ({}, {"input_map": {"a:0": kept}}):
            with pytest.raises(ValueError, match="c"):
                tf.import_graph_def(message(nodes + f"node {{ {last} }}"), name=name, **arguments)
            assert [op.name for op in graph.get_operations()] == ["kept"]
            assert kept.consumers() == []
            assert [node.name for node in graph.as_graph_def().node] == ["kept"]
        tf.import_graph_def(message(nodes), name="")
        # The names of the nodes that were removed are free.
        assert [op.name for op in graph.get_operations()] == ["kept", "a", "b"]
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run("a:0", {"a:0": np.eye(2)}), np.eye(2))

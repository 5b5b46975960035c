"""`ferroflow graph` draws the graph of any file that holds one."""

import xml.etree.ElementTree as ElementTree

import pytest

import ferroflow as tf
from ferroflow.command_line.main import main


def _titles(path):
    return {element.text for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}title")}


@pytest.mark.parametrize(
    "source", ["graph.pb", "graph.pbtxt", "checkpoint", "saved", "events", "checkpoint/model-3.meta"]
)
def test_the_graph_of_every_kind_of_file_is_drawn(model, tmp_path, capsys, source):
    assert main(["graph", str(model / source), "--svg", str(tmp_path / "a.svg")]) == 0
    assert "a.svg" in capsys.readouterr().out
    titles = _titles(tmp_path / "a.svg")
    assert "x\ntype: Placeholder\noutputs: ?x3" in titles
    assert any(title.startswith("hidden/\n") for title in titles)


def test_one_scope_and_a_page_are_drawn(model, tmp_path):
    options = ["--svg", str(tmp_path / "a.svg"), "--html", str(tmp_path / "a.html"), "--scope", "hidden/"]
    assert main(["graph", str(model / "graph.pb"), *options]) == 0
    assert "hidden/MatMul\ntype: MatMul\noutputs: ?x4" in _titles(tmp_path / "a.svg")
    assert "<summary>kernel (variable 3x4)</summary>" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_operations_that_are_not_known_are_drawn(tmp_path):
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="SomebodysOp")
    graph_def.node.add(name="b", op="SomebodysOp", input=["a:1", "^a"])
    (tmp_path / "g.pb").write_bytes(graph_def.SerializeToString())
    assert main(["graph", str(tmp_path / "g.pb"), "--svg", str(tmp_path / "g.svg")]) == 0
    assert _titles(tmp_path / "g.svg") == {"a\ntype: SomebodysOp", "b\ntype: SomebodysOp", "a to b: tensor"}


def _planned(tmp_path, capsys, build, fetches):
    with tf.Graph().as_default() as graph:
        build()
    (tmp_path / "p.pb").write_bytes(graph.as_graph_def().SerializeToString())
    assert main(["graph", str(tmp_path / "p.pb"), "--plan", fetches]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_plan_says_what_was_fused_and_why(tmp_path, capsys):
    def build():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        v = tf.Variable(tf.ones([3, 4]), name="v")
        hidden = tf.nn.relu(tf.matmul(x, v, name="product") + tf.constant([1.0, 2.0, 3.0, 4.0]), name="hidden")
        tf.tanh(tf.square(hidden, name="square") * 2.0, name="loss")

    load, product, loss, fetch, span = _planned(tmp_path, capsys, build, "loss")
    assert load.startswith("0: load v -> %")
    assert product.startswith("1: _FusedMatMul hidden (%0., %")
    assert "[1.0, 2.0, 3.0, 4.0]" in product
    assert "; fuses product, add: the product adds its bias" in product
    assert "; fuses square, mul: a tree of elementwise ops" in loss
    assert fetch.startswith("fetch 0: %")
    assert span == "work: 3 instructions; span: 3 one after the other"


def test_a_plan_shows_conditions_loops_and_equal_nodes(tmp_path, capsys):
    def build():
        x = tf.placeholder(tf.float32, [2], name="x")
        axis = tf.constant(0)
        total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + x), [tf.constant(0), x])[1]
        counted = tf.while_loop(lambda i: i < 9, lambda i: i * 2, [tf.cast(tf.reduce_sum(x), tf.int32)], name="count")
        total += tf.while_loop(lambda i: i < 9.0, lambda i: i * 2.0, [tf.placeholder(tf.float32)], name="fed")
        total += tf.cast(counted, tf.float32)
        chosen = tf.cond(tf.reduce_sum(x) > 1.0, lambda: tf.cumsum(x), lambda: total, name="choice")
        tf.add_n([chosen, tf.cumprod(x, axis, name="one"), tf.cumprod(x, axis, name="two")], name="out")

    lines = _planned(tmp_path, capsys, build, "out:0")
    assert any(": loop while/while_context (" in line for line in lines)
    for name in ("count", "fed"):
        assert any(f": loop (of scalars if its inputs are scalars) {name}/while_context (" in line for line in lines)
    assert any(line.strip().startswith("while %") and line.endswith(" is true") for line in lines)
    assert any(line.strip().startswith("next %") for line in lines)
    assert any("Cumsum" in line and " if " in line for line in lines)
    assert any(": merge choice/Merge" in line for line in lines)
    assert any("; stands for two: equal op, attributes and inputs" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["graph.pb"], 2, "name a file to write"),
        (["graph.pb", "--svg", "OUT", "--scope", "nowhere"], 1, "no node is in the scope nowhere"),
        (["graph.pb", "--plan", "nowhere"], 1, "nowhere"),
        (["records", "--svg", "OUT"], 2, "hold no graph"),
        (["graph.pb", "--svg", "OUT/no/folder"], 2, "folder"),
    ],
)
def test_what_cannot_be_drawn_is_said(model, tmp_path, capsys, arguments, status, complaint):
    options = [argument.replace("OUT", str(tmp_path / "a.svg")) for argument in arguments[1:]]
    assert main(["graph", str(model / arguments[0]), *options]) == status
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

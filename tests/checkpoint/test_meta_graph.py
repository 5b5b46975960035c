"""Laws of MetaGraphDefs: a graph that is exported and imported computes the same and has the same collections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.checkpoint.meta_graph_export import create_meta_graph_def, export_scoped_meta_graph
from ferroflow._src.checkpoint.meta_graph_import import copy_scoped_meta_graph, import_scoped_meta_graph


def _model() -> tuple[Any, Any]:
    """A layer with a loss; the placeholder that it reads, and its training operation."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.variable_scope("layer"):
        w = tf.get_variable("w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        y = tf.matmul(x, w, name="y")
    loss = tf.reduce_sum(tf.square(y), name="loss")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, name="train", global_step=tf.train.create_global_step()
    )
    for key, value in (("out", y), ("out", "text"), ("numbers", 3), ("rates", 0.5)):
        tf.add_to_collection(key, value)
    return x, train


def test_training_goes_on_from_the_files_as_it_would_have(tmp_path: Path) -> None:
    feed = np.ones((2, 3), np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x, train = _model()
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        session.run(train, {x: feed})
        path = saver.save(session, str(tmp_path / "model"), global_step=tf.train.get_global_step())
        session.run(train, {x: feed})
        wanted = session.run("layer/w:0")
    assert path == str(tmp_path / "model-1")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        again = tf.train.import_meta_graph(path + ".meta")
        again.restore(session, path)
        session.run("train", {"x:0": feed})
        assert np.array_equal(session.run("layer/w:0"), wanted)
        assert session.run("global_step:0") == 2
        assert [v.name for v in tf.trainable_variables()] == ["layer/w:0"]
        assert tf.trainable_variables()[0] is tf.global_variables()[0]
        assert tf.get_collection("numbers") == [3]
        assert tf.get_collection("rates") == [0.5]
        assert tf.train.get_global_step(graph).op.name == "global_step"


def test_text_and_binary_files_say_the_same(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        _model()
        binary, text = str(tmp_path / "a.meta"), str(tmp_path / "sub" / "b.meta")
        exported = tf.train.export_meta_graph(binary)
        tf.train.export_meta_graph(text, as_text=True)
    assert Path(text).read_text(encoding="utf-8").startswith("meta_info_def {")
    assert tf.MetaGraphDef.FromString(Path(binary).read_bytes()) == exported
    for file in (binary, text):
        with tf.Graph().as_default() as graph:
            assert tf.train.import_meta_graph(file) is not None
            assert graph.get_tensor_by_name("layer/y:0").shape.as_list() == [None, 2]
    (tmp_path / "c.meta").write_text("nothing of the kind {", encoding="utf-8")
    with tf.Graph().as_default():
        with pytest.raises(OSError, match="Cannot parse file"):
            tf.train.import_meta_graph(str(tmp_path / "c.meta"))
        with pytest.raises(OSError, match="does not exist"):
            tf.train.import_meta_graph(str(tmp_path / "d.meta"))


def test_an_import_scope_is_before_all_names() -> None:
    with tf.Graph().as_default():
        _model()
        tf.train.Saver()
        exported = tf.train.export_meta_graph(saver_def=tf.train.Saver().as_saver_def())
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(exported, import_scope="again")
        assert saver is not None
        assert saver.as_saver_def().restore_op_name == "again/save_1/restore_all"
        assert exported.saver_def.restore_op_name == "save_1/restore_all"
        assert sorted(v.op.name for v in tf.global_variables()) == ["again/global_step", "again/layer/w"]
        session.run(tf.global_variables_initializer())
        assert session.run("again/loss:0", {"again/x:0": np.ones((1, 3))}) == 6.0**2 + 9.0**2


def test_a_scope_is_exported_alone_and_its_inputs_are_given_on_import() -> None:
    with tf.Graph().as_default():
        x = tf.constant([[1.0, 2.0]], name="x")
        with tf.name_scope("inside"):
            w = tf.Variable([[1.0], [10.0]], name="w")
            tf.matmul(x, w, name="y")
        exported, variables = export_scoped_meta_graph(export_scope="inside")
        assert list(variables) == ["w:0"]
    names = {node.name for node in exported.graph_def.node}
    assert {"w", "y"} <= names
    assert not any(name.startswith("inside") for name in names)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Graph contains unbound inputs"):
        import_scoped_meta_graph(exported, import_scope="new")
    with tf.Graph().as_default(), tf.Session() as session:
        given = {"$unbound_inputs_x": tf.constant([[3.0, 4.0]])}
        found = import_scoped_meta_graph(exported, import_scope="new", input_map=given)
        session.run(found["w:0"].initializer)
        assert session.run("new/y:0").tolist() == [[43.0]]


def test_a_scope_is_copied() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.name_scope("one"):
            v = tf.Variable(2.0, name="v")
            tf.square(v, name="squared")
        copied = copy_scoped_meta_graph("one", "two")
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(copied["v:0"], 3.0))
        assert session.run(["one/squared:0", "two/squared:0"]) == [4.0, 9.0]
        with pytest.raises(ValueError, match="need to be different"):
            copy_scoped_meta_graph("one", "one")


def test_devices_savers_and_default_attributes_are_left_out_on_demand() -> None:
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:1"):
            v = tf.Variable(1.0, name="v")
        tf.matmul([[1.0]], [[2.0]], name="product")
        keep, other = tf.train.Saver([v]), tf.train.Saver([v])
        tf.add_to_collection(tf.GraphKeys.SAVERS, other)
        whole = tf.train.export_meta_graph()
        exported = tf.train.export_meta_graph(
            saver_def=keep.as_saver_def(), clear_devices=True, clear_extraneous_savers=True, strip_default_attrs=True
        )
    assert any(node.device for node in whole.graph_def.node)
    assert not any(node.device for node in exported.graph_def.node)
    scopes = {node.name.partition("/")[0] for node in exported.graph_def.node}
    assert "save" in scopes
    assert "save_1" not in scopes
    assert len(exported.collection_def[tf.GraphKeys.SAVERS].bytes_list.value) == 1
    product = {node.name: node for node in whole.graph_def.node}["product"]
    assert "transpose_a" in product.attr
    product = {node.name: node for node in exported.graph_def.node}["product"]
    assert "transpose_a" not in product.attr
    assert exported.meta_info_def.stripped_default_attrs
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(exported)
        assert graph.get_operation_by_name("product").get_attr("transpose_a") is False
        assert session.run("product:0").tolist() == [[2.0]]


def test_the_schemas_of_the_ops_come_with_the_graph() -> None:
    with tf.Graph().as_default():
        tf.add(1, 2)
        exported = tf.train.export_meta_graph()
    assert [op.name for op in exported.meta_info_def.stripped_op_list.op] == ["Add", "Const"]
    assert exported.meta_info_def.tensorflow_version == tf.__version__


def test_what_has_no_form_in_the_file_is_left_out_with_a_warning() -> None:
    with tf.Graph().as_default() as graph:
        graph.add_to_collection("things", object())
        graph.add_to_collection("numbers", 1)
        exported = tf.train.export_meta_graph()
    assert list(exported.collection_def) == ["numbers"]


def test_conditionals_and_loops_come_back(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [], name="n")
        total = tf.while_loop(lambda i, _: i < n, lambda i, s: (i + 1, s + i), (0, 0))[1]
        tf.cond(total > 10, lambda: total * 2, lambda: -total, name="c")
        tf.identity(total, name="total")
        exported = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(exported)
        assert session.run("total:0", {"n:0": 6}) == 15
        assert [session.run("c/Merge:0", {"n:0": k}) for k in (3, 6)] == [-3, 30]


def test_partitioned_variables_keep_their_slices() -> None:
    with tf.Graph().as_default():
        tf.get_variable("v", shape=[4, 2], partitioner=tf.fixed_size_partitioner(2))
        exported = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(exported, import_scope="s")
        infos = [v._get_save_slice_info() for v in tf.global_variables()]
        assert [(i.full_name, i.full_shape, i.var_offset, i.var_shape) for i in infos] == [
            ("s/v", [4, 2], [0, 0], [2, 2]),
            ("s/v", [4, 2], [2, 0], [2, 2]),
        ]


@pytest.mark.parametrize("argument", ["clear_devices", "clear_extraneous_savers", "strip_default_attrs"])
def test_functions_are_exported_whatever_is_left_out(argument: str) -> None:
    with tf.Graph().as_default():
        doubled = tf.data.Dataset.from_tensors(3).map(lambda x: x * 2)
        tf.identity(doubled.make_one_shot_iterator().get_next(), name="y")
        whole, _ = export_scoped_meta_graph()
        exported, _ = export_scoped_meta_graph(**{argument: True})
    names = [{f.signature.name for f in message.graph_def.library.function} for message in (whole, exported)]
    assert names[0] == names[1] != set()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(exported)
        assert session.run("y:0") == 6


def test_the_frames_of_loops_lose_the_scope_that_is_taken_off() -> None:
    def frames(export_scope: str | None) -> set[bytes]:
        exported, _ = export_scoped_meta_graph(export_scope=export_scope)
        return {node.attr["frame_name"].s for node in exported.graph_def.node if node.op == "Enter"}

    with tf.Graph().as_default():
        with tf.name_scope("inside"):
            tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        assert frames("inside") == {b"while/while_context"}
        assert frames(None) == {b"inside/while/while_context", b"while/while_context"}


@pytest.mark.parametrize("argument", ["meta_info_def", "graph_def", "saver_def"])
def test_messages_of_another_kind_are_refused(argument: str) -> None:
    with tf.Graph().as_default():
        tf.constant(1.0)
        with pytest.raises(TypeError, match=f"{argument} must be of type"):
            create_meta_graph_def(**{argument: tf.ConfigProto()})
        with pytest.raises(TypeError, match="graph must be of type Graph"):
            create_meta_graph_def(graph=tf.GraphDef())


def test_a_scope_is_exported_whole_and_in_binary_by_default(tmp_path: Path) -> None:
    file = tmp_path / "model.meta"
    with tf.Graph().as_default(), tf.device("/job:ps/task:1"):
        tf.train.Saver([tf.Variable(1.0, name="v")])
        tf.matmul([[1.0]], [[2.0]], name="product")
        exported, _ = export_scoped_meta_graph(str(file))
    assert tf.MetaGraphDef.FromString(file.read_bytes()) == exported
    nodes = {node.name: node for node in exported.graph_def.node}
    assert nodes["v"].device == "/job:ps/task:1"
    assert "transpose_a" in nodes["product"].attr
    assert "save/SaveV2" in nodes

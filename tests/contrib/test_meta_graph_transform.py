"""`tf.contrib.meta_graph_transform`: the transformed graph computes the same, and names no operation that is gone."""

from unittest import mock

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib.meta_graph_transform import meta_graph_transform as module
from ferroflow.tools import graph_transforms

WORDS = ["a", "b", "c"]


def trained(folder):
    """Returns the MetaGraphDef of a model with variables and a table, its checkpoint and its predictions."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        words = tf.placeholder(tf.string, [None], name="words")
        table = tf.contrib.lookup.index_table_from_tensor(tf.constant(WORDS))
        weights = tf.get_variable("weights", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        tf.get_variable("unused", initializer=1.0)
        tf.identity(tf.matmul(tf.identity(x, name="same"), weights), name="out")
        tf.identity(table.lookup(words), name="ids")
        tf.square(x, name="aside")
        saver = tf.train.Saver()
        tf.add_to_collection(tf.saved_model.constants.LEGACY_INIT_OP_KEY, tf.tables_initializer(name="init_tables"))
        tf.add_to_collection("kept", x.op)
        session.run(tf.global_variables_initializer())
        checkpoint = saver.save(session, str(folder / "model"), write_meta_graph=False)
        meta = tf.train.export_meta_graph(
            saver_def=saver.as_saver_def(), clear_devices=True, collection_list=None, graph=session.graph
        )
        for key, name in (("serving", "out:0"), ("aside", "aside:0")):
            meta.signature_def[key].outputs["y"].name = name
            meta.signature_def[key].inputs["x"].name = "x:0"
    return meta, checkpoint


X = np.arange(12, dtype=np.float32).reshape(4, 3)


def outputs(meta, checkpoint):
    with tf.Graph().as_default(), tf.Session() as session:
        restorer = tf.train.import_meta_graph(meta)
        if restorer is not None:
            restorer.restore(session, checkpoint)
        session.run("init_tables")
        return session.run(["out:0", "ids:0"], {"x:0": X, "words:0": ["c", "b", "x"]})


@pytest.mark.parametrize(
    "transforms",
    [["strip_unused_nodes"], ["remove_nodes(op=Identity)", "freeze_graph"], ["freeze_graph", "fold_constants"], []],
)
def test_the_model_stays(tmp_path, transforms):
    meta, checkpoint = trained(tmp_path)
    before = outputs(meta, checkpoint)
    result = module.meta_graph_transform(meta, ["x", "words"], ["out:0", "ids"], transforms, ["serve"], checkpoint)
    for found, expected in zip(outputs(result, checkpoint), before, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert list(result.meta_info_def.tags) == ["serve"]
    kinds = {node.op for node in result.graph_def.node}
    is_frozen = "freeze_graph" in transforms
    assert ("VariableV2" not in kinds) == is_frozen
    assert result.HasField("saver_def") != is_frozen
    assert set(result.signature_def) == ({"serving", "aside"} if not transforms else {"serving"})


@pytest.mark.parametrize("transforms", [["strip_unused_nodes"], ["freeze_graph"]])
def test_collections_and_signatures_name_what_is_there(tmp_path, transforms):
    meta, checkpoint = trained(tmp_path)
    result = module.meta_graph_transform(meta, ["x", "words"], ["out", "ids"], transforms, [], checkpoint)
    names = {node.name for node in result.graph_def.node}
    for collection in result.collection_def.values():
        assert {name.partition(":")[0] for name in collection.node_list.value} <= names
    for signature in result.signature_def.values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            assert info.name.partition(":")[0] in names
    assert "kept" in result.collection_def


def test_tensorflows_other_transforms_are_refused(tmp_path):
    meta, checkpoint = trained(tmp_path)
    with pytest.raises(tf.errors.UnimplementedError, match="sparsify_gather"):
        module.meta_graph_transform(meta, ["x"], ["out"], ["sparsify_gather"], [], checkpoint)


def test_a_collection_of_another_kind_is_refused():
    meta = tf.MetaGraphDef()
    meta.collection_def[tf.GraphKeys.TABLE_INITIALIZERS].int64_list.value.append(1)
    with pytest.raises(ValueError, match="type is not node_list"):
        module.meta_graph_transform(meta, [], [], [], [])
    meta = tf.MetaGraphDef()
    meta.collection_def[tf.GraphKeys.INIT_OP].node_list.value.extend(["a", "b"])
    with pytest.raises(ValueError, match="2 elements; expected exactly one"):
        module.meta_graph_transform(meta, [], [], [], [])


def test_a_program_replaces_transform_graph_wherever_it_is_used():
    made = tf.GraphDef()
    with mock.patch.object(graph_transforms, "TransformGraph", return_value=made) as replaced:
        result = module.meta_graph_transform(tf.MetaGraphDef(), ["x"], ["y"], ["remove_device"], ["tag"])
    assert result.graph_def == made
    replaced.assert_called_once_with(mock.ANY, ["x"], ["y"], ["remove_device"])
    assert graph_transforms.TransformGraph is not replaced


def test_transforms_clear_versions_as_tensorflow():
    with tf.Graph().as_default() as graph:
        tf.identity(tf.placeholder(tf.float32, name="x"), name="y")
    for transform, has_versions in (("remove_device", False), ("add_default_attributes", True)):
        found = graph_transforms.TransformGraph(graph.as_graph_def(), ["x"], ["y"], [transform])
        assert found.HasField("versions") == has_versions
        assert found.HasField("library")

"""Structures as messages, and monitoring, at TensorFlow's internal paths."""

import collections

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow.core.protobuf import saved_object_graph_pb2, struct_pb2
from ferroflow.python.eager import monitoring
from ferroflow.python.estimator import util
from ferroflow.python.saved_model import nested_structure_coder
from ferroflow.python.util import nest

_Pair = collections.namedtuple("_Pair", "first second")
_LEAVES = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.text(max_size=4)
_LEAVES |= st.sampled_from([tf.TensorShape([2, None]), tf.float32, tf.TensorSpec([3], tf.int32, "x")])
_STRUCTURES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.builds(_Pair, inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_STRUCTURES)
def test_structures_survive_as_messages(structure):
    coder = nested_structure_coder.StructureCoder()
    message = coder.encode_structure(structure)
    parsed = struct_pb2.StructuredValue.FromString(message.SerializeToString())
    assert coder.encode_structure(coder.decode_proto(parsed)) == message


def test_a_message_has_the_structure():
    coder = nested_structure_coder.StructureCoder()
    structure = {"a": [1, (2.5, None)], "b": _Pair(tf.TensorShape([2, None]), tf.TensorSpec([3], tf.int32, "x"))}
    found = coder.decode_proto(coder.encode_structure(structure))
    assert found["a"] == structure["a"]
    assert found["b"]._asdict().keys() == {"first", "second"}
    assert found["b"].first.as_list() == [2, None]
    assert found["b"].second == structure["b"].second


def test_what_has_no_message_is_an_error():
    coder = nested_structure_coder.StructureCoder()
    assert coder.can_encode([1, "a"])
    assert not coder.can_encode([object()])
    with pytest.raises(nested_structure_coder.NotEncodableError):
        coder.encode_structure(object())
    unknown = struct_pb2.StructuredValue()
    unknown.type_spec_value.type_spec_class = 77
    with pytest.raises(nested_structure_coder.NotEncodableError):
        coder.decode_proto(unknown)
    assert saved_object_graph_pb2.SavedObjectGraph().nodes.add().WhichOneof("kind") is None


@pytest.mark.parametrize(("kind", "value"), [("IntGauge", 4), ("StringGauge", "x"), ("BoolGauge", True)])
def test_a_gauge_has_a_cell_for_each_label(kind, value):
    gauge = getattr(monitoring, kind)("name", "description", "label")
    gauge.get_cell("a").set(value)
    assert gauge.get_cell("a").value() == value
    assert not gauge.get_cell("b").value()
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        gauge.get_cell()


def test_a_counter_only_grows():
    counter = monitoring.Counter("name", "description")
    counter.get_cell().increase_by(3)
    counter.get_cell().increase_by(2)
    assert counter.get_cell().value() == 5
    with pytest.raises(ValueError, match="negative"):
        counter.get_cell().increase_by(-1)


def test_structures_of_other_classes_are_mapped_without_a_check():
    assert nest.map_structure_up_to([0, 0], lambda x, add: x + add, (1, 2), check_types=False, add=3) == [4, 5]
    with pytest.raises(TypeError):
        nest.map_structure_up_to([0, 0], abs, (1, 2))


def test_a_dense_table_finds_what_is_inserted_and_not_erased():
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-2)
        keys = tf.constant([3, 4], tf.int64)
        session.run(table.insert_or_assign(keys, keys * 2))
        assert session.run(table.lookup(tf.constant([4, 5], tf.int64))).tolist() == [8, -1]
        session.run(table.erase(keys[:1]))
        assert session.run([table.lookup(keys), table.size()])[0].tolist() == [-1, 8]


def test_the_result_of_an_input_function_is_parsed():
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.from_tensors(({"x": 1.0}, 2.0))
        features, labels, hooks = util.parse_input_fn_result(dataset)
        for hook in hooks:
            hook.begin()
            hook.after_create_session(session, None)
        assert session.run([features, labels]) == [{"x": 1.0}, 2.0]
        assert util.parse_input_fn_result(labels) == (labels, None, [])
        with pytest.raises(ValueError, match="len 2 tuple"):
            util.parse_iterator_result((1, 2, 3))

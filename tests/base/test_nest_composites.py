"""`expand_composites` treats composite tensors as structures of their tensors, as in TensorFlow 1.15."""

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow.python.util import nest


def sparse():
    return tf.SparseTensor([[0, 1]], [1.0], [2, 3])


def ragged():
    return tf.ragged.constant([[1, 2], [3]])


def slices():
    return tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))


COUNTS = {sparse: 3, ragged: 2, slices: 2, lambda: tf.constant(1.0): 1, lambda: 5: 1}
structures = st.recursive(
    st.sampled_from(list(COUNTS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
    max_leaves=5,
)


@given(structures)
def test_packing_is_the_inverse_of_flattening(makers):
    with tf.Graph().as_default():
        structure = tf.nest.map_structure(lambda make: make(), makers)
        flat = tf.nest.flatten(structure, expand_composites=True)
        assert len(flat) == sum(COUNTS[make] for make in tf.nest.flatten(makers))
        assert not any(nest.is_sequence_or_composite(leaf) for leaf in flat)
        packed = tf.nest.pack_sequence_as(structure, flat, expand_composites=True)
        tf.nest.assert_same_structure(structure, packed, expand_composites=True)
        again = tf.nest.flatten(packed, expand_composites=True)
        assert all(a is b for a, b in zip(flat, again, strict=True))
        mapped = tf.nest.map_structure(lambda x: x, structure, expand_composites=True)
        tf.nest.assert_same_structure(structure, mapped, expand_composites=True)
        paths = [path for path, _ in nest.flatten_with_tuple_paths(structure, expand_composites=True)]
        assert len(set(paths)) == len(flat)
        # Without it, they are leaves.
        assert len(tf.nest.flatten(structure)) == len(tf.nest.flatten(makers))


def test_kinds_of_composites_differ():
    tf.nest.assert_same_structure(sparse(), ragged())
    tf.nest.assert_same_structure(sparse(), sparse(), expand_composites=True)
    for other, error in [
        (ragged(), TypeError),
        (tf.constant(1.0), ValueError),
    ]:
        with pytest.raises(error, match="The two structures don't have the same nested structure"):
            tf.nest.assert_same_structure({"a": sparse()}, {"a": other}, expand_composites=True)
    for other in (tf.ragged.constant([[[1]]]), tf.ragged.constant([[1.5]])):
        with pytest.raises(ValueError, match="Incompatible CompositeTensor"):
            tf.nest.assert_same_structure(ragged(), other, expand_composites=True)


def test_paths_have_the_names_of_composites():
    structure = {"a": sparse(), "b": (ragged(), slices()), "c": tf.constant(1.0)}
    assert [path for path, _ in nest.flatten_with_joined_string_paths(structure, expand_composites=True)] == [
        *(f"a/SparseTensor/{i}" for i in range(3)),
        *("b/0/RaggedTensor/0", "b/0/RaggedTensor/1", "b/1/IndexedSlices/0", "b/1/IndexedSlices/1", "c"),
    ]
    named = nest.map_structure_with_paths(lambda path, x: path, {"a": [1, 2]})
    assert named == {"a": ["a/0", "a/1"]}


def test_parts_of_structures_and_specifications():
    parts = nest.flatten_up_to({"a": 1, "b": 2}, {"a": sparse(), "b": (ragged(),)}, expand_composites=True)
    assert [type(x).__name__ for x in parts] == ["SparseTensor", "tuple"]
    whole = sparse()
    assert nest.flatten_up_to(whole, whole, expand_composites=True) == [whole.indices, whole.values, whole.dense_shape]
    spec = tf.SparseTensorSpec([2, 3], tf.float32)
    assert all(isinstance(x, tf.TensorSpec) for x in nest.flatten(spec, expand_composites=True))
    packed = nest.pack_sequence_as(spec, nest.flatten(whole, expand_composites=True), expand_composites=True)
    assert isinstance(packed, tf.SparseTensor)
    with pytest.raises(ValueError, match="Could not pack sequence"):
        nest.pack_sequence_as({"a": whole}, [1, 2], expand_composites=True)

"""Laws of nested structures."""

import collections
import dataclasses
import types

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.base import nest

Point = collections.namedtuple("Point", ["x", "y"])
PointTwin = collections.namedtuple("Point", ["x", "y"])
Other = collections.namedtuple("Other", ["x", "y"])


class SubPoint(Point):
    pass


@dataclasses.dataclass
class Fields:
    """A class as the package `attrs` makes it."""

    x: object
    a: object
    __attrs_attrs__ = (types.SimpleNamespace(name="x"), types.SimpleNamespace(name="a"))


leaves = st.integers() | st.text(max_size=3) | st.none()
trees = st.recursive(
    leaves,
    lambda children: (
        st.lists(children, max_size=3)
        | st.lists(children, max_size=3).map(tuple)
        | st.builds(Point, children, children)
        | st.builds(Fields, children, children)
        | st.dictionaries(st.text("abc", max_size=2), children, max_size=3).map(collections.UserDict)
        | st.dictionaries(st.text("abc", max_size=2), children, max_size=3)
        | st.dictionaries(st.text("abc", max_size=2), children, max_size=3).map(collections.OrderedDict)
    ),
    max_leaves=12,
)


@given(trees)
def test_pack_inverts_flatten(tree):
    packed = nest.pack_sequence_as(tree, nest.flatten(tree))
    assert packed == tree
    nest.assert_same_structure(tree, packed)


@given(trees)
def test_map_with_identity_is_identity(tree):
    assert nest.map_structure(lambda leaf: leaf, tree) == tree


@given(trees)
def test_map_composes(tree):
    inner = nest.map_structure(lambda leaf: (leaf,), tree)
    assert nest.flatten(nest.map_structure(str, tree)) == [str(leaf) for leaf in nest.flatten(tree)]
    assert nest.flatten_up_to(tree, inner) == [(leaf,) for leaf in nest.flatten(tree)]


@given(trees)
def test_each_leaf_lies_at_its_path(tree):
    def at(path):
        node = tree
        for step in path:
            node = getattr(node, step) if isinstance(node, Point | Fields) else node[step]
        return node

    pairs = nest.flatten_with_tuple_paths(tree)
    assert [leaf for _, leaf in pairs] == nest.flatten(tree)
    assert all(at(path) is leaf for path, leaf in pairs)


@given(trees, trees)
def test_same_structure_is_symmetric_and_implies_as_many_leaves(a, b):
    def same(first, second):
        try:
            nest.assert_same_structure(first, second)
        except (TypeError, ValueError) as error:
            return type(error)
        return True

    assert same(a, b) == same(b, a)
    if same(a, b) is True:
        assert len(nest.flatten(a)) == len(nest.flatten(b))


@given(trees)
def test_a_structure_is_a_shallow_structure_of_itself(tree):
    nest.assert_shallow_structure(tree, tree)
    assert nest.flatten_up_to(tree, tree) == nest.flatten(tree)
    assert nest.flatten_up_to("leaf", tree) == [tree]
    assert nest.get_traverse_shallow_structure(lambda _: False, tree) is False


def test_dicts_are_ordered_by_key_and_keep_their_own_order():
    ordered = collections.OrderedDict([("d", 3), ("b", 1), ("a", 0), ("c", 2)])
    assert nest.flatten(ordered) == nest.flatten(dict(ordered)) == [0, 1, 2, 3]
    packed = nest.pack_sequence_as(ordered, [10, 11, 12, 13])
    assert isinstance(packed, collections.OrderedDict)
    assert list(packed.items()) == [("d", 13), ("b", 11), ("a", 10), ("c", 12)]
    default = nest.pack_sequence_as(collections.defaultdict(list, a=1), [2])
    assert default == {"a": 2}
    assert default.default_factory is list
    with pytest.raises(TypeError, match="nest only supports dicts with sortable keys"):
        nest.flatten({1: 0, "a": 1})


def test_what_is_a_structure():
    mappings = ({}, collections.OrderedDict(), collections.UserDict(), collections.ChainMap())
    for structure in ([], (), [1], Point(1, 2), Fields(1, 2), range(3), *mappings):
        assert nest.is_sequence(structure)
    for leaf in ("1234", b"12", 5, None, {1, 2}, np.ones((4, 5)), iter([1])):
        assert not nest.is_sequence(leaf)
    assert nest.flatten(np.arange(3))[0].shape == (3,)


@given(st.dictionaries(st.text("abc", max_size=2), trees, max_size=3))
def test_views_of_a_dict_are_structures_like_lists(dictionary):
    for view in (dictionary.values(), dictionary.keys(), dictionary.items()):
        assert nest.is_sequence(view)
        assert nest.flatten(view) == nest.flatten(list(view))
        assert nest.map_structure(lambda leaf: leaf, view) == list(view)
        nest.assert_same_structure(view, view)
        nest.assert_same_structure(view, list(view), check_types=False)
    if dictionary:
        with pytest.raises(TypeError, match="same sequence type"):
            nest.assert_same_structure(dictionary.values(), list(dictionary.values()))


def test_variables_to_optimize_may_be_the_values_of_a_dict():
    weights = {"w": tf.Variable(2.0), "b": tf.Variable(1.0)}
    train = tf.train.GradientDescentOptimizer(0.5).minimize(
        weights["w"] * 3.0 + weights["b"], var_list=weights.values()
    )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(weights) == {"w": 0.5, "b": 0.5}


def test_namedtuples_with_one_name_and_fields_are_one_type():
    nest.assert_same_structure(Point(0, 1), PointTwin(2, 3))
    nest.assert_shallow_structure(Point(0, 1), PointTwin(2, [3]))
    for other in (Other(0, 1), SubPoint(0, 1), (0, 1)):
        with pytest.raises(TypeError, match="don't have the same sequence type"):
            nest.assert_same_structure(Point(0, 1), other)
        nest.assert_same_structure(Point(0, 1), other, check_types=False)
    with pytest.raises(TypeError, match="two namedtuples don't have the same sequence type"):
        nest.assert_shallow_structure(Point(0, 1), Other(0, 1))


@pytest.mark.parametrize(
    ("first", "second", "error", "text"),
    [
        ([0, 1], 0, ValueError, r'Substructure "type=list str=\[0, 1\]" is a sequence, while substructure "type=int'),
        (
            "spam",
            ((1, 2), 3),
            ValueError,
            r'"type=tuple str=\(\(1, 2\), 3\)" is a sequence, .*"type=str str=spam" is not',
        ),
        ((3, 4), (3, 4, 5), ValueError, "don't have the same number of elements"),
        ((0, 1), [0, 1], TypeError, "don't have the same sequence type"),
        ({"a": 1}, {"b": 1}, ValueError, "don't have the same set of keys"),
        ([[3], 4], [3, [4]], ValueError, "don't have the same nested structure\\.\n\nFirst structure: .*\n\nSecond"),
    ],
)
def test_differing_structures_are_told_apart(first, second, error, text):
    with pytest.raises(error, match=text):
        nest.assert_same_structure(first, second)


@pytest.mark.parametrize(
    ("shallow", "deep", "error", "text"),
    [
        (
            [9],
            0,
            TypeError,
            "If shallow structure is a sequence, input must also be a sequence. Input has type: <class 'int'>",
        ),
        ([1, 2, 3], [1, 2], ValueError, "Input structure has length 2, while shallow structure has length 3."),
        (
            [[1, 1]],
            [(1, 1)],
            TypeError,
            "Input structure has type <class 'tuple'>, while shallow structure has type <class 'list'>",
        ),
        (
            {"d": 1},
            {"c": 1},
            ValueError,
            r"Input structure has keys \['c'\], while shallow structure has keys \['d'\].",
        ),
    ],
)
def test_what_is_no_shallow_structure_is_refused(shallow, deep, error, text):
    with pytest.raises(error, match=text):
        nest.flatten_up_to(shallow, deep)
    with pytest.raises(error, match=text):
        nest.map_structure_up_to(shallow, str, deep)


def test_map_structure_up_to_gives_whole_parts_to_the_function():
    names = ["evens", ["odds", "primes"]]
    data = [[2, 4, 6, 8], [[1, 3, 5, 7, 9], [3, 5, 7]]]
    assert nest.map_structure_up_to(names, lambda name, part: f"{len(part)} {name}", names, data) == [
        "4 evens",
        ["5 odds", "3 primes"],
    ]
    with pytest.raises(ValueError, match="Cannot map over no sequences"):
        nest.map_structure_up_to(names, str)


def test_map_structure_checks_its_arguments():
    with pytest.raises(TypeError, match="func must be callable"):
        nest.map_structure("bad", [1])
    with pytest.raises(ValueError, match="at least one structure"):
        nest.map_structure(str)
    with pytest.raises(ValueError, match="Only valid keyword arguments are `check_types` and `expand_composites`"):
        nest.map_structure(str, [1], check_types=False, foo="a")
    assert nest.map_structure(lambda a, b: a + b, ((1, 2), 3), [[4, 5], 6], check_types=False) == ((5, 7), 9)


def test_pack_checks_its_arguments():
    assert nest.pack_sequence_as("scalar", [7]) == 7
    with pytest.raises(ValueError, match="Structure is a scalar"):
        nest.pack_sequence_as("scalar", [4, 5])
    with pytest.raises(TypeError, match="flat_sequence must be a sequence"):
        nest.pack_sequence_as([4, 5], "bad")
    with pytest.raises(ValueError, match="Structure had 2 elements, but flat_sequence had 3 elements"):
        nest.pack_sequence_as(["hello", "world"], ["and", "goodbye", "again"])


def test_flatten_dict_items_pairs_leaves_of_keys_and_values():
    assert nest.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d")), 9: "e"}) == {
        4: "a",
        5: "b",
        6: "c",
        8: "d",
        9: "e",
    }
    with pytest.raises(TypeError, match="input must be a dictionary"):
        nest.flatten_dict_items(4)
    with pytest.raises(ValueError, match="key 4 is not unique"):
        nest.flatten_dict_items({(4, 5, (4, 8)): ("a", "b", ("c", "d"))})
    with pytest.raises(ValueError, match="Key had 2 elements, but value had 3 elements"):
        nest.flatten_dict_items({(4, 5): ("a", "b", "c")})


def test_traversal_goes_as_deep_as_the_function_says():
    tree = [3, 4, (1, 2, [0]), [5, 6], {"a": (7,)}, []]
    result = nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), tree)
    assert result == [True, True, False, [True, True], {"a": False}, []]
    partial = nest.get_traverse_shallow_structure(
        lambda s: (True, False) if isinstance(s, tuple) else True, [(1, [2]), ([1], 2)]
    )
    assert partial == [(True, False), ([True], False)]
    for function, structure, text in (
        (lambda _: [True], 0, "returned structure"),
        (lambda _: 1, [1], "returned a non-bool scalar"),
        (lambda _: [1], [1], "didn't return a depth=1 structure of bools"),
    ):
        with pytest.raises(TypeError, match=text):
            nest.get_traverse_shallow_structure(function, structure)


def test_string_paths():
    value = Point(x=3, y={"c": [23, "z"]})
    assert nest.flatten_with_joined_string_paths(value) == [("x", 3), ("y/c/0", 23), ("y/c/1", "z")]
    assert nest.flatten_with_joined_string_paths(value, separator=".")[2][0] == "y.c.1"
    assert list(nest.yield_flat_paths(3)) == [()]
    assert list(nest.yield_flat_paths([])) == []


def test_tf_nest_has_the_names_of_later_versions():
    structure = {"b": 3, "a": [1, (2,)]}
    assert tf.nest.is_nested(structure)
    assert not tf.nest.is_nested("leaf")
    assert tf.nest.flatten(structure) == [1, 2, 3]
    assert tf.nest.pack_sequence_as(structure, [4, 5, 6]) == {"b": 6, "a": [4, (5,)]}
    assert tf.nest.map_structure(lambda leaf: -leaf, structure) == {"b": -3, "a": [-1, (-2,)]}
    tf.nest.assert_same_structure(structure, structure)

"""`tf.contrib.specs` builds and describes TensorFlow 1.15.5's networks; its operators are those of functions."""

import importlib
import json
from pathlib import Path

import pytest
from golden.spec_programs import programs
from hypothesis import given, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "specs.json").read_text(encoding="utf-8"))
specs = importlib.import_module("ferroflow.contrib.specs.python")
library = importlib.import_module("ferroflow.contrib.specs.python.specs_lib")
environment = importlib.import_module("ferroflow.contrib.specs.python.specs")


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_those_of_tensorflow(name):
    assert json.loads(json.dumps(programs(tf)[name]())) == GOLDEN[name]


def test_every_program_has_a_golden_result():
    assert sorted(programs(tf)) == sorted(GOLDEN)


@given(st.integers(0, 5), st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_operators_are_those_of_functions(times, a, b, x):
    f, g = library.Function(lambda x, a: 2 * x + a, a), library.Callable(lambda x: b * x)
    assert (f | g).funcall(x) == b * (2 * x + a)
    assert (f + g).funcall(x) == f.funcall(x) + g.funcall(x)
    assert (f * g).funcall(x) == f.funcall(x) * g.funcall(x)
    assert (g**times).funcall(x) == b**times * x


@given(
    st.lists(st.none() | st.integers()), st.dictionaries(st.integers(0, 6), st.integers(), min_size=1), st.booleans()
)
def test_arguments_move_to_their_positions(args, placed, overrides):
    found, others = library.get_positional(args, {f"_{i}": value for i, value in placed.items()} | {"a": 1}, overrides)
    assert others == {"a": 1}
    assert len(found) == max(len(args), 1 + max(placed))
    for i, value in enumerate(found):
        given = args[i] if i < len(args) else None
        assert value == (placed[i] if i in placed and (overrides or given is None) else given)


def test_names_are_added_for_a_context_alone():
    with environment.LocalImport({"json": 5, "Added": 6}):
        assert (json, Added) == (5, 6)  # noqa: F821
    assert json.loads("[]") == []
    with pytest.raises(NameError):
        Added  # noqa: B018, F821


@pytest.mark.parametrize("arguments", [{"name": 3}, {"scope": "name"}])
def test_shared_parts_refuse_other_types(arguments):
    with pytest.raises(ValueError, match="must be None or a"):
        specs.Shared(specs.Id, **arguments)


def test_external_functions_must_exist():
    with pytest.raises(KeyError):
        specs.External("math", "no_such_function")

"""Laws of `arg_scope`: which defaults are in force, where, and for what."""

import pytest

from ferroflow._src.contrib.framework.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)


@add_arg_scope
def first(a, b=1, c=2):
    """Something."""
    return a, b, c


@add_arg_scope
def second(a, b=1, *, d=3):
    return a, b, d


def plain(a, b=1):
    return a, b


def test_a_scope_sets_defaults_of_the_functions_it_names_only():
    with arg_scope([first], b=10):
        assert (first(0), second(0)) == ((0, 10, 2), (0, 1, 3))
    assert first(0) == (0, 1, 2)


def test_arguments_of_a_call_go_before_those_of_scopes_and_inner_scopes_before_outer_ones():
    with arg_scope([first, second], b=10), arg_scope([first], b=20, c=30):
        assert (first(0), first(0, b=5), second(0)) == ((0, 20, 30), (0, 5, 30), (0, 10, 3))
    with pytest.raises(TypeError, match="multiple values"), arg_scope([first], b=10):
        first(0, 7)


def test_a_scope_can_be_opened_again():
    with arg_scope([first], b=10) as scope:
        assert current_arg_scope() is scope
    with arg_scope([second], b=20), arg_scope(scope):
        assert (first(0), second(0)) == ((0, 10, 2), (0, 1, 3))
    assert current_arg_scope() == {}


def test_a_scope_ends_where_its_block_raises():
    with pytest.raises(KeyError), arg_scope([first], b=10):
        raise KeyError
    assert first(0) == (0, 1, 2)


def test_what_can_be_set_is_what_has_a_default():
    assert arg_scoped_arguments(first) == ("b", "c")
    assert (has_arg_scope(first), has_arg_scope(plain)) == (True, False)
    assert (first.__name__, first.__doc__) == ("first", "Something.")
    with pytest.raises(ValueError, match="not decorated"):
        arg_scoped_arguments(plain)


def test_what_is_no_scope_is_refused():
    with pytest.raises(ValueError, match="not decorated with @add_arg_scope"), arg_scope([plain], b=1):
        pass
    with pytest.raises(TypeError, match="list/tuple or reused scope"), arg_scope(first, b=1):
        pass
    with pytest.raises(ValueError, match="kwargs must be empty"), arg_scope({}, b=1):
        pass

"""Laws of deprecated names and arguments."""

import warnings

import pytest
from deprecations import logged_warnings, logs_deprecation

from ferroflow._src.base.deprecation import deprecated, deprecated_args, deprecated_argument_lookup, silence
from ferroflow._src.base.keyword_args import keyword_args_only


@deprecated("tf.global_variables", name="tf.all_variables")
def all_variables(first, second=2):
    """Lists the variables."""
    return first, second


@deprecated_args(dim="axis", keep_dims="keepdims")
def reduce(x, axis=None, keepdims=None, dim=None, *, keep_dims=None):
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    keepdims = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    return x, axis, keepdims


def test_a_deprecated_function_works_and_names_its_successor():
    with logs_deprecation("tf.all_variables is deprecated; use tf.global_variables instead") as caught:
        assert all_variables(1, second=3) == (1, 3)
    assert [warning.pathname for warning in caught] == [__file__]
    assert all_variables.__name__ == "all_variables"
    assert "Deprecated: use `tf.global_variables` instead." in all_variables.__doc__
    assert "Lists the variables." in all_variables.__doc__


def test_the_first_call_alone_logs_a_warning():
    with logs_deprecation("tf.all_variables") as logged, warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            all_variables(1)
    assert len(logged) == 1
    assert logged[0].getMessage().startswith(f"From {__file__}:{logged[0].lineno}: ")


def test_a_silent_block_logs_nothing():
    with logged_warnings() as logged, silence():
        all_variables(1)
        reduce(5, dim=1)
    assert logged == []


@pytest.mark.parametrize(
    ("args", "kwargs", "old", "new"),
    [
        ((5,), {"dim": 1}, "dim", "axis"),
        ((5, None, None, 1), {}, "dim", "axis"),
        ((5,), {"axis": 1, "keep_dims": False}, "keep_dims", "keepdims"),
    ],
)
def test_a_deprecated_argument_works_and_names_its_successor(args, kwargs, old, new):
    with logs_deprecation(f"The argument {old} of reduce is deprecated; use {new} instead") as caught:
        result = reduce(*args, **kwargs)
    assert [warning.pathname for warning in caught] == [__file__]
    assert result == (5, 1, False if "keep_dims" in kwargs else None)


def test_new_arguments_and_none_do_not_warn():
    with logged_warnings() as logged:
        assert reduce(5, 1, True) == (5, 1, True)
        assert reduce(5, axis=0, dim=None) == (5, 0, None)
    assert logged == []


def test_old_and_new_together_are_refused():
    with (
        logs_deprecation("dim"),
        pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"),
    ):
        reduce(5, axis=1, dim=1)


def test_names_that_the_function_lacks_are_refused():
    with pytest.raises(ValueError, match="has no argument olde; it has x, axis"):
        deprecated_args(olde="axis")(lambda x, axis: None)


def test_lookup_takes_the_value_that_is_given():
    assert deprecated_argument_lookup("new", 1, "old", None) == 1
    assert deprecated_argument_lookup("new", None, "old", 0) == 0
    assert deprecated_argument_lookup("new", None, "old", None) is None


def test_keyword_args_only_refuses_positions():
    @keyword_args_only
    def function(a, b=1):
        return a, b

    assert function(a=2) == (2, 1)
    with pytest.raises(ValueError, match="Must use keyword args to call function"):
        function(2)
    with pytest.raises(ValueError, match="is not a function"):
        keyword_args_only(5)

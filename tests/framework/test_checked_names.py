"""Law of node names: a name is refused exactly if the full name, scopes included, is invalid."""

import re
import threading

import pytest
from hypothesis import assume, given, strategies as st

from ferroflow._src.framework.scopes import NameScopes

_VALID = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\-/]*\Z")
_names = st.text(alphabet="aB1_.-/ \n", max_size=4)


@given(st.lists(st.one_of(_names, st.none()), max_size=5), _names)
def test_a_name_is_refused_exactly_if_the_full_name_is_invalid(steps, name):
    scopes, outer = NameScopes({}), [""]
    for step in steps:
        if step is None:
            scopes.stack = outer.pop() if len(outer) > 1 else ""
            continue
        outer.append(scopes.stack)
        try:
            scopes.stack = scopes.enter(step)
        except ValueError:
            assume(False)
    inside = f"{scopes.stack}/{name}" if scopes.stack else name
    full = name[:-1] if name.endswith("/") else inside
    if _VALID.match(full):
        assert scopes.op_name(name).startswith(full)
    else:
        with pytest.raises(ValueError, match="is not a valid node name"):
            scopes.op_name(name)


def test_a_scope_that_a_program_sets_itself_is_checked():
    scopes = NameScopes({})
    scopes.stack = scopes.enter("valid")
    scopes.op_name("x")
    scopes.stack = "not valid"
    with pytest.raises(ValueError, match="'not valid/x' is not a valid node name"):
        scopes.op_name("x")


def test_each_thread_has_its_own_scope_and_the_names_of_all():
    scopes = NameScopes({})
    scopes.stack = "outer"
    seen = []
    thread = threading.Thread(target=lambda: seen.extend([scopes.stack, scopes.op_name("x"), scopes.op_name("x")]))
    thread.start()
    thread.join()
    assert seen == ["", "x", "x_1"]
    assert scopes.stack == "outer"
    scopes.stack = ""
    assert scopes.op_name("x") == "x_2"

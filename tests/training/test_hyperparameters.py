"""`HParams` reads values from texts, keeps their types, and refuses what is not of them."""

import json

import pytest
from deprecations import logs_deprecation
from hypothesis import given, strategies as st

import ferroflow as tf

HParams = tf.contrib.training.HParams


def some() -> HParams:
    return HParams(rate=0.5, units=[8, 4], name="net", steps=3, deep=False)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("rate=1e-3", {"rate": 1e-3}),
        ("rate=2", {"rate": 2.0}),
        ("units=[1,2,3], steps = 7", {"units": [1, 2, 3], "steps": 7}),
        ("deep=true", {"deep": True}),
        ("deep=0,name=other", {"deep": False, "name": "other"}),
        ("", {}),
    ],
)
def test_a_text_sets_values(text, changed):
    params = some()
    before = params.values()
    assert params.parse(text) is params
    assert params.values() == {**before, **changed}
    assert type(params.rate) is float


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rate", "Malformed"),
        ("speed=1", "Unknown hyperparameter type for speed"),
        ("rate=fast", "Could not parse hparam 'rate' of type 'float' with value 'fast'"),
        ("steps=1.5", "Could not parse hparam 'steps'"),
        ("rate=1,rate=2", "Multiple assignments"),
        ("rate=1,rate=[2]", "Multiple assignments"),
        ("units[1]=3,units[1]=4", "Multiple assignments"),
        ("units[0]=[3]", "Assignment of a list to a list index"),
        ("units=3", "Must pass a list"),
        ("steps=[3]", "Must not pass a list"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        some().parse(text)


def test_indices_are_read():
    read = tf.contrib.training.parse_values("units[1]=3,units[0]=2,rate=1", {"units": int, "rate": float})
    assert read == {"units": {1: 3, 0: 2}, "rate": 1.0}


@pytest.mark.parametrize(
    ("name", "value"), [("steps", 1.5), ("steps", True), ("deep", 1), ("name", 3), ("rate", "1"), ("units", [1.5])]
)
def test_a_value_of_another_type_is_refused(name, value):
    with pytest.raises(ValueError, match="Could not cast hparam"):
        some().set_hparam(name, value)


@given(
    rate=st.floats(allow_nan=False), steps=st.integers(), deep=st.booleans(), units=st.lists(st.integers(), min_size=1)
)
def test_json_goes_both_ways(rate, steps, deep, units):
    params = HParams(rate=rate, steps=steps, deep=deep, units=units)
    read = HParams(rate=0.0, steps=0, deep=False, units=[0]).parse_json(params.to_json(sort_keys=True))
    assert read.values() == params.values() == json.loads(params.to_json())


def test_names_and_lists_are_checked():
    with pytest.raises(ValueError, match="reserved: parse"):
        HParams(parse=1)
    with pytest.raises(ValueError, match="reserved: rate"):
        some().add_hparam("rate", 1)
    with pytest.raises(ValueError, match="cannot be empty: units"):
        HParams(units=[])
    with pytest.raises(NotImplementedError, match="pass the values by name"):
        HParams(hparam_def=object())


def test_what_is_there_is_told():
    params = some()
    assert "rate" in params
    assert params.get("rate", 1) == 0.5
    assert params.get("speed", 7) == 7
    with pytest.raises(ValueError, match="is incompatible with default=2"):
        params.get("units", 2)
    params.del_hparam("rate")
    assert "rate" not in params
    with pytest.raises(AttributeError, match="rate"):
        _ = params.rate
    with logs_deprecation("override_from_dict"):
        params.set_from_map({"steps": 9})
    assert str(params) == "[('deep', False), ('name', 'net'), ('steps', 9), ('units', [8, 4])]"
    assert repr(params).startswith("HParams([('deep'")

"""Laws of device names."""

import types

import pytest
from hypothesis import given, strategies as st

from ferroflow._src.base import device_spec
from ferroflow._src.base.device_spec import DeviceSpec

numbers = st.none() | st.integers(0, 99)
specs = st.builds(
    lambda job, replica, task, kind: DeviceSpec(job, replica, task, *kind),
    st.none() | st.sampled_from(["ps", "worker"]),
    numbers,
    numbers,
    st.just((None, None)) | st.tuples(st.sampled_from(["CPU", "GPU", "Funny"]), numbers),
)


def parts(spec):
    return spec.job, spec.replica, spec.task, spec.device_type, spec.device_index


def merged(*several):
    result = DeviceSpec()
    for spec in several:
        result.merge_from(spec)
    return result


@given(specs)
def test_to_string_and_from_string_are_inverse(spec):
    assert parts(DeviceSpec.from_string(spec.to_string())) == parts(spec)
    assert device_spec.canonical_name(spec.to_string()) == device_spec.canonical_name(spec) == spec.to_string()


@given(specs, st.randoms(use_true_random=False))
def test_the_order_of_parts_does_not_matter(spec, random):
    pieces = spec.to_string().split("/")
    random.shuffle(pieces)
    assert device_spec.canonical_name("/".join(pieces)) == spec.to_string()


@given(specs, specs, specs)
def test_merging_is_associative_and_the_later_wins(a, b, c):
    assert merged(merged(a, b), c) == merged(a, merged(b, c))
    for mine, theirs, result in zip(parts(a), parts(b), parts(merged(a, b)), strict=True):
        assert result == (mine if theirs is None else theirs)


@given(specs, specs)
def test_merge_device_lets_the_node_win(outer, inner):
    function = device_spec.merge_device(outer)
    assert function(types.SimpleNamespace(device=inner.to_string())) == merged(outer, inner)
    assert function(types.SimpleNamespace(device="")) == outer
    assert device_spec.merge_device(outer.to_string())(types.SimpleNamespace(device=None)) == outer


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("", ""),
        ("/cpu:0", "/device:CPU:0"),
        ("/gpu:*", "/device:GPU:*"),
        ("/GPU", "/device:GPU:*"),
        ("/replica:1/task:0/cpu:3", "/replica:1/task:0/device:CPU:3"),
        ("/device:GPU:0/task:0/replica:0/job:foo", "/job:foo/replica:0/task:0/device:GPU:0"),
        ("/job:muu/device:MyFunnyDevice:2", "/job:muu/device:MyFunnyDevice:2"),
        (None, ""),
    ],
)
def test_canonical_name(spec, name):
    assert device_spec.canonical_name(spec) == name


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("/cpu:0/device:GPU:2", "Cannot specify multiple device types: /cpu:0/device:GPU:2"),
        ("/bar:muu/baz:2", "Unknown attribute: 'bar' in '/bar:muu/baz:2'"),
        ("/job", "Unknown attribute: 'job'"),
        ("/device:CPU", "Unknown attribute: 'device'"),
        ("/task:bar", "invalid literal for int"),
        ("/replica:x", "invalid literal for int"),
        ("/cpu:x", "invalid literal for int"),
    ],
)
def test_what_is_no_device_name_is_refused(spec, text):
    with pytest.raises(ValueError, match=text):
        device_spec.check_valid(spec)
    with pytest.raises(ValueError, match=text):
        device_spec.merge_device(spec)


def test_parts_are_converted_and_can_be_cleared():
    spec = DeviceSpec(job="j", replica="0", task=1, device_type="cpu", device_index=2)
    assert spec.to_string() == "/job:j/replica:0/task:1/device:CPU:2"
    spec.job = spec.replica = spec.task = spec.device_type = spec.device_index = None
    assert spec == DeviceSpec()
    spec.parse_from_string("/gpu:1").parse_from_string("/task:3")
    assert spec.to_string() == "/task:3"


def test_equal_specs_have_equal_hashes():
    assert len({DeviceSpec(job="a"), DeviceSpec.from_string("/job:a"), DeviceSpec(job="b")}) == 2

"""Where TensorFlow has a gradient there is one, and where it refuses nothing is silently lost."""

import json
from pathlib import Path

import numpy as np
import pytest
from autodiff.differences import check

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.autodiff import py_function  # noqa: F401  # it has a rule of its own
from ferroflow._src.framework import gradient_registry
from ferroflow._src.framework.apply import apply_op

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "gradient_registry.json").read_text())
RULE, NONE = set(GOLDEN["rule"]), set(GOLDEN["no gradient"])
HERE = sorted(set(_core.op_names()) & set(GOLDEN["ops"]))
# The gradients of conditionals and loops are made of these as wholes, not one by one.
OF_REGIONS = {"Enter", "Exit", "LoopCond", "NextIteration", "RefEnter", "RefExit", "RefMerge", "RefNextIteration",
              "RefSwitch"}  # fmt: skip
# Raises LookupError here: the branches' gradients would have to be one op of functions, too.
WITHOUT_RULE = {"Case"}
# Nodes that call a function; tests/framework/test_graphs_of_1_15.py compares their gradients.
CALLS = {"PartitionedCall", "RemoteCall", "StatefulPartitionedCall"}
FLOATS = (tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128)


def _state(op_type):
    rules = gradient_registry.rules()
    if op_type not in rules:
        return "refused"
    return "no gradient" if rules[op_type] is None else "rule"


@pytest.mark.parametrize("op_type", HERE)
def test_an_op_passes_gradients_as_in_tensorflow(op_type):
    if op_type in WITHOUT_RULE:
        assert _state(op_type) == "refused"
    elif op_type in RULE - OF_REGIONS:
        nothing = not any(GOLDEN["nodes"].get(op_type, {"first": []})["first"])
        assert _state(op_type) in (("rule", "no gradient") if nothing else ("rule",))
    elif op_type in NONE:
        assert _state(op_type) in ("no gradient", "rule")
    else:
        # A rule is right or not there: that None stands for a gradient nobody notices.
        assert _state(op_type) in ("refused", "rule")


def _floats(tensors):
    return [t for t in tensors if t.dtype.base_dtype in FLOATS]


def _passed(ys, xs, seeds):
    try:
        return [int(g is not None) for g in tf.gradients(ys, xs, seeds)]
    except LookupError:
        return "LookupError"


def _attr(kinds, name, value):
    return tf.as_dtype(value) if kinds[name] == "type" else value


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@pytest.mark.parametrize("op_type", sorted(set(GOLDEN["nodes"]) & set(HERE) - OF_REGIONS))
def test_no_term_of_a_first_or_second_gradient_is_lost(op_type):
    golden = GOLDEN["nodes"][op_type]
    kinds = {a["name"]: a["type"] for a in _core.op_info(op_type)["attrs"]}
    attrs = {name: _attr(kinds, name, value) for name, value in golden["attrs"].items() if name in kinds}
    with tf.Graph().as_default():
        sources = []

        def source(dtype):
            shape = golden["shapes"][len(sources)] if "shapes" in golden else None
            sources.append(tf.placeholder(dtype, shape))
            return sources[-1]

        inputs = [[source(t) for t in i] if isinstance(i, list) else source(i) for i in golden["inputs"]]
        ys, xs = _floats(apply_op(op_type, inputs, attrs).outputs), _floats(sources)
        arriving = [tf.placeholder(y.dtype, y.shape) for y in ys]
        found = tf.gradients(ys, xs, arriving)
        first = [int(g is not None) for g in found]
        assert all(here >= there for here, there in zip(first, golden["first"], strict=True)), (first, golden["first"])
        for g, there in zip(found, golden["second"], strict=True):
            if g is None or there is None:
                continue
            values = g.values if isinstance(g, tf.IndexedSlices) else g
            here = _passed([values], [*xs, *arriving], [tf.placeholder(values.dtype, values.shape)])
            if there == "LookupError":
                assert here == "LookupError" or all(here), (here, there)
            else:
                assert here != "LookupError"
                assert all(h >= t for h, t in zip(here, there, strict=True)), (here, there)


def _op(op_type, **attrs):
    return lambda *inputs: apply_op(op_type, list(inputs), attrs).outputs[0]


def _maxima_of_the_argmax_gradient(x, g):
    pooled = apply_op("MaxPoolWithArgmax", [x], {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"})
    windows = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    return apply_op("MaxPoolGradWithArgmax", [x, g, pooled.outputs[1]], windows).outputs[0]


def _real_logarithm(x):
    positive = tf.matmul(x, x, transpose_b=True) + tf.eye(3, dtype=tf.float64)
    return tf.real(apply_op("MatrixLogarithm", [tf.cast(positive, tf.complex128)]).outputs[0])


# Rules of ops for which TensorFlow refuses: functions of arguments whose shapes and ranges follow.
BEYOND_TENSORFLOW = {
    "ClipByValue": (lambda x: _op("ClipByValue")(x, tf.constant(-0.5, x.dtype), tf.constant(0.5, x.dtype)),
                    [((6,), -0.4, 0.4)]),
    "EuclideanNorm": (lambda x: _op("EuclideanNorm")(x, [1]), [((2, 3), 0.3, 2.0)]),
    "MatrixExponential": (_op("MatrixExponential"), [((3, 3), -1.0, 1.0)]),
    "MatrixLogarithm": (_real_logarithm, [((3, 3), -1.0, 1.0)]),
    "MaxPoolGradWithArgmax": (_maxima_of_the_argmax_gradient, [((1, 3, 3, 1), 0.0, 1.0), ((1, 2, 2, 1), 0.0, 1.0)]),
    "SegmentProd": (lambda x: _op("SegmentProd")(x, [0, 0, 2]), [((3, 2), 0.3, 2.0)]),
    "Snapshot": (_op("Snapshot"), [((3,), -1.0, 1.0)]),
}  # fmt: skip


@pytest.mark.parametrize("op_type", BEYOND_TENSORFLOW)
def test_a_rule_where_tensorflow_refuses_is_the_derivative(op_type):
    function, ranges = BEYOND_TENSORFLOW[op_type]
    random = np.random.RandomState(0)
    check(function, [random.uniform(low, high, shape) for shape, low, high in ranges])


def test_rules_of_transforms_in_space_are_adjoint():
    # Their only types are single precision, too coarse for differences.
    random = np.random.RandomState(1)
    x, back = (
        random.standard_normal((2, 3, 4)),
        random.standard_normal((2, 3, 3)) + 1j * random.standard_normal((2, 3, 3)),
    )
    with tf.Graph().as_default(), tf.Session() as session:
        t = tf.constant(x, tf.float32)
        y = apply_op("RFFT3D", [t, [2, 3, 4]]).outputs[0]
        by_x = tf.gradients(y, t, tf.constant(back, tf.complex64))[0]
        z = tf.constant(back, tf.complex64)
        real = apply_op("IRFFT3D", [z, [2, 3, 4]]).outputs[0]
        by_z = tf.gradients(real, z, t)[0]
        found = session.run([y, by_x, real, by_z])
    y, by_x, real, by_z = found
    np.testing.assert_allclose((np.conj(back) * y).real.sum(), (by_x * x).sum(), rtol=1e-4)
    np.testing.assert_allclose((x * real).sum(), (np.conj(by_z) * back).real.sum(), rtol=1e-4)


def test_every_rule_where_tensorflow_refuses_is_compared():
    extra = {name for name in HERE if _state(name) == "rule" and name not in RULE}
    transforms = {"IRFFT3D", "RFFT3D"}
    # The gradient of a TensorArray is a rule of its own reads and writes.
    assert extra - {"TensorArrayGradV3"} - CALLS == set(BEYOND_TENSORFLOW) | transforms

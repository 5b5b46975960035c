"""`tf.compat.v2` in graph mode: values, dtypes, shapes and names of TensorFlow 1.15.5."""

import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from golden.version_2_programs import EXPRESSIONS, evaluate

import ferroflow as tf
from ferroflow.compat import _version_2, v2

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "version_2.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("expression", GOLDEN)
def test_expressions_have_tensorflows_values(expression):
    expected, found = GOLDEN[expression], evaluate(tf, v2, expression)
    assert found.keys() == expected.keys(), found
    if expression not in EXPRESSIONS:
        assert found == expected
        return
    assert (found["dtype"], found["shape"], found["static"]) == (
        expected["dtype"],
        expected["shape"],
        expected["static"],
    )
    if found["dtype"] == "string":
        assert found["value"] == expected["value"]
    else:
        np.testing.assert_allclose(found["value"], expected["value"], rtol=2e-6, atol=2e-6)


def test_no_expression_of_the_golden_values_is_an_error_by_mistake():
    assert [key for key in EXPRESSIONS if "error" in GOLDEN[key]] == []


@pytest.mark.parametrize("name", sorted(set(_version_2._table()["functions"]) - _version_2._LEFT_OUT))
def test_functions_have_the_arguments_of_version_2(name):
    function = _version_2.find(name)
    given = [entry[0] for entry in _version_2._table()["functions"][name]]
    assert list(inspect.signature(function).parameters) == given


def test_modules_can_be_imported():
    for path in sorted(_version_2._modules()):
        module = importlib.import_module(f"ferroflow.{path}")
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert tf.compat.v2 is v2
    assert v2.compat.v1 is tf
    assert v2.keras.layers.Dense is tf.keras.layers.Dense
    assert v2.math.add is tf.math.add


def test_what_version_1_lacks_is_an_error():
    with pytest.raises(NotImplementedError, match="fixed_length"):
        v2.io.decode_raw(tf.constant(b"abcd"), tf.uint8, fixed_length=2)
    with pytest.raises(ImportError):
        exec("from ferroflow.compat.v2 import Session")


def test_variables_pass_through_the_creators():
    made = []

    def creator(following, **arguments):
        made.append(arguments["use_resource"])
        return following(**arguments)

    with tf.variable_creator_scope(creator):
        v2.Variable([1.0, 2.0], name="w", shape=[2])
    assert made == [True]
    assert [v.name for v in tf.trainable_variables()] == ["w:0"]


def test_names_that_a_function_lacks_open_a_scope():
    found = v2.math.bincount([1, 1, 2], name="counts")
    assert found.op.name.startswith("counts/")


def test_the_alias_has_it():
    program = (
        "import ferroflow; ferroflow.install_as_tensorflow()\n"
        "import tensorflow.compat.v2 as tf\nfrom tensorflow.compat import v2\nimport tensorflow\n"
        "assert tf is v2 is tensorflow.compat.v2 and tf.math.reduce_sum\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

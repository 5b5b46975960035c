"""Tests of functions that share a body: their signatures, messages, documentation, sources and pickles."""

import inspect
import pickle

import pytest

import ferroflow as tf
from ferroflow._src.base.function_families import FunctionFamily, constructor_defaults


@FunctionFamily
def _scaled(factor, x, offset=1, name=None):
    """Computes {what}, by the factor {value}.

    Args:
        x: float.
    """
    return factor * x + offset, name


@FunctionFamily
def _many(first, a, b=2, c=3, d=4, e=5, f=6, g=7, h=8):
    """Returns all arguments."""
    return first, a, b, c, d, e, f, g, h


double = _scaled("double", 2, what="twice `x`")
triple = _scaled("triple", 3, {"offset": 100}, what="thrice `x`")
rest = _many("rest", "one", {"h": "last"})


def test_members_fix_the_first_argument():
    assert double(5) == (11, None)
    assert double(x=5, offset=0, name="n") == (10, "n")
    assert triple(5) == (115, None)
    assert rest(0, 1, f="f") == ("one", 0, 1, 3, 4, 5, "f", 7, "last")


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (double, "(x, offset=1, name=None)"),
        (triple, "(x, offset=100, name=None)"),
        (rest, "(a, b=2, c=3, d=4, e=5, f=6, g=7, h='last')"),
    ],
)
def test_members_have_the_signature_without_the_first_argument(function, signature):
    assert str(inspect.signature(function)) == signature
    assert inspect.isfunction(function)
    assert inspect.getfullargspec(function).args == list(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: double(), r"double\(\) missing 1 required positional argument: 'x'"),
        (lambda: double(1, y=2), r"double\(\) got an unexpected keyword argument 'y'"),
        (lambda: double(1, 2, 3, 4), r"double\(\) takes from 1 to 3 positional arguments but 4 were given"),
        (lambda: double(1, factor=2), r"double\(\) got an unexpected keyword argument 'factor'"),
        (lambda: rest(), r"rest\(\) missing 1 required positional argument: 'a'"),
        (lambda: rest(1, first=2), r"rest\(\) got multiple values for argument 'first'"),
    ],
)
def test_messages_about_wrong_arguments_name_the_member(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_members_are_documented_and_found():
    assert inspect.getdoc(double) == "Computes twice `x`, by the factor 2.\n\nArgs:\n    x: float."
    assert (triple.__name__, triple.__qualname__, triple.__module__) == ("triple", "triple", __name__)
    assert "def _scaled(factor" in inspect.getsource(double)
    assert "def _many(first" in inspect.getsource(rest)
    assert pickle.loads(pickle.dumps(tf.exp)) is tf.exp


def test_a_field_without_text_is_refused():
    with pytest.raises(KeyError, match="what"):
        _scaled("half", 0.5)


@pytest.mark.parametrize("body", [len, lambda a, /: a, lambda a, *b: a, lambda a, *, b: a, lambda a, **b: a])
def test_only_functions_of_plain_parameters_have_families(body):
    with pytest.raises(TypeError, match="plain parameters"):
        FunctionFamily(body)


def _layer_functions():
    layers = tf.layers
    for function, layer in [
        (layers.conv1d, layers.Conv1D),
        (layers.conv2d, layers.Conv2D),
        (layers.conv3d, layers.Conv3D),
        (layers.conv2d_transpose, layers.Conv2DTranspose),
        (layers.conv3d_transpose, layers.Conv3DTranspose),
        (layers.separable_conv1d, layers.SeparableConv1D),
        (layers.separable_conv2d, layers.SeparableConv2D),
        (layers.dense, layers.Dense),
        (layers.batch_normalization, layers.BatchNormalization),
        (layers.dropout, layers.Dropout),
        (layers.flatten, layers.Flatten),
        (layers.max_pooling1d, layers.MaxPooling1D),
        (layers.max_pooling2d, layers.MaxPooling2D),
        (layers.max_pooling3d, layers.MaxPooling3D),
        (layers.average_pooling1d, layers.AveragePooling1D),
        (layers.average_pooling2d, layers.AveragePooling2D),
        (layers.average_pooling3d, layers.AveragePooling3D),
    ]:
        yield pytest.param(function, layer, id=function.__name__)


@pytest.mark.parametrize(("function", "layer"), [*_layer_functions()])
def test_a_function_of_layers_takes_the_arguments_of_its_layer(function, layer):
    own = inspect.signature(function).parameters
    of_layer = [p for p in inspect.signature(layer.__init__).parameters.values() if p.kind is not p.VAR_KEYWORD][1:]
    differing = [p.name for p in of_layer if p.name not in own or own[p.name].default != p.default]
    # TensorFlow 1.x: the default of `tf.layers.Flatten` is None, which means the same.
    assert differing == (["data_format"] if function is tf.layers.flatten else [])
    assert {*own} - {p.name for p in of_layer} <= {"inputs", "name", "reuse", "training"}
    assert next(iter(own)) == "inputs"
    described = inspect.getdoc(function)
    assert [name for name in own if f"    {name}: " not in described] == []


class _Sized:
    def __init__(self, name, size=1, *, kind="a"):
        self.all = (name, size, kind)


@constructor_defaults(size=(1, 1))
class _Square(_Sized):
    pass


def test_a_constructor_has_other_defaults_in_a_subclass():
    assert _Square("x").all == ("x", (1, 1), "a")
    assert _Square("x", 3).all == ("x", 3, "a")
    assert _Sized("x").all == ("x", 1, "a")
    assert str(inspect.signature(_Square)) == "(name, size=(1, 1), *, kind='a')"


def test_only_parameters_with_defaults_get_others():
    with pytest.raises(TypeError, match="no parameter with a default of the name 'name'"):
        constructor_defaults(name="x")(_Square)

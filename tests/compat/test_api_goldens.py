"""Every public name of TensorFlow 1.8 exists, with 1.8's or 1.15's argument list, but for what is listed here."""

import inspect

import pytest
from compat import api_goldens
from compat.api_goldens import ABSENT, GOLDENS, argument_differences, differing, member, missing, public

import ferroflow as tf

# Names that do not exist, by the ends of their paths, and why.
_PYTHON_2 = "Python 2's; Python 3 has no such attribute"
_MESSAGES = "a method of messages that protobuf has dropped"
ABSENT_NAMES = {
    "RegisterExtension": _MESSAGES,
    "__metaclass__.__init__": _PYTHON_2,
    "__metaclass__.mro": _PYTHON_2,
    "__metaclass__.register": _PYTHON_2,
    "LooperThread.isAlive": "Python 3.9 has dropped Thread.isAlive for is_alive",
    "NanLossDuringTrainingError.message": _PYTHON_2,
}

# Argument lists that differ, and why.
_CLASS_NAME = "None stands for the name of the class"
_PASSED_ON = "the class stands before one of tf.layers, whose arguments it passes on"
_MADE_ELSEWHERE = "programs do not make it; its constructor tells handles from what TensorFlow takes"
MEANT = {
    "DType.__init__": _MADE_ELSEWHERE,
    "Operation.__init__": _MADE_ELSEWHERE,
    "Tensor.__init__": _MADE_ELSEWHERE,
    "keras.layers.Layer.__init__": _PASSED_ON,
    "linalg.LinearOperatorCirculant.__init__": _CLASS_NAME,
    "linalg.LinearOperatorCirculant2D.__init__": _CLASS_NAME,
    "linalg.LinearOperatorCirculant3D.__init__": _CLASS_NAME,
    "nn.softmax_cross_entropy_with_logits": "None stands for -1; only so is it known if `dim` was given",
    "profiler.advise": "None and a dict of all checkers stand for 0, which is no dict",
    "profiler.profile": "None stands for 0, which is no dict",
    "test.StubOutForTesting.SmartSet": "absl's",
}

# Objects whose attributes TensorFlow's classes have as properties.
INSTANCES = {
    "estimator.RunConfig": tf.estimator.RunConfig,
    "keras.layers.Bidirectional": lambda: tf.keras.layers.Bidirectional(tf.keras.layers.GRU(1)),
    "keras.layers.GRU": lambda: tf.keras.layers.GRU(1),
    "keras.layers.LSTM": lambda: tf.keras.layers.LSTM(1),
    "keras.layers.SimpleRNN": lambda: tf.keras.layers.SimpleRNN(1),
    "keras.layers.RNN": lambda: tf.keras.layers.RNN(tf.keras.layers.GRUCell(1)),
    "keras.layers.ConvLSTM2D": lambda: tf.keras.layers.ConvLSTM2D(1, 1),
    "keras.layers.CuDNNGRU": lambda: tf.keras.layers.CuDNNGRU(1),
    "keras.layers.CuDNNLSTM": lambda: tf.keras.layers.CuDNNLSTM(1),
    "keras.layers.TimeDistributed": lambda: tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(1)),
    "keras.layers.Wrapper": lambda: tf.keras.layers.Wrapper(tf.keras.layers.Dense(1)),
}


def _has_a_reason(path, name):
    whole = f"{path}.{name}"
    return any(whole == end or whole.endswith(f".{end}") for end in ABSENT_NAMES)


def test_the_goldens_hold_all_names():
    assert sum(len(part["members"]) for part in GOLDENS.values()) == 11758


@pytest.mark.parametrize("path", GOLDENS)
def test_names_exist(path):
    absent = [name for name in missing(path) if not _has_a_reason(path, name)]
    if absent and path in INSTANCES:
        made = INSTANCES[path]()
        absent = [name for name in absent if not hasattr(made, name)]
    assert absent == []


@pytest.mark.parametrize("path", [path for path in GOLDENS if public(path) is not ABSENT])
def test_argument_lists_agree(path):
    whole = {f"{path}.{name}".lstrip("."): different for name, different in differing(path).items()}
    assert {name: different for name, different in whole.items() if name not in MEANT} == {}


def test_reasons_are_for_names_that_need_one():
    gone = [(path, name) for path in GOLDENS for name in missing(path)]
    unneeded = [end for end in ABSENT_NAMES if not any(f"{path}.{name}".endswith(end) for path, name in gone)]
    assert unneeded == []
    whole = {f"{path}.{name}".lstrip(".") for path in GOLDENS if public(path) is not ABSENT for name in differing(path)}
    assert [name for name in MEANT if name not in whole] == []


def test_differences_are_found():
    golden = {"args": ["self", "x", "axis", "name"], "defaults": ["0", "None"]}

    def called(*parameters):
        scope = {}
        exec(f"def function(self, {', '.join(parameters)}): pass", scope)
        return argument_differences(golden, scope["function"])

    assert called("x", "axis=0", "name=None", "later=1") == []
    assert called("x", "axis=0", "later=1", "name=None") == ["name is not at 2"]
    assert called("x", "name=None") == ["no axis", "name is not at 2"]
    assert called("x", "axis=1", "name=None") == ["axis=1, not 0"]
    assert called("x", "axis", "name", "later") == ["later is required", "axis is required", "name is required"] or (
        sorted(called("x", "axis", "name", "later")) == ["axis is required", "later is required", "name is required"]
    )
    assert called("x", "**kwargs") == ["axis is only in **", "name is only in **"]


@pytest.mark.parametrize(
    ("act", "advice"),
    [
        (lambda: tf.train.do_quantize_training_on_graphdef(None, 8), "fake_quant_with_min_max_vars"),
        (lambda: tf.profiler.Profiler(tf.get_default_graph()).serialize_to_string(), "RunMetadata"),
    ],
)
def test_what_cannot_work_says_what_to_use(act, advice):
    with pytest.raises(NotImplementedError, match=advice):
        act()


def test_names_of_this_table_are_callables_where_tensorflows_are():
    for path, entry in GOLDENS.items():
        owner = public(path)
        for name, golden in entry["members"].items():
            found = member(owner, name)
            if isinstance(golden, dict) and found is not ABSENT:
                assert callable(found), f"{path}.{name}"
    assert not inspect.ismodule(api_goldens.member(tf, "timestamp"))

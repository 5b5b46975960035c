"""Names that are not here say what to write instead, however they are asked for."""

import importlib
import pkgutil
import subprocess
import sys
import traceback
from types import ModuleType

import pytest

import ferroflow
from ferroflow._src.base.absent_names import INSTEAD, absent, instead_of

_OWN = {"ferroflow.command_line", "ferroflow.compat.v1"}


def _found(name):
    found = ferroflow
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def _public_modules(package=ferroflow):
    yield package.__name__
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if info.name not in _OWN and not info.name.rpartition(".")[2].startswith("_"):
            yield from _public_modules(importlib.import_module(info.name))


@pytest.mark.parametrize("name", INSTEAD)
def test_what_is_called_absent_is_absent_or_a_module_with_parts(name):
    found = _found(name)
    assert found is None or isinstance(found, ModuleType)


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_what_is_told_instead_is_there(name):
    told = [word.strip(",;:()") for word in INSTEAD[name].split() if word.startswith("tf.")]
    assert None not in map(_found, told), told


@pytest.mark.parametrize("module", sorted(set(_public_modules())))
def test_every_public_module_tells(module):
    with pytest.raises(AttributeError, match=r"tf.*\.no_such_name is not in ferroflow.* `ferroflow check") as raised:
        importlib.import_module(module).no_such_name  # noqa: B018
    assert raised.value.name == "no_such_name"


def test_the_longest_name_is_told():
    assert instead_of("tf.contrib.seq2seq.prepare_attention.more") == INSTEAD["tf.contrib.seq2seq.prepare_attention"]
    assert instead_of("tf.contrib.learn.no_such_thing") == INSTEAD["tf.contrib.learn"]
    assert instead_of("tf.nn.no_such_function") == ""


@pytest.mark.parametrize(
    "statement",
    [
        "import ferroflow.contrib.seq2seq.prepare_attention",
        "from ferroflow.contrib.seq2seq import prepare_attention",
        "ferroflow.contrib.seq2seq.prepare_attention",
    ],
)
def test_imports_tell_the_same(statement):
    with pytest.raises((ImportError, AttributeError), match=r"is not in ferroflow; instead: tf\.contrib\.seq2seq\.B"):
        exec(statement, {"ferroflow": ferroflow})


@pytest.mark.parametrize(
    ("statement", "near"),
    [
        ("import ferroflow.contrib.zzz", ""),
        ("import ferroflow.contrib.lern", "learn"),
        ("from ferroflow.nn import softmx", "softmax"),
        ("ferroflow.nn.softmx", "softmax"),
        ("import ferroflow.python.keras.layers.Dens", "Dense"),
    ],
)
def test_imports_suggest_near_names(statement, near):
    with pytest.raises((ImportError, AttributeError)) as raised:
        exec(statement, {"ferroflow": ferroflow})
    message = str(raised.value)
    assert ("did you mean" in message) == bool(near)
    assert f"did you mean '{near}'?" in message or not near


def test_messages_name_nothing_that_is_not_installed():
    told = [str(absent("ferroflow.nn", "no_such_name")), *INSTEAD.values()]
    assert not [text for text in told if ".md" in text]


def test_keras_has_the_words_of_its_public_names():
    with pytest.raises(ImportError, match=r"tf\.keras\.layers\.NoSuchLayer is not in ferroflow\. `ferroflow check"):
        import ferroflow.python.keras.layers.NoSuchLayer  # noqa: F401


def test_modules_that_are_no_packages_tell_at_imports():
    with pytest.raises(ImportError, match=r"instead: tf\.contrib\.seq2seq\.BahdanauAttention"):
        from ferroflow.contrib.seq2seq import prepare_attention  # noqa: F401
    with pytest.raises(ImportError, match=r"tf\.contrib\.layers\.nothing is not in ferroflow"):
        import ferroflow.contrib.layers.nothing  # noqa: F401


def test_names_of_pythons_own_are_refused_in_its_words():
    assert str(absent("ferroflow.nn", "__wrapped__")) == "module 'ferroflow.nn' has no attribute '__wrapped__'"


def test_what_is_ours_and_missing_is_no_name_of_tensorflows():
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'ferroflow\._src\.nothing'$"):
        importlib.import_module("ferroflow._src.nothing")


def test_a_near_name_is_suggested_once():
    with pytest.raises(AttributeError) as failed:
        ferroflow.nn.softmx  # noqa: B018  # the access is the test
    assert str(failed.value).startswith("module 'ferroflow.nn' has no attribute 'softmx'; did you mean 'softmax'?")
    assert "".join(traceback.format_exception(failed.value)).lower().count("did you mean") == 1
    # The interpreter's own printer of uncaught errors suggests names where `traceback` does not.
    command = [sys.executable, "-c", "import ferroflow as tf; tf.nn.softmx"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert shown.lower().count("did you mean") == 1
    with pytest.raises(AttributeError) as failed:
        ferroflow.nn.nothing_like_it  # noqa: B018  # the access is the test
    assert "did you mean" not in str(failed.value)

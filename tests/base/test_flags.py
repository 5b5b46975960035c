"""Laws of `tf.flags` and `tf.app`."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from deprecations import logs_deprecation

absl_flags = pytest.importorskip("absl.flags")

from ferroflow._src.base import flags  # noqa: E402


@pytest.fixture
def values(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["program", "--rate=0.5", "--noverbose", "--names=a,b"])
    wrapper = flags._FlagValuesWrapper(absl_flags.FlagValues())
    flags.DEFINE_string("title", "default", "the title", flag_values=wrapper)
    flags.DEFINE_float("rate", 0.1, "the rate", flag_values=wrapper)
    flags.DEFINE_integer("steps", 7, "the steps", flag_values=wrapper)
    flags.DEFINE_boolean("verbose", True, "talk", flag_values=wrapper)
    flags.DEFINE_bool("fast", False, "hurry", flag_values=wrapper)
    flags.DEFINE_list("names", [], "the names", flag_values=wrapper)
    flags.DEFINE_enum("mode", "train", ["train", "test"], "the mode", flag_values=wrapper)
    flags.DEFINE_multi_integer("size", [1], "the sizes", flag_values=wrapper)
    return wrapper


def test_reading_a_flag_parses_the_command_line(values):
    assert not values.is_parsed()
    assert values.rate == 0.5
    assert values.is_parsed()
    assert (values.title, values.steps, values.verbose, values.fast) == ("default", 7, False, False)
    assert (values.names, values.mode, values.size) == (["a", "b"], "train", [1])


def test_looking_at_flags_does_not_parse(values):
    assert "rate" in values
    assert len(values) == len(list(values)) >= 8
    assert "steps" in dir(values)
    assert values["steps"].default == 7
    assert "the steps" in str(values)
    assert not hasattr(values, "__wrapped__")
    assert not values.is_parsed()


def test_a_call_parses_and_returns_the_rest(values):
    rest = values(["program", "--steps=3", "--fast", "in", "--size=4", "--size=5", "--mode=test"])
    assert rest == ["program", "in"]
    assert (values.steps, values.fast, values.size, values.mode) == (3, True, [4, 5], "test")


def test_unknown_flags_are_an_error_or_left_alone(values):
    with pytest.raises(absl_flags.UnrecognizedFlagError, match="unknown"):
        values(["program", "--unknown=1"])
    assert values(["program", "--unknown=1", "--steps=2"], known_only=True) == ["program", "--unknown=1"]
    assert values.steps == 2


def test_programs_older_than_absl_parse_by_name(values):
    values._parse_flags()
    assert values.rate == 0.5
    values._parse_flags(["--steps=9", "--strange"])
    assert values.steps == 9
    assert sorted(getattr(values, "__flags"))[:2] == ["fast", "mode"]


def test_values_can_be_set_and_deleted(values):
    values.steps = 11
    values.set_default("title", "other")
    assert (values.steps, values.title) == (11, "other")
    assert values.flag_values_dict()["steps"] == 11
    del values.title
    assert "title" not in values
    with pytest.raises(AttributeError, match="title"):
        _ = values.title


@pytest.mark.parametrize("argument", ["--steps=x", "--rate=x", "--mode=other", "--verbose=perhaps"])
def test_illegal_values_are_refused(values, argument):
    with pytest.raises(absl_flags.IllegalFlagValueError, match=argument.split("=")[0].strip("-")):
        values(["program", argument])


def test_required_flags_must_be_given(values):
    flags.DEFINE_string("out", None, "needed", flag_values=values)
    flags.mark_flag_as_required("out", flag_values=values)
    with pytest.raises(absl_flags.IllegalFlagValueError, match="out"):
        values(["program"])
    values(["program", "--out=x"])
    assert values.out == "x"


def test_a_name_is_defined_once(values):
    with pytest.raises(absl_flags.DuplicateFlagError, match="steps"):
        flags.DEFINE_integer("steps", 1, "again", flag_values=values)


def test_defaults_may_be_numpys_numbers(values):
    flags.DEFINE_integer("batch", np.int64(512), "the batch", flag_values=values)
    flags.DEFINE_float("decay", default=np.float64(0.5), help="the decay", flag_values=values)
    values(["program", "--batch=3"])
    assert (values.batch, values["batch"].default, values.decay) == (3, 512, 0.5)


@pytest.mark.parametrize("kind", ["string", "boolean", "bool", "float", "integer"])
def test_old_keywords_still_work(values, kind):
    define = getattr(flags, f"DEFINE_{kind}")
    with logs_deprecation(r"please use \(name, default, help\) instead") as caught:
        define(flag_name="old", default_value=None, docstring="words", flag_values=values)
    assert caught[0].pathname == __file__
    define(name="new", default=None, help="words", flag_values=values)
    assert values["old"].help == values["new"].help == "words"


def test_the_global_flags_are_those_of_absl():
    assert flags.FLAGS.is_parsed == absl_flags.FLAGS.is_parsed
    assert flags.FlagValues is absl_flags.FlagValues
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = flags.nothing


def run(program, *arguments):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        # Help is broken into lines of this width.
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


PROGRAM = """
    "Trains %s well."
    from ferroflow._src.base import app, flags
    flags.DEFINE_integer("steps", 5, "how many steps")
    flags.DEFINE_string("log_dir", "/tmp", "where")
    FLAGS = flags.FLAGS
    def main(argv):
        print(argv[1:], FLAGS.steps, FLAGS.log_dir)
        return 3
    if __name__ == "__main__":
        app.run()
"""


def test_run_gives_main_what_is_left_and_exits_with_its_result():
    result = run(PROGRAM, "--steps=8", "--passthrough", "extra", "--log_dir=x")
    assert (result.stdout, result.returncode) == ("['--passthrough', 'extra'] 8 x\n", 3), result.stderr


def test_run_takes_main_and_argv():
    result = run(
        PROGRAM.replace("app.run()", "app.run(main=lambda a: print(a, FLAGS.steps), argv=['p', '--steps=1', 'q'])")
    )
    assert (result.stdout, result.returncode) == ("['p', 'q'] 1\n", 0), result.stderr


@pytest.mark.parametrize("flag", ["--help", "-h", "--helpshort"])
def test_help_shows_the_flags_of_the_program(flag):
    result = run(PROGRAM, flag)
    assert result.returncode == 1
    assert result.stdout.startswith("Trains -c well.\nflags:\n")
    assert "--steps: how many steps" in result.stdout
    assert "(default: '5')" in result.stdout
    assert "helpfull to get a list of all flags" in result.stdout


def test_helpfull_shows_all_flags():
    result = run(PROGRAM, "--helpfull")
    assert result.returncode == 1
    assert "--[no]helpfull: show full help" in result.stdout


def test_a_wrong_flag_ends_the_program_with_its_reason():
    result = run(PROGRAM, "--steps=many")
    assert result.returncode == 1
    assert result.stderr.startswith("FATAL Flags parsing error: flag --steps=many")
    assert "Traceback" not in result.stderr


def test_absl_is_imported_only_when_flags_are_used():
    result = run("import sys\nfrom ferroflow._src.base import app, flags\nflags.FLAGS\nprint('absl' in sys.modules)")
    assert result.stdout == "False\n", result.stderr

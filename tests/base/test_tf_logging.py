"""Laws of `tf.logging`."""

import logging
import subprocess
import sys

import pytest

from ferroflow._src.base import tf_logging


class Records(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)

    @property
    def messages(self):
        return [record.getMessage() for record in self.records]


@pytest.fixture
def records():
    logger = logging.getLogger("tensorflow")
    handler = Records()
    old_level = logger.level
    logger.addHandler(handler)
    tf_logging.set_verbosity(tf_logging.DEBUG)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(old_level)


def test_levels_are_those_of_python():
    levels = (tf_logging.DEBUG, tf_logging.INFO, tf_logging.WARN, tf_logging.ERROR, tf_logging.FATAL)
    assert levels == (10, 20, 30, 40, 50)


@pytest.mark.parametrize(
    ("function", "level"),
    [
        (tf_logging.debug, 10),
        (tf_logging.info, 20),
        (tf_logging.warn, 30),
        (tf_logging.warning, 30),
        (tf_logging.error, 40),
        (tf_logging.fatal, 50),
    ],
)
def test_each_function_logs_at_its_level_from_the_line_of_the_caller(records, function, level):
    function("%s and %d", "a", 5)
    (record,) = records.records
    assert (record.levelno, record.getMessage(), record.pathname) == (level, "a and 5", __file__)


def test_log_vlog_and_status_message(records):
    tf_logging.log(35, "a %d", 1)
    tf_logging.vlog(15, "b")
    tf_logging.TaskLevelStatusMessage("c")
    assert [(r.levelno, r.getMessage(), r.pathname) for r in records.records] == [
        (35, "a 1", __file__),
        (15, "b", __file__),
        (40, "c", __file__),
    ]
    tf_logging.flush()


def test_what_lies_below_the_verbosity_is_not_logged(records):
    tf_logging.set_verbosity(tf_logging.WARN)
    assert tf_logging.get_verbosity() == 30
    tf_logging.info("no")
    tf_logging.warning("yes")
    tf_logging.set_verbosity("ERROR")
    assert tf_logging.get_verbosity() == 40
    assert records.messages == ["yes"]


def test_log_if_logs_if_true(records):
    tf_logging.log_if(20, "yes %s", 1 < 2, "x")
    tf_logging.log_if(20, "no", 2 < 1)
    assert records.messages == ["yes x"]


def test_counted_functions_count_per_line(records):
    for i in range(7):
        tf_logging.log_every_n(20, "every %d", 3, i)
        tf_logging.log_first_n(20, "first %d", 2, i)
    assert [m for m in records.messages if m.startswith("every")] == ["every 0", "every 3", "every 6"]
    assert [m for m in records.messages if m.startswith("first")] == ["first 0", "first 1"]
    assert {r.pathname for r in records.records} == {__file__}


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        ("", "WARNING:tensorflow:loud\n"),
        ("import logging; logging.basicConfig(format='mine %(message)s')", "mine loud\n"),
    ],
)
def test_messages_are_shown_once_on_stderr_and_info_is_not(setup, expected):
    program = f"{setup}\nfrom ferroflow._src.base import tf_logging as l\nl.info('quiet')\nl.warn('loud')"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert (result.stdout, result.stderr) == ("", expected)

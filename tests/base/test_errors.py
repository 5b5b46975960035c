"""Laws of the error classes and their codes."""

import pickle
import subprocess
import sys
import traceback

import pytest

import ferroflow as tf
from ferroflow._src.base import errors

TF_CODES = {
    "Cancelled": 1,
    "Unknown": 2,
    "InvalidArgument": 3,
    "DeadlineExceeded": 4,
    "NotFound": 5,
    "AlreadyExists": 6,
    "PermissionDenied": 7,
    "ResourceExhausted": 8,
    "FailedPrecondition": 9,
    "Aborted": 10,
    "OutOfRange": 11,
    "Unimplemented": 12,
    "Internal": 13,
    "Unavailable": 14,
    "DataLoss": 15,
    "Unauthenticated": 16,
}


class FakeOp:
    def __init__(self, name, lines, original=None):
        self.name = name
        self.traceback = [traceback.FrameSummary("model.py", line, "build", line=f"step_{line}()") for line in lines]
        self._original_op = original


@pytest.mark.parametrize(("stem", "code"), TF_CODES.items())
def test_each_code_has_its_class(stem, code):
    cls = getattr(errors, stem + "Error")
    assert errors.exception_type_from_error_code(code) is cls
    assert errors.error_code_from_exception_type(cls) == code
    assert errors.OpError in cls.__bases__
    error = cls("node", None, "words")
    assert (error.node_def, error.op, error.message, error.error_code) == ("node", None, "words", code)
    assert type(errors.make_exception(None, None, "words", code)) is cls
    constant = "".join("_" + c if c.isupper() else c for c in stem).strip("_").upper()
    assert getattr(errors, constant) == code


def test_ok_is_no_error():
    assert errors.OK == 0
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(errors.OK)


def test_unknown_code_warns_and_is_kept():
    with pytest.warns(UserWarning, match="Unknown error code: 37"):
        error = errors.make_exception(None, None, "words", 37)
    assert isinstance(error, errors.UnknownError)
    assert error.error_code == 37


def test_text_without_op_is_the_message():
    assert str(errors.NotFoundError(None, None, "no such key")) == "no such key"


def test_text_with_op_names_the_op_and_the_lines_that_made_it():
    text = str(errors.InvalidArgumentError(None, FakeOp("layer/MatMul", [7]), "bad shape"))
    assert text.startswith("bad shape\n\nCaused by op 'layer/MatMul', defined at:\n")
    assert 'File "model.py", line 7, in build: step_7()' in text
    assert text.count("bad shape") == 1


def test_text_of_a_derived_op_leaves_out_the_shared_lines():
    text = str(errors.InternalError(None, FakeOp("grad", [1, 2, 3, 4, 9], FakeOp("x", [1, 2, 3, 4, 5])), "oops"))
    tail = text.split("...which was originally created as op 'x', defined at:\n")[1]
    assert "[elided 2 identical lines from previous traceback]" in tail
    assert [f"step_{i}()" in tail for i in range(1, 6)] == [True, False, False, True, True]


def test_text_leaves_out_the_lines_of_the_traceback_above_it():
    def build():
        return sys._getframe().f_lineno, tf.placeholder(tf.float32, name="fed")

    def run():
        with tf.Graph().as_default(), tf.Session() as session:
            line, x = build()
            session.run(x)
        return line

    with pytest.raises(errors.InvalidArgumentError) as caught:
        run()
    before, definition = str(caught.value).split("Caused by op 'fed', defined at:\n")
    assert "You must feed a value" in before
    # The test's own line is above them in the traceback.
    first, second = definition.split("\n")
    assert first.endswith("in run: line, x = build()")
    assert second.endswith('in build: return sys._getframe().f_lineno, tf.placeholder(tf.float32, name="fed")')


def test_uncaught_errors_of_threads_show_the_users_frames(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import threading\nimport ferroflow as tf\n"
        "def work():\n    tf.Session().run(tf.placeholder(tf.float32))\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
    )
    shown = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stderr
    assert f'File "{program}", line 4, in work' in shown
    assert "pyfront" not in shown
    assert "threading.py" not in shown
    assert len(shown.strip().split("\n")) <= 12


def test_text_works_for_an_op_without_stack():
    class Bare:
        name = "bare"

    assert "Caused by op 'bare'" in str(errors.UnknownError(None, Bare(), "words"))


def test_errors_travel_between_processes_without_their_op():
    for error in (
        errors.DataLossError("node", FakeOp("op", [1]), "crc"),
        errors.UnknownError(None, None, "words", 99),
        errors.OpError(None, None, "words", 3),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (copy.node_def, copy.op, copy.message, copy.error_code) == (
            error.node_def,
            None,
            error.message,
            error.error_code,
        )


_PROGRAM_THAT_NAMES_NO_ERRORS = """
import pickle, traceback
import ferroflow as tf
from ferroflow._src.base import errors

for name, code in {codes}.items():
    error = errors.make_exception(None, None, "words", code)
    old = pickle.loads(f"cferroflow._src.base.errors\\n{{name}}Error\\n.".encode())
    for shown in (error, old(None, None, "words"), pickle.loads(pickle.dumps(error))):
        print(traceback.format_exception_only(shown)[0], end="")
"""


def test_a_traceback_shows_the_public_path_of_an_error_before_a_program_reads_it():
    text = _PROGRAM_THAT_NAMES_NO_ERRORS.format(codes=TF_CODES)
    printed = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == [f"ferroflow.errors.{name}Error: words" for name in TF_CODES for _ in range(3)]


def test_errors_without_a_public_path_show_that_of_a_base_class():
    unreachable = errors.UnreachableTaskError(None, None, "words")
    assert traceback.format_exception_only(unreachable) == ["ferroflow.errors.DeadlineExceededError: words\n"]
    for protocol in (0, 2, pickle.HIGHEST_PROTOCOL):
        again = pickle.loads(pickle.dumps(unreachable, protocol))
        assert type(again) is errors.UnreachableTaskError
        assert (again.message, again.error_code) == ("words", errors.DEADLINE_EXCEEDED)


def test_the_error_of_a_missing_checkpoint_is_pickled_with_its_words(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", [2])
        with pytest.raises(tf.errors.NotFoundError, match="not a valid checkpoint") as caught:
            tf.train.Saver().restore(session, str(tmp_path / "none"))
    shown = traceback.format_exception_only(caught.value)[0]
    assert shown.startswith("ferroflow.errors.NotFoundError: ")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert again.message == caught.value.message
    assert isinstance(again, ValueError)


def test_the_error_of_a_number_that_is_too_great_shows_no_private_path():
    with pytest.raises(OverflowError) as caught:
        tf.constant([2**70], tf.int64)
    assert "_src" not in traceback.format_exception_only(caught.value)[0]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))


def test_the_error_of_a_loss_that_is_nan_shows_its_public_path_and_is_pickled():
    text = """
import pickle, traceback
from ferroflow._src.supervision.hooks.nan_tensor import NanLossDuringTrainingError

for shown in (NanLossDuringTrainingError(), pickle.loads(pickle.dumps(NanLossDuringTrainingError()))):
    print(traceback.format_exception_only(shown)[0], end="")
"""
    printed = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["ferroflow.estimator.NanLossDuringTrainingError: NaN loss during training."] * 2

"""Libraries that are compiled for TensorFlow are refused with what to do instead."""

import pytest

import ferroflow as tf


@pytest.mark.parametrize(
    ("load", "instead"),
    [
        (tf.load_op_library, "tf.custom_gradient"),
        (tf.load_library, "tf.py_func"),
        (tf.load_file_system_library, "mount the file system"),
    ],
)
def test_a_library_is_refused(tmp_path, load, instead):
    path = tmp_path / "op.so"
    with pytest.raises(tf.errors.NotFoundError, match=r"op\.so: cannot open shared object file"):
        load(str(path))
    path.touch()
    with pytest.raises(NotImplementedError, match=instead):
        load(path)


def test_a_fact_and_the_flags_of_the_build():
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(tf.user_ops.my_fact()) == b"0! == 1"
    assert (tf.CXX11_ABI_FLAG, tf.sysconfig.MONOLITHIC_BUILD) == (0, 0)


def test_failures_of_the_native_interface_are_raised_as_errors(tmp_path):
    from ferroflow import _core

    with (
        pytest.raises(tf.errors.NotFoundError),
        tf.errors.raise_exception_on_not_ok_status(),
    ):
        _core.CheckpointReader(str(tmp_path / "none"))
    with pytest.raises(KeyError), tf.errors.raise_exception_on_not_ok_status():
        raise KeyError("other")

"""Law of the way of a loss through `minimize`: how often it comes back to a file that it has left."""

import sys

import ferroflow as tf

_MOST_RETURNS = 12


def _returns(files: list[str]) -> int:
    """Returns how often a sequence of files comes back to one that it has left."""
    visits = [file for i, file in enumerate(files) if i == 0 or files[i - 1] != file]
    return len(visits) - len(set(visits))


def _walk(run, value) -> list[str]:
    """Returns the file of each function that gets `value` or its operation, in the order of their first calls."""
    seen, files = set(), []

    def record(frame, event, arg):
        code = frame.f_code
        if event != "call" or "ferroflow/_src" not in code.co_filename or code.co_name.startswith("<"):
            return
        given = list(frame.f_locals.values())
        given += [e for v in given if isinstance(v, list | tuple) for e in v]
        if code not in seen and any(v is value or v is value.op for v in given):
            seen.add(code)
            files.append(code.co_filename)

    sys.setprofile(record)
    try:
        run()
    finally:
        sys.setprofile(None)
    return files


def test_minimize_rarely_comes_back_to_a_file_with_the_loss():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
        files = _walk(lambda: tf.train.GradientDescentOptimizer(0.1).minimize(loss), loss)
    assert len(set(files)) > 8
    assert _returns(files) <= _MOST_RETURNS, files


def test_returns_are_counted_once_for_each_visit():
    assert _returns(["a", "a", "b", "a", "c", "b", "b"]) == 2

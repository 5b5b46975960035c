"""Converted functions give for tensors what the Python functions give for numbers, and TensorFlow's errors."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib import autograph as ag


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def sign(x):
    if x > 0:
        kind = 1
    elif x < -5:
        kind = -2
    else:
        kind = -1
    return kind


def early(x):
    if x > 3:
        return x * 2
    if x == 3:
        return -7
    return x * 3


def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:  # noqa: SIM108  # the statement is converted
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def odd_sum(n):
    total = 0
    for i in range(n):
        if i == 7:
            break
        if i % 2 == 0:
            continue
        total += i
    return total


def pairs(n):
    total = 0
    for i in range(n):
        for j in range(i):
            k = i * j
            if k % 3 == 1 or (j > 4 and not i > 8):
                total += k
    return total


def while_else(n):
    i = 0
    while i < n:
        i += 1
        if i > 3:
            break
    else:
        i = -1
    return i


def fibonacci(n):
    a, b = 0, 1
    while b < n:
        a, b = b, a + b
    return a


def choice(x):
    return x + 1 if x > 2 else x - 1


def helper(x):
    if x > 2:
        return x
    return -x


def calls(x):
    return helper(x) + helper(x - 4)


def finals(x):
    try:
        if x > 2:
            x = x + 1
    finally:
        x = x * 2
    return x


def mixed(x):
    total = x
    for a, b in zip([1, 2, 3], [3, 4, 5], strict=True):
        if total > 3:
            total = total + a * b
    return total


FUNCTIONS = [sign, early, collatz, odd_sum, pairs, while_else, fibonacci, choice, calls, finals, mixed]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_tensors_give_what_numbers_give(function):
    converted = ag.to_graph(function)
    x = tf.placeholder(tf.int32, [])
    result = converted(x)
    with tf.Session() as sess:
        for number in [-9, -1, 1, 2, 3, 4, 5, 9, 12]:
            assert converted(number) == function(number)
            assert sess.run(result, {x: number}) == function(number), number


def test_gradients_pass_through_loops():
    def power(x):
        y = x
        i = 0
        while i < 3:
            y = y * x
            i += 1
        return y

    x = tf.constant(2.0)
    (gradient,) = tf.gradients(ag.to_graph(power)(x), x)
    with tf.Session() as sess:
        assert sess.run(gradient) == 32.0


def test_rows_and_datasets_are_iterated_over_in_the_graph():
    def add_up(elements):
        total = tf.constant(0, tf.int64)
        for element in elements:
            if element == 2:
                continue
            total += element
        return total

    converted = ag.to_graph(add_up)
    results = [converted(tf.constant([1, 2, 3], tf.int64)), converted(tf.data.Dataset.range(5))]
    with tf.Session() as sess:
        assert sess.run(results) == [4, 8]


def test_effects_run_with_the_results_and_in_their_order():
    def step(x):
        state = tf.get_variable("state", initializer=1, use_resource=True)
        if x > 0:
            state.assign_add(x)
        state.assign(state * 2)
        return tf.identity(state)

    result = ag.to_graph(step)(tf.constant(4))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [sess.run(result), sess.run(result)] == [10, 28]


def test_assertions_and_prints(capfd):
    def checked(x):
        assert x > 0, "positive"
        print("value", x)
        return x

    x = tf.placeholder(tf.int32, [])
    result = ag.to_graph(checked)(x)
    with tf.Session() as sess:
        assert sess.run(result, {x: 3}) == 3
        assert "value 3" in capfd.readouterr().err
        with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
            sess.run(result, {x: -3})
    with pytest.raises(AssertionError, match="positive"):
        ag.to_graph(checked)(-3)


def test_closures_methods_defaults_and_decorators():
    limit = 3

    def clipped(x, *, low=1):
        if x > limit:
            x = tf.constant(limit)
        if x < low:
            x = tf.constant(low)
        return x

    class Model:
        factor = 2

        def scaled(self, x):
            if x > self.factor:
                x = x * self.factor
            return x

    @ag.convert(recursive=True)
    def decorated(x):
        return clipped(x) + Model().scaled(x)

    with tf.Session() as sess:
        assert sess.run([ag.to_graph(clipped)(tf.constant(n)) for n in (-1, 2, 7)]) == [1, 2, 3]
        assert sess.run(ag.to_graph(clipped)(tf.constant(4), low=9)) == 9
        assert sess.run(ag.to_graph(Model().scaled)(tf.constant(5))) == 10
        assert sess.run(decorated(tf.constant(5))) == 13


def test_functions_of_libraries_and_marked_functions_are_called_as_they_are():
    @ag.do_not_convert
    def raw(x):
        return isinstance(x, tf.Tensor)

    def function(x):
        assert raw(x)
        return np.add(1, 2) + len(x) + int(x[0])

    with tf.Session() as sess:
        assert sess.run(ag.to_graph(function)(tf.constant([4.5, 5.0]))) == 9


def half_defined(x):
    if x > 0:
        z = x
    return z


def defined_in_loop(n):
    while n > 0:
        n -= 1
        q = n
    return q


def returns_in_loop(n):
    i = tf.constant(0)
    while i < n:
        i += 1
        if i * i > n:
            return i
    return -1


def two_types(x):
    if x > 0:  # noqa: SIM108  # the statement is converted
        y = 1
    else:
        y = 2.0
    return y


def sets_attribute(x):
    holder = half_defined
    if x > 0:
        holder.value = x
    return x


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (half_defined, ValueError, r"must also be initialized in the else branch: \('z',\)"),
        (defined_in_loop, ValueError, r"symbols must be defined before the loop: \('q',\)"),
        (returns_in_loop, ValueError, "return statements are not supported within a TensorFlow loop"),
        (two_types, TypeError, '"y" has dtype int32 in the TRUE branch, but dtype=float32 in the FALSE branch'),
        (sets_attribute, NotImplementedError, r"assigns holder\.value"),
    ],
)
def test_errors_are_tensorflows(function, error, message):
    with pytest.raises(error, match=message):
        ag.to_graph(function)(tf.constant(1))


def test_what_cannot_be_converted_is_refused():
    def generator(x):
        yield x

    for entity in (generator, lambda x: x, int, type("C", (), {})):
        with pytest.raises(NotImplementedError, match="AutoGraph"):
            ag.to_graph(entity)
    with pytest.raises(TypeError, match="neither a function"):
        ag.to_graph(3)


def test_code_is_shown():
    code = ag.to_code(sign)
    assert code.startswith("def sign(x):\n  kind = ag__.Undefined('kind')\n")
    assert code.count("ag__.if_stmt") == 2
    compile(code, "sign", "exec")


def test_lists_are_stacked():
    def doubled(x):
        parts = []
        ag.set_element_type(parts, tf.int32)
        for i in range(3):
            parts.append(x * i)
        return ag.stack(parts)

    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(ag.to_graph(doubled)(tf.constant(2))), [0, 2, 4])
    with pytest.raises(ValueError, match="unable to stack"):
        ag.stack(3)
    assert ag.stack(3, strict=False) == 3

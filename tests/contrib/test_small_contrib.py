"""Grid cells, initializers, bounded specs and samples of `tf.contrib` have TensorFlow 1.15.5's results."""

import importlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from estimator.test_heads import compare
from golden.small_contrib_programs import programs
from hypothesis import given, settings, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "small_contrib.json").read_text(encoding="utf-8"))
text = importlib.import_module("ferroflow.contrib.text")
grid = importlib.import_module("ferroflow.contrib.grid_rnn")
made = tf.contrib.framework


@pytest.fixture(scope="module")
def all_programs(tmp_path_factory):
    return programs(tf, str(tmp_path_factory.mktemp("files")))


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_those_of_tensorflow(name, all_programs):
    compare(json.loads(json.dumps(all_programs[name]())), GOLDEN[name], name)


def test_every_program_has_a_golden_result(all_programs):
    assert sorted(all_programs) == sorted(GOLDEN)


def _expected(words, skips, start, limit, has_self):
    end = len(words) if limit < 0 else min(start + limit, len(words))
    return [
        (words[i], words[j])
        for i in range(start, end)
        for j in range(max(start, i - skips), min(end, i + skips + 1))
        if i != j or has_self
    ]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 7), st.integers(0, 4), st.integers(0, 5), st.integers(-1, 6), st.booleans())
def test_pairs_are_those_of_the_definition(size, skips, start, limit, has_self):
    words = list(range(10, 10 + size))
    with tf.Graph().as_default(), tf.Session() as session:
        tokens, labels = session.run(
            text.skip_gram_sample(tf.constant(words, tf.int64), skips, skips, start, limit, has_self)
        )
    assert list(zip(tokens.tolist(), labels.tolist(), strict=True)) == _expected(words, skips, start, limit, has_self)


def test_random_distances_are_within_their_bounds():
    words = tf.range(200)
    with tf.Session() as session:
        tokens, labels = session.run(text.skip_gram_sample(words, 2, 4, seed=1))
    inner = [np.sort(labels[tokens == i]) for i in range(4, 196)]
    assert {len(found) for found in inner} == {4, 6, 8}
    assert all((np.abs(found - i) <= 4).all() for i, found in enumerate(inner, 4))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(text.skip_gram_sample(words, 3, 2))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(text.skip_gram_sample(words, -3, -2))


def test_samples_leave_frequent_words_out(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("often,1000000\nrare,1\n")
    words = tf.constant(["often", "rare"] * 50)
    found = text.skip_gram_sample_with_text_vocab(words, str(path), vocab_subsampling=1e-5, seed=3)
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        tokens, _ = session.run(found)
    assert np.mean(tokens == b"rare") > 0.8
    with pytest.raises(ValueError, match="both must be provided"):
        text.skip_gram_sample(words, vocab_freq_table=1, corpus_size=3)
    with pytest.raises(ValueError, match="vocab_freq_table is not provided"):
        text.skip_gram_sample(words, vocab_min_count=3)
    with pytest.raises(ValueError, match="should be different"):
        text.skip_gram_sample_with_text_vocab(words, str(path), vocab_freq_index=0)
    with pytest.raises(ValueError, match="must be greater than or equal"):
        text.skip_gram_sample_with_text_vocab(words, str(path), corpus_size=3)


def test_samples_come_in_batches():
    tokens, labels = text.skip_gram_sample(tf.constant([1, 2, 3]), 1, 1, batch_size=3)
    assert tokens.shape.as_list() == labels.shape.as_list() == [3]


@pytest.mark.parametrize("shape", [[3, 2, 4], [3, 3, 2, 3], [2, 2, 2, 2, 3]])
def test_orthogonal_convolutions_keep_the_norm(shape):
    names = {3: "1d", 4: "2d", 5: "3d"}
    kernel = getattr(made, f"convolutional_orthogonal_{names[len(shape)]}")(seed=2)(shape)
    with tf.Session() as session:
        values = session.run(kernel)
    # A circular convolution: the product of the transforms is an isometry at each frequency.
    padded = np.zeros([5] * (len(shape) - 2) + shape[-2:])
    padded[tuple(slice(0, size) for size in shape[:-2])] = values
    at_frequencies = np.fft.fftn(padded, axes=range(len(shape) - 2)).reshape(-1, *shape[-2:])
    products = at_frequencies @ np.conj(at_frequencies.swapaxes(1, 2))
    np.testing.assert_allclose(products, np.broadcast_to(np.eye(shape[-2]), products.shape), atol=1e-5)


def test_initializers_refuse_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="must be four-dimensional"):
        made.convolutional_orthogonal_2d()([3, 3, 2])
    with pytest.raises(ValueError, match="Kernel sizes must be equal"):
        made.convolutional_orthogonal_2d()([3, 2, 2, 2])
    with pytest.raises(ValueError, match="In_filters cannot be greater"):
        made.convolutional_delta_orthogonal()([3, 4, 2])


def test_bounded_specs_can_be_pickled():
    spec = made.BoundedTensorSpec([2], tf.int64, 0, [1, 2], "s")
    copy = pickle.loads(pickle.dumps(spec))
    assert copy == spec
    with pytest.raises(ValueError, match="read-only"):
        copy.minimum[...] = 1


def test_grid_cells_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="dims must be >= 1"):
        grid.GridRNNCell(2, 0)
    with pytest.raises(ValueError, match=r"Must be in \[0, 2\)"):
        grid.GridRNNCell(2, 2, input_dims=3)
    with pytest.raises(TypeError, match="must return an RNNCell"):
        grid.GridRNNCell(2, cell_fn=lambda size: size)
    with pytest.raises(ValueError, match="tuple of 2 element"):
        grid.Grid2LSTMCell(2)(tf.zeros([1, 2]), ((1, 2),))


@pytest.mark.parametrize("method", ["_apply_dense", "_prepare", "_create_vars"])
def test_optimizers_of_programs_derive_from_the_first_version(method):
    base = importlib.import_module("ferroflow.contrib.optimizer_v2").AdamOptimizer
    with pytest.raises(NotImplementedError, match=r"tf\.train\.Optimizer"):
        type("Mine", (base,), {method: lambda *_: None})()
    with pytest.raises(RuntimeError, match="Override _create_vars instead of _create_slots"):
        type("Mine", (base,), {"_create_slots": lambda *_: None})()


@pytest.mark.parametrize("stopped", [False, True])
def test_optimizers_of_version_2_stop_gradients(stopped):
    base = importlib.import_module("ferroflow.contrib.optimizer_v2").GradientDescentOptimizer
    x = tf.Variable(3.0)
    square = x * x
    pairs = base(1.0).compute_gradients(square * x, [x], stop_gradients=[square] if stopped else None)
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run(pairs[0][0]) == (9.0 if stopped else 27.0)


@given(st.integers(1, 4), st.integers(1, 3), st.integers(5, 40), st.sampled_from(["SAME", "VALID"]))
@settings(max_examples=25, deadline=None)
def test_sizes_of_maps_are_those_of_the_results(kernel, stride, size, padding):
    fields = importlib.import_module("ferroflow.contrib.receptive_field.receptive_field_api")
    with tf.Graph().as_default() as graph:
        image = tf.zeros([1, size, size + 1, 1], name="image")
        pooled = tf.nn.max_pool(image, [1, kernel, 1, 1], [1, stride, stride, 1], padding, name="pooled")
        infos, _ = fields.get_compute_order(graph.as_graph_def(), "image", [size, size + 1])
    assert infos["pooled"].output_size == pooled.shape.as_list()[1:3]


def test_loops_have_no_order():
    fields = importlib.import_module("ferroflow.contrib.receptive_field.receptive_field_api")
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        with pytest.raises(ValueError, match="has a loop"):
            fields.get_compute_order(graph.as_graph_def())


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 4), st.integers(0, 4), st.booleans(), st.booleans())
def test_a_recurrence_is_its_unrolled_loop(time, most, at_end, has_gradient):
    recurrent = importlib.import_module("ferroflow.contrib.recurrent.python.ops.recurrent")
    steps = min(time, most)

    def cell(theta, state, inputs):
        return (tf.tanh(theta * state[0] + inputs),), [state[0]]

    def gradient(theta, state, inputs, extras, dstate):
        after = dstate[0] * (1 - tf.tanh(theta * extras[0] + inputs) ** 2)
        product = theta * state[0] + inputs
        return tf.gradients(product, theta, after)[0], (after * theta,), tf.gradients(product, inputs, after)[0]

    with tf.Graph().as_default(), tf.Session() as session:
        theta, first = tf.constant(0.7, tf.float64), tf.constant(0.2, tf.float64)
        inputs = tf.constant(np.linspace(-1.0, 1.0, time))
        (states,), (last,) = recurrent.Recurrent(
            theta, (first,), inputs, cell, gradient if has_gradient else None, None, steps, aligned_end=at_end
        )
        state, unrolled = first, [tf.zeros([], tf.float64)] * time
        for i in range(time - steps, time) if at_end else range(steps):
            ((state,), _) = cell(theta, (state,), inputs[i])
            unrolled[i] = state
        sums = [tf.reduce_sum(states) + last, tf.add_n(unrolled) + state]
        found = [tf.gradients(each, [theta, first, inputs]) if steps else [] for each in sums]
        ours, expected = session.run([[states, last, *found[0]], [tf.stack(unrolled), state, *found[1]]])
    for value, other in zip(ours, expected, strict=True):
        np.testing.assert_allclose(value, other, rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_resampled_elements_are_those_of_the_definition(sizes, data):
    resample = importlib.import_module("ferroflow.contrib.periodic_resample").periodic_resample
    free = data.draw(st.integers(0, len(sizes) - 1))
    factors = [1 if axis == free else data.draw(st.integers(1, 3)) for axis in range(len(sizes))]
    source = np.arange(np.prod(sizes) * np.prod(factors))
    sizes[free] *= int(np.prod(factors))
    source = source.reshape(sizes)
    shape = [
        None if axis == free else size * factor for axis, (size, factor) in enumerate(zip(sizes, factors, strict=True))
    ]
    values = tf.placeholder(tf.int64, data.draw(st.sampled_from([sizes, [None] * len(sizes)])))
    with tf.Session() as session:
        found = session.run(resample(values, shape), {values: source})
    expected = np.zeros([size or sizes[free] // int(np.prod(factors)) for size in shape], np.int64)
    for place in np.ndindex(*expected.shape):
        before, phase = [i // factor for i, factor in zip(place, factors, strict=True)], 0
        for axis in reversed(range(len(sizes))):
            phase = phase * factors[axis] + place[axis] % factors[axis]
        before[free] = expected.shape[free] * phase + place[free]
        expected[place] = source[tuple(before)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "must have a label"),
        ("1 2", "form index:value"),
        ("1 2:3:4", "form index:value"),
        ("1 -2:3", "should be >= 0"),
        ("x 1:1", "x"),
        ("1 1:y", "y"),
    ],
)
def test_lines_of_another_form_are_refused(line, error):
    features, labels = importlib.import_module("ferroflow.contrib.libsvm").decode_libsvm(["0 1:1", line], 4)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=error):
        session.run([features, labels])


def test_values_beyond_the_end_are_refused():
    resample = importlib.import_module("ferroflow.contrib.periodic_resample").periodic_resample
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(resample(tf.reshape(tf.range(12), [3, 4]), [None, 5]))


@pytest.mark.parametrize("as_text", [False, True])
def test_savedmodels_are_read_with_their_tags(as_text, tmp_path):
    reader = importlib.import_module("ferroflow.contrib.saved_model.python.saved_model.reader")
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.get_variable("v", initializer=1.0).initializer)
        builder.add_meta_graph_and_variables(session, ["serve", "cpu"])
        builder.add_meta_graph(["train"])
    builder.save(as_text)
    assert [sorted(tags) for tags in reader.get_saved_model_tag_sets(str(tmp_path / "model"))] == [
        ["cpu", "serve"],
        ["train"],
    ]
    assert len(reader.read_saved_model(tmp_path / "model").meta_graphs) == 2
    with pytest.raises(OSError, match="does not exist"):
        reader.get_saved_model_tag_sets(str(tmp_path))


def test_variables_without_a_value_can_be_assigned():
    states = importlib.import_module("ferroflow.python.ops.state_ops")
    known, unknown = states.variable_op([2], tf.float32), states.variable_op([2], tf.int64, set_shape=False)
    assert (known.shape.as_list(), unknown.shape.ndims, known.dtype) == ([2], None, tf.float32._as_ref)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(known)
        session.run(tf.assign(known, [1.0, 2.0]))
        assert session.run(known).tolist() == [1.0, 2.0]


fused = importlib.import_module("ferroflow.contrib.fused_conv")


@settings(max_examples=20, deadline=None)
@given(
    is_first=st.booleans(),
    is_oihw=st.booleans(),
    padding=st.sampled_from(["SAME", "VALID"]),
    factors=st.tuples(st.floats(-2, 2, width=32), st.floats(-2, 2, width=32)),
    seed=st.integers(0, 99),
)
def test_a_fused_convolution_is_the_sum_of_its_parts(is_first, is_oihw, padding, factors, seed):
    random = np.random.RandomState(seed)
    images = random.randn(2, 5, 4, 3).astype(np.float32)
    weights, bias = random.randn(3, 2, 3, 6).astype(np.float32), random.randn(6).astype(np.float32)
    order = [0, 3, 1, 2]
    with tf.Graph().as_default(), tf.Session() as session:
        convolved = session.run(tf.nn.conv2d(images, weights, [1, 1, 1, 1], padding))
        side = random.randn(*convolved.shape).astype(np.float32)
        result = fused.fused_conv2d_bias_activation(
            images.transpose(order) if is_first else images,
            weights.transpose(3, 2, 0, 1) if is_oihw else weights,
            bias,
            padding=padding,
            conv_input_scale=factors[0],
            side_input_scale=factors[1],
            side_input=side.transpose(order) if is_first else side,
            data_format="NCHW" if is_first else None,
            filter_format="OIHW" if is_oihw else None,
        )
        found = session.run(result)
    expected = np.maximum(np.float32(factors[0]) * convolved + np.float32(factors[1]) * side + bias, 0)
    np.testing.assert_allclose(found, expected.transpose(order) if is_first else expected, rtol=1e-4, atol=1e-4)


def test_what_a_fused_convolution_refuses():
    images, weights = tf.zeros([1, 4, 4, 3]), tf.zeros([2, 2, 3, 6])
    with pytest.raises(ValueError, match="activation_mode must be one of Relu, got 'Elu'"):
        fused.fused_conv2d_bias_activation(images, weights, tf.zeros([6]), padding="SAME", activation_mode="Elu")
    with pytest.raises(NotImplementedError, match="need a GPU"):
        fused.fused_conv2d_bias_activation(images, weights, tf.zeros([6]), padding="SAME", data_format="NCHW_VECT_C")
    with pytest.raises(ValueError, match=r"[56]"):
        fused.fused_conv2d_bias_activation(images, weights, tf.zeros([5]), padding="SAME")
    with pytest.raises(ValueError, match="are incompatible"):
        fused.fused_conv2d_bias_activation(images, weights, tf.zeros([6]), padding="SAME", side_input=tf.zeros([7]))


@pytest.mark.parametrize(
    ("data", "warp", "error", "message"),
    [
        ([2, 3, 3], [2, 2], tf.errors.UnimplementedError, "Only bilinear interpolation is currently supported"),
        ([2, 3, 3, 1], [2, 3], tf.errors.UnimplementedError, "coordinates must be 2D"),
        ([2, 3, 3, 1], [2], tf.errors.InvalidArgumentError, "should be at least a matrix"),
        ([2, 3, 3, 1], [3, 2], tf.errors.InvalidArgumentError, "Batch size of data and warp tensor"),
    ],
)
def test_points_that_do_not_fit_are_refused_when_a_step_runs(data, warp, error, message):
    sampled = importlib.import_module("ferroflow.contrib.resampler").resampler(tf.zeros(data), tf.zeros(warp))
    assert sampled.shape.as_list() == [*warp[:-1], data[-1]]
    with tf.Session() as session, pytest.raises(error, match=message):
        session.run(sampled)

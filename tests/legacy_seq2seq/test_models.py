"""Models over lists of steps: outputs against NumPy, fed back or not, names of variables, and what is refused."""

import numpy as np
import pytest

import ferroflow as tf

legacy = tf.contrib.legacy_seq2seq
BATCH, SIZE, UNITS, IDS = 2, 3, 4, 5
RNG = np.random.RandomState(0)
ENCODED, DECODED = RNG.normal(size=(3, BATCH, SIZE)), RNG.normal(size=(2, BATCH, SIZE))
ENCODER_IDS, DECODER_IDS = RNG.randint(IDS, size=(3, BATCH)), RNG.randint(IDS, size=(4, BATCH))


def cell_of():
    return tf.nn.rnn_cell.BasicRNNCell(UNITS)


def doubles():
    """A scope whose variables are of float64."""
    return tf.variable_scope("net", dtype=tf.float64)


def constants(values):
    return [tf.constant(value) for value in values]


def run(fetches):
    """The fetches, and by what follows the scope, the variables."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        variables = {v.op.name.split("/", 1)[-1]: v for v in tf.global_variables()}
        return session.run([fetches, variables])


def part(variables, *words):
    """The variable whose name has all of some words."""
    found = [value for name, value in variables.items() if all(word in name for word in words)]
    assert len(found) == 1, (words, list(variables))
    return found[0]


def basic(x, h, kernel, bias):
    return np.tanh(np.concatenate([x, h], 1) @ kernel + bias)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("feeds", [False, True])
def test_a_decoder_runs_over_inputs_or_over_what_it_gave(feeds):
    with tf.Graph().as_default(), doubles():
        loop = (lambda output, step: output[:, :SIZE] * float(step)) if feeds else None
        results = legacy.rnn_decoder(
            constants(DECODED), tf.ones([BATCH, UNITS], tf.float64), cell_of(), loop_function=loop
        )
        (outputs, state), variables = run(results)
    kernel, bias = part(variables, "rnn_decoder/basic_rnn_cell/kernel"), part(variables, "bias")
    h = np.ones((BATCH, UNITS))
    for step, x in enumerate(DECODED):
        h = basic(h[:, :SIZE] * step if feeds and step else x, h, kernel, bias)
        np.testing.assert_allclose(outputs[step], h, rtol=1e-10)
    np.testing.assert_array_equal(state, outputs[-1])


@pytest.mark.parametrize("tied", [False, True])
def test_a_decoder_starts_where_the_encoder_ends(tied):
    with tf.Graph().as_default(), doubles():
        model = legacy.tied_rnn_seq2seq if tied else legacy.basic_rnn_seq2seq
        (outputs, _), variables = run(model(constants(ENCODED), constants(DECODED), cell_of(), dtype=tf.float64))
    if tied:
        assert set(variables) == {
            f"combined_tied_rnn_seq2seq/tied_rnn_seq2seq/basic_rnn_cell/{name}" for name in ("kernel", "bias")
        }
        encoder = decoder = (part(variables, "kernel"), part(variables, "bias"))
    else:
        of = "basic_rnn_seq2seq"
        encoder, decoder = (
            [variables[f"{of}/{scope}/basic_rnn_cell/{name}"] for name in ("kernel", "bias")]
            for scope in ("rnn", "rnn_decoder")
        )
    h = np.zeros((BATCH, UNITS))
    for x in ENCODED:
        h = basic(x, h, *encoder)
    for x, output in zip(DECODED, outputs, strict=True):
        h = basic(x, h, *decoder)
        np.testing.assert_allclose(output, h, rtol=1e-10)


def decoded_ids(variables, h, start, feeds, decoder="rnn_decoder"):
    """NumPy's outputs of `embedding_rnn_decoder` with projected outputs."""
    embedding = part(variables, "embedding_rnn_decoder/embedding")
    kernel, bias = (part(variables, decoder, "basic_rnn_cell", name) for name in ("kernel", "bias"))
    projection = [part(variables, decoder, f"output_projection_wrapper/{name}") for name in ("kernel", "bias")]
    ids, outputs = start[0], []
    for step in range(len(start)):
        h = basic(embedding[ids if feeds and step else start[step]], h, kernel, bias)
        outputs.append(h @ projection[0] + projection[1])
        ids = outputs[-1].argmax(1)
    return outputs, h


@pytest.mark.parametrize("by_tensor", [False, True])
@pytest.mark.parametrize("feeds", [False, True])
def test_ids_are_embedded_encoded_and_decoded(feeds, by_tensor):
    with tf.Graph().as_default(), doubles():
        results = legacy.embedding_rnn_seq2seq(
            constants(ENCODER_IDS),
            constants(DECODER_IDS),
            cell_of(),
            IDS,
            IDS,
            embedding_size=SIZE,
            feed_previous=tf.constant(feeds) if by_tensor else feeds,
        )
        assert results[0][0].shape.as_list() == [BATCH, IDS]
        (outputs, state), variables = run(results)
    assert len(variables) == 8
    h = np.zeros((BATCH, UNITS))
    encoder = [part(variables, "/rnn/", "basic_rnn_cell", name) for name in ("kernel", "bias")]
    for ids in ENCODER_IDS:
        h = basic(part(variables, "embedding_wrapper/embedding")[ids], h, *encoder)
    expected, last = decoded_ids(variables, h, DECODER_IDS, feeds)
    np.testing.assert_allclose(outputs, expected, rtol=1e-9)
    np.testing.assert_allclose(state, last, rtol=1e-9)


@pytest.mark.parametrize("feeds", [False, True])
def test_outputs_may_be_projected_elsewhere(feeds):
    weights, biases = RNG.normal(size=(UNITS, IDS)), RNG.normal(size=IDS)
    with tf.Graph().as_default(), doubles():
        state = tf.zeros([BATCH, UNITS], tf.float64)
        results = legacy.embedding_rnn_decoder(
            constants(DECODER_IDS), state, cell_of(), IDS, SIZE, (weights, biases), feed_previous=feeds
        )
        (outputs, _), variables = run(results)
        with pytest.raises(ValueError, match="incompatible"):
            legacy.embedding_rnn_decoder(constants(DECODER_IDS), state, cell_of(), IDS, SIZE, (weights, biases[1:]))
    h, ids = np.zeros((BATCH, UNITS)), None
    for step, output in enumerate(outputs):
        given = DECODER_IDS[step] if ids is None or not feeds else ids
        kernel, bias = part(variables, "kernel"), part(variables, "bias")
        h = basic(part(variables, "embedding_rnn_decoder/embedding")[given], h, kernel, bias)
        np.testing.assert_allclose(output, h, rtol=1e-9)
        ids = (h @ weights + biases).argmax(1)


@pytest.mark.parametrize("by_tensor", [False, True])
@pytest.mark.parametrize("feeds", [False, True])
def test_tied_models_have_one_embedding_and_one_cell(feeds, by_tensor):
    with tf.Graph().as_default(), doubles():
        results = legacy.embedding_tied_rnn_seq2seq(
            constants(ENCODER_IDS),
            constants(DECODER_IDS),
            cell_of(),
            IDS,
            SIZE,
            feed_previous=tf.constant(feeds) if by_tensor else feeds,
        )
        (outputs, state), variables = run(results)
    assert len(variables) == 5
    embedding = part(variables, "embedding_tied_rnn_seq2seq/embedding")
    cell = [part(variables, "basic_rnn_cell", name) for name in ("kernel", "bias")]
    weights, biases = (part(variables, f"output_projection_wrapper/{name}") for name in ("kernel", "bias"))
    h = np.zeros((BATCH, UNITS))
    for ids in ENCODER_IDS:
        h = basic(embedding[ids], h, *cell)
    for step, output in enumerate(outputs):
        h = basic(embedding[ids if feeds and step else DECODER_IDS[step]], h, *cell)
        np.testing.assert_allclose(output, h @ weights + biases, rtol=1e-9)
        ids = output.argmax(1)
    np.testing.assert_allclose(state, h, rtol=1e-9)


@pytest.mark.parametrize("by_tensor", [False, True])
def test_one_encoder_serves_many_decoders(by_tensor):
    def feeds(value):
        return tf.constant(value) if by_tensor else value

    with tf.Graph().as_default(), doubles():
        results = legacy.one2many_rnn_seq2seq(
            constants(ENCODER_IDS),
            {"a": constants(DECODER_IDS), "b": constants(DECODER_IDS[:2])},
            cell_of(),
            {"a": cell_of(), "b": cell_of()},
            IDS,
            {"a": IDS, "b": IDS},
            SIZE,
            feed_previous=feeds(True),
        )
        (outputs, states), variables = run(results)
    h = np.zeros((BATCH, UNITS))
    encoder = [part(variables, "/rnn/", "basic_rnn_cell", name) for name in ("kernel", "bias")]
    for ids in ENCODER_IDS:
        h = basic(part(variables, "embedding_wrapper/embedding")[ids], h, *encoder)
    for name, length in (("a", 4), ("b", 2)):
        of_decoder = {key: value for key, value in variables.items() if f"one2many_decoder_{name}/" in key}
        expected, last = decoded_ids(of_decoder, h, DECODER_IDS[:length], True)
        np.testing.assert_allclose(outputs[name], expected, rtol=1e-9)
        np.testing.assert_allclose(states[name], last, rtol=1e-9)


@pytest.mark.parametrize("length_known", [True, False])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("initial", [False, True])
def test_a_decoder_attends_with_its_state(heads, initial, length_known):
    states = RNG.normal(size=(BATCH, 3, 2))
    with tf.Graph().as_default(), doubles():
        given = tf.placeholder_with_default(states, [BATCH, 3 if length_known else None, 2])
        results = legacy.attention_decoder(
            constants(DECODED),
            tf.ones([BATCH, UNITS], tf.float64),
            given,
            cell_of(),
            output_size=6,
            num_heads=heads,
            initial_state_attention=initial,
        )
        assert results[0][0].shape.as_list() == [BATCH, 6]
        (outputs, _), variables = run(results)
    of = {name.removeprefix("attention_decoder/"): value for name, value in variables.items()}
    assert set(of) == {
        *(f"AttnW_{head}" for head in range(heads)),
        *(f"AttnV_{head}" for head in range(heads)),
        *(f"Attention_{head}/{name}" for head in range(heads) for name in ("kernel", "bias")),
        *(
            f"{scope}{name}"
            for scope in ("", "basic_rnn_cell/", "AttnOutputProjection/")
            for name in ("kernel", "bias")
        ),
    }

    def attend(query):
        results = []
        for head in range(heads):
            y = query @ of[f"Attention_{head}/kernel"] + of[f"Attention_{head}/bias"]
            hidden = np.tanh(states @ of[f"AttnW_{head}"][0, 0] + y[:, None])
            results.append(np.einsum("bt,bts->bs", softmax(hidden @ of[f"AttnV_{head}"]), states))
        return results

    h = np.ones((BATCH, UNITS))
    attended = attend(h) if initial else [np.zeros((BATCH, 2))] * heads
    for x, output in zip(DECODED, outputs, strict=True):
        mixed = np.concatenate([x, *attended], 1) @ of["kernel"] + of["bias"]
        h = basic(mixed, h, of["basic_rnn_cell/kernel"], of["basic_rnn_cell/bias"])
        attended = attend(h)
        projected = np.concatenate([h, *attended], 1) @ of["AttnOutputProjection/kernel"]
        np.testing.assert_allclose(output, projected + of["AttnOutputProjection/bias"], rtol=1e-9)


def test_feeding_back_by_tensor_is_feeding_back_with_attention():
    results, names = [], []
    for feed in (False, True, "tensor"):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(3)
            switch = tf.placeholder_with_default(False, [])
            with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=3)):
                outputs, state = legacy.embedding_attention_seq2seq(
                    constants(ENCODER_IDS),
                    constants(DECODER_IDS),
                    tf.nn.rnn_cell.BasicLSTMCell(UNITS),
                    IDS,
                    IDS,
                    SIZE,
                    num_heads=2,
                    feed_previous=switch if feed == "tensor" else feed,
                )
            assert isinstance(state, tf.nn.rnn_cell.LSTMStateTuple)
            gradients = tf.gradients(tf.add_n(outputs), tf.trainable_variables())
            session.run(tf.global_variables_initializer())
            names.append([v.op.name for v in tf.trainable_variables()])
            for value in (False, True) if feed == "tensor" else (False,):
                results.append(session.run([outputs, state, gradients[-1]], {switch: value}))
    assert names[0] == names[1]
    assert sorted(names[0]) == sorted(names[2])
    assert not np.allclose(results[0][0], results[1][0])
    for found, expected in ((results[2], results[0]), (results[3], results[1])):
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
        for value, other in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(value, other, rtol=1e-5)


def cross_entropies(logits, targets):
    return -np.log(np.take_along_axis(softmax(logits), targets[..., None], -1)[..., 0])


LOGITS, TARGETS = RNG.normal(size=(4, BATCH, IDS)), DECODER_IDS
WEIGHTS = np.array([[1.0, 0.5], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize("over_time", [False, True])
def test_losses_are_those_of_steps_by_their_weights(over_time):
    expected = (cross_entropies(LOGITS, TARGETS) * WEIGHTS).sum(0)
    if over_time:
        expected /= WEIGHTS.sum(0)
    with tf.Graph().as_default(), tf.Session() as session:
        lists = constants(LOGITS), constants(TARGETS), constants(WEIGHTS)
        by_example, total, mean = session.run(
            [
                legacy.sequence_loss_by_example(*lists, average_across_timesteps=over_time),
                legacy.sequence_loss(*lists, average_across_timesteps=over_time, average_across_batch=False),
                legacy.sequence_loss(*lists, average_across_timesteps=over_time),
            ]
        )
        with pytest.raises(ValueError, match="Lengths of logits, weights, and targets must be the same 4, 4, 3"):
            legacy.sequence_loss(lists[0], lists[1][1:], lists[2])
    np.testing.assert_allclose(by_example, expected, rtol=1e-9)
    np.testing.assert_allclose([total, mean], [expected.sum(), expected.mean()], rtol=1e-9)


@pytest.mark.parametrize("per_example", [False, True])
def test_buckets_share_their_variables_and_take_what_they_need(per_example):
    def model(encoder_inputs, decoder_inputs):
        return legacy.basic_rnn_seq2seq(encoder_inputs, decoder_inputs, tf.nn.rnn_cell.GRUCell(IDS), dtype=tf.float64)

    with tf.Graph().as_default(), doubles():
        inputs = constants(ENCODED), constants(DECODED), constants(TARGETS), constants(WEIGHTS)
        results = legacy.model_with_buckets(*inputs, [(1, 1), (3, 2)], model, per_example_loss=per_example)
        (outputs, losses), variables = run(results)
        with pytest.raises(
            ValueError, match=r"Length of encoder_inputs \(3\) must be at least that of last bucket \(4\)"
        ):
            legacy.model_with_buckets(*inputs, [(4, 1)], model)
        with pytest.raises(ValueError, match=r"Length of targets \(4\) must be at least that of last bucket \(5\)"):
            legacy.model_with_buckets(*inputs, [(1, 5)], model)
    assert len(variables) == 8
    assert [len(of_bucket) for of_bucket in outputs] == [1, 2]
    for of_bucket, loss, steps in zip(outputs, losses, (1, 2), strict=True):
        weights = WEIGHTS[:steps]
        expected = (cross_entropies(np.stack(of_bucket), TARGETS[:steps]) * weights).sum(0) / weights.sum(0)
        np.testing.assert_allclose(loss, expected if per_example else expected.mean(), rtol=1e-9)


def test_what_cannot_be_decoded_is_refused():
    with tf.Graph().as_default():
        inputs, state = [tf.ones([BATCH, SIZE])], tf.ones([BATCH, UNITS])
        states = tf.ones([BATCH, 3, 2])
        with pytest.raises(ValueError, match="Must provide at least 1 input"):
            legacy.attention_decoder([], state, states, cell_of())
        with pytest.raises(ValueError, match="With less than 1 heads"):
            legacy.attention_decoder(inputs, state, states, cell_of(), num_heads=0)
        with pytest.raises(ValueError, match=r"Shape\[2\] of attention_states must be known"):
            legacy.attention_decoder(inputs, state, tf.placeholder(tf.float32, [BATCH, 3, None]), cell_of())
        with pytest.raises(TypeError, match="enc_cell is not an RNNCell"):
            legacy.one2many_rnn_seq2seq([], {}, "cell", {}, IDS, {}, SIZE)
        with pytest.raises(ValueError, match="keys of dec_cells_dict"):
            legacy.one2many_rnn_seq2seq([], {"a": []}, cell_of(), {}, IDS, {}, SIZE)

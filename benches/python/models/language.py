"""Models of text and sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import (
    Cell,
    Model,
    attention,
    cross_entropy,
    dense,
    fed,
    gelu,
    integers,
    layer_norm,
    normal,
    recurrent,
    trained,
    weights,
)


def _embedded(tf: Any, ids: Any, words: int, units: int, name: str) -> Any:
    return tf.nn.embedding_lookup(weights(tf, name, [words, units]), ids)


def _block(tf: Any, h: Any, heads: int, name: str, causal: bool, memory: Any = None) -> Any:
    """Returns a transformer's block, normalized after each residual sum."""
    with tf.variable_scope(name):
        n = int(h.shape[-1])
        h = layer_norm(tf, h + attention(tf, h, h, heads, "self", causal), "self_norm")
        if memory is not None:
            h = layer_norm(tf, h + attention(tf, h, memory, heads, "other"), "other_norm")
        inner = dense(tf, dense(tf, h, 4 * n, "wide", gelu(tf)), n, "narrow")
        return layer_norm(tf, h + inner, "end_norm")


def _bert(tf: Any, large: bool) -> Model:
    batch, length, n, layers, words = (8, 128, 512, 4, 30000) if large else (4, 64, 128, 2, 5000)
    feeds: dict[Any, Any] = {}
    ids, labels = (fed(tf, feeds, integers(words, [batch, length], i)) for i in (1, 2))
    h = _embedded(tf, ids, words, n, "words") + weights(tf, "positions", [length, n])
    h = tf.nn.dropout(layer_norm(tf, h, "start"), keep_prob=0.9, seed=1)
    for i in range(layers):
        h = _block(tf, h, n // 64, f"layer{i}", False)
    logits = dense(tf, h[:, :16], words, "end")
    return trained(tf, cross_entropy(tf, labels[:, :16], logits), feeds, tf.train.AdamOptimizer(1e-4))


def _gpt2(tf: Any, large: bool) -> Model:
    batch, length, n, layers, words = (1, 256, 768, 4, 20000) if large else (2, 64, 256, 3, 4000)
    feeds: dict[Any, Any] = {}
    ids = fed(tf, feeds, integers(words, [batch, length + 1], 1))
    table = weights(tf, "words", [words, n])
    h = tf.gather(table, ids[:, :-1]) + weights(tf, "positions", [length, n])
    for i in range(layers):
        with tf.variable_scope(f"layer{i}"):
            normed = layer_norm(tf, h, "first")
            h += attention(tf, normed, normed, n // 64, "self", True)
            h += dense(tf, dense(tf, layer_norm(tf, h, "second"), 4 * n, "wide", gelu(tf)), n, "narrow")
    h = tf.reshape(layer_norm(tf, h, "end"), [-1, n])
    loss = cross_entropy(tf, tf.reshape(ids[:, 1:], [-1]), tf.matmul(h, table, transpose_b=True))
    return trained(tf, loss, feeds, tf.train.AdamOptimizer(1e-4))


def _transformer(tf: Any, large: bool) -> Model:
    batch, length, n, layers, words = (8, 64, 256, 3, 8000) if large else (8, 24, 128, 2, 2000)
    feeds: dict[Any, Any] = {}
    source, target = (fed(tf, feeds, integers(words, [batch, length + i], 1 + i)) for i in (0, 1))
    positions = weights(tf, "positions", [length, n])
    memory = _embedded(tf, source, words, n, "source") + positions
    h = _embedded(tf, target[:, :-1], words, n, "target") + positions
    for i in range(layers):
        memory = _block(tf, memory, n // 32, f"encoder{i}", False)
    for i in range(layers):
        h = _block(tf, h, n // 32, f"decoder{i}", True, memory)
    return trained(
        tf, cross_entropy(tf, target[:, 1:], dense(tf, h, words, "end")), feeds, tf.train.AdamOptimizer(1e-4)
    )


def _char_lstm(tf: Any, large: bool) -> Model:
    batch, length, units, letters = (64, 50, 512, 100) if large else (32, 30, 128, 65)
    feeds: dict[Any, Any] = {}
    ids = fed(tf, feeds, integers(letters, [batch, length + 1], 1))
    h = _embedded(tf, ids[:, :-1], letters, units, "letters")
    for i in range(2):
        h = recurrent(tf, h, units, f"layer{i}")
    h.set_shape([None, length, units])
    loss = cross_entropy(tf, ids[:, 1:], dense(tf, h, letters, "end"))
    return trained(tf, loss, feeds, tf.train.RMSPropOptimizer(0.002, 0.97))


def _gru_attention(tf: Any, large: bool) -> Model:
    """Bahdanau's attention inside the decoder's loop."""
    batch, length, units, words = (32, 30, 256, 8000) if large else (16, 15, 64, 1000)
    feeds: dict[Any, Any] = {}
    source, target = (fed(tf, feeds, integers(words, [batch, length + i], 1 + i)) for i in (0, 1))
    memory = recurrent(tf, _embedded(tf, source, words, units, "source"), units, "encoder", "gru")
    memory.set_shape([None, length, units])
    keys = dense(tf, memory, units, "keys")
    query, score = weights(tf, "query", [units, units]), weights(tf, "score", [units])
    cell = Cell(tf, "gru", units, "decoder")
    cell._variables(2 * units)
    inputs = tf.transpose(_embedded(tf, target[:, :-1], words, units, "target"), [1, 0, 2])

    def step(h: Any, x: Any) -> Any:
        weight = tf.reduce_sum(score * tf.tanh(keys + tf.expand_dims(tf.matmul(h, query), 1)), 2)
        context = tf.reduce_sum(tf.expand_dims(tf.nn.softmax(weight), 2) * memory, 1)
        return cell(tf.concat([x, context], 1), h)[1]

    h = tf.scan(step, inputs, initializer=tf.zeros_like(memory[:, 0]))
    loss = cross_entropy(tf, tf.transpose(target[:, 1:]), dense(tf, h, words, "end"))
    return trained(tf, loss, feeds, tf.train.AdamOptimizer(1e-3))


def _word2vec(tf: Any, large: bool) -> Model:
    batch, words, units = (512, 200000, 200) if large else (128, 50000, 128)
    feeds: dict[Any, Any] = {}
    x, y = fed(tf, feeds, integers(words, [batch], 1)), fed(tf, feeds, integers(words, [batch, 1], 2))
    h = _embedded(tf, x, words, units, "words")
    loss = tf.nn.nce_loss(
        weights=weights(tf, "nce", [words, units]),
        biases=tf.get_variable("bias", [words], initializer=tf.zeros_initializer()),
        labels=tf.cast(y, tf.int64),
        inputs=h,
        num_sampled=64,
        num_classes=words,
    )
    return trained(tf, tf.reduce_mean(loss), feeds, tf.train.GradientDescentOptimizer(1.0))


def _tagger(tf: Any, large: bool) -> Model:
    """A linear-chain CRF over a recurrent network that reads forwards and backwards."""
    batch, length, units, words, tags = (64, 60, 256, 20000, 17) if large else (20, 25, 100, 5000, 9)
    feeds: dict[Any, Any] = {}
    ids, labels = (
        fed(tf, feeds, integers(words, [batch, length], 1)),
        fed(tf, feeds, integers(tags, [batch, length], 2)),
    )
    x = tf.nn.dropout(_embedded(tf, ids, words, units, "words"), keep_prob=0.7, seed=1)
    back = tf.reverse(recurrent(tf, tf.reverse(x, [1]), units, "backward"), [1])
    h = tf.concat([recurrent(tf, x, units, "forward"), back], 2)
    h.set_shape([None, length, 2 * units])
    scores, moves = dense(tf, h, tags, "scores"), weights(tf, "moves", [tags, tags])
    hot = tf.one_hot(labels, tags)
    taken = tf.reduce_sum(scores * hot, [1, 2])
    pairs = labels[:, :-1] * tags + labels[:, 1:]
    taken += tf.reduce_sum(tf.gather(tf.reshape(moves, [-1]), pairs), 1)
    steps = tf.transpose(scores, [1, 0, 2])
    forward = tf.scan(
        lambda a, s: s + tf.reduce_logsumexp(tf.expand_dims(a, 2) + moves, [1]), steps[1:], initializer=steps[0]
    )
    loss = tf.reduce_mean(tf.reduce_logsumexp(forward[-1], [1]) - taken)
    return trained(tf, loss, feeds, tf.train.AdamOptimizer(1e-3))


def _wavenet(tf: Any, large: bool) -> Model:
    batch, length, depth, layers = (1, 4000, 64, 20) if large else (1, 1000, 32, 10)
    feeds: dict[Any, Any] = {}
    wave = fed(tf, feeds, integers(256, [batch, length + 1], 1))
    h = _embedded(tf, wave[:, :-1], 256, depth, "levels")
    skips = 0
    for i in range(layers):
        with tf.variable_scope(f"layer{i}"):
            rate = 2 ** (i % 10)
            padded = tf.expand_dims(tf.pad(h, [[0, 0], [rate, 0], [0, 0]]), 1)
            w = weights(tf, "kernel", [1, 2, depth, 2 * depth])
            both = tf.nn.convolution(padded, w, padding="VALID", dilation_rate=[1, rate])[:, 0]
            a, b = tf.split(both, 2, axis=2)
            gated = tf.tanh(a) * tf.sigmoid(b)
            gated.set_shape([None, length, depth])
            skips += dense(tf, gated, 2 * depth, "skip")
            h += dense(tf, gated, depth, "residual")
    logits = dense(tf, dense(tf, tf.nn.relu(skips), 256, "first", tf.nn.relu), 256, "end")
    return trained(tf, cross_entropy(tf, wave[:, 1:], logits), feeds, tf.train.AdamOptimizer(1e-3))


def _spectrogram_decoder(tf: Any, large: bool) -> Model:
    """A decoder as Tacotron's: a prenet, a recurrent attention and two residual recurrent layers."""
    batch, frames, letters, units = (16, 60, 80, 256) if large else (8, 20, 30, 64)
    feeds: dict[Any, Any] = {}
    text, mel = fed(tf, feeds, integers(60, [batch, letters], 1)), fed(tf, feeds, normal([batch, frames + 1, 80], 2))
    memory = recurrent(tf, _embedded(tf, text, 60, units, "letters"), units, "encoder", "gru")
    memory.set_shape([None, letters, units])
    keys = dense(tf, memory, units, "keys")
    h = mel[:, :-1]
    for i, width in enumerate((units, units // 2)):
        h = tf.nn.dropout(dense(tf, h, width, f"prenet{i}", tf.nn.relu), keep_prob=0.5, seed=i + 1)
    states = recurrent(tf, h, units, "attention", "gru")
    states.set_shape([None, frames, units])
    scores = tf.matmul(dense(tf, states, units, "query"), keys, transpose_b=True)
    h = dense(tf, tf.concat([states, tf.matmul(tf.nn.softmax(scores), memory)], 2), units, "project")
    for i in range(2):
        more = recurrent(tf, h, units, f"decoder{i}", "gru")
        more.set_shape([None, frames, units])
        h += more
    loss = tf.reduce_mean(tf.abs(dense(tf, h, 80, "end") - mel[:, 1:]))
    return trained(tf, loss, feeds, tf.train.AdamOptimizer(1e-3))


MODELS: dict[str, Callable[[Any, bool], Model]] = {
    "BERT": _bert,
    "GPT-2": _gpt2,
    "transformer": _transformer,
    "char-LSTM": _char_lstm,
    "GRU with attention": _gru_attention,
    "word2vec": _word2vec,
    "CRF tagger": _tagger,
    "WaveNet": _wavenet,
    "spectrogram decoder": _spectrogram_decoder,
}

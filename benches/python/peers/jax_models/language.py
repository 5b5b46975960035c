"""Models of text and sound."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

from .parts import Array, Net, convolved, cross_entropy, gru_step, sigmoid_entropy
from .steps import Model, adam, gradient_descent, rms_prop

_gelu = functools.partial(jax.nn.gelu, approximate=True)


def _block(net: Net, h: Array, heads: int, name: str, causal: bool, memory: Array = None) -> Array:
    """Returns a transformer's block, normalized after each residual sum."""
    h = net.layer_norm(h + net.attention(h, h, heads, f"{name}/self", causal), f"{name}/self_norm")
    if memory is not None:
        h = net.layer_norm(h + net.attention(h, memory, heads, f"{name}/other"), f"{name}/other_norm")
    inner = net.dense(net.dense(h, f"{name}/wide", _gelu), f"{name}/narrow")
    return net.layer_norm(h + inner, f"{name}/end_norm")


def _bert(net: Net, ids: Array, labels: Array) -> Array:
    h = net.dropout(net.layer_norm(net["words"][ids] + net["positions"], "start"), 0.9)
    for i in range(4 if net.large else 2):
        h = _block(net, h, h.shape[-1] // 64, f"layer{i}", False)
    return cross_entropy(labels[:, :16], net.dense(h[:, :16], "end"))


def _gpt2(net: Net, ids: Array) -> Array:
    h = net["words"][ids[:, :-1]] + net["positions"]
    for i in range(4 if net.large else 3):
        normed = net.layer_norm(h, f"layer{i}/first")
        h += net.attention(normed, normed, h.shape[-1] // 64, f"layer{i}/self", True)
        inner = net.dense(net.layer_norm(h, f"layer{i}/second"), f"layer{i}/wide", _gelu)
        h += net.dense(inner, f"layer{i}/narrow")
    return cross_entropy(ids[:, 1:], net.layer_norm(h, "end") @ net["words"].T)


def _transformer(net: Net, source: Array, target: Array) -> Array:
    layers, heads = 3 if net.large else 2, net["positions"].shape[1] // 32
    memory = net["source"][source] + net["positions"]
    h = net["target"][target[:, :-1]] + net["positions"]
    for i in range(layers):
        memory = _block(net, memory, heads, f"encoder{i}", False)
    for i in range(layers):
        h = _block(net, h, heads, f"decoder{i}", True, memory)
    return cross_entropy(target[:, 1:], net.dense(h, "end"))


def _char_lstm(net: Net, ids: Array) -> Array:
    h = net["letters"][ids[:, :-1]]
    for i in range(2):
        h = net.lstm(h, f"layer{i}")
    return cross_entropy(ids[:, 1:], net.dense(h, "end"))


def _gru_attention(net: Net, source: Array, target: Array) -> Array:
    """Bahdanau's attention inside the decoder's loop."""
    memory = net.gru(net["source"][source], "encoder")
    keys, inputs = net.dense(memory, "keys"), net["target"][target[:, :-1]].swapaxes(0, 1)
    (gates_x, gates_h), (w_x, w_h) = (jnp.split(net[f"decoder_kernel_{i}"], [2 * memory.shape[-1]]) for i in (0, 1))
    gates_bias, bias, query, score = (net[name] for name in ("decoder_bias_0", "decoder_bias_1", "query", "score"))

    def step(h: Array, x: Array) -> tuple[Array, Array]:
        weight = jax.nn.softmax(jnp.tanh(keys + (h @ query)[:, None]) @ score)
        x = jnp.concatenate([x, jnp.einsum("bt,btn->bn", weight, memory)], 1)
        h = gru_step(h, x @ gates_x + h @ gates_h + gates_bias, x @ w_x + bias, w_h)
        return h, h

    h = lax.scan(step, jnp.zeros_like(memory[:, 0]), inputs)[1]
    return cross_entropy(target[:, 1:].T, net.dense(h, "end"))


def _word2vec(net: Net, x: Array, y: Array) -> Array:
    """Noise-contrastive estimation with 64 words of the log-uniform distribution, drawn with replacement."""
    words, count = net["nce"].shape[0], 64
    drawn = jnp.exp(jax.random.uniform(net.key(), [count]) * jnp.log(words + 1.0)) - 1
    sampled = jnp.arange(count) if net.exact else jnp.minimum(drawn.astype(jnp.int32), words - 1)
    ids = jnp.concatenate([y[:, 0], sampled])
    expected = jnp.log(count * jnp.log((ids + 2.0) / (ids + 1.0)) / jnp.log(words + 1.0))
    h, rows, bias = net.rows("words", x), net.rows("nce", ids), net.rows("bias", ids) - expected
    batch = len(x)
    true = jnp.sum(h * rows[:batch], 1) + bias[:batch]
    noise = h @ rows[batch:].T + bias[batch:]
    return jnp.mean(sigmoid_entropy(1, true) + jnp.sum(sigmoid_entropy(0, noise), 1))


def _tagger(net: Net, ids: Array, labels: Array) -> Array:
    """A linear-chain CRF over a recurrent network that reads forwards and backwards."""
    x = net.dropout(net["words"][ids], 0.7)
    h = jnp.concatenate([net.lstm(x, "forward"), net.lstm(x[:, ::-1], "backward")[:, ::-1]], 2)
    scores, moves = net.dense(h, "scores"), net["moves"]
    taken = jnp.sum(jnp.take_along_axis(scores, labels[..., None], 2), (1, 2))
    taken += jnp.sum(moves[labels[:, :-1], labels[:, 1:]], 1)

    def step(a: Array, s: Array) -> tuple[Array, None]:
        return s + jax.nn.logsumexp(a[:, :, None] + moves, 1), None

    steps = scores.swapaxes(0, 1)
    return jnp.mean(jax.nn.logsumexp(lax.scan(step, steps[0], steps[1:])[0], 1) - taken)


def _wavenet(net: Net, wave: Array) -> Array:
    h, skips = net["levels"][wave[:, :-1]], 0
    for i in range(20 if net.large else 10):
        name, rate = f"layer{i}", 2 ** (i % 10)
        both = convolved(h[:, None], net[f"{name}/kernel"], 1, ((0, 0), (rate, 0)), rate)[:, 0]
        a, b = jnp.split(both, 2, 2)
        gated = jnp.tanh(a) * jax.nn.sigmoid(b)
        skips += net.dense(gated, f"{name}/skip")
        h += net.dense(gated, f"{name}/residual")
    return cross_entropy(wave[:, 1:], net.dense(net.dense(jax.nn.relu(skips), "first", jax.nn.relu), "end"))


def _spectrogram_decoder(net: Net, text: Array, mel: Array) -> Array:
    """A decoder as Tacotron's: a prenet, a recurrent attention and two residual recurrent layers."""
    memory = net.gru(net["letters"][text], "encoder")
    keys, h = net.dense(memory, "keys"), mel[:, :-1]
    for i in range(2):
        h = net.dropout(net.dense(h, f"prenet{i}", jax.nn.relu), 0.5)
    states = net.gru(h, "attention")
    scores = jnp.einsum("bfn,bln->bfl", net.dense(states, "query"), keys)
    h = net.dense(jnp.concatenate([states, jax.nn.softmax(scores) @ memory], 2), "project")
    for i in range(2):
        h += net.gru(h, f"decoder{i}")
    return jnp.mean(jnp.abs(net.dense(h, "end") - mel[:, 1:]))


MODELS = {
    "BERT": Model(_bert, adam(1e-4)),
    "GPT-2": Model(_gpt2, adam(1e-4)),
    "transformer": Model(_transformer, adam(1e-4)),
    "char-LSTM": Model(_char_lstm, rms_prop(0.002, 0.97)),
    "GRU with attention": Model(_gru_attention, adam(1e-3)),
    "word2vec": Model(_word2vec, gradient_descent(1.0)),
    "CRF tagger": Model(_tagger, adam(1e-3)),
    "WaveNet": Model(_wavenet, adam(1e-3)),
    "spectrogram decoder": Model(_spectrogram_decoder, adam(1e-3)),
}

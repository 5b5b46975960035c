"""Models of pictures."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .parts import Array, Net, convolved, cross_entropy, max_pool, sigmoid_entropy
from .steps import Model, adam, momentum, rms_prop

_relu = jax.nn.relu


def _resnet50(net: Net, x: Array, y: Array) -> Array:
    h = max_pool(net.batch_norm(net.conv(x, "start", 2), "start_norm", _relu), 3)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            name = f"stage{stage}_{block}/"
            stride = 2 if stage and not block else 1
            short = h if block else net.batch_norm(net.conv(h, name + "short", stride), name + "short_norm")
            h = net.batch_norm(net.conv(h, name + "a", stride), name + "a_norm", _relu)
            h = net.batch_norm(net.conv(h, name + "b"), name + "b_norm", _relu)
            h = _relu(net.batch_norm(net.conv(h, name + "c"), name + "c_norm") + short)
    return cross_entropy(y, net.dense(jnp.mean(h, (1, 2)), "end"))


def _vgg(net: Net, x: Array, y: Array) -> Array:
    h = x
    for stage, convs in enumerate((2, 2, 3, 3, 3)):
        for i in range(convs):
            h = _relu(net.conv(h, f"conv{stage}_{i}", bias=True))
        h = max_pool(h)
    h = h.reshape(h.shape[0], -1)
    for i in range(2):
        h = net.dropout(net.dense(h, f"fc{i}", _relu), 0.5)
    return cross_entropy(y, net.dense(h, "end"))


def _inception(net: Net, x: Array, y: Array) -> Array:
    def unit(h: Array, name: str, stride: int = 1) -> Array:
        return net.batch_norm(net.conv(h, name, stride), name + "_norm", _relu)

    h = max_pool(unit(unit(max_pool(unit(x, "start", 2), 3), "second"), "third"), 3)
    for number in range(6):
        name = f"mixed{number}/"
        towers = [unit(h, name + "a"), unit(unit(h, name + "b1"), name + "b3")]
        towers.append(unit(unit(unit(h, name + "c1"), name + "c3"), name + "c5"))
        towers.append(unit(max_pool(h, 3, 1), name + "d"))
        h = jnp.concatenate(towers, 3)
        if number in (1, 4):
            h = max_pool(h, 3)
    return cross_entropy(y, net.dense(net.dropout(jnp.mean(h, (1, 2)), 0.8), "end"))


def _mobilenet(net: Net, x: Array, y: Array) -> Array:
    h = net.batch_norm(net.conv(x, "start", 2), "start_norm", jax.nn.relu6)
    for number, stride in enumerate((1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1)):
        name, depth = f"block{number}/", h.shape[-1]
        h = convolved(h, net[name + "depthwise"].reshape(3, 3, 1, depth), stride, "SAME", groups=depth)
        h = net.batch_norm(h, name + "depthwise_norm", jax.nn.relu6)
        h = net.batch_norm(net.conv(h, name + "pointwise"), name + "pointwise_norm", jax.nn.relu6)
    return cross_entropy(y, net.dense(jnp.mean(h, (1, 2)), "end"))


def _dcgan(net: Net, x: Array, z: Array) -> tuple[Array, Array]:
    first = x.shape[1] // 8
    h = net.dense(z, "generator/start").reshape(len(z), first, first, -1)
    h = net.batch_norm(h, "generator/norm0", _relu)
    for i in range(2):
        h = net.batch_norm(net.transposed(h, f"generator/up{i}"), f"generator/norm{i + 1}", _relu)
    made = jnp.tanh(net.transposed(h, "generator/end"))

    def discriminator(h: Array) -> Array:
        for i in range(3):
            h = jax.nn.leaky_relu(net.conv(h, f"discriminator/down{i}", 2, bias=True), 0.2)
        return net.dense(h.reshape(len(h), -1), "discriminator/end")

    real, fake = discriminator(x), discriminator(made)
    critic = jnp.mean(sigmoid_entropy(1, real)) + jnp.mean(sigmoid_entropy(0, fake))
    return critic, jnp.mean(sigmoid_entropy(1, fake))


def _gradients_of_both(loss: Any, weights: dict[str, Array]) -> Any:
    """Returns the critic's loss and, from one forward pass, each network's gradients of its own loss."""
    (critic, maker), back, more = jax.vjp(loss, weights, has_aux=True)
    one, zero = jnp.ones_like(critic), jnp.zeros_like(maker)
    by_critic, by_maker = back((one, zero))[0], back((zero, one))[0]
    found = {name: (by_maker if name.startswith("generator") else by_critic)[name] for name in weights}
    return (critic, more), found


def _unet(net: Net, x: Array, y: Array) -> Array:
    def twice(h: Array, name: str) -> Array:
        return _relu(net.conv(_relu(net.conv(h, name + "_a", bias=True)), name + "_b", bias=True))

    kept, h = [], x
    for i in range(4):
        kept.append(twice(h, f"down{i}"))
        h = max_pool(kept[-1])
    h = twice(h, "middle")
    for i in reversed(range(4)):
        h = twice(jnp.concatenate([kept[i], net.transposed(h, f"up{i}")], 3), f"join{i}")
    return cross_entropy(y, net.conv(h, "end", bias=True))


def _vae(net: Net, x: Array) -> Array:
    h = net.dense(net.dense(x, "in0", jax.nn.softplus), "in1", jax.nn.softplus)
    mean, log_variance = net.dense(h, "mean"), net.dense(h, "variance")
    noise = 0 if net.exact else jax.random.normal(net.key(), mean.shape)
    h = net.dense(mean + jnp.exp(0.5 * log_variance) * noise, "out0", jax.nn.softplus)
    logits = net.dense(net.dense(h, "out1", jax.nn.softplus), "end")
    apart = -0.5 * jnp.sum(1 + log_variance - jnp.square(mean) - jnp.exp(log_variance), 1)
    return jnp.mean(jnp.sum(sigmoid_entropy(x, logits), 1) + apart)


def _capsules(net: Net, x: Array, y: Array) -> Array:
    def squash(v: Array) -> Array:
        norm = jnp.sum(jnp.square(v), -1, keepdims=True)
        return v * norm / (1 + norm) / jnp.sqrt(norm + 1e-9)

    h = convolved(_relu(convolved(x, net["first"], 1, "VALID")), net["second"], 2, "VALID")
    capsules = squash(h.reshape(len(x), -1, 8, 1))[..., 0]
    votes = jnp.einsum("bci,cjio->bcjo", capsules, net["routes"][0])
    fixed, logits = lax.stop_gradient(votes), jnp.zeros(votes.shape[:3])
    for turn in range(3):
        now = votes if turn == 2 else fixed
        out = squash(jnp.einsum("bcj,bcjo->bjo", jax.nn.softmax(logits, 2), now))
        if turn < 2:
            logits += jnp.einsum("bcjo,bjo->bcj", now, out)
    length = jnp.sqrt(jnp.sum(jnp.square(out), 2) + 1e-9)
    labels = jax.nn.one_hot(y, 10)
    margin = labels * jnp.square(jnp.maximum(0.0, 0.9 - length))
    margin += 0.5 * (1 - labels) * jnp.square(jnp.maximum(0.0, length - 0.1))
    return jnp.mean(jnp.sum(margin, 1))


MODELS = {
    "ResNet-50": Model(_resnet50, momentum(0.01, 0.9)),
    "VGG-16": Model(_vgg, momentum(0.001, 0.9)),
    "Inception": Model(_inception, rms_prop(0.001, 0.9, 0.9)),
    "MobileNet": Model(_mobilenet, rms_prop(0.001, 0.9, 0.9)),
    "DCGAN": Model(_dcgan, adam(2e-4, 0.5), _gradients_of_both),
    "U-Net": Model(_unet, adam(1e-3)),
    "VAE": Model(_vae, adam(1e-3)),
    "capsules": Model(_capsules, adam(1e-3)),
}

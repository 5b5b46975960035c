"""Models of pictures."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from .optimizers import RmsProp
from .parts import Bare, Conv, Depthwise, Model, Norms, Part, Tensor, Transposed, batch_norm, cross_entropy, pictures

_ENTROPY = F.binary_cross_entropy_with_logits


class _Bottleneck(Norms):
    def __init__(self, inputs: int, depth: int, stride: int, first: bool) -> None:
        super().__init__()
        self.first = first
        if first:
            self.add("short", inputs, 4 * depth, 1, stride)
        self.add("a", inputs, depth, 1, stride)
        self.add("b", depth, depth, 3)
        self.add("c", depth, 4 * depth, 1)

    def forward(self, h: Tensor) -> Tensor:
        short = self.unit(h, "short", None) if self.first else h
        return F.relu(self.unit(self.unit(self.unit(h, "a"), "b"), "c", None) + short)


class _ResNet50(Norms):
    def __init__(self, large: bool) -> None:
        super().__init__()
        inputs = self.add("start", 3, 64, 7, 2)
        self.blocks = []
        for stage, (depth, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
            for block in range(blocks):
                self.blocks.append(f"stage{stage}_{block}")
                stride = 2 if stage and not block else 1
                self.add_module(self.blocks[-1], _Bottleneck(inputs, depth, stride, not block))
                inputs = 4 * depth
        self.end = nn.Linear(inputs, 1000 if large else 100)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = self.max_pool(self.unit(pictures(x), "start"), 3)
        for name in self.blocks:
            h = getattr(self, name)(h)
        return cross_entropy(y, self.end(h.mean((2, 3))))


class _Vgg(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        self.stages, inputs = [], 3
        for stage, (depth, convs) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))):
            self.stages.append([f"conv{stage}_{i}" for i in range(convs)])
            for name in self.stages[-1]:
                self.add_module(name, Conv(inputs, depth, 3, bias=True))
                inputs = depth
        wide = 4096 if large else 512
        self.fc0 = nn.Linear((7 * 7 if large else 1) * 512, wide)
        self.fc1, self.end = nn.Linear(wide, wide), nn.Linear(wide, 1000 if large else 10)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = pictures(x)
        for names in self.stages:
            for name in names:
                h = F.relu(getattr(self, name)(h))
            h = self.max_pool(h)
        # The order of elements in TensorFlow's memory.
        h = _back(h).flatten(1)
        for layer in (self.fc0, self.fc1):
            h = self.dropout(F.relu(layer(h)), 0.5)
        return cross_entropy(y, self.end(h))


class _Mixed(Norms):
    def __init__(self, inputs: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        a, b1, b3, c1, c5, d = widths
        self.add("a", inputs, a, 1)
        self.add("b3", self.add("b1", inputs, b1, 1), b3, 3)
        self.add("c5", self.add("c3", self.add("c1", inputs, c1, 1), c5, 3), c5, 3)
        self.add("d", inputs, d, 1)
        self.filters = a + b3 + c5 + d

    def forward(self, h: Tensor) -> Tensor:
        towers = [self.unit(h, "a"), self.unit(self.unit(h, "b1"), "b3")]
        towers.append(self.unit(self.unit(self.unit(h, "c1"), "c3"), "c5"))
        return torch.cat([*towers, self.unit(self.max_pool(h, 3, 1), "d")], 1)


class _Inception(Norms):
    def __init__(self, large: bool) -> None:
        super().__init__()
        inputs = self.add("third", self.add("second", self.add("start", 3, 64, 7, 2), 64, 1), 192, 3)
        widths = ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), (192, 96, 208, 16, 48, 64))
        widths += ((160, 112, 224, 24, 64, 64), (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128))
        for number, width in enumerate(widths):
            mixed = _Mixed(inputs, width)
            self.add_module(f"mixed{number}", mixed)
            inputs = mixed.filters
        self.end = nn.Linear(inputs, 1000 if large else 100)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = self.max_pool(self.unit(pictures(x), "start"), 3)
        h = self.max_pool(self.unit(self.unit(h, "second"), "third"), 3)
        for number in range(6):
            h = getattr(self, f"mixed{number}")(h)
            if number in (1, 4):
                h = self.max_pool(h, 3)
        return cross_entropy(y, self.end(self.dropout(h.mean((2, 3)), 0.8)))


class _Separable(Norms):
    def __init__(self, inputs: int, filters: int, stride: int) -> None:
        super().__init__()
        self.depthwise, self.depthwise_norm = Depthwise(inputs, stride), batch_norm(inputs)
        self.add("pointwise", inputs, filters, 1)

    def forward(self, h: Tensor) -> Tensor:
        return self.unit(self.unit(h, "depthwise", F.relu6), "pointwise", F.relu6)


class _MobileNet(Norms):
    def __init__(self, large: bool) -> None:
        super().__init__()
        inputs = self.add("start", 3, 32, 3, 2)
        steps = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
        self.blocks = []
        for number, (filters, stride) in enumerate(steps):
            self.blocks.append(f"block{number}")
            self.add_module(self.blocks[-1], _Separable(inputs, filters, stride))
            inputs = filters
        self.end = nn.Linear(inputs, 1000 if large else 10)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = self.unit(pictures(x), "start", F.relu6)
        for name in self.blocks:
            h = getattr(self, name)(h)
        return cross_entropy(y, self.end(h.mean((2, 3))))


class _Generator(Part):
    def __init__(self, first: int, depth: int) -> None:
        super().__init__()
        self.first = first
        self.start = nn.Linear(100, first * first * 4 * depth)
        self.norm0, self.norm1, self.norm2 = (batch_norm(depth * 2**i) for i in (2, 1, 0))
        self.up0, self.up1 = Transposed(4 * depth, 2 * depth, 5), Transposed(2 * depth, depth, 5)
        self.end = Transposed(depth, 3, 5)

    def forward(self, z: Tensor) -> Tensor:
        h = pictures(self.start(z).unflatten(1, (self.first, self.first, -1)))
        h = F.relu(self.norm0(h))
        h = F.relu(self.norm1(self.up0(h)))
        h = F.relu(self.norm2(self.up1(h)))
        return torch.tanh(self.end(h))


class _Discriminator(Part):
    def __init__(self, first: int, depth: int) -> None:
        super().__init__()
        self.down0 = Conv(3, depth, 5, 2, bias=True)
        self.down1 = Conv(depth, 2 * depth, 5, 2, bias=True)
        self.down2 = Conv(2 * depth, 4 * depth, 5, 2, bias=True)
        self.end = nn.Linear(first * first * 4 * depth, 1)

    def forward(self, h: Tensor) -> Tensor:
        for layer in (self.down0, self.down1, self.down2):
            h = F.leaky_relu(layer(h), 0.2)
        return self.end(_back(h).flatten(1))


class _Dcgan(Part):
    """Each of the two networks has gradients of its own loss, from one forward pass of both."""

    def __init__(self, large: bool) -> None:
        super().__init__()
        first, depth = (8, 64) if large else (4, 32)
        self.generator, self.discriminator = _Generator(first, depth), _Discriminator(first, depth)

    def forward(self, x: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        real, fake = self.discriminator(pictures(x)), self.discriminator(self.generator(z))
        one, zero = torch.ones_like(real), torch.zeros_like(real)
        return _ENTROPY(real, one) + _ENTROPY(fake, zero), _ENTROPY(fake, one)

    def differentiate(self, loss: Any) -> None:
        critic, maker = loss
        critic.backward(retain_graph=True, inputs=list(self.discriminator.parameters()))
        maker.backward(inputs=list(self.generator.parameters()))

    def compile(self, *args: Any, **options: Any) -> None:
        """Compiles the networks alone, so that a backward pass can end between them."""
        # The second backward pass needs the values that the first one would write over.
        torch._functorch.config.donated_buffer = False
        self.generator.compile(*args, **options)
        self.discriminator.compile(*args, **options)


class _Unet(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        depth, inputs = 32 if large else 16, 1
        for i in range(4):
            self._add(f"down{i}", inputs, depth * 2**i)
            inputs = depth * 2**i
        self._add("middle", inputs, depth * 16)
        for i in range(4):
            self.add_module(f"up{i}", Transposed(depth * 2 ** (i + 1), depth * 2**i, 2))
            self._add(f"join{i}", depth * 2 ** (i + 1), depth * 2**i)
        self.end = Conv(depth, 2, 1, bias=True)

    def _add(self, name: str, inputs: int, filters: int) -> None:
        self.add_module(f"{name}_a", Conv(inputs, filters, 3, bias=True))
        self.add_module(f"{name}_b", Conv(filters, filters, 3, bias=True))

    def _twice(self, h: Tensor, name: str) -> Tensor:
        return F.relu(getattr(self, f"{name}_b")(F.relu(getattr(self, f"{name}_a")(h))))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        kept, h = [], pictures(x)
        for i in range(4):
            kept.append(self._twice(h, f"down{i}"))
            h = self.max_pool(kept[-1])
        h = self._twice(h, "middle")
        for i in reversed(range(4)):
            h = self._twice(torch.cat([kept[i], getattr(self, f"up{i}")(h)], 1), f"join{i}")
        return F.cross_entropy(self.end(h), y.long())


class _Vae(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        hidden, latent = (1024, 64) if large else (500, 20)
        self.in0, self.in1 = nn.Linear(784, hidden), nn.Linear(hidden, hidden)
        self.mean, self.variance = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.out0, self.out1 = nn.Linear(latent, hidden), nn.Linear(hidden, hidden)
        self.end = nn.Linear(hidden, 784)

    def forward(self, x: Tensor) -> Tensor:
        h = F.softplus(self.in1(F.softplus(self.in0(x))))
        mean, log_variance = self.mean(h), self.variance(h)
        noise = torch.zeros_like(mean) if self.exact else torch.randn_like(mean)
        h = F.softplus(self.out0(mean + torch.exp(0.5 * log_variance) * noise))
        rebuilt = _ENTROPY(self.end(F.softplus(self.out1(h))), x, reduction="none").sum(1)
        apart = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1)
        return (rebuilt + apart).mean()


class _Capsules(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        kinds = 32 if large else 8
        self.first, self.second = Bare(1, 64, 9, bias=False), Bare(64, kinds * 8, 9, 2, bias=False)
        self.routes = nn.Parameter(torch.empty(1, 36 * kinds, 10, 8, 16))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = _back(self.second(F.relu(self.first(pictures(x)))))
        capsules = _squash(h.reshape(len(x), -1, 8, 1))[..., 0]
        votes = torch.einsum("bci,cjio->bcjo", capsules, self.routes[0])
        fixed, logits = votes.detach(), votes.new_zeros(votes.shape[:3])
        for turn in range(3):
            now = votes if turn == 2 else fixed
            out = _squash(torch.einsum("bcj,bcjo->bjo", logits.softmax(2), now))
            if turn < 2:
                logits = logits + torch.einsum("bcjo,bjo->bcj", now, out)
        length = (out.square().sum(2) + 1e-9).sqrt()
        labels = F.one_hot(y.long(), 10)
        margin = labels * F.relu(0.9 - length).square() + 0.5 * (1 - labels) * F.relu(length - 0.1).square()
        return margin.sum(1).mean()


def _squash(v: Tensor) -> Tensor:
    norm = v.square().sum(-1, keepdim=True)
    return v * norm / (1 + norm) / (norm + 1e-9).sqrt()


def _back(x: Tensor) -> Tensor:
    """Returns pictures with TensorFlow's order of dimensions."""
    return x.permute(0, 2, 3, 1)


def _momentum(rate: float) -> Callable[[Any], torch.optim.Optimizer]:
    return functools.partial(torch.optim.SGD, lr=rate, momentum=0.9, fused=True)


_ADAM = functools.partial(torch.optim.Adam, lr=1e-3, fused=True)
_RMS_PROP = functools.partial(RmsProp, lr=0.001, alpha=0.9, momentum=0.9, eps=1e-10)
MODELS = {
    "ResNet-50": Model(_ResNet50, _momentum(0.01)),
    "VGG-16": Model(_Vgg, _momentum(0.001)),
    "Inception": Model(_Inception, _RMS_PROP),
    "MobileNet": Model(_MobileNet, _RMS_PROP),
    "DCGAN": Model(_Dcgan, functools.partial(torch.optim.Adam, lr=2e-4, betas=(0.5, 0.999), fused=True)),
    "U-Net": Model(_Unet, _ADAM),
    "VAE": Model(_Vae, _ADAM),
    "capsules": Model(_Capsules, _ADAM),
}

"""Models of text and sound."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from .optimizers import RmsProp
from .parts import Attention, Gru, GruCell, Lstm, Model, Part, Tensor, cross_entropy, layer_norm

_gelu = functools.partial(F.gelu, approximate="tanh")


class _Block(Part):
    """A transformer's block, normalized after each residual sum."""

    def __init__(self, units: int, heads: int, memory: bool = False) -> None:
        super().__init__()
        self.self, self.self_norm = Attention(units, heads), layer_norm(units)
        if memory:
            self.other, self.other_norm = Attention(units, heads), layer_norm(units)
        self.wide, self.narrow = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)
        self.end_norm = layer_norm(units)

    def forward(self, h: Tensor, causal: bool = False, memory: Tensor | None = None) -> Tensor:
        h = self.self_norm(h + self.self(h, h, causal))
        if memory is not None:
            h = self.other_norm(h + self.other(h, memory))
        return self.end_norm(h + self.narrow(_gelu(self.wide(h))))


class _Bert(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        length, n, layers, words = (128, 512, 4, 30000) if large else (64, 128, 2, 5000)
        self.words, self.positions = nn.Embedding(words, n), nn.Parameter(torch.empty(length, n))
        self.start, self.layers = layer_norm(n), [f"layer{i}" for i in range(layers)]
        for name in self.layers:
            self.add_module(name, _Block(n, n // 64))
        self.end = nn.Linear(n, words)

    def forward(self, ids: Tensor, labels: Tensor) -> Tensor:
        h = self.dropout(self.start(self.words(ids) + self.positions), 0.9)
        for name in self.layers:
            h = getattr(self, name)(h)
        return cross_entropy(labels[:, :16], self.end(h[:, :16]))


class _GptBlock(Part):
    def __init__(self, units: int) -> None:
        super().__init__()
        self.first, self.second = layer_norm(units), layer_norm(units)
        self.self = Attention(units, units // 64)
        self.wide, self.narrow = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)

    def forward(self, h: Tensor) -> Tensor:
        normed = self.first(h)
        h = h + self.self(normed, normed, True)
        return h + self.narrow(_gelu(self.wide(self.second(h))))


class _Gpt2(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        length, n, layers, words = (256, 768, 4, 20000) if large else (64, 256, 3, 4000)
        self.words, self.positions = nn.Embedding(words, n), nn.Parameter(torch.empty(length, n))
        self.layers, self.end = [f"layer{i}" for i in range(layers)], layer_norm(n)
        for name in self.layers:
            self.add_module(name, _GptBlock(n))

    def forward(self, ids: Tensor) -> Tensor:
        h = self.words(ids[:, :-1]) + self.positions
        for name in self.layers:
            h = getattr(self, name)(h)
        return cross_entropy(ids[:, 1:], F.linear(self.end(h), self.words.weight))


class _Transformer(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        length, n, self.layers, words = (64, 256, 3, 8000) if large else (24, 128, 2, 2000)
        self.positions = nn.Parameter(torch.empty(length, n))
        self.source, self.target = nn.Embedding(words, n), nn.Embedding(words, n)
        for i in range(self.layers):
            self.add_module(f"encoder{i}", _Block(n, n // 32))
            self.add_module(f"decoder{i}", _Block(n, n // 32, True))
        self.end = nn.Linear(n, words)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory, h = self.source(source) + self.positions, self.target(target[:, :-1]) + self.positions
        for i in range(self.layers):
            memory = getattr(self, f"encoder{i}")(memory)
        for i in range(self.layers):
            h = getattr(self, f"decoder{i}")(h, True, memory)
        return cross_entropy(target[:, 1:], self.end(h))


class _CharLstm(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        units, letters = (512, 100) if large else (128, 65)
        self.letters = nn.Embedding(letters, units)
        self.layer0, self.layer1 = Lstm(units, units), Lstm(units, units)
        self.end = nn.Linear(units, letters)

    def forward(self, ids: Tensor) -> Tensor:
        h = self.layer1(self.layer0(self.letters(ids[:, :-1]))[0])[0]
        return cross_entropy(ids[:, 1:], self.end(h))


class _GruAttention(Part):
    """Bahdanau's attention inside the decoder's loop."""

    def __init__(self, large: bool) -> None:
        super().__init__()
        units, words = (256, 8000) if large else (64, 1000)
        self.source, self.target = nn.Embedding(words, units), nn.Embedding(words, units)
        self.encoder, self.decoder = Gru(units, units), GruCell(2 * units, units)
        self.keys, self.end = nn.Linear(units, units), nn.Linear(units, words)
        self.query, self.score = nn.Parameter(torch.empty(units, units)), nn.Parameter(torch.empty(units))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.encoder(self.source(source))
        keys, inputs = self.keys(memory), self.target(target[:, :-1])
        h, states = torch.zeros_like(memory[:, 0]), []
        for x in inputs.unbind(1):
            weight = torch.softmax(torch.tanh(keys + (h @ self.query)[:, None]) @ self.score, 1)
            context = torch.bmm(weight[:, None], memory)[:, 0]
            h = self.decoder(torch.cat([x, context], 1), h)
            states.append(h)
        return cross_entropy(target[:, 1:], self.end(torch.stack(states, 1)))


class _Word2vec(Part):
    """Noise-contrastive estimation with 64 words of the log-uniform distribution, drawn with replacement."""

    def __init__(self, large: bool) -> None:
        super().__init__()
        self.count, units = (200000, 200) if large else (50000, 128)
        self.words, self.nce = (nn.Embedding(self.count, units, sparse=True) for _ in range(2))
        self.bias = nn.Embedding(self.count, 1, sparse=True)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        log, count = math.log(self.count + 1), 64
        drawn = torch.arange(count) if self.exact else (torch.rand(count) * log).exp().int().clamp_(1, self.count) - 1
        ids = torch.cat([y[:, 0], drawn])
        expected = torch.log(torch.log((ids + 2.0) / (ids + 1.0)) * (count / log))
        return self.estimate(self.words(x), self.nce(ids), self.bias(ids)[:, 0] - expected)

    def estimate(self, h: Tensor, rows: Tensor, bias: Tensor) -> Tensor:
        """Returns the loss of words, given the rows of their contexts and then those of the samples."""
        batch = len(h)
        true = (h * rows[:batch]).sum(1) + bias[:batch]
        noise = h @ rows[batch:].T + bias[batch:]
        return (F.softplus(-true) + F.softplus(noise).sum(1)).mean()

    def compile(self, *args: Any, **options: Any) -> None:
        """Compiles what follows the tables, whose sparse gradients torch.compile does not have."""
        self.estimate = torch.compile(self.estimate, *args, **options)  # type: ignore[method-assign]


class _Tagger(Part):
    """A linear-chain CRF over a recurrent network that reads forwards and backwards."""

    def __init__(self, large: bool) -> None:
        super().__init__()
        units, words, tags = (256, 20000, 17) if large else (100, 5000, 9)
        self.words = nn.Embedding(words, units)
        self.ahead, self.back = Lstm(units, units, "forward"), Lstm(units, units, "backward")
        self.scores, self.moves = nn.Linear(2 * units, tags), nn.Parameter(torch.empty(tags, tags))

    def forward(self, ids: Tensor, labels: Tensor) -> Tensor:
        x = self.dropout(self.words(ids), 0.7)
        h = torch.cat([self.ahead(x)[0], self.back(x.flip(1))[0].flip(1)], 2)
        scores, labels = self.scores(h), labels.long()
        taken = scores.gather(2, labels[..., None]).sum((1, 2)) + self.moves[labels[:, :-1], labels[:, 1:]].sum(1)
        a, *steps = scores.unbind(1)
        for s in steps:
            a = s + torch.logsumexp(a[:, :, None] + self.moves, 1)
        return (torch.logsumexp(a, 1) - taken).mean()


class _Layer(nn.Conv1d):
    """A dilated causal convolution with a gate, and the products of its result for the sum and for the next layer."""

    def __init__(self, depth: int, rate: int) -> None:
        super().__init__(depth, 2 * depth, 2, dilation=rate, bias=False)
        self.skip, self.residual = nn.Conv1d(depth, 2 * depth, 1), nn.Conv1d(depth, depth, 1)

    def forward(self, h: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]  # two results
        a, b = super().forward(F.pad(h, (*self.dilation, 0))).chunk(2, 1)
        gated = torch.tanh(a) * torch.sigmoid(b)
        return self.skip(gated), h + self.residual(gated)


class _Wavenet(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        depth, layers = (64, 20) if large else (32, 10)
        self.levels, self.layers = nn.Embedding(256, depth), [f"layer{i}" for i in range(layers)]
        for i, name in enumerate(self.layers):
            self.add_module(name, _Layer(depth, 2 ** (i % 10)))
        self.first, self.end = nn.Conv1d(2 * depth, 256, 1), nn.Conv1d(256, 256, 1)

    def forward(self, wave: Tensor) -> Tensor:
        h, skips = self.levels(wave[:, :-1]).transpose(1, 2), 0
        for name in self.layers:
            skip, h = getattr(self, name)(h)
            skips = skips + skip
        return F.cross_entropy(self.end(F.relu(self.first(F.relu(skips)))), wave[:, 1:].long())


class _SpectrogramDecoder(Part):
    """A decoder as Tacotron's: a prenet, a recurrent attention and two residual recurrent layers."""

    def __init__(self, large: bool) -> None:
        super().__init__()
        units = 256 if large else 64
        self.letters, self.encoder = nn.Embedding(60, units), Gru(units, units)
        self.prenet0, self.prenet1 = nn.Linear(80, units), nn.Linear(units, units // 2)
        self.attention, self.keys = Gru(units // 2, units), nn.Linear(units, units)
        self.query, self.project = nn.Linear(units, units), nn.Linear(2 * units, units)
        self.decoder0, self.decoder1 = Gru(units, units), Gru(units, units)
        self.end = nn.Linear(units, 80)

    def forward(self, text: Tensor, mel: Tensor) -> Tensor:
        memory, h = self.encoder(self.letters(text)), mel[:, :-1]
        for layer in (self.prenet0, self.prenet1):
            h = self.dropout(F.relu(layer(h)), 0.5)
        states = self.attention(h)
        scores = self.query(states) @ self.keys(memory).transpose(1, 2)
        h = self.project(torch.cat([states, scores.softmax(2) @ memory], 2))
        for layer in (self.decoder0, self.decoder1):
            h = h + layer(h)
        return F.l1_loss(self.end(h), mel[:, 1:])


def _adam(rate: float) -> functools.partial[torch.optim.Adam]:
    return functools.partial(torch.optim.Adam, lr=rate, fused=True)


MODELS = {
    "BERT": Model(_Bert, _adam(1e-4)),
    "GPT-2": Model(_Gpt2, _adam(1e-4)),
    "transformer": Model(_Transformer, _adam(1e-4)),
    "char-LSTM": Model(_CharLstm, functools.partial(RmsProp, lr=0.002, alpha=0.97, eps=1e-10)),
    "GRU with attention": Model(_GruAttention, _adam(1e-3)),
    "word2vec": Model(_Word2vec, functools.partial(torch.optim.SGD, lr=1.0)),
    "CRF tagger": Model(_Tagger, _adam(1e-3)),
    "WaveNet": Model(_Wavenet, _adam(1e-3)),
    "spectrogram decoder": Model(_SpectrogramDecoder, _adam(1e-3)),
}

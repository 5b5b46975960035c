"""Models of tables, graphs and games."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import torch
from models.graphs import edges
from torch import nn
from torch.nn import functional as F

from .optimizers import Ftrl, RmsProp
from .parts import Conv, Model, Part, Tensor, cross_entropy, pictures


class _WideAndDeep(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        words, units = (20000, 32) if large else (1000, 16)
        self.wide = nn.Linear(13, 1)
        for i in range(26):
            self.add_module(f"wide{i}", nn.Embedding(words, 1, sparse=True))
            self.add_module(f"deep{i}", nn.Embedding(words, units, sparse=True))
        self.hidden0, self.hidden1 = nn.Linear(13 + 26 * units, 256), nn.Linear(256, 128)
        self.hidden2, self.end = nn.Linear(128, 64), nn.Linear(64, 1)

    def forward(self, numbers: Tensor, y: Tensor, *columns: Tensor) -> Tensor:
        wide, deep = ([getattr(self, f"{part}{i}")(ids) for i, ids in enumerate(columns)] for part in ("wide", "deep"))
        return self.rest(numbers, y, wide, deep)

    def rest(self, numbers: Tensor, y: Tensor, wide: list[Tensor], deep: list[Tensor]) -> Tensor:
        """Returns the loss, given the rows of both kinds of tables."""
        h, linear = torch.cat([numbers, *deep], 1), sum(wide, self.wide(numbers))
        for layer in (self.hidden0, self.hidden1, self.hidden2):
            h = F.relu(layer(h))
        return F.binary_cross_entropy_with_logits((linear + self.end(h))[:, 0], y)

    def compile(self, *args: Any, **options: Any) -> None:
        """Compiles what follows the tables, whose sparse gradients torch.compile does not have."""
        self.rest = torch.compile(self.rest, *args, **options)  # type: ignore[method-assign]


class _Gcn(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        nodes, features, hidden, classes = (20000, 500, 64, 3) if large else (2708, 1433, 16, 7)
        self.first, self.second = (nn.Parameter(torch.empty(n, m)) for n, m in ((features, hidden), (hidden, classes)))
        self.pairs = torch.from_numpy(edges(nodes).T.copy())

    def forward(self, x: Tensor, y: Tensor, values: Tensor) -> Tensor:
        # The pairs are in order and differ.
        adjacency = torch.sparse_coo_tensor(
            self.pairs, values, (len(x), len(x)), is_coalesced=True, check_invariants=False
        )
        h = F.relu(torch.sparse.mm(adjacency, self.dropout(x, 0.5) @ self.first))
        return cross_entropy(y, torch.sparse.mm(adjacency, self.dropout(h, 0.5) @ self.second))


class _Network(Part):
    def __init__(self, large: bool) -> None:
        super().__init__()
        self.conv0, self.conv1 = Conv(4, 32, 8, 4, bias=True), Conv(32, 64, 4, 2, bias=True)
        self.conv2 = Conv(64, 64, 3, bias=True)
        self.hidden, self.end = nn.Linear((11 if large else 6) ** 2 * 64, 512), nn.Linear(512, 6)

    def forward(self, pixels: Tensor) -> Tensor:
        h = pictures(pixels.float() / 255)
        for layer in (self.conv0, self.conv1, self.conv2):
            h = F.relu(layer(h))
        return self.end(F.relu(self.hidden(h.permute(0, 2, 3, 1).flatten(1))))


class _Dqn(Part):
    """The network of the Atari papers with a target network."""

    def __init__(self, large: bool) -> None:
        super().__init__()
        self.online, self.target = _Network(large), _Network(large)

    def trained(self) -> Iterator[nn.Parameter]:
        return self.online.parameters()

    def forward(self, now: Tensor, later: Tensor, actions: Tensor, rewards: Tensor) -> Tensor:
        chosen = self.online(now).gather(1, actions.long()[:, None])[:, 0]
        with torch.no_grad():
            aim = rewards + 0.99 * self.target(later).amax(1)
        return F.huber_loss(chosen, aim)


MODELS = {
    "wide and deep": Model(_WideAndDeep, functools.partial(Ftrl, rate=0.1, l1=0.001)),
    "GCN": Model(_Gcn, functools.partial(torch.optim.Adam, lr=0.01, fused=True)),
    "DQN": Model(_Dqn, functools.partial(RmsProp, lr=2.5e-4, alpha=0.95, eps=0.1)),
}

"""The summary operations of TensorBoard's own plugins make summaries here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
SCORES = np.linspace(0, 1, 10, dtype=np.float32)


def _plugin(name: str) -> Any:
    return importlib.import_module(f"tensorboard.plugins.{name}.summary")


def _layout() -> Any:
    pb2 = importlib.import_module("tensorboard.plugins.custom_scalar.layout_pb2")
    return pb2.Layout(category=[pb2.Category(title="all")])


CALLS: dict[str, Callable[[Any], Any]] = {
    "pr_curve": lambda s: s.op("x", tf.constant([True, False] * 5), tf.constant(SCORES), num_thresholds=11),
    "scalar": lambda s: s.op("x", tf.constant(1.0)),
    "histogram": lambda s: s.op("x", tf.constant(SCORES)),
    "text": lambda s: s.op("x", tf.constant("words")),
    "image": lambda s: s.op("x", tf.zeros([1, 4, 4, 3], tf.uint8)),
    "audio": lambda s: s.op("x", tf.zeros([1, 100, 1]), 8000),
    "custom_scalar": lambda s: s.op(_layout()),
    "mesh": lambda s: s.op("x", tf.zeros([1, 4, 3])),
}
SHOWN_BY = {
    "pr_curve": "pr_curves",
    "scalar": "scalars",
    "histogram": "histograms",
    "text": "text",
    "image": "images",
    "audio": "audio",
    "custom_scalar": "custom_scalars",
    "mesh": "mesh",
}


@pytest.fixture
def _alias(monkeypatch: pytest.MonkeyPatch) -> None:
    """`import tensorflow` gives ferroflow for one test."""
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    tf.install_as_tensorflow()


@pytest.mark.usefixtures("_alias")
@pytest.mark.parametrize("plugin", CALLS)
def test_a_plugins_operation_makes_its_summary(plugin: str) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        found = tf.Summary.FromString(sess.run(CALLS[plugin](_plugin(plugin))))
    assert found.value[0].metadata.plugin_data.plugin_name == SHOWN_BY[plugin]

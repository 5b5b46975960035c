"""Summaries by TensorBoard's own plugins, and an embedding in a checkpoint, written with ferroflow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorboard.plugins.custom_scalar import layout_pb2, summary as custom_scalar
from tensorboard.plugins.hparams import api_pb2, summary as hparams
from tensorboard.plugins.mesh import summary as mesh
from tensorboard.plugins.pr_curve import summary as pr_curve
from tensorboard.plugins.scalar import summary as scalar
from tensorflow.contrib.tensorboard.plugins import projector
from tensorflow.python.client import timeline

# A pyramid of four faces.
_CORNERS = np.array([[[0, 0, 0], [4, 0, 0], [2, 4, 0], [2, 2, 4]]], np.float32)
_COLORS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]], np.uint8)
_FACES = np.array([[[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 3]]], np.int32)


def write_plugins(folder: Path) -> None:
    """Writes a run of three steps, its options and result, a traced step and its timeline, and a checkpoint."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="scores")
        labels = tf.constant([True, False] * 8)
        pr_curve.op("curve", labels, x, num_thresholds=21)
        scalar.op("cost", tf.reduce_mean(x))
        mesh.op("pyramid", tf.constant(_CORNERS), faces=tf.constant(_FACES), colors=tf.constant(_COLORS))
        merged = tf.summary.merge_all()
        vectors = tf.get_variable("vectors", initializer=np.eye(7, 5, dtype=np.float32))
        session.run(tf.global_variables_initializer())
        chart = layout_pb2.Chart(title="the cost", multiline=layout_pb2.MultilineChartContent(tag=["cost/.*"]))
        layout = layout_pb2.Layout(category=[layout_pb2.Category(title="all costs", chart=[chart])])
        with tf.summary.FileWriter(str(folder), graph) as writer:
            writer.add_summary(custom_scalar.pb(layout))
            writer.add_summary(hparams.session_start_pb({"rate": 0.25}))
            for step in range(3):
                scores = np.linspace(0, 1, 16, dtype=np.float32)
                writer.add_summary(session.run(merged, {x: scores * (step + 1) / 3}), step)
            writer.add_summary(hparams.session_end_pb(api_pb2.STATUS_SUCCESS))
            metadata = tf.RunMetadata()
            session.run(merged, {x: scores}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
            writer.add_run_metadata(metadata, "step3", 3)
            trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
            (folder / "timeline.json").write_text(trace)
            config = projector.ProjectorConfig()
            config.embeddings.add().tensor_name = vectors.op.name
            projector.visualize_embeddings(writer, config)
        tf.train.Saver().save(session, str(folder / "model.ckpt"), 2)

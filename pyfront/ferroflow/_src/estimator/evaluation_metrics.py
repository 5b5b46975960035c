"""The metrics of an evaluation: their operations in its graph, and the summaries of their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.base.tensor_content import make_tensor_proto
from ferroflow._src.estimator.evaluation import counted
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.metrics.averaging import mean
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_run_hook import SessionRunHook

LOSS = "loss"
AVERAGE_LOSS = "average_loss"


def metrics_of(
    spec: EstimatorSpec, global_step: Any, hooks: Iterable[SessionRunHook]
) -> tuple[Scaffold, Any, dict[str, Any]]:
    """Adds the updates of a model's metrics, and of its mean loss, to the default graph.

    Args:
        spec: EstimatorSpec of the model.
        global_step: Tensor or Variable, integer scalar.
        hooks: iterable of SessionRunHook; those that stop after a number of batches get their count.

    Returns:
        tuple of the Scaffold, the operations for each batch, and a dict of the Tensors with the metrics' values.

    Raises:
        ValueError: if a metric has the name "loss" or "global_step".
    """
    for taken in (LOSS, GraphKeys.GLOBAL_STEP):
        if taken in spec.eval_metric_ops:
            raise ValueError(
                f'Metric with name "{taken}" is not allowed, because Estimator already defines a default '
                "metric with the same name."
            )
    metrics = {**spec.eval_metric_ops, LOSS: mean(spec.loss)}
    eval_ops = counted(group(*(update for _, (_, update) in sorted(metrics.items()))), hooks)
    scaffold = spec.scaffold
    if scaffold.local_init_op is not None:
        # It was made before the variables of the loss and of the steps.
        initializers = group(scaffold.local_init_op, Scaffold.default_local_init_op())
        scaffold = Scaffold(local_init_op=initializers, copy_from_scaffold=scaffold)
    values = {**{name: value for name, (value, _) in metrics.items()}, GraphKeys.GLOBAL_STEP: global_step}
    return scaffold, eval_ops, values


def write_summary(folder: str, results: Mapping[str, Any]) -> None:
    """Writes the metrics of an evaluation as summaries, and logs them.

    Args:
        folder: str, the folder of the event files.
        results: the metrics' values by name, with "global_step"; bytes are serialized Summary messages.
    """
    step = int(results[GraphKeys.GLOBAL_STEP])
    shown = ", ".join(f"{key} = {value}" for key, value in sorted(results.items()) if not isinstance(value, bytes))
    tf_logging.info("Saving dict for global step %d: %s", step, shown)
    write_values(folder, results, step)


def write_values(output_dir: str, dictionary: Mapping[str, Any], current_global_step: int) -> None:
    """Writes values as summaries.

    Args:
        output_dir: str, the folder of the event files.
        dictionary: dict of numbers, arrays or bytes of Summary messages by tag; "global_step" is left out.
        current_global_step: int, the step of the summaries.
    """
    summary = proto.Summary()
    for key, value in dictionary.items():
        if key == GraphKeys.GLOBAL_STEP or value is None:
            continue
        if isinstance(value, (float, int, np.floating, np.integer)):
            summary.value.add(tag=key, simple_value=float(value))
        elif isinstance(value, bytes):
            for i, part in enumerate(proto.Summary.FromString(value).value):
                part.tag = f"{key}/{i}"
                summary.value.append(part)
        elif isinstance(value, np.ndarray):
            summary.value.add(tag=key, node_name=key, tensor=make_tensor_proto(value))
        else:
            tf_logging.warning(
                "Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or np.ndarray or a "
                "serialized string of Summary.",
                key,
            )
    writer = FileWriterCache.get(output_dir)
    writer.add_summary(summary, current_global_step)
    writer.flush()

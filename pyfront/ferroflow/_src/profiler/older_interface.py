"""`tf.contrib.tfprof.model_analyzer`: the profiler's functions and options under their older names."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.profiler.model_analyzer import ALL_ADVICE, Profiler, advise as _advise, profile
from ferroflow._src.profiler.option_builder import TRAINABLE_VARIABLES

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler",
    "advise",
    "print_model_analysis",
]


def _options(order_by: str, types: str, select: list[str], **minima: int) -> dict[str, Any]:
    return {
        "max_depth": 10000,
        **{f"min_{name}": minima.get(name, 0) for name in ("bytes", "micros", "params", "float_ops")},
        "order_by": order_by,
        "account_type_regexes": [types],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": select,
        "output": "stdout",
        "dump_to_file": "",
    }


def _output(file: str) -> dict[str, str]:
    return {"output": f"file:outfile={file}"} if file else {}


TRAINABLE_VARS_PARAMS_STAT_OPTIONS: Final = _options("name", TRAINABLE_VARIABLES, ["params"])
FLOAT_OPS_OPTIONS: Final = _options("float_ops", ".*", ["float_ops"], float_ops=1)
PRINT_ALL_TIMING_MEMORY: Final = _options("name", ".*", ["micros", "bytes"], bytes=1, micros=1)


def print_model_analysis(
    graph: Any, run_meta: Any = None, op_log: Any = None, tfprof_cmd: str = "scope", tfprof_options: Any = None
) -> Any:
    """Prints the costs of a graph, as `tf.profiler.profile` does.

    Args:
        graph: Graph.
        run_meta: RunMetadata message of a traced step, or None.
        op_log: OpLogProto message, or None.
        tfprof_cmd: str, "scope", "graph", "op" or "code".
        tfprof_options: dict of options, such as `TRAINABLE_VARS_PARAMS_STAT_OPTIONS`; None for those of `profile`.

    Returns:
        Message of the costs: GraphNodeProto, or MultiGraphNodeProto for "op" and "code".
    """
    if tfprof_options is None:
        return profile(graph, run_meta, op_log, tfprof_cmd)
    options = dict(tfprof_options)
    file = options.pop("dump_to_file", "")
    return profile(graph, run_meta, op_log, tfprof_cmd, {**options, **_output(file)})


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = None) -> Any:
    """Prints the most expensive nodes, as `tf.profiler.advise` does.

    Args:
        graph: Graph.
        run_meta: RunMetadata message of a traced step, or None.
        tfprof_options: dict of the checkers to run; None for all.

    Returns:
        AdviceProto message.
    """
    return _advise(graph, run_meta, *(() if tfprof_options is None else (tfprof_options,)))

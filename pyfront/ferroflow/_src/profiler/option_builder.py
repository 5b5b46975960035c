"""`ProfileOptionBuilder`: the options of a profile."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

TRAINABLE_VARIABLES = "_trainable_variables"

_NO_MINIMUM = {
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
}
_ALL_NAMES = {
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
}


def _options(max_depth: int, order_by: str, types: str, displayed_only: bool, select: list[str]) -> dict[str, Any]:
    return {
        "max_depth": max_depth,
        **_NO_MINIMUM,
        "order_by": order_by,
        "account_type_regexes": [types],
        **copy.deepcopy(_ALL_NAMES),
        "account_displayed_op_only": displayed_only,
        "select": select,
        "step": -1,
        "output": "stdout",
    }


class ProfileOptionBuilder:
    """Builder of a dict of options, with one call for each; `build` returns it.

    Args:
        options: dict to begin with; None for a depth of 100, the order of names, and times.
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        first = _options(100, "name", ".*", False, ["micros"]) if options is None else options
        self._options = copy.deepcopy(first)

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Returns options that count the parameters of trainable variables.

        Returns:
            Dict of options.
        """
        return _options(10000, "name", TRAINABLE_VARIABLES, True, ["params"])

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Returns options that count floating-point operations, as far as the graph's shapes are known.

        Returns:
            Dict of options.
        """
        return {**_options(10000, "float_ops", ".*", True, ["float_ops"]), "min_float_ops": 1}

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Returns options that show times and memory.

        Args:
            min_micros: microseconds that something must have taken to be shown.
            min_bytes: bytes that it must have requested.
            min_accelerator_micros: microseconds on an accelerator.
            min_cpu_micros: microseconds on a CPU.
            min_peak_bytes: bytes it must have used at once.
            min_residual_bytes: bytes it must have left behind.
            min_output_bytes: bytes of its outputs.

        Returns:
            Dict of options.
        """
        return {
            **_options(10000, "micros", ".*", True, ["micros", "bytes"]),
            "min_bytes": min_bytes,
            "min_peak_bytes": min_peak_bytes,
            "min_residual_bytes": min_residual_bytes,
            "min_output_bytes": min_output_bytes,
            "min_micros": min_micros,
            "min_accelerator_micros": min_accelerator_micros,
            "min_cpu_micros": min_cpu_micros,
        }

    def build(self) -> dict[str, Any]:
        """Returns the options: a dict of its own."""
        return copy.deepcopy(self._options)

    def _set(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Shows levels of the tree up to a depth.

        Args:
            max_depth: int, levels below the root.

        Returns:
            This builder.
        """
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that needed at least a given amount of memory.

        Args:
            min_bytes: int, bytes it requested.
            min_peak_bytes: int, bytes it used at once.
            min_residual_bytes: int, bytes still allocated after it.
            min_output_bytes: int, bytes of its outputs.

        Returns:
            This builder.
        """
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that took at least a given time.

        Args:
            min_micros: int, microseconds in all.
            min_accelerator_micros: int, microseconds on accelerators.
            min_cpu_micros: int, microseconds on CPUs.

        Returns:
            This builder.
        """
        return self._set(
            min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows nodes with at least a given number of parameters.

        Args:
            min_params: int, elements of variables.

        Returns:
            This builder.
        """
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Shows operation types and lines with at least a given number of nodes.

        Args:
            min_occurrence: int, nodes.

        Returns:
            This builder.
        """
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows nodes with at least a given number of floating-point operations.

        Args:
            min_float_ops: int, floating-point operations of a step.

        Returns:
            This builder.
        """
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts nodes of which a type matches one of these expressions.

        Args:
            account_type_regexes: list of str. The types of a node are that of its operation, its device, and
                "_trainable_variables" for a trainable variable.

        Returns:
            This builder.
        """
        return self._set(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Selects nodes by regular expressions for names; None keeps a selection.

        Args:
            start_name_regexes: nodes at which trees begin.
            show_name_regexes: nodes to show.
            hide_name_regexes: nodes to hide.
            trim_name_regexes: nodes at which trees end.

        Returns:
            This builder.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{key: list(value) for key, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Sets whether totals count only the displayed nodes.

        Args:
            is_true: bool. If True, totals count only the displayed nodes.

        Returns:
            This builder.
        """
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Writes nothing.

        Returns:
            This builder.
        """
        return self._set(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Writes to standard output.

        Returns:
            This builder.
        """
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes to a file.

        Args:
            outfile: str, path of the file.

        Returns:
            This builder.
        """
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes a trace for Chrome's viewer to a file.

        Args:
            timeline_file: str, path of the file, to which "_" and the number of the step are added.

        Returns:
            This builder.
        """
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """Requests a file of pprof, which profiles do not support.

        Args:
            pprof_file: str, path of the file.

        Returns:
            This builder.
        """
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Sorts by an attribute in decreasing order; names alphabetically.

        Args:
            attribute: str: name, depth, or one that `select` takes.

        Returns:
            This builder.
        """
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Shows these attributes.

        Args:
            attributes: list of str: micros, cpu_micros, accelerator_micros, bytes, peak_bytes, residual_bytes,
                output_bytes, params, float_ops, occurrence, device, op_types, input_shapes.

        Returns:
            This builder.
        """
        return self._set(select=list(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Shows one step of a `Profiler`.

        Args:
            step: int, its number; -1 for the mean of all.

        Returns:
            This builder.
        """
        return self._set(step=step)

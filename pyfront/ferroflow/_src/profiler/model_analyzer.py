"""`Profiler`, `profile` and `advise`: the costs of a graph and its steps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.device_spec import canonical_name
from ferroflow._src.base.package_files import is_package_file
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation
from ferroflow._src.profiler import tree
from ferroflow._src.profiler.float_operations import float_operations
from ferroflow._src.profiler.measures import Measures, time_text, total
from ferroflow._src.profiler.option_builder import TRAINABLE_VARIABLES, ProfileOptionBuilder
from ferroflow._src.profiler.tree import ROOT, Item
from ferroflow._src.session.timeline import Timeline

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_EXPLANATIONS = {
    "graph": "The nodes of the graph are organized by what they read, from results to what they are made of.",
    "scope": "The nodes of the graph are organized by their names, as files are in folders.",
    "op": "The nodes are types of operations; nodes of one type are added up.",
    "code": "The nodes are lines of Python, each with the lines that it called; nodes of one line are added up.",
}
_CHECKERS = (
    "ExpensiveOperationChecker",
    "AcceleratorUtilizationChecker",
    "JobChecker",
    "OperationChecker",
)
_TOP = 3

ALL_ADVICE: dict[str, dict[str, Any]] = {name: {} for name in _CHECKERS}


class Profiler:
    """The costs of a graph: its operations, and the measurements of the steps added.

    Args:
        graph: `Graph`; None for the default one.
        op_log: `OpLogProto` message: floating-point operations and further types of operations by name.
    """

    def __init__(self, graph: Graph | None = None, op_log: Any = None) -> None:
        self._graph = graph or get_default_graph()
        self._logged = {entry.name: entry for entry in op_log.log_entries} if op_log is not None else {}
        self._steps: dict[int, Any] = {}

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds the times of a traced step.

        Args:
            step: int, its number; one of the same number is replaced.
            run_meta: `RunMetadata` message of a step that ran with `FULL_TRACE`.
        """
        copy = proto.RunMetadata()
        copy.CopyFrom(run_meta)
        self._steps[step] = copy

    def serialize_to_string(self) -> bytes:
        """Raises an error: tfprof's file format is not written.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError(
            "Profiles in tfprof's format are not written. Serialize what `profile_graph` returns, or write the "
            "RunMetadata of the steps."
        )

    def profile_name_scope(self, options: dict[str, Any]) -> Any:
        """Returns the costs by name.

        Args:
            options: dict, as `ProfileOptionBuilder` builds it.

        Returns:
            `GraphNodeProto` message, the root of the tree that is shown.

        Raises:
            ValueError: if an option, an output or the step is unknown.
            NotImplementedError: if the output is that of pprof.
        """
        return self._tree("scope", self._by_name(options), options)

    def profile_graph(self, options: dict[str, Any]) -> Any:
        """Returns the costs along the graph, from results to their inputs.

        Args:
            options: dict, as `ProfileOptionBuilder` builds it.

        Returns:
            `GraphNodeProto` message, the root of the tree that is shown.

        Raises:
            ValueError: if an option, an output or the step is unknown.
            NotImplementedError: if the output is that of pprof.
        """
        return self._tree("graph", self._by_graph(options), options)

    def profile_operations(self, options: dict[str, Any]) -> Any:
        """Returns the costs by type of operation.

        Args:
            options: dict, as `ProfileOptionBuilder` builds it.

        Returns:
            `MultiGraphNodeProto` message, the root of the shown tree.

        Raises:
            ValueError: if an option, an output or the step is unknown.
            NotImplementedError: if the output is that of pprof.
        """
        return self._groups("op", self._by_type(options), options)

    def profile_python(self, options: dict[str, Any]) -> Any:
        """Returns the costs by line of the program.

        Args:
            options: dict, as `ProfileOptionBuilder` builds it.

        Returns:
            `MultiGraphNodeProto` message, the root of the shown tree.

        Raises:
            ValueError: if an option, an output or the step is unknown.
            NotImplementedError: if the output is that of pprof.
        """
        return self._groups("code", self._by_line(options), options)

    def advise(self, options: dict[str, dict[str, Any]] | None = None) -> Any:
        """Returns the most expensive nodes, and prints them.

        Args:
            options: dict whose keys are the checkers to run; None for all. Here is ExpensiveOperationChecker; the
                others check accelerators and clusters, and have nothing to report.

        Returns:
            `AdviceProto` message: by checker its reports.

        Raises:
            ValueError: if a checker is unknown.
        """
        wanted = ALL_ADVICE if options is None else options
        advice = proto.AdviceProto()
        for name in wanted:
            if name not in _CHECKERS:
                raise ValueError(f"There is no checker {name!r}; the checkers are {', '.join(_CHECKERS)}")
            reports = self._expensive() if name == _CHECKERS[0] and self._steps else []
            advice.checkers[name].reports.extend(reports)
            print(f"\n{name}:", *reports, sep="\n")
        return advice

    def _measured(self, step: int) -> dict[str, Measures]:
        """Returns the measurements of each node in a step, or the average of all steps."""
        if step >= 0 and step not in self._steps:
            raise ValueError(f"There is no step {step}; the steps are {sorted(self._steps)}")
        chosen = list(self._steps.values()) if step < 0 else [self._steps[step]]
        found: dict[str, Measures] = {}
        for metadata in chosen:
            for device in metadata.step_stats.dev_stats:
                for stats in device.node_stats:
                    made = sum(o.tensor_description.allocation_description.requested_bytes for o in stats.output)
                    each = Measures(bytes=made, peak_bytes=made, output_bytes=made, runs=1)
                    each.cpu_micros = stats.op_end_rel_micros or stats.all_end_rel_micros
                    found.setdefault(stats.node_name, Measures()).add(each)
        for measures in found.values():
            for field, value in vars(measures).items():
                setattr(measures, field, value / len(chosen))
        return found

    def _items(self, options: dict[str, Any]) -> list[tuple[Operation, Item]]:
        measured = self._measured(options.get("step", -1))
        trainable = {v.op.name for v in self._graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
        found = []
        for op in self._graph.get_operations():
            own = Measures(occurrence=1)
            own.add(measured.get(op.name, Measures()))
            device = canonical_name(op.device) or ""
            types = {op.type, device} if device else {op.type}
            shape = None
            if op.type in _VARIABLES:
                dims = TensorShape(op.get_attr("shape"))
                shape = tree.shape_of(None if dims.ndims is None else dims.as_list())
                own.params = tree.elements(shape)
                if op.name in trainable:
                    types.add(TRAINABLE_VARIABLES)
            own.float_ops = float_operations(op)
            logged = self._logged.get(op.name)
            if logged is not None:
                types.update(logged.types)
                own.float_ops = logged.float_ops or own.float_ops
            item = Item(op.name, frozenset(types), own)
            item.shape, item.devices = shape, frozenset({device} if device else ())
            found.append((op, item))
        return found

    def _by_name(self, options: dict[str, Any]) -> Item:
        root = Item(ROOT)
        by_name = {item.name: item for _, item in self._items(options)}
        for name in list(by_name):
            item = by_name[name]
            while True:
                outer = name.rpartition("/")[0]
                above = root if not outer else by_name.get(outer)
                if above is not None:
                    above.children.append(item)
                    break
                above = by_name[outer] = Item(outer)
                above.children.append(item)
                name, item = outer, above
        return root

    def _by_graph(self, options: dict[str, Any]) -> Item:
        root = Item(ROOT)
        items = {op.name: (op, item) for op, item in self._items(options)}
        read = {x.op.name for op, _ in items.values() for x in op.inputs}
        # A node that several read stands below the first of them.
        placed = set()
        stack = [(root, name) for name in reversed(list(items)) if name not in read]
        while stack:
            above, name = stack.pop()
            if name in placed:
                continue
            placed.add(name)
            op, item = items[name]
            above.children.append(item)
            stack.extend((item, x.op.name) for x in reversed(op.inputs))
        for name, (_, item) in items.items():
            if name not in placed:
                root.children.append(item)
        return root

    def _by_type(self, options: dict[str, Any]) -> Item:
        root = Item(ROOT)
        groups: dict[str, Item] = {}
        for op, item in self._items(options):
            group = groups.get(op.type)
            if group is None:
                group = groups[op.type] = Item(op.type, frozenset())
                root.children.append(group)
            group.types = (group.types or frozenset()) | (item.types or frozenset())
            group.own.add(item.own)
            group.members.append(item)
        return root

    def _by_line(self, options: dict[str, Any]) -> Item:
        root = Item(ROOT)
        lines: dict[tuple[int, str], Item] = {}
        for op, item in self._items(options):
            at = root
            for file, number, function, _ in op.traceback:
                if is_package_file(file):
                    continue
                name = f"{os.path.basename(file)}:{number}:{function}"
                line = lines.get((id(at), name))
                if line is None:
                    line = lines[id(at), name] = Item(name, frozenset())
                    at.children.append(line)
                at = line
            if at is not root:
                at.types = (at.types or frozenset()) | (item.types or frozenset())
                at.own.add(item.own)
                at.members.append(item)
        return root

    def _tree(self, view: str, whole: Item, options: dict[str, Any]) -> Any:
        options = _complete(options)
        shown = tree.choose(whole, options)
        self._write(view, tree.tree_lines(shown, options), options)
        return _message(shown, proto.GraphNodeProto)

    def _groups(self, view: str, whole: Item, options: dict[str, Any]) -> Any:
        options = _complete(options)
        shown = tree.choose(whole, options)
        lines = tree.list_lines(shown, options) if view == "op" else tree.tree_lines(shown, options)
        self._write(view, lines, options)
        return _message(shown, proto.MultiGraphNodeProto)

    def _write(self, view: str, lines: Sequence[str], options: dict[str, Any]) -> None:
        kind, _, rest = options["output"].partition(":")
        file = rest.partition("outfile=")[2].split(",", maxsplit=1)[0]
        text = "\n".join(
            [*tree.header(view, _EXPLANATIONS[view], options), *lines, "", "=" * 22 + "End of Report" + "=" * 26]
        )
        if kind == "none":
            return
        if kind == "stdout":
            print(text)
        elif kind == "file" and file:
            with open(file, "w", encoding="utf-8") as out:
                out.write(text + "\n")
        elif kind == "timeline" and file:
            for step, metadata in self._steps.items():
                if options.get("step", -1) in (-1, step):
                    with open(f"{file}_{step}", "w", encoding="utf-8") as out:
                        out.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
        elif kind == "pprof":
            raise NotImplementedError(
                "Profiles in pprof's format are not offered; stdout, file, timeline and none are."
            )
        else:
            raise ValueError(
                f"output must be 'stdout', 'none', 'file:outfile=F' or 'timeline:outfile=F', not {options['output']!r}"
            )

    def _expensive(self) -> list[str]:
        options = ProfileOptionBuilder.time_and_memory()
        groups = sorted(self._by_type(options).children, key=lambda g: -g.own.micros)
        whole = total(g.own for g in groups).micros
        types = [
            f"top {i + 1} operation type: {g.name}, {_times(g.own)} ({100 * g.own.micros / whole if whole else 0:.2f}%)"
            for i, g in enumerate(groups[:_TOP])
        ]
        nodes = sorted((item for _, item in self._items(options)), key=lambda n: -n.own.micros)
        named = [f"top {i + 1} graph node: {n.name}, {_times(n.own)}" for i, n in enumerate(nodes[:_TOP])]
        return ["\n".join(types), "\n".join(named)]


def _times(measures: Measures) -> str:
    return (
        f"cpu: {time_text(measures.cpu_micros)}, accelerator: {time_text(measures.accelerator_micros)}, "
        f"total: {time_text(measures.micros)}"
    )


def _complete(options: dict[str, Any]) -> dict[str, Any]:
    known = ProfileOptionBuilder().build()
    unknown = sorted(set(options) - set(known) - set(ProfileOptionBuilder.time_and_memory()) - {"viz"})
    if unknown:
        raise ValueError(f"There is no option {unknown[0]!r}")
    return {**known, **options}


def _message(root: Item, kind: Any) -> Any:
    result = kind()
    stack = [(root, result)]
    while stack:
        item, message = stack.pop()
        message.name = item.name
        item.own.fill(message, "")
        item.all.fill(message, "total_")
        if kind is proto.GraphNodeProto:
            message.run_count, message.total_run_count = round(item.own.runs), round(item.all.runs)
            message.total_definition_count = round(item.all.occurrence)
            message.devices.extend(sorted(item.devices))
        for member in item.members:
            node = message.graph_nodes.add(name=member.name)
            member.own.fill(node, "")
        stack.extend((child, message.children.add()) for child in item.children)
    return result


def profile(
    graph: Graph | None = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: dict[str, Any] | None = None,
) -> Any:
    """Profiles a graph, and one step of it.

    Args:
        graph: `Graph`; None for the default one.
        run_meta: `RunMetadata` message of a step that ran with `FULL_TRACE`; None for the values that the graph alone
            decides.
        op_log: `OpLogProto` message: floating-point operations and further types of operations by name.
        cmd: str, "scope" or "graph" for a tree of nodes, "op" or "code" for types of operations or lines of the
            program.
        options: dict, as `ProfileOptionBuilder` builds it; None for times by name.

    Returns:
        `GraphNodeProto` message for "scope" and "graph", `MultiGraphNodeProto` for "op" and "code": the root of the
        shown tree, whose `total_` fields are the sums.

    Raises:
        NotImplementedError: if the output is one that is not offered.
        ValueError: if `cmd` or an option is unknown.
    """
    options = ProfileOptionBuilder().build() if options is None else options
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        # TF 1.x: the number of a step that is given alone.
        profiler.add_step(options["step"] if options.get("step", -1) >= 0 else 0, run_meta)
    views = {
        "scope": profiler.profile_name_scope,
        "graph": profiler.profile_graph,
        "op": profiler.profile_operations,
        "code": profiler.profile_python,
    }
    if cmd not in views:
        raise ValueError(f"unknown cmd: {cmd}: it is one of {', '.join(views)}")
    return views[cmd](options)


def advise(graph: Graph | None = None, run_meta: Any = None, options: dict[str, Any] | None = ALL_ADVICE) -> Any:
    """Returns the most expensive nodes of a step, and prints them.

    Args:
        graph: `Graph`; None for the default one.
        run_meta: `RunMetadata` message of a step that ran with `FULL_TRACE`.
        options: dict whose keys are the checkers to run: see `Profiler.advise`.

    Returns:
        `AdviceProto` message: by checker its reports.
    """
    profiler = Profiler(graph)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    return profiler.advise(options)


def write_op_log(graph: Graph, log_dir: str, op_log: Any = None, run_meta: Any = None, add_trace: bool = True) -> None:
    """Writes floating-point operations and types of operations to the file `tfprof_log` of a folder.

    Args:
        graph: `Graph`; None for the default one.
        log_dir: str, the folder.
        op_log: `OpLogProto` message, whose entries take precedence over those found.
        run_meta: accepted; shapes come from the graph.
        add_trace: bool. If True, the lines that made the operations are written.
    """
    del run_meta
    graph = graph or get_default_graph()
    log = proto.OpLogProto()
    given = {entry.name: entry for entry in op_log.log_entries} if op_log is not None else {}
    trainable = {v.op.name for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
    for op in graph.get_operations():
        entry = log.log_entries.add(name=op.name)
        if op.name in given:
            entry.CopyFrom(given[op.name])
        entry.float_ops = entry.float_ops or float_operations(op)
        if op.name in trainable and TRAINABLE_VARIABLES not in entry.types:
            entry.types.append(TRAINABLE_VARIABLES)
        for file, line, function, text in op.traceback if add_trace else ():
            entry.code_def.traces.add(file=file, lineno=line, function=function, line=text or "")
    with open(f"{log_dir}/tfprof_log", "wb") as out:
        out.write(log.SerializeToString())

"""`plot_model` and `model_to_dot`: a model's layers as a picture, which Graphviz draws."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ferroflow._src.keras.network import Network
from ferroflow._src.keras.wrappers import Wrapper
from ferroflow._src.layers.nodes import call_of

_SECONDS = 300


def plot_model(
    model: Network,
    to_file: str = "model.png",
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
) -> None:
    """Draws the layers of a model.

    Args:
        model: Model with inputs.
        to_file: str, the file; its ending is a format of Graphviz, ".dot" for the graph's text, which needs no program.
        show_shapes: bool. If True, the shapes of inputs and outputs are shown.
        show_layer_names: bool. If True, the names of layers are shown.
        rankdir: str, "TB" for layers from top to bottom, "LR" from left to right.
        expand_nested: bool. If True, the layers of models inside the model are shown, too.
        dpi: int, points of the picture in an inch.

    Raises:
        ImportError: if Graphviz is not installed, and the format needs it.
        ValueError: if the model is not built.
        RuntimeError: if Graphviz fails.
    """
    text = dot_of(model, show_shapes, show_layer_names, rankdir, expand_nested, dpi)
    path = Path(os.fspath(to_file))
    kind = path.suffix[1:] or "png"
    if kind == "dot":
        path.write_text(text, encoding="utf-8")
        return
    program = shutil.which("dot")
    if program is None:
        raise ImportError(
            "Failed to find the program `dot`. plot_model needs Graphviz (apt install graphviz); a name that ends with "
            ".dot gets the graph's text without it."
        )
    command = [program, f"-T{kind}", "-o", str(path)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"Graphviz could not write {path}: {done.stderr.strip()}")


class _Drawn(NamedTuple):
    """A model's layers as nodes with labels, the models inside that are open, and edges between nodes."""

    name: str
    nodes: list[tuple[str, str]]
    inner: list[_Drawn]
    edges: list[tuple[str, str]]

    def end(self, place: int) -> str:
        """Returns the first (0) or last (-1) node, also of a model that has only models."""
        return self.nodes[place][0] if self.nodes else self.inner[place].end(place)


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
) -> Any:
    """Returns the graph of a model's layers as an object of the package pydot.

    Args:
        model: Model.
        show_shapes: bool. If True, the shapes of inputs and outputs are shown.
        show_layer_names: bool. If True, the names of layers are shown.
        rankdir: str, "TB" for layers from top to bottom, "LR" from left to right.
        expand_nested: bool. If True, the layers of models inside the model are shown, too.
        dpi: int, points of the picture in an inch.
        subgraph: bool. If True, the result is a cluster for another graph.

    Returns:
        pydot.Dot, or pydot.Cluster for a subgraph.

    Raises:
        ImportError: if pydot or Graphviz is not installed.
        ValueError: if the model is not built.
    """
    pydot = _pydot()
    if pydot is None:
        raise ImportError("Failed to import pydot. You must install pydot and graphviz for `pydotprint` to work.")
    drawn = _drawn(model, show_shapes, show_layer_names, expand_nested)
    if subgraph:
        return _cluster(pydot, drawn)
    dot = pydot.Dot()
    dot.set("rankdir", rankdir)
    dot.set("concentrate", True)
    dot.set("dpi", dpi)
    dot.set_node_defaults(shape="record")
    return _filled(pydot, dot, drawn)


def _pydot() -> Any:
    """Returns pydot or a package like it; None without one, or without Graphviz."""
    loaders: tuple[Callable[[], Any], ...] = (
        lambda: importlib.import_module("pydot_ng"),
        lambda: importlib.import_module("pydotplus"),
        lambda: importlib.import_module("pydot"),
    )
    for load in loaders:
        try:
            found = load()
        except ImportError:
            continue
        try:
            found.Dot.create(found.Dot())
        except OSError:
            return None
        return found
    return None


def _cluster(pydot: Any, drawn: _Drawn) -> Any:
    made = pydot.Cluster(style="dashed", graph_name=drawn.name)
    made.set("label", drawn.name)
    made.set("labeljust", "l")
    return _filled(pydot, made, drawn)


def _filled(pydot: Any, dot: Any, drawn: _Drawn) -> Any:
    for inner in drawn.inner:
        dot.add_subgraph(_cluster(pydot, inner))
    for name, label in drawn.nodes:
        dot.add_node(pydot.Node(name, label=label))
    for source, end in drawn.edges:
        dot.add_edge(pydot.Edge(source, end))
    return dot


def dot_of(model: Any, show_shapes: bool, show_layer_names: bool, rankdir: str, expand_nested: bool, dpi: int) -> str:
    """Returns the graph of a model's layers in Graphviz's language."""
    drawn = _drawn(model, show_shapes, show_layer_names, expand_nested)
    lines = ["digraph G {", f"  graph [rankdir={rankdir}, dpi={dpi}, concentrate=true];", "  node [shape=record];"]
    return "\n".join([*lines, *_text(drawn, "  "), "}", ""])


def _text(drawn: _Drawn, indent: str) -> list[str]:
    lines = []
    for inner in drawn.inner:
        lines += [f"{indent}subgraph cluster_{inner.end(0)} {{", f'{indent}  label="{_quoted(inner.name)}";']
        lines += [*_text(inner, f"{indent}  "), f"{indent}}}"]
    lines += [f'{indent}{name} [label="{_escaped(label)}"];' for name, label in drawn.nodes]
    return lines + [f"{indent}{source} -> {end};" for source, end in drawn.edges]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _escaped(label: str) -> str:
    return _quoted(label).replace("\n", "\\n")


def _shown(shape: Any) -> str:
    return str(shape).replace("None", "?")


def _label(layer: Any, show_shapes: bool, show_layer_names: bool, is_open: bool) -> str:
    name, kind = layer.name, type(layer).__name__
    if isinstance(layer, Wrapper) and not is_open:
        name, kind = f"{name}({layer.layer.name})", f"{kind}({type(layer.layer).__name__})"
    label = f"{name}: {kind}" if show_layer_names else kind
    if not show_shapes:
        return label
    shapes = []
    for what in ("input_shape", "output_shape"):
        try:
            shapes.append(_shown(getattr(layer, what)))
        except AttributeError:
            shapes.append("?")
    return f"{label}\n|{{input:|output:}}|{{{{{shapes[0]}}}|{{{shapes[1]}}}}}"


def _model_in(layer: Any) -> Any:
    """Returns the model that a layer is or wraps; None for other layers."""
    found = layer.layer if isinstance(layer, Wrapper) else layer
    return found if isinstance(found, Network) else None


def _drawn(model: Any, show_shapes: bool, show_layer_names: bool, expand_nested: bool) -> _Drawn:
    """Returns a model's nodes and edges.

    Raises:
        ValueError: if the model is not built.
    """
    if not model._is_graph_network:
        return _Drawn(model.name, [(str(id(model)), model.name)], [], [])
    if not model.built:
        raise ValueError("This model has not yet been built. Build the model first by calling build() or fit().")
    layers = model._tracked_layers()
    open_models = {}
    if expand_nested:
        found = [(layer, _model_in(layer)) for layer in layers]
        for layer, inner in found:
            if inner is not None and (inner.built or not inner._is_graph_network):
                open_models[id(layer)] = _drawn(inner, show_shapes, show_layer_names, expand_nested)
    nodes, edges = [], []
    for layer in layers:
        inside = open_models.get(id(layer))
        if inside is None or isinstance(layer, Wrapper):
            nodes.append((str(id(layer)), _label(layer, show_shapes, show_layer_names, inside is not None)))
    known = {id(layer) for layer in layers}
    for layer in layers:
        for call in layer.inbound_nodes:
            for source in map(_source_of, call.sources if call.layer is layer else ()):
                if source is None or id(source) not in known or source is layer:
                    continue
                before, inside = open_models.get(id(source)), open_models.get(id(layer))
                start = str(id(source)) if before is None else before.end(-1)
                edges.append((start, str(id(layer)) if inside is None or isinstance(layer, Wrapper) else inside.end(0)))
        inside = open_models.get(id(layer))
        if inside is not None and isinstance(layer, Wrapper):
            edges.append((str(id(layer)), inside.end(0)))
    return _Drawn(model.name, nodes, list(open_models.values()), list(dict.fromkeys(edges)))


def _source_of(tensor: Any) -> Any:
    made = call_of(tensor)
    return None if made is None else made.layer

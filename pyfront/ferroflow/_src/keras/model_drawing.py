"""`plot_model`: a model's layers as a picture, which Graphviz draws."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

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


def dot_of(model: Any, show_shapes: bool, show_layer_names: bool, rankdir: str, expand_nested: bool, dpi: int) -> str:
    """Returns the graph of a model's layers in Graphviz's language."""
    if not model.built:
        raise ValueError("This model has not yet been built. Build the model first by calling build() or fit().")
    lines = ["digraph G {", f"  graph [rankdir={rankdir}, dpi={dpi}, concentrate=true];", "  node [shape=record];"]
    lines += _body(model, show_shapes, show_layer_names, expand_nested, "  ")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    special = {c: f"\\{c}" for c in '{}|<>"\\'}
    return "".join(special.get(c, c) for c in text)


def _label(layer: Any, show_shapes: bool, show_layer_names: bool) -> str:
    kind = type(layer).__name__
    if isinstance(layer, Wrapper):
        kind = f"{kind}({type(layer.layer).__name__})"
    label = _quoted(f"{layer.name}: {kind}" if show_layer_names else kind)
    if not show_shapes:
        return label
    shapes = []
    for what in ("output_shape", "input_shape"):
        try:
            shapes.append(str(getattr(layer, what)))
        except AttributeError:
            shapes.append("multiple")
    return f"{label}\\n|{{input:|output:}}|{{{{{_quoted(shapes[1])}}}|{{{_quoted(shapes[0])}}}}}"


def _body(model: Any, show_shapes: bool, show_layer_names: bool, expand_nested: bool, indent: str) -> list[str]:
    lines = []
    for layer in model.layers:
        if expand_nested and isinstance(layer, Network) and layer.built:
            lines += [f"{indent}subgraph cluster_{id(layer)} {{", f'{indent}  label="{_quoted(layer.name)}";']
            lines += [*_body(layer, show_shapes, show_layer_names, expand_nested, f"{indent}  "), f"{indent}}}"]
        else:
            lines.append(f'{indent}{id(layer)} [label="{_label(layer, show_shapes, show_layer_names)}"];')
    known = {id(layer) for layer in model.layers}
    for layer in model.layers:
        sources = []
        for call in layer.inbound_nodes:
            for tensor in call.sources:
                source = _source_of(tensor)
                if source is not None and id(source) in known and source is not layer and source not in sources:
                    sources.append(source)
        ends = _first(layer, expand_nested)
        lines += [f"{indent}{id(_last(source, expand_nested))} -> {id(ends)};" for source in sources]
    return lines


def _first(layer: Any, expand_nested: bool) -> Any:
    is_open = expand_nested and isinstance(layer, Network) and layer.built and layer.layers
    return _first(layer.layers[0], expand_nested) if is_open else layer


def _last(layer: Any, expand_nested: bool) -> Any:
    is_open = expand_nested and isinstance(layer, Network) and layer.built and layer.layers
    return _last(layer.layers[-1], expand_nested) if is_open else layer


def _source_of(tensor: Any) -> Any:
    made = call_of(tensor)
    return None if made is None else made.layer

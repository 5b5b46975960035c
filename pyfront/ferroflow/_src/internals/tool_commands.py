"""Command lines of TensorFlow's tools for graphs and checkpoints, with TensorFlow's options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from ferroflow._src.base import proto
from ferroflow._src.base.dtypes import float32
from ferroflow._src.base.files.file import GFile
from ferroflow._src.base.files.system import is_directory
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.internals.checkpoint_inspection import print_tensors_in_checkpoint_file
from ferroflow._src.internals.graph_tools import freeze_graph, optimize_for_inference, strip_unused
from ferroflow._src.saved_model.loader import load
from ferroflow._src.session.session import Session
from ferroflow._src.summary.file_writer import FileWriter


def _bool(text: str) -> bool:
    return text.lower() in ("true", "1", "yes", "")


def _options(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    """Adds options with the types of their defaults; a bool may stand without a value, for True."""
    for name, default in defaults.items():
        if isinstance(default, bool):
            parser.add_argument(f"--{name}", type=_bool, nargs="?", const=True, default=default)
        else:
            parser.add_argument(f"--{name}", type=type(default), default=default)


def _freeze_graph(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Replaces the variables of a graph by constants of their values in a checkpoint."""
    _options(
        parser,
        input_graph="",
        input_saver="",
        input_checkpoint="",
        checkpoint_version=2,
        output_graph="",
        input_binary=False,
        output_node_names="",
        restore_op_name="save/restore_all",
        filename_tensor_name="save/Const:0",
        clear_devices=True,
        initializer_nodes="",
        variable_names_whitelist="",
        variable_names_blacklist="",
        input_meta_graph="",
        input_saved_model_dir="",
        saved_model_tags="serve",
    )
    flags = parser.parse_known_args(arguments)[0]
    frozen = freeze_graph(**vars(flags))
    if frozen == -1:
        return 1
    print(f"{len(frozen.node)} ops in the final graph.")
    return 0


def _inspect_checkpoint(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Prints the tensors of a checkpoint, or their names and shapes."""
    _options(parser, file_name="", tensor_name="", count_exclude_pattern="", all_tensors=False, all_tensor_names=False)
    parser.add_argument("--printoptions", nargs="*", default=[], help="options of NumPy's output, as name=value")
    flags = parser.parse_known_args(arguments)[0]
    if not flags.file_name:
        print("Usage: inspect_checkpoint --file_name=checkpoint_file_name [--tensor_name=tensor_to_print]")
        return 1
    settings = dict(option.partition("=")[::2] for option in flags.printoptions)
    np.set_printoptions(**{name: _number(value) for name, value in settings.items()})
    print_tensors_in_checkpoint_file(
        flags.file_name,
        flags.tensor_name,
        flags.all_tensors,
        flags.all_tensor_names,
        count_exclude_pattern=flags.count_exclude_pattern,
    )
    return 0


def _number(text: str) -> Any:
    """Returns a bool, int or float that a text holds; otherwise the text."""
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read(path: str, is_binary: bool) -> Any:
    """Returns the GraphDef that a file holds."""
    graph_def = proto.GraphDef()
    if is_binary:
        with GFile(path, "rb") as file:
            graph_def.ParseFromString(file.read())
    else:
        with GFile(path, "r") as file:
            proto.text_format().Merge(file.read(), graph_def)
    return graph_def


def _write(graph_def: Any, path: str, is_binary: bool) -> None:
    with GFile(path, "wb" if is_binary else "w") as file:
        file.write(graph_def.SerializeToString() if is_binary else str(graph_def))


def _dtypes(text: str) -> Any:
    """Returns the number of a dtype, or a list of those that commas separate."""
    numbers = [int(number) for number in text.split(",")]
    return numbers if len(numbers) > 1 else numbers[0]


def _optimize_for_inference(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Writes the part of a graph that inference needs, with normalizations folded."""
    _options(
        parser,
        input="",
        output="",
        input_names="",
        output_names="",
        frozen_graph=True,
        placeholder_type_enum=str(float32.as_datatype_enum),
        toco_compatible=False,
    )
    flags = parser.parse_known_args(arguments)[0]
    optimized = optimize_for_inference(
        _read(flags.input, flags.frozen_graph),
        flags.input_names.split(","),
        flags.output_names.split(","),
        _dtypes(flags.placeholder_type_enum),
        flags.toco_compatible,
    )
    _write(optimized, flags.output, flags.frozen_graph)
    return 0


def _strip_unused(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Writes the part of a graph between inputs and outputs."""
    _options(
        parser,
        input_graph="",
        input_binary=False,
        output_graph="",
        output_binary=True,
        input_node_names="",
        output_node_names="",
        placeholder_type_enum=str(float32.as_datatype_enum),
    )
    flags = parser.parse_known_args(arguments)[0]
    part = strip_unused(
        _read(flags.input_graph, flags.input_binary),
        flags.input_node_names.split(","),
        flags.output_node_names.split(","),
        _dtypes(flags.placeholder_type_enum),
    )
    _write(part, flags.output_graph, flags.output_binary)
    print(f"{len(part.node)} ops in the final graph.")
    return 0


def import_to_tensorboard(model_dir: str, log_dir: str) -> None:
    """Writes a graph as a summary, for TensorBoard.

    Args:
        model_dir: str, the file of a GraphDef, or the folder of a SavedModel with the tag "serve".
        log_dir: str, folder for the event file.

    Raises:
        NotFoundError: if there is no such file.
    """
    with Graph().as_default() as graph, Session() as session:
        if is_directory(model_dir):
            load(session, ["serve"], model_dir)
        else:
            import_graph_def(_read(model_dir, True))
        FileWriter(log_dir, graph).close()
    print(f"Model Imported. Visualize by running: tensorboard --logdir={log_dir}")


def _import_pb_to_tensorboard(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Writes a graph as a summary, for TensorBoard."""
    _options(parser, model_dir="", log_dir="")
    flags = parser.parse_known_args(arguments)[0]
    import_to_tensorboard(flags.model_dir, flags.log_dir)
    return 0


PROGRAMS: Final[dict[str, Callable[[argparse.ArgumentParser, Sequence[str]], int]]] = {
    "freeze_graph": _freeze_graph,
    "import_pb_to_tensorboard": _import_pb_to_tensorboard,
    "inspect_checkpoint": _inspect_checkpoint,
    "optimize_for_inference": _optimize_for_inference,
    "strip_unused": _strip_unused,
}


def run(tool: str, arguments: Sequence[str]) -> int:
    """Runs a tool with the arguments of a command line.

    Args:
        tool: str, one of PROGRAMS.
        arguments: list of str.

    Returns:
        int, the status of the process: 0, or 1 after a message if the tool could not do its work.
    """
    program = PROGRAMS[tool]
    return program(argparse.ArgumentParser(prog=tool, description=program.__doc__), arguments)


def freeze_graph_program() -> NoReturn:
    """Runs `freeze_graph` with this process's command line, and ends the process."""
    sys.exit(run("freeze_graph", sys.argv[1:]))

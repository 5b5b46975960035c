"""`ferroflow graph`: an image of a graph, its name scopes collapsed, or the plan of a step."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import ferroflow as tf
from ferroflow._src.base import errors
from ferroflow._src.drawing.nodes import Node, nodes_of_graph_def, nodes_of_operations
from ferroflow._src.drawing.svg import graph_html, graph_svg
from ferroflow._src.framework.graph_files import replace_file
from ferroflow.command_line.model_files import NotReadable, meta_graph_of

HELP = "draw a graph as SVG or HTML with collapsed name scopes, or print the plan of a step"
EXIT_STATUS = "0; 1 if the scope or a fetched name does not exist; 2 if a file cannot be read or written"

_PAGE = "<!doctype html><meta charset='utf-8'><title>{title}</title><body style='font-family:sans-serif'>{body}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "model", metavar="MODEL", help="a graph, a SavedModel, an event file, or a checkpoint with its .meta file"
    )
    parser.add_argument("--svg", metavar="FILE", help="write an SVG picture of one scope")
    parser.add_argument("--html", metavar="FILE", help="write an HTML page in which every scope can be opened")
    parser.add_argument(
        "--plan",
        metavar="FETCHES",
        help="print the plan of a step that feeds all placeholders and fetches FETCHES: names of tensors or operations,"
        " separated by commas",
    )
    parser.add_argument("--scope", default="", help="the name scope to draw; default: the whole graph")
    parser.add_argument(
        "--tags", help="tags of the graph in a SavedModel, separated by commas; default: its only graph"
    )


def _nodes(graph_def: Any) -> list[Node]:
    """Returns the nodes with the shapes that importing them infers; as they are in the file where that cannot be
    done.
    """
    try:
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(graph_def, name="")
        return nodes_of_operations(graph.get_operations())
    except (ValueError, TypeError, errors.OpError):
        return nodes_of_graph_def(graph_def)


def plan_text(graph_def: Any, fetches: list[str]) -> str:
    """Returns the plan of a step as text, one line for each instruction.

    Args:
        graph_def: GraphDef message.
        fetches: names of tensors (`loss:0`) and operations (`train`).

    Returns:
        str.

    Raises:
        ValueError: if the graph cannot be imported or has no such tensor or operation.
        tf.errors.OpError: if the step cannot be planned.
    """
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        try:
            elements = [graph.as_graph_element(name) for name in fetches]
        except KeyError as failure:
            raise ValueError(failure.args[0]) from failure
        feeds = [op.outputs[0] for op in graph.get_operations() if op.type in ("Placeholder", "PlaceholderV2")]
        targets = [e for e in elements if isinstance(e, tf.Operation) and not e.outputs]
        tensors = [e.outputs[0] if isinstance(e, tf.Operation) else e for e in elements if e not in targets]
        return session._core.plan_text(tensors, feeds, targets)


def run(args: argparse.Namespace) -> int:
    """Writes the images, and prints the plan.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 if there is no such scope; 2 if a file cannot be read or written, or none was requested.
    """
    if not args.svg and not args.html and args.plan is None:
        print(
            "ferroflow graph: name a file to write, with --svg or --html, or what to plan, with --plan", file=sys.stderr
        )
        return 2
    scope = args.scope.rstrip("/")
    try:
        graph_def = meta_graph_of(args.model, args.tags).graph_def
        if args.plan is not None:
            print(plan_text(graph_def, args.plan.split(",")), end="")
        nodes = _nodes(graph_def) if args.svg or args.html else []
        if args.svg:
            replace_file(args.svg, graph_svg(nodes, scope).encode())
        if args.html:
            page = _PAGE.format(title="graph", body=graph_html(nodes, scope))
            replace_file(args.html, page.encode())
    except ValueError as failure:
        print(f"ferroflow graph: {args.model}: {failure}", file=sys.stderr)
        return 1
    except (NotReadable, OSError) as failure:
        print(f"ferroflow graph: {failure}", file=sys.stderr)
        return 2
    except errors.OpError as failure:
        print(f"ferroflow graph: {failure.message}", file=sys.stderr)
        return 2
    for file in filter(None, (args.svg, args.html)):
        print(f"{file}: {len(nodes)} nodes")
    return 0

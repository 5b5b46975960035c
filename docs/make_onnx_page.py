"""Writes docs/onnx.md: the table of ops that `ferroflow convert` writes as ONNX, from the command's own table.

python docs/make_onnx_page.py
"""

from pathlib import Path

from ferroflow.command_line.onnx_export.table import CONVERSIONS

PAGE = Path(__file__).with_name("onnx.md")
_START = """\
# Graphs as ONNX models

`ferroflow convert FROZEN.pb --to onnx` writes a frozen graph (of `ferroflow freeze`) as an ONNX model of opset 17, for
onnxruntime and other runtimes. It needs the package onnx: `pip install 'ferroflow[onnx]'`. `--outputs a,b` names the
outputs; without it, these are the nodes that no other node reads. Inputs and outputs keep TensorFlow's names, such as
`images:0`.

Parts of the graph that depend on no feed become constants. If another operation is not in the table below, the command
prints its type and its nodes, and writes nothing. Loops (`tf.while_loop`, `tf.nn.dynamic_rnn`), conditionals, strings
and random numbers cannot be converted; `tf.nn.static_rnn` can. Images keep TensorFlow's order of dimensions (NHWC).
`tests/command_line/test_onnx.py` compares each op and whole networks with onnxruntime.

| op | ONNX | only |
|---|---|---|
"""


def page() -> str:
    """Returns the page's text."""
    rows = [f"| {op} | {entry.onnx} | {entry.limits} |" for op, entry in CONVERSIONS.items()]
    return _START + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

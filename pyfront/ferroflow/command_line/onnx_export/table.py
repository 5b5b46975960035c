"""The table of ops that convert to ONNX, one entry for each."""

from __future__ import annotations

from typing import Final

from ferroflow.command_line.onnx_export.arrays import ARRAYS
from ferroflow.command_line.onnx_export.calls import Conversion
from ferroflow.command_line.onnx_export.elementwise import ELEMENTWISE
from ferroflow.command_line.onnx_export.images import IMAGES
from ferroflow.command_line.onnx_export.reductions import REDUCTIONS

CONVERSIONS: Final[dict[str, Conversion]] = dict(sorted({**ELEMENTWISE, **REDUCTIONS, **ARRAYS, **IMAGES}.items()))

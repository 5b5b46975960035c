"""The stack at which an operation is made, kept as code objects and offsets until somebody reads it."""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Any

Frame = tuple[CodeType, int]
# The code object and instruction offset of each calling frame, innermost first, one after the other: in one flat tuple
# the collector has nothing to follow.
Frames = tuple[Any, ...]


def frames_from(innermost: FrameType) -> Frames:
    """Returns a frame and those that called it."""
    frames: list[Any] = []
    frame: FrameType | None = innermost
    while frame is not None:
        frames += frame.f_code, frame.f_lasti
        frame = frame.f_back
    return tuple(frames)


def line_of(code: CodeType, offset: int) -> int:
    """Returns the line of an instruction."""
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            return number
    return line

"""Writes corpus.jsonl, some calls of each op, from what `harvest.py` noted: `make_corpus.py harvest.jsonl ...`."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

OUT = pathlib.Path(__file__).with_name("corpus.jsonl")
_OF_AN_OP = 6
# Names in Python that are not the schema's, by op.
_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
_RENAMED = {
    **{op: {"reduction_indices": "axis"} for op in _REDUCTIONS},
    **{op: {"split_dim": "axis"} for op in ("Split", "SplitV")},
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}
# Ops and attributes that TensorFlow 1.15 lacks, and ops that write where a test said.
_ABSENT_OPS = ("DecodeImage", "GatherTree", "PrintV2", "GetSessionHandle", "GetSessionHandleV2")
_ABSENT = ("Treal", "Tcomplex", "explicit_paddings")


def _rank(data: Any) -> Any:
    return [_rank(d) for d in data] if isinstance(data, list) else len(data["array"][1])


def main(paths: list[str]) -> None:
    calls = {line for path in paths for line in pathlib.Path(path).read_text().splitlines()}
    kept: dict[str, dict[str, str]] = {}
    for line in sorted(calls, key=lambda line: (abs(len(line) - 260), line)):
        call = json.loads(line)
        op = call["op"]
        if op in _ABSENT_OPS:
            continue
        renamed = _RENAMED.get(op, {})
        for part in ("inputs", "attributes"):
            call[part] = {renamed.get(name, name): data for name, data in call[part].items()}
        if not op.startswith("Conv2D"):
            call["attributes"] = {k: v for k, v in call["attributes"].items() if k not in _ABSENT}
        plain = {k: v for k, v in call["attributes"].items() if not (isinstance(v, dict) and "tf" in v)}
        kind = json.dumps([{k: _rank(v) for k, v in call["inputs"].items()}, plain])
        of_op = kept.setdefault(op, {})
        if kind not in of_op and len(of_op) < _OF_AN_OP:
            of_op[kind] = json.dumps(call, separators=(",", ":"))
    OUT.write_text("".join(line + "\n" for op in sorted(kept) for line in kept[op].values()))


if __name__ == "__main__":
    main(sys.argv[1:])

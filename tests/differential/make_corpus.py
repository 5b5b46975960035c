"""Writes corpus.jsonl, some calls of each op, from what `harvest.py` noted: `make_corpus.py harvest.jsonl ...`."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

OUT = pathlib.Path(__file__).with_name("corpus.jsonl")
_OF_AN_OP = 6
# Inputs whose names in Python are not those of the schema.
_RENAMED = {"reduction_indices": "axis", "split_dim": "axis", "dim": "axis"}
_RENAMED_OF = {"Select": {"t": "x", "e": "y"}, "Where": {"input": "condition"}}


def _rank(data: Any) -> Any:
    return [_rank(d) for d in data] if isinstance(data, list) else len(data["array"][1])


def main(paths: list[str]) -> None:
    calls = {line for path in paths for line in pathlib.Path(path).read_text().splitlines()}
    kept: dict[str, dict[str, str]] = {}
    for line in sorted(calls, key=lambda line: (abs(len(line) - 260), line)):
        call = json.loads(line)
        op = call["op"]
        renamed = {**_RENAMED, **_RENAMED_OF.get(op, {})} if op not in ("ReverseSequence",) else {}
        call["inputs"] = {renamed.get(name, name): data for name, data in call["inputs"].items()}
        plain = {k: v for k, v in call["attributes"].items() if not (isinstance(v, dict) and "tf" in v)}
        kind = json.dumps([{k: _rank(v) for k, v in call["inputs"].items()}, plain])
        of_op = kept.setdefault(op, {})
        if kind not in of_op and len(of_op) < _OF_AN_OP:
            of_op[kind] = json.dumps(call, separators=(",", ":"))
    OUT.write_text("".join(line + "\n" for op in sorted(kept) for line in kept[op].values()))


if __name__ == "__main__":
    main(sys.argv[1:])

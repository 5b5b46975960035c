"""Counts what the programs cover: by function, how often it reads a tensor of each class.

PYTHONPATH=tests:pyfront python -m differential.coverage --programs 2000 --families surfaces,op_calls
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from differential.campaign import FAMILIES, Program

_SPECIAL = {"nan": math.isnan, "infinite": math.isinf, "-0.0": lambda x: x == 0 and math.copysign(1, x) < 0}
CLASSES = (
    *("fed", "constant", "scalar", "empty", "unknown rank", "unknown size", "duplicates", "negative", *_SPECIAL),
    *("float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "int8", "complex64", "string", "bool"),
)


def classes(data: dict[str, Any]) -> set[str]:
    """The classes of an array."""
    dtype, shape, elements = data["array"]
    found = {dtype, *(["scalar"] if not shape else []), *(["empty"] if 0 in shape else [])}
    if dtype.startswith(("int", "uint")):
        found |= {"negative"} if any(x < 0 for x in elements) else set()
        found |= {"duplicates"} if len(set(elements)) < len(elements) else set()
    for element in elements:
        if isinstance(element, float):
            found |= {name for name, holds in _SPECIAL.items() if holds(element)}
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "ref" in value:
            yield value["ref"].split(".")[0]
        else:
            yield from _references(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def _steps(steps: list[Any]) -> Iterator[Any]:
    for step in steps:
        if step[1] == "with":
            yield from _steps(step[2][1])
        else:
            yield step


def covered(program: Program) -> Iterator[tuple[str, set[str]]]:
    """The functions that a program calls, each with the classes of what it reads."""
    fed = {key["ref"]: data for run in program["runs"] for key, data in run.get("feed", []) if "array" in data}
    known: dict[str, set[str]] = {}
    for name, function, arguments, keywords in _steps(program["steps"]):
        if function == "constant" and arguments and isinstance(arguments[0], dict) and "array" in arguments[0]:
            known[name] = {"constant", *classes(arguments[0])}
        elif function == "placeholder":
            found = {"fed", *(classes(fed[name]) if name in fed else ())}
            static = [*arguments[1:], *keywords.values()]
            static = static[0].get("shape", "") if static and isinstance(static[0], dict) else (static or [None])[0]
            found |= {"unknown rank"} if static is None else {"unknown size"} if None in static else set()
            known[name] = found
        else:
            read = [known[reference] for reference in _references([arguments, keywords]) if reference in known]
            yield function, set().union(*read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000, help="how many of each family")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--blind", action="store_true", help="print only the classes that a function never reads")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    for family in options.families.split(","):
        for number in range(options.programs):
            for function, found in covered(FAMILIES[family](number)):
                counts.setdefault(function, Counter()).update([*found, "calls"])
    for function, counted in sorted(counts.items()):
        if options.blind:
            print(function, counted["calls"], "never:", ", ".join(name for name in CLASSES if not counted[name]))
        else:
            print(function, ", ".join(f"{name} {counted[name]}" for name in ("calls", *CLASSES) if counted[name]))
    total = Counter[str]()
    for counted in counts.values():
        total.update(counted)
    print(len(counts), "functions,", ", ".join(f"{name} {total[name]}" for name in ("calls", *CLASSES)))


if __name__ == "__main__":
    main()

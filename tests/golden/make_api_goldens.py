"""Writes api_goldens.json.xz: the members of TensorFlow 1.8's public modules and classes, with their argument lists.

    python tests/golden/make_api_goldens.py REPOSITORY PYTHON

REPOSITORY is a git repository of TensorFlow's sources at version 1.8, whose tools/api/golden holds these facts. PYTHON
is an interpreter with TensorFlow 1.15.5; an argument list that it changed is written beside the earlier one.
"""

from __future__ import annotations

import ast
import json
import lzma
import pathlib
import re
import subprocess
import sys
from typing import Any

OUT = pathlib.Path(__file__).with_name("api_goldens.json.xz")
FOLDER = "tensorflow/tools/api/golden"
MEMBER = re.compile(r'member(?P<method>_method)? \{\n\s+name: "(?P<name>[^"]+)"\n(?:\s+\w+: "(?P<value>.*)"\n)?')
ARGUMENTS = re.compile(
    r"args=(?P<args>\[.*?\]), varargs=(?P<varargs>\S+), keywords=(?P<keywords>\S+), "
    r"defaults=(?P<defaults>None|\[.*\])(?:, )?$"
)


def git(repository: str, *arguments: str) -> str:
    return subprocess.check_output(["git", "-C", repository, *arguments], encoding="utf-8")


def arguments(text: str) -> dict[str, Any] | None:
    """The argument list of a callable; None if TensorFlow's tool could not read one."""
    match = ARGUMENTS.match(text)
    if match is None:
        return None
    found: dict[str, Any] = {"args": ast.literal_eval(match["args"])}
    found |= {key: match[key] for key in ("varargs", "keywords") if match[key] != "None"}
    defaults = ast.literal_eval(match["defaults"])
    return found | {"defaults": defaults} if defaults else found


def members(text: str) -> dict[str, Any]:
    """Names of attributes with the kind of their values, and names of callables with their argument lists."""
    found: dict[str, Any] = {}
    for match in MEMBER.finditer(text):
        value = re.sub(r"\\(['\"])", r"\1", match["value"] or "")
        if match["method"]:
            found[match["name"]] = arguments(value)
        else:
            found[match["name"]] = re.sub(r"<(?:type|class|enum) '(.*)'>", r"\1", value).rpartition(".")[2]
    return found


def main(repository: str, python: str) -> None:
    found: dict[str, Any] = {}
    for file in git(repository, "ls-tree", "--name-only", "HEAD", f"{FOLDER}/").splitlines():
        if file.endswith(".pbtxt"):
            text = git(repository, "show", f"HEAD:{file}")
            path = re.match(r'path: "tensorflow\.?([^"]*)"', text)
            assert path, file
            kind = "class" if "\ntf_class {" in text else "module"
            found[path[1]] = {"kind": kind, "members": members(text)}
    tool = str(OUT.with_name("argument_lists_of_tf115.py"))
    changed = subprocess.run([python, tool], input=json.dumps(found), stdout=subprocess.PIPE, text=True, check=True)
    for path, lists in json.loads(changed.stdout).items():
        for name, later in lists.items():
            found[path]["members"][name]["later"] = later
    OUT.write_bytes(lzma.compress(json.dumps(found, sort_keys=True).encode(), preset=9))
    print(len(found), "modules and classes,", sum(len(part["members"]) for part in found.values()), "names")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Writes paths.json of ferroflow.python: where TensorFlow 1.8's sources define each public name.

    python tests/compat/make_python_paths.py REPOSITORY

REPOSITORY is a git repository of TensorFlow's sources at version 1.8.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "pyfront" / "ferroflow" / "python" / "paths.json"
LEFT_OUT = ("/eager/", "/tools/", "/debug/", "/keras/applications/")
DEFINED = re.compile(
    r"^@tf_export\(((?:[^()]|\n)*?)\)\s*\n((?:@.*\n(?: .*\n)*)*)(?:def|class)\s+(?P<name>\w+)", re.MULTILINE
)
CONSTANT = re.compile(r"^tf_export\(([^()]*)\)\.export_constant\(\s*__name__,\s*[\"'](?P<name>\w+)[\"']", re.MULTILINE)
ASSIGNED = re.compile(r"^(?P<name>\w+)\s*=\s*tf_export\(([^()]*)\)\(", re.MULTILINE)


def git(repository, *arguments):
    return subprocess.check_output(["git", "-C", repository, *arguments], encoding="utf-8")


def public_names(source):
    """The public names of a module's own: {name: public name}."""
    found = {}
    for pattern, arguments in ((DEFINED, 1), (CONSTANT, 1), (ASSIGNED, 2)):
        for match in pattern.finditer(source):
            exported = re.findall(r"[\"']([\w.]+)[\"']", match.group(arguments))
            if exported:
                found[match.group("name")] = exported[0]
    return found


def main(repository):
    paths = {}
    for file in git(repository, "ls-tree", "-r", "--name-only", "HEAD", "tensorflow/python").splitlines():
        if not file.endswith(".py") or file.endswith("_test.py") or any(part in file for part in LEFT_OUT):
            continue
        names = public_names(git(repository, "show", f"HEAD:{file}"))
        if names:
            paths[file.removeprefix("tensorflow/python/").removesuffix(".py").replace("/", ".")] = names
    lines = [f"{json.dumps(module)}: {json.dumps(names)}" for module, names in sorted(paths.items())]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

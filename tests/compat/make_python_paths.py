"""Writes paths.json of ferroflow.python: the modules of TensorFlow 1.8 and 1.15, and the public names that they define.

    python tests/compat/make_python_paths.py REPOSITORY PYTHON

REPOSITORY is a git repository of TensorFlow's sources at version 1.8, PYTHON an interpreter with TensorFlow 1.15.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "pyfront" / "ferroflow" / "python" / "paths.json"
LEFT_OUT = ("/testdata/", "/examples/")
# Public names of these modules are left to TensorFlow 1.15, which is imported.
UNNAMED = ("/eager/", "/tools/", "/debug/", "/keras/applications/")
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


def of_version_8(repository):
    """Every module of the sources, with the public names that it defines: {path: {name: public name}}."""
    found = {}
    tree = ("ls-tree", "-r", "--name-only", "HEAD", "tensorflow/python", "tensorflow/contrib")
    for file in git(repository, *tree).splitlines():
        if not file.endswith(".py") or file.endswith("_test.py") or any(part in file for part in LEFT_OUT):
            continue
        path = file.removeprefix("tensorflow/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        is_python = path.startswith("python.") and not any(part in file for part in UNNAMED)
        found[path] = public_names(git(repository, "show", f"HEAD:{file}")) if is_python else {}
    return found


def main(repository, python):
    tool = Path(__file__).with_name("module_table_of_tf115.py")
    table = json.loads(subprocess.check_output([python, tool], stderr=subprocess.DEVNULL))
    counts = Counter((n, p) for entry in table.values() for n, p in entry.get("modules", {}).items())
    usual = {}
    for (name, path), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        usual.setdefault(name, path)
    of_8 = of_version_8(repository)
    lines = [f'"": {json.dumps({"modules": usual})}']
    for path in sorted({*table, *of_8}):
        names = {name: " ".join(public) for name, public in table.get(path, {}).get("names", {}).items()}
        for name, public in of_8.get(path, {}).items():
            names[name] = " ".join(dict.fromkeys([public, *names.get(name, "").split()]))
        modules = [
            name if usual[name] == target else f"{name}={target}"
            for name, target in sorted(table.get(path, {}).get("modules", {}).items())
        ]
        functions = table.get(path, {}).get("functions", ())
        others = table.get(path, {}).get("others", ())
        entry = {
            "names": names,
            "modules": " ".join(modules),
            "functions": " ".join(functions),
            "others": " ".join(others),
        }
        lines.append(f"{json.dumps(path)}: {json.dumps({key: part for key, part in entry.items() if part})}")
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

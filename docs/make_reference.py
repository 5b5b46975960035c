"""Makes the reference pages of the documentation site: one page for each public module, one entry for each name.

mkdocs runs this file (the `gen-files` plugin). It writes into the site's virtual files, never into docs/. README.md
becomes the site's first page. A link to a file that is not a page becomes plain text.
"""

from __future__ import annotations

import importlib
import inspect
import pathlib
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType

import mkdocs_gen_files
from google.protobuf.message import Message

import ferroflow

ROOT = pathlib.Path(__file__).resolve().parent.parent
# tests/docs runs the examples with these names.
EXAMPLES = """Every `Example:` section uses three predefined names: `tf` is `ferroflow`, `np` is NumPy, and `sess` is a
`tf.Session` of the default graph."""
# Pages of the site in order: title, path in the site, and the file in the repository if it is not in docs/.
PAGES = [
    ("Home", "index.md", "README.md"),
    ("Compatibility", "compatibility.md", None),
    ("Notebooks, pytest, servers", "notebooks.md", None),
    ("The ferroflow command", "command_line.md", None),
    ("Graphs as ONNX models", "onnx.md", None),
    ("Distributed training", "distributed.md", None),
    ("Benchmarks", "benchmarks.md", "benches/README.md"),
    ("Architecture", "architecture.md", None),
    ("Adding an operation", "adding_an_op.md", None),
    ("Adding an optimization", "adding_an_optimization.md", None),
    ("Contributing", "contributing.md", "CONTRIBUTING.md"),
    ("Releasing", "releasing.md", None),
    ("Changes", "changes.md", "CHANGELOG.md"),
]
LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)(#[^)]*)?\)")


def public_modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yields a package and its public modules, also nested ones; not the command line and the path aliases."""
    yield package
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if found.name.startswith("_") or found.name in ("command_line", "compat", "examples", "python"):
            continue
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        if found.ispkg:
            yield from public_modules(module)
        else:
            yield module


def documented_names(module: ModuleType) -> list[str]:
    """Lists a module's public functions and classes with a docstring from this package, without protobuf messages."""
    names = []
    for name in sorted(vars(module), key=str.lower):
        value = getattr(module, name)
        if name.startswith("_") or not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        is_message = inspect.isclass(value) and issubclass(value, Message)
        if (value.__module__ or "").partition(".")[0] == "ferroflow" and inspect.getdoc(value) and not is_message:
            names.append(name)
    return names


def write_reference() -> list[str]:
    """Writes the reference pages, and returns their lines of the navigation."""
    lines = []
    for module in public_modules(ferroflow):
        names = documented_names(module)
        if not names:
            continue
        shown = module.__name__.replace("ferroflow", "tf", 1)
        path = f"reference/{shown}.md"
        with mkdocs_gen_files.open(path, "w") as page:
            page.write(f"# {shown}\n\n{(inspect.getdoc(module) or '').splitlines()[0]}\n\n")
            if any("Example:" in (inspect.getdoc(getattr(module, name)) or "") for name in names):
                page.write(f"{EXAMPLES}\n\n")
            for name in names:
                page.write(f"::: {module.__name__}.{name}\n\n")
        lines.append(f"    * [{shown}]({path})\n")
    return lines


def copy_page(source: str, target: str) -> None:
    """Copies a page of the repository into the site; links to files that are not pages become plain text."""
    folder = (ROOT / source).parent
    moved = {ROOT / file: path for _, path, file in PAGES if file}

    def link(match: re.Match[str]) -> str:
        text, url, anchor = match.groups()
        if "://" in url:
            return match.group()
        file = (folder / url).resolve()
        if file in moved:
            return f"[{text}]({moved[file]}{anchor or ''})"
        if file.is_relative_to(ROOT / "docs"):
            return f"[{text}]({file.relative_to(ROOT / 'docs')}{anchor or ''})"
        return text

    with mkdocs_gen_files.open(target, "w") as page:
        page.write(LINK.sub(link, (ROOT / source).read_text(encoding="utf-8")))


for _title, path, file in PAGES:
    if file:
        copy_page(file, path)
with mkdocs_gen_files.open("SUMMARY.md", "w") as summary:
    summary.writelines(f"* [{title}]({path})\n" for title, path, _ in PAGES)
    summary.write("* Decisions\n")
    for decision in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        title = decision.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        summary.write(f"    * [{title}](decisions/{decision.name})\n")
    summary.write("* Reference\n")
    summary.writelines(write_reference())

"""Adds to the documentation site what is not in docs/: its navigation, pages of other folders, and the reference.

mkdocs calls the functions `on_...` (hooks of mkdocs.yml). Nothing is written into docs/. Links to files that
are not pages become plain text.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
from make_reference import write_reference  # noqa: E402

# README.md links to files at this address, for readers on PyPI.
REPOSITORY = "https://github.com/ferroflow/ferroflow/blob/main/"
IMAGES = "https://raw.githubusercontent.com/ferroflow/ferroflow/main/"
# Pages of the site by tab: title, path in the site, and the file in the repository if it is not in docs/.
TABS: dict[str, list[tuple[str, str, str | None]]] = {
    "Guide": [
        ("What ferroflow is", "index.md", "README.md"),
        ("Install", "guide/install.md", None),
        ("A first program", "guide/first_program.md", None),
        ("Port an old project", "guide/porting.md", None),
        ("From TensorFlow 1.x to ferroflow", "guide/differences.md", None),
        ("Notebooks, pytest, servers", "notebooks.md", None),
        ("Keras programs", "guide/keras.md", None),
        ("Input pipelines", "guide/input.md", None),
        ("Save, freeze, serve", "guide/saving.md", None),
        ("TensorBoard", "guide/tensorboard.md", None),
        ("Speed and threads", "guide/speed.md", None),
        ("Deterministic results", "guide/determinism.md", None),
        ("Examples", "guide/examples.md", None),
        ("Questions and errors", "guide/troubleshooting.md", None),
    ],
    "How-to": [
        ("The ferroflow command", "command_line.md", None),
        ("Graphs as ONNX models", "onnx.md", None),
        ("Several machines", "distributed.md", None),
        ("Changes", "changes.md", "CHANGELOG.md"),
    ],
    "Reference": [
        ("Compatibility", "compatibility.md", None),
        ("Benchmarks", "benchmarks.md", "benches/README.md"),
    ],
    "Internals": [
        ("Architecture", "architecture.md", None),
        ("Adding an operation", "adding_an_op.md", None),
        ("Adding an optimization", "adding_an_optimization.md", None),
        ("Contributing", "contributing.md", "CONTRIBUTING.md"),
        ("Releasing", "releasing.md", None),
    ],
}
# How much a page counts in the search, by tab or page: the guide comes first, and old changes have every word.
# Pages of the reference have weights of their own.
WEIGHTS = {
    "Guide": 4.0,
    "How-to": 2.0,
    "Internals": 0.2,
    "changes.md": 0.1,
    "command_line.md": 4.0,
    "compatibility.md": 0.5,
    "guide/troubleshooting.md": 8.0,
}
# The search merges the ends of words that it takes for equal, by a key in which an edge's letter and its node's number
# have no end: with digits in words, other ends have the same key, and the search fails at words that no page has.
DISTINCT_KEYS = """
self.lunr.TokenSet.prototype.toString = function () {
  if (this._str) return this._str;
  return (this.final ? "1" : "0") + Object.keys(this.edges).sort().map(e => e + this.edges[e].id + ";").join("");
};
"""
LINK = re.compile(r"\[([^\[\]]+)\]\(([^)#\s]+)(#[^)]*)?\)")


def moved_pages() -> dict[Path, str]:
    """Returns the paths in the site of the files outside of docs/."""
    return {ROOT / file: path for pages in TABS.values() for _, path, file in pages if file}


def copied(source: str) -> str:
    """Returns a page of the repository with the links that it has in the site."""
    folder = (ROOT / source).parent
    moved = moved_pages()

    def link(match: re.Match[str]) -> str:
        text, url, anchor = match.groups()
        inside = url.removeprefix(REPOSITORY).removeprefix(IMAGES)
        if "://" in inside:
            return match.group()
        file = (folder / inside if inside == url else ROOT / inside).resolve()
        if file in moved:
            return f"[{text}]({moved[file]}{anchor or ''})"
        if file.is_relative_to(ROOT / "docs"):
            return f"[{text}]({file.relative_to(ROOT / 'docs')}{anchor or ''})"
        return text

    return LINK.sub(link, (ROOT / source).read_text(encoding="utf-8"))


def decisions() -> list[dict[str, str]]:
    """Returns the navigation of the decisions: title and path."""
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    titles = [page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ") for page in pages]
    return [{title: f"decisions/{page.name}"} for title, page in zip(titles, pages, strict=True)]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages to the site, and sets its navigation."""

    def add(path: str, text: str) -> File:
        file = File.generated(config, path, content=text)
        files.append(file)
        return file

    navigation: list[dict[str, Any]] = []
    for tab, pages in TABS.items():
        entries: list[dict[str, Any]] = []
        for title, path, source in pages:
            if source:
                add(path, copied(source)).edit_uri = f"../{source}"
            entries.append({title: path})
        if tab == "Reference":
            entries += write_reference(add)
        if tab == "Internals":
            entries.append({"Decisions": decisions()})
        navigation.append({tab: entries})
    config.nav = navigation
    return files


def on_page_markdown(markdown: str, page: Page, **_arguments: Any) -> None:
    """Sets a page's weight in the search."""
    path = page.file.src_uri
    tabs = [tab for tab, pages in TABS.items() if any(path == other for _, other, _ in pages)]
    tab = tabs[0] if tabs else "Internals" if path.startswith("decisions/") else ""
    weight = WEIGHTS.get(path, WEIGHTS.get(tab))
    if weight is not None:
        page.meta.setdefault("search", {})["boost"] = weight


def on_post_build(config: MkDocsConfig) -> None:
    """Mends the program of the search in the built site."""
    workers = list(Path(config.site_dir).glob("assets/javascripts/workers/search.*.js"))
    if len(workers) != 1 or "self.lunr=" not in (program := workers[0].read_text(encoding="utf-8")):
        raise PluginError("The program of the theme's search has changed: see DISTINCT_KEYS of docs/make_site.py")
    workers[0].write_text(program + DISTINCT_KEYS, encoding="utf-8")

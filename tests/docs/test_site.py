"""The documentation site: it requests nothing from elsewhere, its reference is complete, its search finds things."""

from __future__ import annotations

import html
import importlib.util
import inspect
import os
import re
import string
import sys
from pathlib import Path

import pytest
from docs import site

ROOT = site.ROOT
_LOADED = re.compile(r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=[\"']?(https?:)?//", re.IGNORECASE)
_LINKED = re.compile(r"<link\b(?![^>]*rel=[\"']?(?:canonical|edit))[^>]*href=[\"']?(?:https?:)?//", re.IGNORECASE)
_IMPORTED = re.compile(r"url\([\"']?(?:https?:)?//|@import", re.IGNORECASE)


def _make_reference():
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REFERENCE = _make_reference()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    # The processes of pytest-xdist share the folder above.
    folder = tmp_path_factory.getbasetemp()
    return site.build((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "site")


def _text(markup):
    """Returns the text of HTML, with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def test_no_page_loads_anything_from_another_site(built):
    found = []
    for path in sorted(built.rglob("*.html")):
        markup = path.read_text(encoding="utf-8")
        if _LOADED.search(markup) or _LINKED.search(markup) or 'class="mermaid"' in markup:
            found.append(path.relative_to(built).as_posix())
    for path in sorted(built.rglob("*.css")):
        if _IMPORTED.search(path.read_text(encoding="utf-8")):
            found.append(path.relative_to(built).as_posix())
    assert found == []
    assert _LOADED.search('<script src="https://unpkg.com/x"></script>')
    assert _LINKED.search('<link rel="stylesheet" href="//fonts.example/x.css">')


def test_every_public_name_has_a_page_whose_heading_or_list_of_names_has_it(built):
    missing = []
    for symbol in REFERENCE.symbols():
        page = built / "reference" / f"{symbol.path}.html"
        article = page.read_text(encoding="utf-8").split("<article", 1)[1]
        heading = _text(re.search(r"<h1.*?</h1>", article, re.DOTALL)[0])
        assert symbol.names[0] in heading
        missing += [name for name in symbol.names if name not in _text(article.split("<pre", 1)[0])]
    assert missing == []


def test_every_public_member_of_a_class_is_on_its_page_or_on_that_of_a_public_base(built):
    documented = {id(symbol.value): symbol for symbol in REFERENCE.symbols() if inspect.isclass(symbol.value)}
    missing = []
    for symbol in documented.values():
        bases = [base for base in symbol.value.__mro__ if (base.__module__ or "").partition(".")[0] == "ferroflow"]
        members = {name for base in bases for name, _ in REFERENCE._own_members(base)}
        public = [documented[id(base)] for base in bases if id(base) in documented]
        described = {name for base in public for name, _ in REFERENCE.members_of(base.value)}
        missing += [f"{symbol.names[0]}.{name}" for name in members - described]
    assert missing == []
    page = (built / "reference" / "tf" / "Session.html").read_text(encoding="utf-8")
    assert "tf.Session.run(fetches, feed_dict=None, options=None, run_metadata=None)" in _text(page)


def test_what_a_function_returns_is_on_its_page_to_the_last_word(built):
    cut, seen = [], 0
    for symbol in REFERENCE.symbols():
        doc = inspect.getdoc(symbol.value) or ""
        expected = [text for title, text in REFERENCE.sections(doc) if title == "Returns"]
        if not expected:
            continue
        seen += 1
        article = (built / "reference" / f"{symbol.path}.html").read_text(encoding="utf-8").split("<article", 1)[1]
        for text in expected:
            if re.sub(r"[\s`]|^- |\n- ", "", text) not in re.sub(r"[\s`]", "", _text(article)).replace("¶", ""):
                cut.append((symbol.names[0], text))
    assert cut == []
    assert seen > 1000


def test_a_section_ends_only_where_a_line_of_its_depth_begins():
    doc = "Adds.\n\nReturns:\n    Tensor, of shape [a,\n    b].\n\n    More of it.\n\nEnd of it."
    assert list(REFERENCE.sections(doc)) == [
        ("", "Adds."),
        ("Returns", "Tensor, of shape [a,\nb].\n\nMore of it."),
        ("", "End of it."),
    ]


def test_signatures_have_no_private_names_and_no_addresses():
    wrong = []
    for symbol in REFERENCE.symbols():
        for call in re.findall(r"^```python\n(.*?)^```", REFERENCE.page(symbol), re.DOTALL | re.MULTILINE):
            without_text = re.sub(r"'(?:[^'\\]|\\.)*'", "''", call)
            if re.search(r"(?<![\w.])_\w|\._\w| at 0x|<", without_text):
                wrong.append(call)
    assert wrong == []


def test_no_page_of_the_reference_is_large(built):
    large = [path.name for path in built.glob("reference/**/*.html") if path.stat().st_size > 400_000]
    assert large == []


def test_pages_have_the_logo_and_a_link_to_edit_their_file(built):
    seen = 0
    for page in [*PAGES, "contributing.html", "changes.html"]:
        markup = (built / page).read_text(encoding="utf-8")
        assert re.search(r'md-logo"[^>]*>\s*<img[^>]*src="[./]*assets/logo.svg"', markup), page
        for edited in re.findall(r'<a href="[^"]*/edit/main/([^"]+)"[^>]*rel="edit"', markup):
            assert (ROOT / edited).is_file(), (page, edited)
            seen += 1
    assert seen >= len(GUIDES) + 6


def test_there_are_tabs_for_learning_doing_looking_up_and_building(built):
    markup = (built / "index.html").read_text(encoding="utf-8")
    tabs = re.findall(r'<a[^>]*class="md-tabs__link"[^>]*>\s*(.*?)\s*</a>', markup, re.DOTALL)
    assert [_text(tab) for tab in tabs] == ["Guide", "How-to", "Reference", "Internals"]


def test_drawings_are_of_their_sources():
    spec = importlib.util.spec_from_file_location("make_diagrams", ROOT / "docs" / "make_diagrams.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert len(module.SOURCES) >= 2
    for source in module.SOURCES:
        drawn = module.picture(source).read_text(encoding="utf-8")
        assert drawn.splitlines()[0] == module.first_line(source), "run python docs/make_diagrams.py"


QUERIES = [
    line.split("\t")
    for line in (Path(__file__).parent / "queries.tsv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_the_search_has_the_right_page_first(built):
    wrong = []
    with site.served(built) as address, site.browser() as driver:
        driver.get(address + "index.html")
        for query, expected in QUERIES:
            found = [link.removeprefix(address) for link in site.search(driver, query)]
            if not found or found[0].split("#")[0].split("?")[0] != expected:
                wrong.append((query, expected, found[:3]))
        foreign = [url for url in site.requests(driver) if not url.startswith((address, "data:", "blob:"))]
    assert wrong == []
    assert foreign == []
    assert len(QUERIES) >= 40


def test_the_search_finds_the_beginning_of_every_word(built):
    failed = []
    with site.served(built) as address, site.browser() as driver:
        driver.get(address + "index.html")
        # A query finds the words that begin with it. The index has these words only if all are read without an error.
        for query in string.ascii_lowercase + string.digits + "_":
            site.search(driver, query)
            failed += [(query, entry["message"]) for entry in driver.get_log("browser")]
    assert failed == []


def test_the_site_and_its_search_work_without_a_server(built):
    with site.browser() as driver:
        driver.get((built / "architecture.html").as_uri())
        assert driver.execute_script("return [...document.images].every(i => i.complete && i.naturalWidth > 0)")
        found = site.search(driver, "tf.nn.conv2d")
        assert found[0].startswith((built / "reference" / "tf" / "nn" / "conv2d.html").as_uri())
        assert [url for url in site.requests(driver) if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


GUIDES = [f"guide/{path.stem}.html" for path in sorted((ROOT / "docs" / "guide").glob("*.md"))]
PAGES = [
    *GUIDES,
    *("index.html", "notebooks.html", "distributed.html", "onnx.html", "command_line.html", "compatibility.html"),
    *("benchmarks.html", "architecture.html", "reference/tf.html", "reference/tf/nn/conv2d.html"),
    "reference/tf/keras/Model.html",
]


def test_pages_fit_a_phone(built):
    with site.served(built) as address, site.browser() as driver:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
        )
        for page in PAGES:
            driver.get(address + page)
            # The theme's script gives wide tables a scroll bar of their own once the page is loaded.
            site.wait_for(driver, "return document.documentElement.scrollWidth <= 390", f"{page} is too wide")
            missing = "return [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
            assert driver.execute_script(missing) == [], page


def test_a_reader_gets_the_colors_of_the_system_also_when_it_changes(built):
    with site.served(built) as address, site.browser() as driver:
        for preferred, scheme in [("dark", "slate"), ("light", "default"), ("dark", "slate")]:
            driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": preferred}]}
            )
            driver.get(address + "index.html")
            site.wait_for(driver, f"return document.body.dataset.mdColorScheme === '{scheme}'", preferred)

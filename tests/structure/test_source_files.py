"""Laws of the tree's files: their names, their first sentences and what they may mention."""

import subprocess
from pathlib import Path, PurePath

import pytest
from structure import source_files

ROOT = Path(__file__).resolve().parents[2]
FILES = source_files.tracked_files(ROOT)
# Places outside the tree, spelled so that this file does not mention them.
OUTSIDE = [".." + "/shared", "/wo" + "rk/", "/." + "library", "/." + "mirror"]


def test_the_package_holds_only_code_and_data():
    package = [path for path in FILES if "pyfront" in path.parts]
    assert {path.suffix for path in package} == {".py", ".pyi", ".typed", ".json", ".csv", ".binpb"}


def test_names_say_what_is_inside():
    assert source_files.empty_names(path.relative_to(ROOT) for path in FILES) == []


def test_every_source_file_opens_with_one_sentence():
    assert source_files.without_opening_sentence(FILES) == []


def test_nothing_points_outside_the_tree():
    assert source_files.mentions(FILES, OUTSIDE) == []


def test_no_file_has_banners():
    assert source_files.with_banners(FILES) == []


def test_facades_list_their_names_once():
    facades = [path for path in FILES if "pyfront" in path.parts and "_src" not in path.parts]
    assert source_files.lists_of_names(facades) == []


def test_imports_of_one_name_that_fit_stand_on_one_line():
    assert source_files.split_imports(FILES) == []


def test_banners_lists_and_split_imports_are_found(tmp_path):
    source = '"""A file."""\n\nfrom os import (\n    path as path,\n)\n\n__all__ = ["path"]\n# ---- parts\n# -- no\n'
    (tmp_path / "a.py").write_text(source, encoding="utf-8")
    (tmp_path / "a.rs").write_text("//! A file.\n// ====\n", encoding="utf-8")
    files = [tmp_path / "a.py", tmp_path / "a.rs"]
    assert [found.rpartition("/")[2] for found in source_files.with_banners(files)] == ["a.py:8", "a.rs:2"]
    assert [found.rpartition("/")[2] for found in source_files.lists_of_names(files)] == ["a.py"]
    assert [found.rpartition("/")[2] for found in source_files.split_imports(files)] == ["a.py: path as path"]


def test_the_checks_read_the_real_tree():
    names = {str(path.relative_to(ROOT)) for path in FILES}
    assert {"Cargo.toml", "rust/tensor/src/lib.rs", "pyfront/ferroflow/_src/base/dtypes.py"} <= names
    assert not any(name.startswith(("target/", ".venv/", ".git/")) for name in names)


@pytest.mark.parametrize(
    "path", ["a/utils.py", "a/utils/b.py", "misc.rs", "rust/common/x.rs", "a/helpers.test.py", "src/impl.rs", "Util.py"]
)
def test_an_empty_name_is_found(path):
    assert source_files.empty_names([PurePath(path)]) == [str(PurePath(path))]


def test_names_that_only_contain_an_empty_word_are_free():
    assert source_files.empty_names([PurePath("commonplace.py"), PurePath("a/nest_utilities.rs")]) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rs", "use std::fmt;\n"),
        ("a.rs", "// What lives here.\n"),
        ("a.rs", "//!\n//! \nfn f() {}\n"),
        ("a.rs", "//! Half a sentence\n"),
        ("a.rs", "//! One sentence. And another.\n"),
        ("a.rs", "use std::fmt;\n//! Too late.\n"),
        ("a.py", ""),
        ("a.py", "import os\n"),
        ("a.py", '"""Half a sentence"""\n'),
        ("a.py", '"""One sentence. And\nanother."""\n'),
        ("a.py", '# A comment.\nX = 1\n"""Too late."""\n'),
    ],
)
def test_a_missing_or_wrong_opening_is_found(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    (found,) = source_files.without_opening_sentence([tmp_path / name])
    assert found.startswith(str(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.rs",
            "//! What lives here: a thing, in `x.rs`, e.g. Philox,\n//! on two lines.\n//!\n//! More. And more.\n",
        ),
        ("a.py", '"""What lives here (version 1.8 of it).\n\nMore. And more.\n"""\n'),
        ("a.toml", "nothing = 1\n"),
    ],
)
def test_a_sentence_alone_in_its_paragraph_is_an_opening(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert source_files.without_opening_sentence([tmp_path / name]) == []


def test_a_mention_is_found_with_its_line_also_in_binary_files(tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(b"\xff\x00\nsee " + OUTSIDE[0].encode())
    assert source_files.mentions([path], OUTSIDE) == [f"{path}:2 mentions {OUTSIDE[0]}"]


@pytest.mark.parametrize("with_git", [True, False])
def test_files_of_a_tree_are_listed_without_build_products(tmp_path, with_git):
    for name in ("a.py", "rust/b.rs", "target/c.rs", ".venv/lib/d.py", "rust/__pycache__/e.pyc", "f.so"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    if with_git:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
        subprocess.run(["git", "-C", str(tmp_path), "add", "a.py", "rust/b.rs"], check=True)
        (tmp_path / "untracked.py").write_text("", encoding="utf-8")
    listed = [str(path.relative_to(tmp_path)) for path in source_files.tracked_files(tmp_path)]
    assert listed == ["a.py", "rust/b.rs"]

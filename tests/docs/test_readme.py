"""README.md: its figures are those of docs/ and benches/, and it reads well on PyPI, where relative links are dead."""

import importlib.util
import json
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from ferroflow.command_line.main import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINKS = re.findall(r"\]\(([^)\s]+)\)", README)


def _page(path):
    return (ROOT / path).read_text(encoding="utf-8")


def _rows(text, title):
    """Returns the cells of the table whose head begins with `title`."""
    table = re.search(rf"^\| {re.escape(title)}.*\n\|[-|]+\n((?:\|.*\n?)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in table[1].splitlines()]


def _number(text):
    return int(text.replace(",", ""))


def test_links_are_absolute_and_lead_to_files_of_the_repository():
    files = PROJECT["urls"]["Homepage"] + "/blob/main/"
    pictures = files.replace("github.com", "raw.githubusercontent.com").replace("/blob/", "/")
    assert len(LINKS) > 30
    for link in LINKS:
        assert link.startswith("https://"), link
        for base in (files, pictures):
            if link.startswith(base):
                assert (ROOT / link.removeprefix(base)).is_file(), link


def test_the_parts_are_in_order():
    titles = re.findall(r"^## (.*)", README, re.MULTILINE)
    assert titles == [
        "Install",
        "A program",
        "An old program, as it is",
        "What works on it",
        "Speed",
        "The same numbers in every run",
        "Links",
    ]


def test_tensorflows_tests_are_counted_as_in_the_documentation():
    (_, unit_passed, unit_all), (_, contrib_passed, contrib_all) = _rows(README, "tests of TensorFlow itself")
    assert f"{unit_passed} of {unit_all} pass" in " ".join(_page("docs/unit_tests.md").split())
    contrib = _rows(_page("docs/contrib_tests.md"), "package")
    assert _number(contrib_passed) == sum(_number(row[1]) for row in contrib)
    assert _number(contrib_all) == sum(_number(row[2]) for row in contrib)


def test_repositories_and_libraries_are_those_of_the_documentation():
    assert _rows(README, "repository") == [row[:3] for row in _rows(_page("docs/repositories.md"), "repository")]
    libraries = [[f"{row[0]} {row[1]}", *row[3:6]] for row in _rows(_page("docs/libraries.md"), "library | version")]
    assert _rows(README, "library") == libraries


def test_speed_is_that_of_the_benchmarks():
    table = _rows(_page("benches/README.md"), "model and size")
    models = [row for row in table if not row[0].startswith("geometric mean")]
    means = next(row for row in table if row[0] == "geometric mean")
    assert len(models) == 40
    for row, column in zip(_rows(README, "ferroflow's time divided by that of"), range(7, 13), strict=True):
        ratios = [float(model[column]) for model in models]
        assert [float(cell) for cell in row[1:]] == [float(means[column]), min(ratios), max(ratios)]
    measured = {
        row[0].replace("the same, `dynamic_rnn`", "LSTM"): row[5:8]
        for row in _rows(_page("benches/README.md"), "training steps |")
    }
    rows = re.search(r"^\| all ten, geometric mean \|.*\n(?:\|.*\n)+", README, re.MULTILINE)[0].splitlines()
    for row in rows:
        name, *ratios = [cell.strip() for cell in row.strip("|").split("|")]
        key = "geometric mean" if name.startswith("all ten") else "LSTM" if name.startswith("LSTM") else name
        assert measured[key] == ratios, name


def test_the_picture_has_the_numbers_of_the_benchmarks():
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert len(module.step_times()) == len(module.MODELS)
    assert module.hash_of_speed().encode() in module.SPEED.read_bytes(), "run python docs/make_pictures.py speed"
    ratios = [ratio for _, ratio in module.step_times().values()]
    assert f"{min(ratios):.2f} to {max(ratios):.2f} of the time of TensorFlow 1.15" in README


def test_the_pages_about_building_name_the_rust_that_it_needs():
    rust = tomllib.loads(_page("Cargo.toml"))["workspace"]["package"]["rust-version"]
    for path in ("README.md", "docs/guide/install.md"):
        assert re.findall(r"\[Rust\]\(https://rustup.rs\) ([\d.]+) or newer", _page(path)) == [rust], path


def test_ratios_have_one_notation():
    for path in ("README.md", "benches/README.md"):
        assert re.findall(r"\| 1/\d+ |\b\d+(?:\.\d+)? times (?:as fast|faster)", _page(path)) == []


def test_every_extra_is_in_all_and_on_the_page_about_installing():
    extras = PROJECT["optional-dependencies"]
    everything = re.fullmatch(r"ferroflow\[(.*)\]", extras["all"][0])[1].split(",")
    assert sorted(everything) == sorted(extras.keys() - {"all"})
    assert {row[0].strip("`") for row in _rows(_page("docs/guide/install.md"), "extra")} == extras.keys()


def test_doctor_shows_the_packages_that_the_package_and_its_extras_need(capsys):
    entries = [entry for extra in PROJECT["optional-dependencies"].values() for entry in extra]
    names = {re.match(r"[\w-]+", entry)[0] for entry in [*PROJECT["dependencies"], *entries]}
    assert main(["doctor", "--json"]) == 0
    # MPICH is no Python package with a version of interest: mpi4py uses it.
    assert names - {"ferroflow", "mpich"} <= json.loads(capsys.readouterr().out).keys()


def test_the_package_names_its_pages_extras_and_pythons():
    assert PROJECT["urls"].keys() >= {"Homepage", "Documentation", "Changes", "Issues"}
    assert PROJECT["optional-dependencies"].keys() >= {"tensorboard", "mpi", "cluster", "all"}
    versions = re.findall(r"Programming Language :: Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert versions == ["3.10", "3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={versions[0]}"
    tested = re.search(r"python: \[(.*)\]", _page(".github/workflows/release.yml"))[1]
    assert re.findall(r"[\d.]+", tested) == versions


def test_the_site_has_the_address_of_the_project():
    homepage = PROJECT["urls"]["Homepage"]
    assert f"repo_url: {homepage}\n" in _page("mkdocs.yml")
    assert f'REPOSITORY = "{homepage}/blob/main/"' in _page("docs/make_site.py")

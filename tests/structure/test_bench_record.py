"""Laws of the recorder of benches: each text goes to its place, and a bench that fails leaves its place as it was."""

import importlib
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[2] / "benches" / "python"
_PAGE = "<!-- bench: a -->\n\nold a\n\n<!-- end: a -->\n\ntext\n\n<!-- bench: b -->\n\nold b\n\n<!-- end: b -->\n"


@pytest.fixture
def recorder(monkeypatch):
    """The recorder as a module."""
    monkeypatch.syspath_prepend(str(_FOLDER))
    yield importlib.import_module("record")
    del sys.modules["record"]


def test_the_page_has_a_place_for_each_bench(recorder):
    page = recorder.PAGE.read_text(encoding="utf-8")
    for name, bench in recorder.BENCHES.items():
        assert "new text" in recorder.replaced(page, name, "new text")
        assert (_FOLDER / bench.program).is_file()


def test_texts_are_replaced_with_date_and_processor_and_failures_leave_the_old_ones(recorder, tmp_path, capsys):
    page = tmp_path / "README.md"
    page.write_text(_PAGE, encoding="utf-8")

    def run(name):
        if name == "b":
            raise subprocess.CalledProcessError(1, ["b"])
        return "| new |\n"

    assert recorder.record(["a", "b"], run, page) == ["b"]
    found = page.read_text(encoding="utf-8")
    assert "old a" not in found
    assert "old b" in found
    assert "| new |\n\n<!-- end: a -->\n\ntext" in found
    assert " UTC; " in found.split("<!-- end: a -->")[0]
    assert "returned non-zero exit status 1" in capsys.readouterr().err


def test_a_page_without_marks_is_refused(recorder):
    with pytest.raises(ValueError, match="marks of the bench 'c'"):
        recorder.replaced(_PAGE, "c", "")


def test_a_bench_without_its_interpreters_has_no_command(recorder):
    pythons = {"tensorflow1": None, "tensorflow2": "/two/python"}
    assert recorder.command(recorder.BENCHES["gates"], pythons) is None
    assert recorder.command(recorder.BENCHES["cluster"], pythons)[-2:] == ["--tensorflow", "/two/python"]


def test_a_bench_runs_in_its_environment(recorder, monkeypatch):
    seen = []

    def run(command, env, **_):
        seen.append((Path(command[1]).name, env.get("FERROFLOW_CPU")))
        return subprocess.CompletedProcess(command, 0, b"")

    monkeypatch.delenv("FERROFLOW_CPU", raising=False)
    monkeypatch.setattr(sys, "argv", ["record.py", "limits", "limits-avx2"])
    monkeypatch.setattr(recorder.subprocess, "run", run)
    monkeypatch.setattr(recorder, "record", lambda names, run: [run(name) for name in names][len(names) :])
    recorder.main()
    assert seen == [("limits.py", None), ("limits.py", "avx2")]


def test_the_heading_names_day_times_and_processor(recorder):
    info = "model name\t: A CPU\nflags\t\t: sse avx512f\nmodel name\t: A CPU\n"
    machine = recorder.processor(info)
    assert machine == "A CPU, 2 cores, with AVX-512"
    line = recorder.heading(datetime(2026, 12, 1, 9, 5), datetime(2026, 12, 1, 9, 15), machine)
    assert line == "2026-12-01, 09:05 to 09:15 UTC; A CPU, 2 cores, with AVX-512."

"""The runner of TensorFlow's contrib tests counts what passes of the ceiling, and what is counted apart."""

import importlib.util
import json
from pathlib import Path

_SPEC = importlib.util.spec_from_file_location("run_contrib_tests", Path(__file__).resolve().parent / "run.py")
run = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(run)

PASSED, FILE = {"outcome": "passed"}, "crf/a_test.py"


def failed(message):
    return {"outcome": "failed", "message": message}


def test_counts_are_those_of_the_ceiling():
    theirs = {name: PASSED for name in ("T.a", "T.b", "T.c", "T.d")} | {"T.e": failed("wrong")}
    ours = {"T.a": PASSED, "T.b": failed("1 != 2"), "T.c": failed("needs eager execution"), "T.e": PASSED}
    found = run.count({FILE: (ours, theirs)})["crf"]
    assert (found["passed"], found["ceiling"], found["beyond"], dict(found["apart"])) == (1, 3, 1, {"eager": 1})
    assert dict(run.below({FILE: (ours, theirs)})) == {("crf", "1 != 2"): 1, ("crf", "not run"): 1}
    assert "| `contrib/crf` | 1 | 3 | 33.3 | 1 | eager 1 |" in run.page({"crf": found}, "2026-01-02")


def test_a_file_that_cannot_be_collected_fails_all_its_tests():
    theirs = {"T.a": PASSED, "T.b": PASSED}
    ours = {"": {"outcome": "not collected", "message": "ImportError: no lstm"}}
    assert dict(run.below({FILE: (ours, theirs)})) == {("crf", "ImportError: no lstm"): 2}


def test_without_a_whole_run_the_ceiling_is_what_passes_on_either(tmp_path):
    outcomes = {
        "ferroflow": {"T.a": PASSED, "T.b": failed("x"), "T.c": failed("y")},
        "tensorflow_below": {"T.b": PASSED, "T.c": failed("z")},
    }
    for backend, found in outcomes.items():
        (tmp_path / backend).mkdir()
        (tmp_path / backend / "crf.a_test.py.json").write_text(json.dumps(found), encoding="utf-8")
    ceiling = run.ceiling(tmp_path, FILE)
    assert {name for name, found in ceiling.items() if found["outcome"] == "passed"} == {"T.a", "T.b"}


def test_files_are_found_by_package_or_path(tmp_path):
    for file in ("crf/python/a_test.py", "crf/python/a.py", "rnn/b_test.py"):
        place = tmp_path / "tensorflow" / "contrib" / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    assert run.test_files(tmp_path, ["crf"]) == ["crf/python/a_test.py"]
    assert run.test_files(tmp_path, ["rnn/b_test.py"]) == ["rnn/b_test.py"]
    assert run.sources(tmp_path / "work", tmp_path) == tmp_path.resolve()

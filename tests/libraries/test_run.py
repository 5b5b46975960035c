"""The runner of libraries' tests counts pytest's reports, and failures that newer packages cause separately."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib
from google.protobuf import descriptor_pb2

HERE = Path(__file__).resolve().parent
_SPEC = importlib.util.spec_from_file_location("run_libraries", HERE / "run.py")
run = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(run)

REPORT = """<testsuites><testsuite tests="5">
<testcase classname="a" name="passes"/>
<testcase classname="a" name="is_skipped"><skipped message="no GPU"/></testcase>
<testcase classname="a" name="fails"><failure message="AssertionError: 1 != 2">trace</failure></testcase>
<testcase classname="a" name="is_old">
<failure message="E">module 'numpy' has no attribute 'asscalar'</failure>
</testcase>
<testcase classname="a" name="is_not_collected"><error message="ImportError">trace</error></testcase>
<testcase time="0.000" />
</testsuite></testsuites>"""


def test_failures_of_age_are_counted_apart(tmp_path):
    table = tomllib.loads((HERE / "libraries.toml").read_text(encoding="utf-8"))
    report = tmp_path / "report.xml"
    report.write_text(REPORT, encoding="utf-8")
    found = run.count(report, table["causes"])
    assert (found["passed"], found["skipped"], sum(found["age"].values())) == (1, 1, 1)
    assert [line.split(":")[0] for line in found["failed"]] == ["a.fails", "a.is_not_collected"]
    causes = [{"cause": "a newer TensorFlow", "tests": ["is_not_collected"]}, *table["causes"]]
    apart = run.count(report, causes)
    assert apart["age"]["a newer TensorFlow"] == 1
    assert [line.split(":")[0] for line in apart["failed"]] == ["a.fails"]
    missing = run.count(tmp_path / "missing.xml", table["causes"])
    assert missing["passed"] == 0
    assert missing["failed"]
    result = {"date": "2026-01-02", "was_cut": True, **found}
    assert "| trfl | 1.1.0 | 2026-01-02 *(cut)* | 1 | 2 | 1 | 1 | not run |" in run.page(
        table["library"], {"trfl": result}, {}
    )
    whole = {**result, "was_cut": False, "whole": True}
    assert "| 1 | 0 | 3 | 1 | 1 of 4 |" in run.page(table["library"], {"trfl": result}, {"trfl": whole})


def test_failures_that_tensorflow_has_too_are_counted_apart():
    found = {"passed": 1, "failed": ["a.b.one: x", "a.b.two: y"], "skipped": 0, "age": {"h5py": 1}}
    theirs = {"passed": 1, "failed": ["a.b.two: another message", "a.b.three: z"], "skipped": 0, "age": {}}
    apart = run.apart_from_tensorflows(found, theirs)
    assert apart["failed"] == ["a.b.one: x"]
    assert sorted(apart["age"].values()) == [1, 1]
    assert run.apart_from_tensorflows(found, None) == found


def test_skipped_tests_are_counted_by_their_reason(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        """<testsuite>
<testcase classname="a.A" name="test_session"/>
<testcase classname="a.B" name="test_session"><skipped message="Not a test."/></testcase>
<testcase classname="a.B" name="test_conv"><skipped message="No GPU was detected, so it will be skipped."/></testcase>
<testcase classname="a.B" name="test_issue"><skipped message="see | issue&#10;128"/></testcase>
<testcase classname="a.B" name="test_it"/>
</testsuite>""",
        encoding="utf-8",
    )
    table = tomllib.loads((HERE / "libraries.toml").read_text(encoding="utf-8"))
    found = run.count(report, [], table["skips"])
    no_test, words = "is no test: `test_session` of TensorFlow's `TestCase`", "\u201csee / issue 128\u201d"
    assert found["skips"] == {no_test: 2, "needs a GPU": 1, words: 1}
    assert (found["passed"], found["skipped"]) == (1, 4)
    theirs = {**found, "skips": {no_test: 2, "needs a GPU": 1}, "whole": True, "was_cut": False}
    libraries = {name: {"name": name.upper(), "version": "1.0"} for name in ("a", "b")}
    ours = {**found, "date": "2026-01-02", "was_cut": False}
    before = run.page(libraries, {"a": ours, "b": ours}, {"a": theirs})
    assert "| A | needs a GPU | 1 | 1 |" in before
    assert f"| A | {words} | 1 | 0 |" in before
    assert f"| B | {no_test} | 2 | not run |" in before
    assert run.page(libraries, {}, {}, before) == before


def test_rows_of_libraries_that_did_not_run_stay():
    libraries = {name: {"name": name.upper(), "version": "1.0"} for name in ("a", "b", "c", "d")}
    ours = {"date": "2026-01-02", "was_cut": False, "passed": 5, "failed": [], "skipped": 0, "age": {"h5py": 2}}
    theirs = {"passed": 7, "failed": [], "skipped": 0, "age": {}, "was_cut": False, "whole": True}
    before = run.page(libraries, {"a": ours, "b": ours}, {"a": theirs})
    assert "| A | 1.0 | 2026-01-02 | 5 | 0 | 2 | 0 | 7 of 7 |" in before
    assert run.page(libraries, {}, {}, before) == before
    after = run.page(libraries, {"c": {**ours, "passed": 6}}, {"b": theirs}, before)
    assert "| B | 1.0 | 2026-01-02 | 5 | 0 | 2 | 0 | 7 of 7 |" in after
    assert "| C | 1.0 | 2026-01-02 | 6 | 0 | 2 | 0 | not run |" in after
    assert after.count("| h5py | 2 |") == 3
    ended = {**theirs, "passed": 0, "failed": run.count(HERE / "missing.xml", [])["failed"]}
    assert "| 5 | 0 | 2 | 0 | not run |" in run.page(libraries, {"a": ours}, {"a": ended})
    again = run.page(libraries, {"a": {**ours, "passed": 9}}, {}, before)
    assert "| A | 1.0 | 2026-01-02 | 9 | 0 | 2 | 0 | 7 of 7 |" in again


def test_counts_of_skipped_tests_stay_on_both_sides():
    libraries = {name: {"name": name.upper(), "version": "1.0"} for name in ("a", "b")}
    ours = {
        "date": "2026-01-02",
        "was_cut": False,
        "passed": 5,
        "failed": [],
        "skipped": 3,
        "skips": {"x": 3},
        "age": {},
    }
    theirs = {**ours, "skipped": 2, "skips": {"x": 2}, "whole": True}
    before = run.page(libraries, {"a": ours, "b": ours}, {"a": theirs})
    assert "| A | x | 3 | 2 |" in before
    assert "| B | x | 3 | not run |" in before
    assert "| A | x | 4 | 2 |" in run.page(libraries, {"a": {**ours, "skips": {"x": 4}}}, {}, before)
    assert "| B | x | 3 | 2 |" in run.page(libraries, {}, {"b": theirs}, before)


def test_names_that_tensorflow_has_dropped_are_given_back(monkeypatch):
    import math

    monkeypatch.setenv("GIVEN_BACK", "math.hypotenuse = math.hypot\nmath.twice_pi = math.tau")
    spec = importlib.util.spec_from_file_location("dropped", HERE / "dropped.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    try:
        assert (math.hypotenuse(3.0, 4.0), math.twice_pi) == (5.0, math.tau)
    finally:
        del math.hypotenuse, math.twice_pi


def test_the_address_of_a_test_is_found(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "model_test.py").touch()
    assert run.node_id(tmp_path, "tests.model_test.Case.test_it[a.b-1]") == "tests/model_test.py::Case::test_it[a.b-1]"
    assert run.node_id(tmp_path, "tests.model_test.test_it") == "tests/model_test.py::test_it"
    assert run.node_id(tmp_path, ".tests.model_test") == "tests/model_test.py"
    with pytest.raises(FileNotFoundError, match="other"):
        run.node_id(tmp_path, "tests.other.test_it")


def test_packages_of_tensorflows_time_replace_newer_ones():
    table = {
        "ferroflow": {"packages": ["numpy==1.26.4"]},
        "tensorflow": {"packages": ["numpy==1.18.5"]},
        "library": {
            "a": {"packages": ["tqdm"], "old_packages": ["tqdm<4"], "alone": ["gym==0.17.3"]},
            "b": {"packages": ["wrapt"]},
            "c": {"packages": ["networkx"], "old_packages": []},
        },
    }
    assert run.packages(table, "ferroflow", ["b", "c"]) == (["networkx", "numpy==1.26.4", "wrapt"], [])
    assert run.packages(table, "ferroflow", ["a"]) == (["numpy==1.26.4", "tqdm"], ["gym==0.17.3"])
    assert run.packages(table, "tensorflow", ["a", "b", "c"]) == (["numpy==1.18.5", "tqdm<4", "wrapt"], ["gym==0.17.3"])


def test_runs_that_share_a_work_folder_keep_each_others_results(tmp_path):
    for judged, name in [("ferroflow", "trfl"), ("ferroflow", "edward"), ("tensorflow", "trfl")]:
        (tmp_path / "results" / judged).mkdir(parents=True, exist_ok=True)
        (tmp_path / "results" / judged / f"{name}.json").write_text(f'{{"passed": {len(name)}}}')
    assert run.saved(tmp_path, "ferroflow") == {"edward": {"passed": 6}, "trfl": {"passed": 4}}
    assert run.saved(tmp_path, "tensorflow") == {"trfl": {"passed": 4}}


def test_every_entry_can_be_fetched_and_run():
    table = tomllib.loads((HERE / "libraries.toml").read_text(encoding="utf-8"))
    assert {"python", "packages"} == set(table["ferroflow"]) == set(table["tensorflow"])
    needed = {name for entry in table["library"].values() for name in entry.get("needs", ())}
    for name, entry in table["library"].items():
        assert entry["tests"] or name in needed, name
        assert ("repository" in entry and len(entry["commit"]) == 40) or entry["pip"]
        assert set(entry.get("needs", ())) <= set(table["library"])


@pytest.mark.parametrize("style", [None, "native"])
def test_a_library_may_choose_the_style_of_tracebacks(tmp_path, monkeypatch, style):
    commands = []

    class Ended:
        def __init__(self, command, **options):
            commands.append(command)

        def wait(self, limit):
            return 0

    monkeypatch.setattr(run.subprocess, "Popen", Ended)
    entry = {"tests": ["tests"], "given_back": [], "test_limit": 60} | ({} if style is None else {"traceback": style})
    assert not run.run(tmp_path, "a", entry, tmp_path / "python", "tensorflow", 60)
    assert [option for option in commands[0] if option.startswith("--tb")] == ([] if style is None else ["--tb=native"])


@pytest.mark.parametrize("before", [signal.SIG_IGN, signal.default_int_handler])
def test_the_time_limit_ends_tests_which_then_write_their_report(tmp_path, monkeypatch, before):
    program = """
import pathlib, sys, time
try:
    time.sleep(60)
except KeyboardInterrupt:
    pathlib.Path(sys.argv[1]).touch()
"""
    start = subprocess.Popen
    written = tmp_path / "written"
    monkeypatch.setattr(
        run.subprocess, "Popen", lambda _, **options: start([sys.executable, "-c", program, str(written)], **options)
    )
    entry = {"tests": ["tests"], "given_back": [], "test_limit": 60}
    (tmp_path / "libraries" / "a").mkdir(parents=True)
    handler = signal.signal(signal.SIGINT, before)
    try:
        assert run.run(tmp_path, "a", entry, tmp_path / "python", "tensorflow", 2)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert written.exists()


_OLD_MODULE = """
import sys
_b=sys.version_info[0]<3 and (lambda x:x) or (lambda x:x.encode('latin1'))
from google.protobuf import descriptor as _descriptor
from google.protobuf import wrappers_pb2 as google_dot_protobuf_dot_wrappers__pb2
DESCRIPTOR = _descriptor.FileDescriptor(name='old.proto', package='libraries', syntax='proto3', serialized_pb={})
_POINT = _descriptor.Descriptor(name='Point', full_name='libraries.Point', fields=[], nested_types=[], enum_types=[])
"""


@pytest.mark.parametrize("implementation", ["upb", "python"])
def test_modules_of_protobuf_3_load(tmp_path, implementation):
    file = descriptor_pb2.FileDescriptorProto(name="old.proto", package="libraries", syntax="proto3")
    file.dependency.append("google/protobuf/wrappers.proto")
    point = file.message_type.add(name="Point")
    point.field.add(name="x", number=1, type="TYPE_INT64", label="LABEL_OPTIONAL")
    wrapped = {"type": "TYPE_MESSAGE", "type_name": ".google.protobuf.BoolValue", "label": "LABEL_REPEATED"}
    point.field.add(name="flags", number=2, **wrapped)
    written = f"_b({file.SerializeToString().decode('latin1')!r})"
    (tmp_path / "old_pb2.py").write_text(_OLD_MODULE.format(written), encoding="utf-8")
    program = """
import age, old_pb2
point = old_pb2.Point(x=-3)
point.flags.add(value=True)
print(old_pb2.DESCRIPTOR.name, old_pb2.Point.FromString(point.SerializeToString()) == point)
"""
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(tmp_path)]),
        "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation,
    }
    found = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    assert found.stdout.split() == ["old.proto", "True"], found.stderr

"""Runs the own tests of libraries of TensorFlow 1's time on ferroflow, and writes the table of docs/libraries.md.

    python tests/libraries/run.py --work FOLDER --wheel dist/ferroflow-*.whl [--only trfl,edward] [--write]
    python tests/libraries/run.py --work FOLDER --tensorflow                 # the same tests on TensorFlow 1.15.5

The first run makes an environment and fetches the libraries into the work folder; later runs use them again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "libraries.md"
_THEIRS = "fails on TensorFlow 1.15.5 with packages of its time, too"
_NO_REPORT = "no report: the run ended before the tests did"
# A method of tf.test.TestCase, which pytest takes for a test.
_NO_TEST = "test_session"
_NO_TEST_REASON = "is no test: `test_session` of TensorFlow's `TestCase`"
_SHOWN_OF_A_REASON = 70
_SECONDS_TO_END = 120


def main() -> None:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=Path, required=True, help="folder of the environment, the libraries, the reports"
    )
    parser.add_argument("--wheel", type=Path, help="the wheel under test; without one, this checkout is")
    parser.add_argument("--only", default="", help="entries of libraries.toml, separated by commas")
    parser.add_argument("--limit", type=int, help="seconds for a library; by default the entry's, or 1800")
    parser.add_argument("--test-limit", type=int, default=300, help="seconds for a test; more on a busy machine")
    parser.add_argument("--tensorflow", action="store_true", help="run on TensorFlow 1.15.5 and packages of its time")
    parser.add_argument("--below", action="store_true", help="with --tensorflow: only the tests that fail on ferroflow")
    parser.add_argument("--part", default="", help="only these arguments of pytest, separated by commas: a cut run")
    parser.add_argument("--count", action="store_true", help="run nothing: count the reports of earlier runs again")
    parser.add_argument("--write", action="store_true", help="write docs/libraries.md")
    args = parser.parse_args()
    table = tomllib.loads((HERE / "libraries.toml").read_text(encoding="utf-8"))
    libraries = table["library"]
    chosen = args.only.split(",") if args.only else list(libraries)
    unknown = [name for name in chosen if name not in libraries]
    if unknown:
        parser.error(f"libraries.toml has no {', '.join(unknown)}; it has {', '.join(libraries)}")
    work = args.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    judged = "tensorflow" if args.tensorflow else "ferroflow"
    if args.count:
        earlier = saved(work, judged)
        for name in chosen:
            if name in earlier:
                save(work, judged, name, {**earlier[name], **counted(work, table, judged, name)})
    else:
        run_all(work, table, judged, chosen, args)
    if args.write:
        before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        text = page(libraries, saved(work, "ferroflow"), saved(work, "tensorflow"), before)
        PAGE.write_text(text, encoding="utf-8")


def run_all(work: Path, table: dict[str, Any], judged: str, chosen: list[str], args: argparse.Namespace) -> None:
    """Installs and fetches what the chosen libraries need, runs their tests, and saves the results."""
    libraries = table["library"]
    wanted = list(dict.fromkeys(need for name in chosen for need in (name, *libraries[name].get("needs", ()))))
    python = environment(work, table, judged, wanted, args.wheel)
    for name in wanted:
        fetch(work, name, libraries[name], python)
    for name in chosen:
        entry = libraries[name]
        if args.below:
            failed = saved(work, "ferroflow")[name]["failed"]
            entry = {**entry, "tests": [node_id(work / "libraries" / name, line.partition(": ")[0]) for line in failed]}
        if args.part:
            entry = {**entry, "tests": args.part.split(",")}
        if not entry["tests"]:
            continue
        given = [line for need in (name, *entry.get("needs", ())) for line in libraries[need].get("given_back", ())]
        entry = {**entry, "given_back": given}
        entry = {**entry, "test_limit": args.test_limit}
        was_cut = run(work, name, entry, python, judged, args.limit or entry.get("limit", 1800))
        date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        result = {
            "date": date,
            "was_cut": was_cut or bool(args.part),
            **counted(work, table, judged, name),
            "whole": not args.below,
        }
        save(work, judged, name, result)
        print(json.dumps({name: result}), flush=True)


def node_id(source: Path, test: str) -> str:
    """Returns pytest's address of a test whose report has the name `folder.file.class.name`."""
    test, bracket, parameters = test.partition("[")
    parts = test.strip(".").split(".")
    for end in range(len(parts), 0, -1):
        file = source.joinpath(*parts[:end]).with_suffix(".py")
        if file.is_file():
            return "::".join([file.relative_to(source).as_posix(), *parts[end:]]) + bracket + parameters
    raise FileNotFoundError(f"{source} has no file for the test {test}")


def counted(work: Path, table: dict[str, Any], judged: str, name: str) -> dict[str, Any]:
    """Returns the counts of a library's last report."""
    found = count(work / "reports" / judged / f"{name}.xml", causes(table, judged, name), table["skips"])
    if judged == "tensorflow":
        ended = table["library"][name].get("ends_tensorflow", ())
        found["failed"] += [f"{test}: ends TensorFlow's process" for test in ended]
    return found


def save(work: Path, judged: str, name: str, result: dict[str, Any]) -> None:
    """Writes a library's results; each library has a file, because two runs may share the work folder."""
    folder = work / "results" / judged
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def causes(table: dict[str, Any], judged: str, name: str) -> list[dict[str, Any]]:
    """Returns the causes outside of ferroflow that a failure of the library may have."""
    return [*table["library"][name].get("causes", ()), *table["causes"]] if judged == "ferroflow" else []


def saved(work: Path, judged: str) -> dict[str, Any]:
    """Returns the saved results of all libraries that ran on `judged`."""
    files = sorted((work / "results" / judged).glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def packages(table: dict[str, Any], judged: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Returns what pip installs to run the libraries `names` on `judged`: with its dependencies, and without."""
    found = set(table[judged]["packages"])
    alone: set[str] = set()
    for name in names:
        entry = table["library"][name]
        old = entry.get("old_packages") if judged == "tensorflow" else None
        found.update(entry.get("packages", ()) if old is None else old)
        alone.update(entry.get("alone", ()))
    return sorted(found), sorted(alone)


def environment(work: Path, table: dict[str, Any], judged: str, names: list[str], wheel: Path | None) -> Path:
    """Makes the environment if it is not there, installs what is missing, and returns its Python."""
    folder = work / "environments" / judged
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([f"python{table[judged]['python']}", "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = folder / "packages.json"
    before = json.loads(done.read_text(encoding="utf-8")) if done.exists() else [[], []]
    # The packages of earlier calls are part of every call, since pip replaces pinned versions that it does not read.
    both = [sorted({*old, *new}) for old, new in zip(before, packages(table, judged, names), strict=True)]
    if both != before:
        subprocess.run([*pip, *both[0]], check=True)
        if both[1]:
            subprocess.run([*pip, "--no-deps", *both[1]], check=True)
        done.write_text(json.dumps(both), encoding="utf-8")
    if wheel is not None:
        # A wheel of another commit may have the same version.
        subprocess.run([*pip, "--no-deps", "--force-reinstall", str(wheel)], check=True)
    return python


def fetch(work: Path, name: str, entry: dict[str, Any], python: Path) -> None:
    """Unpacks a library into the work folder, once."""
    target = work / "libraries" / name
    if (target / ".complete").exists():
        return
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if "repository" in entry:
        clone = work / "clones" / f"{name}.git"
        if not clone.exists():
            url = f"https://github.com/{entry['repository']}"
            subprocess.run(["git", "clone", "--quiet", "--bare", url, str(clone)], check=True)
        archive = work / f"{name}.tar"
        subprocess.run(["git", f"--git-dir={clone}", "archive", "-o", str(archive), entry["commit"]], check=True)
        shutil.unpack_archive(str(archive), str(target), filter="data")
        archive.unlink()
    if "pip" in entry:
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        laid = work / "laid" / name
        shutil.rmtree(laid, ignore_errors=True)
        subprocess.run([*pip, "--target", str(laid), *entry["pip"]], check=True)
        shutil.copytree(laid, target, dirs_exist_ok=True)
    (target / ".complete").touch()


def run(work: Path, name: str, entry: dict[str, Any], python: Path, judged: str, limit: int) -> bool:
    """Runs a library's tests, on ferroflow through the alias; returns True if the time limit ended the run."""
    source = work / "libraries" / name
    reports = work / "reports" / judged
    reports.mkdir(parents=True, exist_ok=True)
    report = reports / f"{name}.xml"
    report.unlink(missing_ok=True)
    # The library's own configuration of pytest asks for plugins of its time.
    configuration = work / "pytest.ini"
    configuration.write_text("[pytest]\n", encoding="utf-8")
    options = [
        "-p",
        "age",
        "-c",
        str(configuration),
        f"--rootdir={source}",
        "-p",
        "no:cacheprovider",
        "-q",
        "-W",
        "ignore",
    ]
    options += [f"--timeout={entry['test_limit']}", "--continue-on-collection-errors", f"--junitxml={report}"]
    options += [f"--tb={entry['traceback']}"] if "traceback" in entry else []
    alias = ["-m", "ferroflow", "run"] if judged == "ferroflow" else []
    given_back = entry["given_back"] if judged == "tensorflow" else []
    if given_back:
        options += ["-p", "dropped"]
    if judged == "tensorflow":
        options += [f"--deselect={test}" for test in entry.get("ends_tensorflow", ())]
    command = [str(python), *alias, "-m", "pytest", *entry["tests"], *options]
    paths = [HERE, source / entry.get("folder", ""), *(work / "libraries" / need for need in entry.get("needs", ()))]
    if judged == "ferroflow" and not (python.parent / "ferroflow").exists():
        paths.append(ROOT / "pyfront")
    variables = {
        **os.environ,
        **entry.get("environment", {}),
        "GIVEN_BACK": "\n".join(given_back),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "MPLBACKEND": "Agg",
        # Some tests start `python`.
        "PATH": os.pathsep.join([str(python.parent), os.environ.get("PATH", "")]),
    }
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell's background job ignores the signal, and pytest would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with (reports / f"{name}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=source, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        try:
            process.wait(limit)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # pytest still writes its report
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return True


def count(report: Path, causes: list[dict[str, Any]], skips: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """Returns how many tests passed, failed, were skipped for which reason, and failed for a cause that age forces."""
    counted: dict[str, Any] = {"passed": 0, "failed": [], "skipped": 0, "skips": {}, "age": {}}
    if not report.exists():
        counted["failed"].append(_NO_REPORT)
        return counted
    for case in ET.parse(report).getroot().iter("testcase"):
        if case.get("name") is None:  # the test that the time limit has interrupted
            continue
        skip = case.find("skipped")
        if skip is not None or case.get("name") == _NO_TEST:
            reason = _NO_TEST_REASON if case.get("name") == _NO_TEST else _reason(case, skip, skips)
            counted["skipped"] += 1
            counted["skips"][reason] = counted["skips"].get(reason, 0) + 1
            continue
        failure = case.find("failure")
        failure = case.find("error") if failure is None else failure
        if failure is None:
            counted["passed"] += 1
            continue
        text = f"{failure.get('message', '')}\n{failure.text or ''}"
        test = f"{case.get('classname')}.{case.get('name')}"
        cause = next((c["cause"] for c in causes if _is_cause(c, test, text)), None)
        if cause is None:
            counted["failed"].append(f"{test}: {' '.join(failure.get('message', '').split())[:160]}")
        else:
            counted["age"][cause] = counted["age"].get(cause, 0) + 1
    return counted


def _reason(case: ET.Element, skip: ET.Element, skips: Iterable[dict[str, Any]]) -> str:
    """Returns why a test is skipped: the reason in libraries.toml, or the library's words."""
    words = " ".join((skip.get("message") or "").split())
    test = f"{case.get('classname')}.{case.get('name')}"
    named = next((s["cause"] for s in skips if _is_cause(s, test, words)), None)
    return named or f"\u201c{words[:_SHOWN_OF_A_REASON].replace('|', '/')}\u201d"


def _is_cause(cause: dict[str, Any], test: str, text: str) -> bool:
    """Returns True if a failure's text contains one of the cause's texts, or the cause lists the test."""
    listed = any(test.endswith(f".{name}") for name in cause.get("tests", ()))
    return listed or any(words in text for words in cause.get("contains", ()))


def page(libraries: dict[str, Any], results: dict[str, Any], ceilings: dict[str, Any], before: str = "") -> str:
    """Returns the text of docs/libraries.md; what neither folder of results holds stays as in the page `before`."""
    lines = [
        "## Libraries' own tests",
        "",
        "These are the unchanged tests of libraries for TensorFlow 1. `tests/libraries/run.py` runs them on Python",
        "3.11 and NumPy 1.26; what these and other packages have dropped is added again. Failures that only newer",
        "packages cause, or that TensorFlow 1.15.5 has, too, have their own column. *(cut)*: the time limit ended the",
        "run. The last column is what passes on TensorFlow 1.15.5 itself, with Python 3.7 and packages of its time.",
        "Most of the skipped tests are `test_session`: a method of TensorFlow's `TestCase`, which pytest takes for a",
        "test, once in each class.",
        "",
        "| library | version | run | passed | failed | failed: newer packages | skipped | TensorFlow: passed |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows, causes_before, skips_before = rows_of(before)
    aged, skipped = [], []
    for name, entry in libraries.items():
        earlier = rows.get(entry["name"], [])
        if name in results:
            found = apart_from_tensorflows(results[name], ceilings.get(name))
            cut = " *(cut)*" if found["was_cut"] else ""
            age = sum(found["age"].values())
            counts = [f"{n:,}" for n in (found["passed"], len(found["failed"]), age, found["skipped"])]
            cells = [entry["version"], found["date"] + cut, *counts]
            aged += [f"| {entry['name']} | {cause} | {times} |" for cause, times in sorted(found["age"].items())]
            before_it = skips_before.get(entry["name"], [])
            skipped += skip_rows(entry["name"], found, ceilings.get(name), before_it) or before_it
        elif earlier:
            cells = earlier[1:-1]
            aged += causes_before.get(entry["name"], [])
            skipped += [with_skips_of(line, ceilings.get(name)) for line in skips_before.get(entry["name"], [])]
        else:
            continue
        cells.append(earlier[-1] if earlier and name not in ceilings else ceiling(ceilings.get(name)))
        lines.append("| " + " | ".join([entry["name"], *cells]) + " |")
    if aged:
        lines += ["", "Failures that newer packages cause:", "", "| library | cause | tests |", "|---|---|---|", *aged]
    if skipped:
        lines += ["", "Skipped tests of the libraries that have run since these are counted by their reason:", ""]
        lines += ["| library | reason | skipped | skipped on TensorFlow |", "|---|---|---|---|", *skipped]
    return "\n".join([*lines, ""])


def skip_rows(
    name: str, found: dict[str, Any], ceiling: dict[str, Any] | None, before: Iterable[str] = ()
) -> list[str]:
    """Returns the lines of a library's skipped tests, with how many are skipped for the same reason on TensorFlow.

    Without results of TensorFlow, its counts are those of the lines `before`.
    """
    ours, theirs = found.get("skips", {}), (ceiling or {}).get("skips")
    earlier = {cells[1].strip(): cells[3].strip() for cells in (line.strip("|").split("|") for line in before)}
    lines = []
    for reason in sorted({*ours, *(theirs or {})}):
        tensorflows = earlier.get(reason, "not run") if theirs is None else theirs.get(reason, 0)
        lines.append(f"| {name} | {reason} | {ours.get(reason, 0)} | {tensorflows} |")
    return lines


def with_skips_of(line: str, ceiling: dict[str, Any] | None) -> str:
    """Returns a line of skipped tests, with how many TensorFlow skips for the same reason if it has run."""
    if ceiling is None:
        return line
    *cells, _ = line.strip("|").split("|")
    return "|".join(["", *cells, f" {ceiling.get('skips', {}).get(cells[1].strip(), 0)} ", ""])


def rows_of(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[str, list[str]]]:
    """Returns the cells of each library in the page `text`, and its lines in the tables of causes and skipped tests."""
    rows: dict[str, list[str]] = {}
    causes: dict[str, list[str]] = {}
    skips: dict[str, list[str]] = {}
    for line in text.splitlines():
        cells = line.strip("|").split("|")
        if len(cells) == 8:
            rows[cells[0].strip()] = [cell.strip() for cell in cells]
        elif len(cells) == 4:
            skips.setdefault(cells[0].strip(), []).append(line)
        elif len(cells) == 3:
            causes.setdefault(cells[0].strip(), []).append(line)
    return rows, causes, skips


def apart_from_tensorflows(found: dict[str, Any], ceiling: dict[str, Any] | None) -> dict[str, Any]:
    """Returns results in which failures that TensorFlow 1.15.5 has, too, are counted as caused by newer packages."""
    theirs = {line.partition(": ")[0] for line in (ceiling or {}).get("failed", ())}
    own = [line for line in found["failed"] if line.partition(": ")[0] not in theirs]
    shared = len(found["failed"]) - len(own)
    return {**found, "failed": own, "age": {**found["age"], **({_THEIRS: shared} if shared else {})}}


def ceiling(found: dict[str, Any] | None) -> str:
    """Returns the last cell of a library's row: the tests that pass on TensorFlow, of those that are not skipped."""
    if found is None or not found["whole"] or _NO_REPORT in found["failed"]:
        return "not run"
    ran = found["passed"] + len(found["failed"]) + sum(found["age"].values())
    return f"{found['passed']:,} of {ran:,}{' *(cut)*' if found['was_cut'] else ''}"


if __name__ == "__main__":
    sys.exit(main())

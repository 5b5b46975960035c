"""Runs the tests of `tensorflow/contrib` of TensorFlow 1.8 on ferroflow, and writes the table of docs/contrib_tests.md.

    python tests/contrib_tests/run.py --work FOLDER --source tensorflow.git [--only layers,rnn] [--write]

The ceiling is what passes on TensorFlow 1.15.5 itself: `--tensorflow PYTHON` measures it, with that Python.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "contrib_tests.md"
REPOSITORY = "https://github.com/tensorflow/tensorflow"
TAG = "v1.8.0"
PACKAGES = (
    *("crf", "cudnn_rnn", "data", "distributions", "factorization", "framework", "gan", "graph_editor", "grid_rnn"),
    *("image", "integrate", "layers", "legacy_seq2seq", "linalg", "lookup", "losses", "metrics", "nn", "opt"),
    *("resampler", "rnn", "seq2seq", "signal", "slim", "solvers", "sparsemax", "stateless", "summary", "text"),
    *("constrained_optimization", "copy_graph", "kernel_methods", "model_pruning", "quantize", "training"),
    *("all_reduce", "batching", "bayesflow", "boosted_trees", "cluster_resolver", "deprecated", "estimator"),
    *("feature_column", "fused_conv", "input_pipeline", "labeled_tensor", "libsvm", "linear_optimizer"),
    *("memory_stats", "meta_graph_transform", "optimizer_v2", "periodic_resample", "predictor", "receptive_field"),
    *("recurrent", "reduce_slice_ops", "remote_fused_graph", "saved_model", "session_bundle", "specs"),
    *("stat_summarizer", "tensor_forest", "tensorboard", "timeseries", "tpu"),
)
_SECONDS_OF_A_FILE = 420
_SECONDS_TO_END = 10
# What no graph-mode backend on CPUs can pass: the cause, and texts of the failures' messages.
_APART = {
    "eager": ("eager execution", "eager mode", "Eager execution"),
    "GPU": ("No OpKernel", "no known devices", "GPU is not", "requires a GPU"),
    "TPU": ("knows no TPU",),
}

Outcomes = dict[str, dict[str, Any]]


def main() -> None:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder of the sources and the results")
    parser.add_argument("--source", type=Path, help=f"TensorFlow's sources, a folder or git repository; else {TAG}")
    parser.add_argument("--only", default="", help="contrib packages, or test files below tensorflow/contrib")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs ferroflow's tests")
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python with TensorFlow 1.15 and pytest: the ceiling")
    parser.add_argument("--below", action="store_true", help="with --tensorflow: run only the tests that fail here")
    parser.add_argument("--again", action="store_true", help="also run files that have results")
    parser.add_argument("--limit", type=int, default=_SECONDS_OF_A_FILE, help="seconds for a file")
    parser.add_argument("--write", action="store_true", help="write docs/contrib_tests.md")
    parser.add_argument("--failures", action="store_true", help="print the tests below the ceiling by message")
    args = parser.parse_args()
    work = args.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    source = sources(work, args.source)
    backend = "tensorflow" if args.tensorflow else "ferroflow"
    python = args.tensorflow or args.python
    files = test_files(source, args.only.split(",") if args.only else list(PACKAGES))
    for file in files:
        results = work / backend / f"{file.replace('/', '.')}.json"
        if not args.again and results.exists():
            continue
        chosen = None
        if args.tensorflow and args.below:
            chosen = [name for name, found in read(work, "ferroflow", file).items() if found["outcome"] == "failed"]
            results = work / "tensorflow_below" / results.name
            if not chosen or (not args.again and results.exists()):
                continue
        outcomes = run_file(source, file, python, backend, args.limit, chosen)
        results.parent.mkdir(exist_ok=True)
        results.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
        print(file, dict(Counter(found["outcome"] for found in outcomes.values())), flush=True)
    rows = {file: (read(work, "ferroflow", file), ceiling(work, file)) for file in files}
    counted = count(rows)
    if args.failures:
        for (package, message), tests in below(rows).most_common():
            print(f"{tests:4} {package}: {message}")
    for package, found in counted.items():
        print(package, f"{found['passed']} of {found['ceiling']}", found["apart"])
    if args.write:
        date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        PAGE.write_text(page(counted, date), encoding="utf-8")


def sources(work: Path, given: Path | None) -> Path:
    """Returns a folder that holds `tensorflow/contrib` of the sources, unpacked once into `work`."""
    if given is not None and (given / "tensorflow" / "contrib").is_dir():
        return given.resolve()
    target = work / "sources"
    if (target / ".complete").exists():
        return target
    repository, commit = given, "HEAD"
    if repository is None:
        repository, commit = work / "tensorflow.git", TAG
        if not repository.exists():
            fetch = ["git", "clone", "--quiet", "--bare", "--depth", "1", "--branch", TAG, REPOSITORY, str(repository)]
            subprocess.run(fetch, check=True)
    command = ["git", "-C", str(repository), "archive", commit, "tensorflow/contrib"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as entries:
        entries.extractall(target, filter="data")
    (target / ".complete").touch()
    return target


def test_files(source: Path, chosen: list[str]) -> list[str]:
    """Returns the test files of packages, relative to `tensorflow/contrib`."""
    contrib = source / "tensorflow" / "contrib"
    files = []
    for name in chosen:
        if name.endswith(".py"):
            files.append(name)
        else:
            files += sorted(str(file.relative_to(contrib)) for file in (contrib / name).rglob("*_test.py"))
    return files


def run_file(
    source: Path, file: str, python: str, backend: str, limit: int, chosen: list[str] | None = None
) -> Outcomes:
    """Runs one test file, or chosen tests, in a process of its own; returns the outcomes by class and method."""
    with tempfile.TemporaryDirectory(prefix="contrib_tests_") as folder:
        work = Path(folder)
        (work / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        target = work / file.replace("/", "_")
        target.symlink_to(source / "tensorflow" / "contrib" / file)
        (work / "org_tensorflow").symlink_to(source)
        events = work / "events"
        tests = [f"{target}::{name.replace('.', '::', 1)}" for name in chosen] if chosen else [str(target)]
        options = ["-q", "-p", "contrib_plugin", "-p", "no:cacheprovider", "-W", "ignore", "--rootdir", str(work)]
        options += ["-c", str(work / "pytest.ini")]
        paths = [str(HERE)]
        if backend == "tensorflow":
            command = [python, "-m", "pytest", *tests, *options]
        else:
            command = [python, "-m", "ferroflow", "run", "-m", "pytest", *tests, "-p", "age", *options]
            paths += [str(HERE.parent / "libraries"), str(ROOT / "pyfront")]
        before = os.environ.get("PYTHONPATH")
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*paths, *([before] if before else [])]),
            "CONTRIB_SOURCE": str(source),
            "CONTRIB_EVENTS": str(events),
            "CONTRIB_PACKAGE": file.split("/")[0],
            "TEST_SRCDIR": folder,
            "TEST_TMPDIR": folder,
            "CUDA_VISIBLE_DEVICES": "",
            "TF_CPP_MIN_LOG_LEVEL": "2",
        }
        log = work / "log"
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(
                command, cwd=work, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip
        ending = ""
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            ending = f"the run of the file took over {limit} seconds"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.send_signal(signal.SIGINT)
                process.wait(_SECONDS_TO_END)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # servers that a test started
        process.wait()
        outcomes: Outcomes = {}
        for line in events.read_text(encoding="utf-8").splitlines() if events.exists() else ():
            event = json.loads(line)
            earlier = outcomes.get(event["test"])
            if earlier is None or earlier["outcome"] == "passed":  # a failing teardown follows a passed call
                outcomes[event.pop("test")] = event
        if process.returncode < 0 or not outcomes:
            ending = ending or f"ended with {process.returncode}: {log.read_text(errors='replace')[-400:]}"
        if ending:
            outcomes.setdefault("", {"outcome": "not collected", "message": ending})
        return outcomes


def read(work: Path, backend: str, file: str) -> Outcomes:
    """Returns the outcomes that an earlier run wrote; no outcomes if there was none."""
    results = work / backend / f"{file.replace('/', '.')}.json"
    return json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}


def ceiling(work: Path, file: str) -> Outcomes:
    """Returns TensorFlow's outcomes; without a whole run, those of `--below`, and what passes here counts as passed.

    A test that passes here and not on TensorFlow is then in the ceiling, too.
    """
    whole = read(work, "tensorflow", file)
    if whole and whole.get("", {}).get("outcome") != "not collected":
        return whole
    ours = read(work, "ferroflow", file)
    passed: Outcomes = {name: found for name, found in ours.items() if found["outcome"] == "passed"}
    return passed | read(work, "tensorflow_below", file)


def apart(found: dict[str, Any]) -> str | None:
    """Returns the cause of a failure that is counted apart, or None."""
    message = f"{found.get('message', '')} {found.get('where', '')}"
    return next((cause for cause, texts in _APART.items() if any(text in message for text in texts)), None)


def _unmet(ours: Outcomes, theirs: Outcomes) -> dict[str, dict[str, Any]]:
    """Returns the tests that pass on TensorFlow and not here, with their outcome here."""
    missing = ours.get("", {"outcome": "not run", "message": "not run"})
    tests = [name for name, found in theirs.items() if found["outcome"] == "passed"]
    return {name: ours.get(name, missing) for name in tests if ours.get(name, missing)["outcome"] != "passed"}


def count(rows: dict[str, tuple[Outcomes, Outcomes]]) -> dict[str, dict[str, Any]]:
    """Returns for each package: the ceiling, what passes of it, and what is counted apart by cause."""
    packages: dict[str, dict[str, Any]] = {}
    for file, (ours, theirs) in rows.items():
        found = packages.setdefault(file.split("/")[0], {"passed": 0, "ceiling": 0, "beyond": 0, "apart": Counter()})
        ceiling = [name for name, test in theirs.items() if test["outcome"] == "passed"]
        unmet = _unmet(ours, theirs)
        causes = Counter(cause for test in unmet.values() if (cause := apart(test)) is not None)
        found["apart"].update(causes)
        found["ceiling"] += len(ceiling) - sum(causes.values())
        found["passed"] += len(ceiling) - len(unmet)
        found["beyond"] += sum(test["outcome"] == "passed" and name not in ceiling for name, test in ours.items())
    return packages


def below(rows: dict[str, tuple[Outcomes, Outcomes]]) -> Counter[tuple[str, str]]:
    """Returns how many tests below the ceiling fail with each message, by package."""
    causes: Counter[tuple[str, str]] = Counter()
    for file, (ours, theirs) in rows.items():
        for test in _unmet(ours, theirs).values():
            if apart(test) is None:
                causes[file.split("/")[0], test.get("message", test["outcome"])[:150]] += 1
    return causes


def page(packages: dict[str, dict[str, Any]], date: str) -> str:
    """Returns the text of docs/contrib_tests.md."""
    lines = [
        "## TensorFlow's tests of `tf.contrib`",
        "",
        f"The tests of `tensorflow/contrib` of TF 1.8 were run through the alias on {date}, with",
        "`tests/contrib_tests/run.py`. The ceiling is what passes on TensorFlow 1.15.5 itself. Tests that need eager",
        "execution or a GPU are counted apart. *Also pass*: tests outside the ceiling.",
        "",
        "| package | pass | ceiling | % | also pass | apart |",
        "|---|---|---|---|---|---|",
    ]
    for package, found in sorted(packages.items()):
        share = f"{100 * found['passed'] / found['ceiling']:.1f}" if found["ceiling"] else "-"
        causes = ", ".join(f"{cause} {tests}" for cause, tests in sorted(found["apart"].items()))
        counts = [f"{found[key]:,}" for key in ("passed", "ceiling")]
        lines.append("| " + " | ".join([f"`contrib/{package}`", *counts, share, str(found["beyond"]), causes]) + " |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()

"""The hosted workflows only call targets and files that exist, and ask for no right that they do not name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.fixture(scope="module")
def yaml():
    return pytest.importorskip("yaml", reason="PyYAML comes with the tools for the documentation")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_what_exists(path, yaml):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    called = set()
    for name, job in jobs.items():
        needed = job.get("needs", [])
        assert set([needed] if isinstance(needed, str) else needed) <= set(jobs), name
        entries = job.get("strategy", {}).get("matrix", {}).get("include", [])
        called |= {entry["make"].split()[0] for entry in entries if "make" in entry}
        for step in job["steps"]:
            assert len({"uses", "run"} & set(step)) == 1, (name, step)
            called |= set(re.findall(r"\bmake ([a-z-]+)", step.get("run", "")))
            for script in re.findall(r"^\.\S+", step.get("run", ""), re.MULTILINE):
                assert (ROOT / script).is_file(), (name, script)
    assert called <= TARGETS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_writes_only_in_jobs_that_say_so(path, yaml):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        written = [right for right, level in job.get("permissions", {}).items() if level == "write"]
        assert not written or name == "publish", name


def test_the_site_is_published_from_where_it_is_built(yaml):
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "docs.yml").read_text(encoding="utf-8"))["jobs"]["build"]
    (folder,) = [step["with"]["path"] for step in steps["steps"] if "upload-pages" in step.get("uses", "")]
    assert f"--site-dir {folder}" in (ROOT / "Makefile").read_text(encoding="utf-8")

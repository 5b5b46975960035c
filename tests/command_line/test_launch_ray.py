"""`ferroflow launch --ray` on a real Ray cluster, several nodes of which run on this machine."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ferroflow

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

# Ray leaves files and sockets of its processes to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
FOLDER = Path(__file__).parent
ROOT = str(Path(ferroflow.__file__).parents[1])
SECONDS = 400
STEPS = 40


@pytest.fixture
def cluster(monkeypatch):
    monkeypatch.setenv("RAY_health_check_period_ms", "500")
    monkeypatch.setenv("RAY_health_check_failure_threshold", "4")
    # Ray's default of 15 starves tasks on a busy machine.
    monkeypatch.setenv("RAY_worker_niceness", "0")
    monkeypatch.setenv("RAY_memory_monitor_refresh_ms", "0")
    monkeypatch.setenv("PYTHONPATH", ROOT)
    monkeypatch.setenv("FERROFLOW_RAY_ROOM_SECONDS", "200")
    small = {"object_store_memory": 80_000_000, "include_dashboard": False}
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **small})
    made.small = {"object_store_memory": 80_000_000}
    yield made
    made.shutdown()


def expected():
    """Returns the trained number, as one process would have it."""
    w = 0.0
    for step in range(STEPS):
        w -= 0.05 * 2.0 * (w - step * 1.5)
    return w


class Launch:
    """A launcher and what it has printed."""

    def __init__(self, address, *arguments, cwd=None):
        command = [sys.executable, "-m", "ferroflow", "launch", f"--ray={address}", *map(str, arguments)]
        env = {**os.environ, "PYTHONPATH": ROOT}
        self.process = subprocess.Popen(
            command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
        )
        self.lines = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self._changed:
                self.lines.append(line.rstrip())
                self._changed.notify_all()
        with self._changed:
            self.lines.append("")
            self._changed.notify_all()

    def wait_for(self, pattern):
        found = re.compile(pattern)
        with self._changed:
            self._changed.wait_for(
                lambda: any(found.search(line) for line in self.lines) or not self._reader.is_alive(), SECONDS
            )
        assert any(found.search(line) for line in self.lines), "\n".join(self.lines)

    def status(self):
        status = self.process.wait(SECONDS)
        self._reader.join()
        return status

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()


@pytest.fixture
def launch(cluster):
    started = []

    def start(*arguments, **options):
        started.append(Launch(cluster.address, *arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.kill()


def results(folder):
    return {rank: (folder / f"{rank}.txt").read_text().split() for rank in range(2)}


def test_a_job_goes_on_without_a_machine_that_is_killed(cluster, launch, tmp_path):
    nodes = [cluster.add_node(num_cpus=1, **cluster.small) for _ in range(2)]
    job = launch("--mpi=2", "--placement=strict_spread", "--restarts=3", FOLDER / "ray_program.py", tmp_path, STEPS)
    job.wait_for(r"\[rank/0\] step 12")
    cluster.remove_node(nodes[1], allow_graceful=False)
    # The other rank may end, for lack of the lost one, before Ray knows of the loss.
    seen = r"(was lost with its machine|failed with exit status \d+)"
    job.wait_for(rf"\[launch\] rank/\d {seen}: starting all tasks again at new addresses \(1 of 3\)")
    # The cluster has no room for two tasks on two machines until another one comes.
    job.wait_for(r"\[launch\] waiting for room for 2 tasks with 1 CPUs each \(STRICT_SPREAD\)")
    cluster.add_node(num_cpus=1, **cluster.small)
    assert job.status() == 0, "\n".join(job.lines)
    begins = [int(line.split()[-1]) for line in job.lines if "[rank/1] begins at" in line]
    assert begins[0] == 0
    assert 10 <= begins[1] < STEPS
    assert begins[1] % 5 == 0
    for size, value in results(tmp_path).values():
        assert size == "2"
        assert float(value) == pytest.approx(expected(), rel=1e-5)


def test_the_program_travels_to_the_machines(cluster, launch, tmp_path):
    cluster.add_node(num_cpus=2, **cluster.small)
    folder = tmp_path / "program"
    folder.mkdir()
    shutil.copy(FOLDER / "ray_program.py", folder / "program.py")
    job = launch("--mpi=2", f"--upload={folder}", "--memory=0.1", "program.py", tmp_path, 3, cwd=tmp_path)
    assert job.status() == 0, "\n".join(job.lines)
    assert {size for size, _ in results(tmp_path).values()} == {"2"}


def test_parameter_servers_and_workers_start_again_after_a_failure(cluster, launch, tmp_path):
    cluster.add_node(num_cpus=3, **cluster.small)
    (tmp_path / "program.py").write_text(
        "import json, os, sys, time\n"
        "config = json.loads(os.environ['TF_CONFIG'])\n"
        "print(config['task']['type'], len(config['cluster']['ps']), flush=True)\n"
        "if config['task']['type'] == 'ps':\n    time.sleep(1000)\n"
        f"marker = {str(tmp_path / 'marker')!r} + str(config['task']['index'])\n"
        "if not os.path.exists(marker):\n    open(marker, 'w').close()\n    sys.exit(3)\n"
    )
    job = launch("--ps=1", "--workers=2", "--restarts=1", "program.py", cwd=tmp_path)
    assert job.status() == 0, "\n".join(job.lines)
    assert sum("starting it again (1 of 1)" in line for line in job.lines) == 2


def test_too_little_room_is_an_error(cluster, launch, monkeypatch):
    monkeypatch.setenv("FERROFLOW_RAY_ROOM_SECONDS", "3")
    job = launch("--mpi=2", "--cpus=64", FOLDER / "ray_program.py", "x", 1)
    assert job.status() == 2
    assert "has no room for 2 tasks with 64 CPUs each (PACK)" in "\n".join(job.lines)

"""`ferroflow launch` starts tasks that know their cluster, shows what they print, and leaves no process behind."""

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest

import ferroflow
from ferroflow.command_line.launching import tasks as launched
from ferroflow.command_line.launching.events import Ended, Printed
from ferroflow.command_line.launching.local import LocalTasks
from ferroflow.command_line.launching.process import Stream
from ferroflow.command_line.launching.tasks import Task
from ferroflow.command_line.launching.watching import Watch, harmless

SECONDS = 120


def start(*arguments, **options):
    path = os.pathsep.join([str(Path(ferroflow.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "ferroflow", "launch", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        **options,
    )


def launch(*arguments):
    """The exit status and the lines of the standard output and error."""
    with start(*arguments) as process:
        out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out.splitlines(), err.splitlines()


@pytest.fixture
def program(tmp_path):
    def write(text):
        path = tmp_path / "program.py"
        path.write_text(PRELUDE + text, encoding="utf-8")
        return path

    return write


# Each task leaves a file named by its process.
PRELUDE = """
import json, os, pathlib, subprocess, sys, time
config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]["type"] + str(config["task"]["index"])
here = pathlib.Path(__file__).parent
(here / f"{os.getpid()}.pid").touch()
"""
FOREVER = """
grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
(here / f"{grandchild.pid}.pid").touch()
print("started", flush=True)
time.sleep(1000)
"""


def wait_for(condition):
    """Waits until a condition holds, at most `SECONDS`."""
    pause = threading.Event()
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        pause.wait(0.05)


def alive(folder):
    """The processes of a folder's tasks that still run."""
    pids = [int(path.stem) for path in folder.glob("*.pid")]
    assert pids
    return [pid for pid in pids if state(pid) not in ("Z", "X", None)]


def state(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    return None


def test_tasks_know_their_cluster_and_servers_end_with_the_workers(program, tmp_path):
    path = program(
        "print(json.dumps(config), json.dumps(sys.argv[1:]))\n"
        "print('careful', task, file=sys.stderr)\n"
        "if task.startswith('ps'):\n    time.sleep(1000)\n"
    )
    status, out, err = launch("--ps=2", "--workers=2", "--flags", path, "--rate=0.1")
    assert status == 0, err
    told = {}
    for line in out:
        name, _, rest = line.partition(" ")
        config, arguments = json.JSONDecoder().raw_decode(rest)[0], json.loads(rest[rest.index("} [") + 2 :])
        told[name] = config, arguments
    # A server may be ended before it has said anything.
    assert told.keys() >= {"[worker/0]", "[worker/1]"}
    assert told.keys() <= {"[worker/0]", "[worker/1]", "[ps/0]", "[ps/1]"}
    clusters = [config["cluster"] for config, _ in told.values()]
    assert all(cluster == clusters[0] for cluster in clusters)
    addresses = [address for tasks in clusters[0].values() for address in tasks]
    assert {job: len(tasks) for job, tasks in clusters[0].items()} == {"ps": 2, "worker": 2}
    assert len(set(addresses)) == 4
    assert all(address.startswith("127.0.0.1:") for address in addresses)
    config, arguments = told["[worker/1]"]
    assert config["task"] == {"type": "worker", "index": 1}
    assert arguments == [
        "--rate=0.1",
        "--job_name=worker",
        "--task_index=1",
        f"--ps_hosts={','.join(clusters[0]['ps'])}",
        f"--worker_hosts={','.join(clusters[0]['worker'])}",
    ]
    assert "[worker/0] careful worker0" in err
    assert alive(tmp_path) == []


def test_a_failure_ends_all_tasks_and_is_the_outcome(program, tmp_path):
    path = program("if task == 'worker1':\n    sys.exit(7)\n" + FOREVER)
    status, _, err = launch("--ps=1", "--workers=2", path)
    assert status == 7
    assert "[launch] worker/1 failed with exit status 7: ending all tasks" in err
    assert alive(tmp_path) == []


def test_a_failed_task_is_started_again_at_its_address(program):
    path = program(
        "address = config['cluster']['worker'][0]\n"
        "before = here / 'before'\n"
        "if before.exists():\n    sys.exit(0 if before.read_text() == address else 5)\n"
        "before.write_text(address)\nos.kill(os.getpid(), 9)\n"
    )
    status, _, err = launch("--ps=0", "--workers=1", "--restarts=1", path)
    assert status == 0, err
    assert "[launch] worker/0 failed with exit status 137: starting it again (1 of 1)" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_tasks_and_what_they_started(program, tmp_path, number):
    with start("--ps=1", "--workers=1", program(FOREVER)) as process:
        assert process.stdout.readline().endswith("started\n")
        assert process.stdout.readline().endswith("started\n")
        process.send_signal(number)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + number
    assert f"[launch] {number.name}: ending 2 tasks" in err
    assert alive(tmp_path) == []


def test_tasks_end_with_a_launcher_that_is_killed(program, tmp_path):
    text = FOREVER.replace("grandchild", "_").replace('(here / f"{_.pid}.pid").touch()', "_.kill()")
    with start("--ps=1", "--workers=1", program(text)) as process:
        process.stdout.readline()
        process.stdout.readline()
        assert len(alive(tmp_path)) == 2
        process.kill()
    wait_for(lambda: not alive(tmp_path))


def test_what_cannot_be_started_is_told(tmp_path):
    assert launch(tmp_path / "none.py")[0] == 2
    (tmp_path / "program.py").touch()
    status, _, err = launch("--workers=0", tmp_path / "program.py")
    assert (status, err) == (2, ["ferroflow launch: there must be a worker or a chief"])
    assert launch("--workers=-1", tmp_path / "program.py")[0] == 2


def test_ray_places_the_tasks(program, tmp_path):
    pytest.importorskip("ray")
    path = program(
        "print(config['task'])\nif task == 'ps0':\n    time.sleep(1000)\nsys.exit(task == 'worker1' and 3)\n"
    )
    status, out, err = launch("--ps=1", "--workers=2", "--ray=local", "--cpus=0.1", path)
    assert status == 3, err
    assert "[worker/1] {'type': 'worker', 'index': 1}" in out
    wait_for(lambda: not alive(tmp_path))


def test_the_token_reaches_the_tasks_and_no_file_of_ray(program, monkeypatch):
    pytest.importorskip("ray")
    token = secrets.token_hex(32)
    # Paths of sockets are short.
    folder = Path(tempfile.mkdtemp(prefix="ff", dir="/tmp"))  # as Ray's own
    monkeypatch.setenv("RAY_TMPDIR", str(folder))
    monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", token)
    monkeypatch.setenv("FERROFLOW_MARK", "a variable that is passed on")
    path = program(
        "import hashlib\n"
        "token = os.environ['FERROFLOW_CLUSTER_TOKEN'].encode()\n"
        "print(hashlib.sha256(token).hexdigest(), os.environ['FERROFLOW_MARK'])\n"
    )
    try:
        status, out, err = launch("--ps=0", "--workers=1", "--ray=local", "--cpus=0.1", path)
        assert status == 0, err
        assert f"[worker/0] {hashlib.sha256(token.encode()).hexdigest()} a variable that is passed on" in out
        told = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
        assert any(b"a variable that is passed on" in file.read_bytes() for file in told)
        assert [file for file in told if token.encode() in file.read_bytes()] == []
        assert token not in "".join([*out, *err])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_ray_that_is_not_installed_is_asked_for(tmp_path):
    (tmp_path / "program.py").touch()
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['ray'] = None\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ferroflow", "launch", "--ray=auto", str(tmp_path / "program.py")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(ferroflow.__file__).parents[1])])},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert done.returncode == 2
    assert "pip install 'ferroflow[cluster]'" in done.stderr


class Place:
    """Tasks that only exist as a list of what happens, one round after the other."""

    def __init__(self, *rounds):
        self.rounds = [list(events) for events in rounds]
        self.log = []

    def start(self, task, arguments, environment):
        self.log.append(("start", str(task)))

    def signal(self, task, number):
        self.log.append((signal.Signals(number).name, str(task)))
        self.rounds.insert(0, [Ended(task, 128 + number)])

    def events(self, timeout):
        yield from self.rounds.pop(0) if self.rounds else ()


PS, FIRST, SECOND = Task("ps", 0), Task("worker", 0), Task("worker", 1)


def watch(place, restarts=0, tasks=(FIRST, SECOND, PS), **options):
    return Watch(place, lambda task: [], lambda task: {}, restarts, **options).run(tasks)


def test_servers_start_first_and_are_ended_last():
    place = Place([Printed(FIRST, b"x", False)], [Ended(SECOND, 0)], [Ended(FIRST, 0)])
    assert watch(place) == 0
    assert place.log == [("start", "ps/0"), ("start", "worker/0"), ("start", "worker/1"), ("SIGTERM", "ps/0")]


def test_a_server_may_end_by_itself():
    place = Place([Ended(PS, 0)], [Ended(SECOND, 0), Ended(FIRST, 0)])
    assert watch(place) == 0
    assert place.log[3:] == []


def test_the_first_failure_too_many_is_the_outcome():
    place = Place([Ended(PS, 137)], [Ended(FIRST, 1)], [Ended(PS, 137)], [Ended(FIRST, 4)], [Ended(FIRST, 5)])
    assert watch(place, restarts=2) == 5
    again = [task for what, task in place.log[3:] if what == "start"]
    assert again == ["ps/0", "worker/0", "ps/0", "worker/0"]
    assert sorted(place.log[7:]) == [("SIGTERM", "ps/0"), ("SIGTERM", "worker/1")]


def test_a_task_whose_machine_was_lost_is_not_started_again():
    place = Place([Ended(FIRST, 255, lost=True)])
    assert watch(place, restarts=9) == 255


STARTS = [("start", "ps/0"), ("start", "worker/0"), ("start", "worker/1")]


def test_after_the_loss_of_a_machine_all_tasks_start_at_new_addresses():
    lost = Ended(FIRST, 255, lost=True)
    place = Place([Ended(PS, 1)], [lost, Ended(SECOND, 0)], [Ended(PS, 1)], [lost], [Ended(FIRST, 0), Ended(SECOND, 0)])
    regroup = lambda: place.log.append(("regroup", ""))  # noqa: E731
    assert watch(place, restarts=2, regroup=regroup) == 0
    ends = [("SIGTERM", "ps/0"), ("SIGTERM", "worker/1")]
    # A task's own restarts are counted anew.
    expected = [*STARTS, ("start", "ps/0"), *ends, ("regroup", ""), *STARTS, ("start", "ps/0"), *ends]
    assert [entry for entry in place.log if entry[0] != "SIGTERM"] == [
        entry for entry in [*expected, ("regroup", ""), *STARTS] if entry[0] != "SIGTERM"
    ]
    assert sorted(place.log[4:6]) == ends
    assert place.log[-1] == ("SIGTERM", "ps/0")


@pytest.mark.parametrize("failure", [Ended(SECOND, 255, lost=True), Ended(SECOND, 7)])
def test_tasks_that_are_lost_once_too_often_end_all(failure):
    place = Place([failure], [failure], [failure])
    counted = []
    assert watch(place, 2, (FIRST, SECOND), regroup=lambda: counted.append(1), together=True) == failure.status
    assert len(counted) == 2
    assert place.log.count(("SIGTERM", "worker/0")) == 3


def test_processes_that_sockets_connect_start_together_again(program, tmp_path):
    path = program(
        "group = json.loads(os.environ['FERROFLOW_GROUP'])\n"
        "rank = group['rank']\n"
        "first = not (here / f'{rank}.addresses').exists()\n"
        "(here / f'{rank}.addresses').open('a').write(json.dumps(group['addresses']) + '\\n')\n"
        "if first:\n"
        "    if rank == 1:\n"
        "        while not (here / '0.addresses').exists():\n"
        "            time.sleep(0.01)\n"
        "        sys.exit(5)\n"
        "    time.sleep(1000)\n"
    )
    text = path.read_text().replace('config = json.loads(os.environ["TF_CONFIG"])\n', "").splitlines()
    path.write_text("\n".join(line for line in text if not line.startswith("task = ")) + "\n")
    status, _, err = launch("--mpi=2", "--sockets", "--restarts=1", path)
    assert status == 0, err
    assert "rank/1 failed with exit status 5: starting all tasks again at new addresses (1 of 1)" in "\n".join(err)
    told = [[json.loads(line) for line in (tmp_path / f"{r}.addresses").read_text().splitlines()] for r in range(2)]
    assert told[0] == told[1]
    assert len(told[0]) == 2
    assert told[0][0] != told[0][1]


def test_an_error_of_the_launcher_kills_all_tasks():
    class Lost(Place):
        def events(self, timeout):
            if not self.rounds:
                raise BrokenPipeError
            yield from super().events(timeout)

    place = Lost([])
    with pytest.raises(BrokenPipeError):
        watch(place)
    assert set(place.log[3:]) == {("SIGKILL", "ps/0"), ("SIGKILL", "worker/0"), ("SIGKILL", "worker/1")}


def test_what_a_process_printed_is_told_before_its_end(program, tmp_path, monkeypatch):
    tasks = LocalTasks("127.0.0.1")
    select = tasks._selector.select
    # The end first: it closes the pipes of the other events of the round.
    monkeypatch.setattr(
        tasks._selector,
        "select",
        lambda timeout: sorted(select(timeout), key=lambda event: event[0].data[2] is not None),
    )
    monkeypatch.setenv("TF_CONFIG", json.dumps({"task": {"type": "worker", "index": 0}}))
    tasks.start(FIRST, [program("print('one', flush=True)\nprint('two', file=sys.stderr)\nsys.exit(3)\n")], {})
    pid = tasks._processes[FIRST].pid
    wait_for(lambda: state(pid) == "Z")
    told = [event for _ in range(3) for event in tasks.events(1)]
    assert told[-1] == Ended(FIRST, 3)
    assert {(event.line, event.is_error) for event in told[:-1]} == {(b"one", False), (b"two", True)}
    tasks.close()


def test_what_tasks_print_is_shown_and_obeyed_by_no_terminal(program):
    path = program(
        "sys.stdout.buffer.write(b'\\x1b]0;title\\x07\\x1b[2Jred\\tplain ')\n"
        "sys.stdout.buffer.write(b'\\xc3\\xa4\\xff\\xc2\\x9b1m \\xe2\\x80\\xae\\n')\n"
        "sys.stdout.buffer.write(b'10%\\r20%\\r\\n\\n')\n"
        "sys.stderr.buffer.write(b'\\r[launch] all is well\\n')\n"
    )
    status, out, err = launch("--ps=0", "--workers=1", path)
    assert status == 0
    assert out == [
        "[worker/0] \\x1b]0;title\\x07\\x1b[2Jred\tplain ä\\xff\\x9b1m \\u202e",
        "[worker/0] 10%",
        "[worker/0] 20%",
        "[worker/0] ",
    ]
    assert err == ["[worker/0] [launch] all is well"]


@hypothesis.given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_nothing_that_a_line_holds_is_obeyed(line):
    shown = harmless(line)
    shown.encode()
    assert all(
        char == "\t" or char.isprintable() or not re.match(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", char) for char in shown
    )
    text = line.decode("utf-8", "ignore")
    if text.isprintable() and text.encode() == line:
        assert shown == text


def test_lines_are_whole_however_they_arrive():
    read, write = os.pipe()
    with open(read, "rb", buffering=0) as pipe:
        stream = Stream(pipe, False)
        assert stream.lines() == ([], False)
        os.write(write, b"one\ntw")
        assert stream.lines() == ([b"one"], False)
        os.write(write, b"o\n\nthree")
        assert stream.lines() == ([b"two", b""], False)
        os.close(write)
        assert stream.lines() == ([b"three"], True)


def test_the_rest_of_a_pipe_is_read_at_once():
    read, write = os.pipe()
    with open(read, "rb", buffering=0) as pipe:
        stream = Stream(pipe, False)
        os.write(write, b"one\ntwo\nthr")
        assert stream.remaining_lines() == [b"one", b"two", b"thr"]
        assert stream.remaining_lines() == []
        os.close(write)


def test_what_others_may_read_holds_no_token():
    variables = {"PYTHONPATH": "a", "FERROFLOW_X": "b", "FERROFLOW_CLUSTER_TOKEN": "c", "HOME": "d"}
    assert launched.open_variables(variables) == {"PYTHONPATH": "a", "FERROFLOW_X": "b"}


def test_free_ports_are_different_and_can_be_bound():
    ports = launched.free_ports(50, "127.0.0.1")
    assert len(set(ports)) == 50
    with pytest.raises(OSError, match=r"assign|not known|resolution"):
        launched.free_ports(1, "192.0.2.77")

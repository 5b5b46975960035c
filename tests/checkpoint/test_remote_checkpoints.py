"""Checkpoints at URLs are those of folders, and whole at whatever call a program is killed."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from base.stores import SHARED_FOLDER, FaultyStore, Killed, register

import ferroflow as tf
from ferroflow._src.base.files import staging
from ferroflow._src.checkpoint.remote_checkpoint import _is_in_cluster, fetched_checkpoint

gfile = tf.gfile


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    register()
    FaultyStore.arm(0, Killed)
    with tf.Graph().as_default():
        yield
    FaultyStore.arm(0, Killed)


class _Model:
    """Two variables that hold one number, their session and a saver."""

    def __init__(self, folder: str, has_steps: bool, target: str = "", **options: Any) -> None:
        self.folder, self.has_steps = folder, has_steps
        with tf.device("/cpu:0"):
            self.values = [tf.get_variable(name, [3], tf.int64, tf.zeros_initializer()) for name in "ab"]
        self.number = tf.placeholder(tf.int64, [])
        self.write = [tf.assign(v, tf.fill([3], self.number)) for v in self.values]
        self.saver = tf.train.Saver(max_to_keep=2, **options)
        self.session = tf.Session(target)

    def save(self, number: int) -> str:
        self.session.run(self.write, {self.number: number})
        step = number if self.has_steps else None
        path = self.saver.save(self.session, f"{self.folder}/model", global_step=step, write_meta_graph=False)
        assert path is not None
        return path

    def restored(self, path: str) -> int:
        self.session.run(self.write, {self.number: -1})
        self.saver.restore(self.session, path)
        found = {int(n) for n in np.ravel(self.session.run(self.values))}
        assert len(found) == 1, found
        return found.pop()


def _folder(scheme: str = "memory") -> str:
    return f"{scheme}://{uuid.uuid4().hex}/run"


@pytest.mark.parametrize("sharded", [False, True])
def test_files_at_a_url_are_those_of_a_local_folder(tmp_path: Path, sharded: bool) -> None:
    url = _folder()
    model = _Model(url, has_steps=True, sharded=sharded)
    local = _Model.__new__(_Model)
    local.__dict__.update(model.__dict__, folder=str(tmp_path / "run"))
    os.mkdir(local.folder)
    for number in range(1, 5):
        model.save(number)
    remote_files: dict[str, Any] = {
        name: gfile.GFile(f"{url}/{name}", "rb").read() for name in gfile.ListDirectory(url)
    }
    model.saver.set_last_checkpoints_with_time([])
    for number in range(1, 5):
        local.save(number)
    assert remote_files.pop("checkpoint").splitlines()[0] == b'model_checkpoint_path: "model-4"'
    os.remove(f"{local.folder}/checkpoint")
    assert remote_files == {name: Path(local.folder, name).read_bytes() for name in os.listdir(local.folder)}
    assert set(remote_files) >= {"model-3.index", "model-4.index"}
    assert tf.train.latest_checkpoint(url) == f"{url}/model-4"
    assert tf.train.get_checkpoint_state(url).all_model_checkpoint_paths == [f"{url}/model-3", f"{url}/model-4"]
    assert model.restored(f"{url}/model-3") == 3


@pytest.mark.parametrize("sharded", [False, True])
def test_checkpoints_of_the_first_format_are_restored(sharded: bool) -> None:
    model = _Model(_folder(), has_steps=True, write_version=tf.train.SaverDef.V1, sharded=sharded)
    path = model.save(5)
    assert tf.train.checkpoint_exists(path)
    assert model.restored(path) == 5
    tf.train.remove_checkpoint(path, tf.train.SaverDef.V1)
    assert not tf.train.checkpoint_exists(path)


@pytest.mark.parametrize("has_steps", [False, True])
def test_a_save_that_is_killed_at_any_call_leaves_the_last_or_the_new_checkpoint(has_steps: bool) -> None:
    url = _folder("faulty")
    model = _Model(url, has_steps)
    model.save(1)
    model.save(2)
    saved = 2
    seen = set()
    for at in itertools.count(1):
        FaultyStore.arm(at, Killed)
        with contextlib.suppress(Killed):
            model.save(saved + 1)
        is_spent = FaultyStore.is_spent()
        FaultyStore.arm(0, Killed)
        latest = tf.train.latest_checkpoint(url)
        assert latest is not None
        found = model.restored(latest)
        seen.add(found - saved)
        assert found in (saved, saved + 1)
        for path in tf.train.get_checkpoint_state(url).all_model_checkpoint_paths:
            assert model.restored(path) <= found
        if not is_spent:
            break
        saved = found
    assert seen == {0, 1}
    assert at > 10
    # The next saves remove what killed ones left, except for files that were never renamed.
    model.saver.recover_last_checkpoints(tf.train.get_checkpoint_state(url).all_model_checkpoint_paths)
    model.save(saved + 2)
    named = {os.path.basename(path) for path in tf.train.get_checkpoint_state(url).all_model_checkpoint_paths}
    names = [name for name in gfile.ListDirectory(url) if ".tempstate_" not in name and name != "checkpoint"]
    assert {name.partition(".")[0] for name in names if name.endswith(".index")} == named


def test_a_call_that_fails_raises_its_error_and_leaves_the_last_or_the_new_checkpoint() -> None:
    url = _folder("faulty")
    model = _Model(url, has_steps=False)
    model.save(1)
    saved = 1
    for at in itertools.count(1):
        FaultyStore.arm(at, ConnectionResetError)
        try:
            model.save(saved + 1)
        except tf.errors.UnavailableError as failure:
            assert url in failure.message  # noqa: PT017
        is_spent = FaultyStore.is_spent()
        FaultyStore.arm(0, Killed)
        found = model.restored(f"{url}/model")
        assert found in (saved, saved + 1)
        saved = found
        if not is_spent:
            break
    assert at > 10


def test_a_store_that_fails_is_not_an_empty_folder() -> None:
    url = _folder("faulty")
    model = _Model(url, has_steps=True)
    path = model.save(1)
    for act in (
        lambda: tf.train.latest_checkpoint(url),
        lambda: tf.train.checkpoint_exists(path),
        lambda: model.saver.restore(model.session, path),
        lambda: tf.train.NewCheckpointReader(path),
    ):
        FaultyStore.arm(1, ConnectionResetError)
        with pytest.raises(tf.errors.UnavailableError, match=url):
            act()


def test_a_reader_never_mixes_the_files_of_two_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    url = _folder("faulty")
    model = _Model(url, has_steps=False)
    path = model.save(1)
    number = itertools.count(2)
    replaced = FaultyStore.get_file

    def get_file(store: Any, rpath: Any, lpath: Any, **options: Any) -> None:
        replaced(store, rpath, lpath, **options)
        monkeypatch.setattr(FaultyStore, "get_file", replaced)
        model.save(next(number))

    monkeypatch.setattr(FaultyStore, "get_file", get_file)
    reader = tf.train.NewCheckpointReader(path)
    assert {int(n) for name in "ab" for n in reader.get_tensor(name)} == {2}


def test_local_copies_of_checkpoints_are_removed_when_nothing_uses_them() -> None:
    model = _Model(_folder(), has_steps=True, sharded=False)
    folders = []
    before = len(os.listdir(os.path.dirname(staging.new_folder())))
    for number in range(12):
        copy = fetched_checkpoint(model.save(number))
        folders.append(os.path.dirname(copy.path))
    assert len(set(folders)) == 12
    assert os.path.isdir(folders[-1])
    assert not os.path.isdir(folders[0])
    # The last copies may be read again soon. Those of other tests may go meanwhile.
    assert len(os.listdir(os.path.dirname(folders[0]))) <= before + 4


def test_missing_checkpoints_and_variables_have_tensorflows_errors_with_the_url() -> None:
    url = _folder()
    model = _Model(url, has_steps=True)
    path = model.save(1)
    assert tf.train.latest_checkpoint(url + "x") is None
    with pytest.raises(ValueError, match=f"not a valid checkpoint: {url}/no"):
        model.saver.restore(model.session, f"{url}/no")
    with pytest.raises(tf.errors.NotFoundError, match="matching files for " + url):
        tf.train.NewCheckpointReader(f"{url}/no")
    other = tf.get_variable("other", [])
    with pytest.raises(tf.errors.NotFoundError, match="Key other not found"):
        tf.train.Saver([other]).restore(model.session, path)
    with gfile.GFile(f"{path}.data-00000-of-00001", "w") as file:
        file.write("damaged")
    with pytest.raises((tf.errors.DataLossError, tf.errors.OutOfRangeError), match=url):
        model.saver.restore(model.session, path)


def test_checkpoints_of_objects_are_managed_at_urls() -> None:
    url = _folder()
    checkpoint = tf.train.Checkpoint(step=tf.Variable(7))
    manager = tf.train.CheckpointManager(checkpoint, url, max_to_keep=2)
    with tf.Session() as sess:
        sess.run(checkpoint.step.initializer)
        paths = [manager.save() for _ in range(3)]
        assert manager.checkpoints == paths[1:] == [f"{url}/ckpt-2", f"{url}/ckpt-3"]
        sess.run(checkpoint.step.assign(0))
        checkpoint.restore(manager.latest_checkpoint).assert_consumed().run_restore_ops()
        assert sess.run(checkpoint.step) == 7
    again = tf.train.CheckpointManager(checkpoint, url, max_to_keep=2)
    assert again.latest_checkpoint == f"{url}/ckpt-3"
    assert tf.train.Checkpoint(step=checkpoint.step).restore(again.latest_checkpoint) is not None


def test_initial_values_come_from_a_checkpoint_at_a_url() -> None:
    url = _folder()
    _Model(url, has_steps=True).save(6)
    assert tf.train.list_variables(url) == [("a", [3]), ("b", [3])]
    assert tf.train.load_variable(url, "a").tolist() == [6, 6, 6]
    for start in (
        lambda: tf.train.init_from_checkpoint(url, {"a": "a"}),
        lambda: tf.train.warm_start(url, vars_to_warm_start="a"),
    ):
        with tf.Graph().as_default(), tf.Session() as sess:
            variable = tf.get_variable("a", [3], tf.int64, tf.zeros_initializer())
            start()
            sess.run(variable.initializer)
            assert sess.run(variable).tolist() == [6, 6, 6]


@pytest.mark.parametrize("sharded", [False, True])
def test_a_cluster_saves_and_restores_through_the_process_of_the_session(sharded: bool) -> None:
    url = _folder()
    server = tf.train.Server.create_local_server()
    model = _Model(url, has_steps=True, target=server.target, sharded=sharded)
    slices = tf.get_variable("p", [4], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
    saver = tf.train.Saver(sharded=sharded)
    model.session.run([part.initializer for part in slices])
    model.session.run(model.write, {model.number: 3})
    path = saver.save(model.session, f"{url}/whole")
    assert tf.train.load_variable(path, "p").tolist() == [1.0] * 4
    model.session.run([part.assign(part * 0.0) for part in slices])
    saver.restore(model.session, path)
    assert model.session.run(tf.convert_to_tensor(slices)).tolist() == [1.0] * 4
    assert model.restored(path) == 3
    checkpoint = tf.train.Checkpoint(a=model.values[0])
    written = checkpoint.write(f"{url}/objects", model.session)
    model.session.run(model.write, {model.number: 0})
    checkpoint.restore(written).assert_nontrivial_match().run_restore_ops(model.session)
    assert model.session.run(model.values[0]).tolist() == [3, 3, 3]
    # No task of the cluster was told to write or read a file.
    assert not any(name.startswith("memory:") for name in os.listdir("."))


def test_a_cluster_restores_checkpoints_of_the_first_format_but_refuses_to_save_them() -> None:
    model = _Model(_folder(), has_steps=True, write_version=tf.train.SaverDef.V1)
    path = model.save(1)
    model.session = tf.Session(tf.train.Server.create_local_server().target)
    with pytest.raises(tf.errors.UnimplementedError, match=r"SaverDef\.V2 \[\[node save/SaveSlices\]\]") as caught:
        model.save(2)
    assert caught.value.op is model.session.graph.get_operation_by_name("save/SaveSlices")
    assert model.restored(path) == 1


def test_sessions_of_a_cluster_are_found_inside_monitored_sessions() -> None:
    tf.train.get_or_create_global_step()
    server = tf.train.Server.create_local_server()
    for master in ("", server.target):
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=master)) as session:
            assert _is_in_cluster(session) == bool(master)


_TRAINING = """
import sys
from base.stores import register
import ferroflow as tf
register()
tf.logging.set_verbosity(tf.logging.ERROR)
kind = sys.argv[1]
if kind == "monitored":
    step = tf.train.get_or_create_global_step()
    total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
    with tf.control_dependencies([total.assign_add(step)]):
        train = step.assign_add(1)
    hooks = [tf.train.StopAtStepHook(num_steps=5)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir="shared://run", hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=1
    ) as sess:
        print(*sess.run([step, total]))
        while not sess.should_stop():
            last = sess.run(train)
    print(last, tf.train.latest_checkpoint("shared://run"))
elif kind == "estimator":
    def model(features, labels, mode):
        loss = tf.get_variable("w", [], initializer=tf.ones_initializer()) * features
        train = tf.train.get_global_step().assign_add(1)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    def inputs():
        return tf.data.Dataset.from_tensors(1.0).repeat()

    estimator = tf.estimator.Estimator(model, "shared://run")
    estimator.train(inputs, steps=3)
    print(estimator.get_variable_value("global_step"), estimator.latest_checkpoint())
else:
    step = tf.train.get_or_create_global_step()
    train = step.assign_add(1)
    supervisor = tf.train.Supervisor(logdir="shared://run", save_model_secs=0)
    with supervisor.managed_session() as sess:
        print(sess.run(step), sess.run(train))
        supervisor.saver.save(sess, supervisor.save_path, step)
    print(tf.train.latest_checkpoint("shared://run"))
"""


def _run(program: str, kind: str, folder: Path) -> list[str]:
    here = str(Path(__file__).parents[1])
    environment = {
        **os.environ,
        SHARED_FOLDER: str(folder),
        "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]),
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-c", program, kind]
    ran = subprocess.run(
        command, env=environment, cwd=folder.parent, capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout.splitlines()


def test_training_continues_from_a_url_in_a_new_process(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    assert _run(_TRAINING, "monitored", store) == ["0 0", "5 shared://run/model.ckpt-5"]
    assert _run(_TRAINING, "monitored", store) == ["5 10", "10 shared://run/model.ckpt-10"]
    assert _run(_TRAINING, "supervisor", store / "other") == ["0 1", "shared://run/model.ckpt-1"]
    assert _run(_TRAINING, "supervisor", store / "other") == ["1 2", "shared://run/model.ckpt-2"]
    assert _run(_TRAINING, "estimator", store / "third") == ["3 shared://run/model.ckpt-3"]
    assert _run(_TRAINING, "estimator", store / "third") == ["6 shared://run/model.ckpt-6"]
    assert os.listdir(tmp_path) == ["store"]
    names = sorted((store / "run").iterdir())
    assert sum(".tfevents." in path.name for path in names) == 2
    assert not any(".tempstate_" in path.name for path in names)

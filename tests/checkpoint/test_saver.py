"""Laws of `tf.train.Saver`: what it saves comes back, under the names it says, and old checkpoints go."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import ferroflow as tf

# Every dtype that a variable can have and NumPy knows.
DTYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("bool", "complex64", "complex128"),
)


def _saved(path: str, values: dict[str, Any], **options: Any) -> str:
    """Saves variables of these values; the prefix of their checkpoint."""
    with tf.Graph().as_default(), tf.Session() as session:
        for name, value in values.items():
            tf.Variable(value, name=name)
        saver = tf.train.Saver(**options)
        session.run(tf.global_variables_initializer())
        return str(saver.save(session, path, write_meta_graph=False))


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9.][A-Za-z0-9_./-]{0,12}", fullmatch=True).filter(lambda n: not n.endswith("/")),
        st.sampled_from(DTYPES).flatmap(
            lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
        ),
        min_size=1,
        max_size=4,
    )
)
def test_values_come_back_bit_by_bit(tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]) -> None:
    path = str(tmp_path_factory.mktemp("saver") / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(v) for v in values.values()]
        saver = tf.train.Saver(dict(zip(values, variables, strict=True)))
        session.run(tf.global_variables_initializer())
        saver.save(session, path, write_meta_graph=False)
        session.run([tf.assign(v, tf.zeros_like(v)) for v in variables])
        saver.restore(session, path)
        for variable, value in zip(variables, values.values(), strict=True):
            assert session.run(variable).tobytes() == value.tobytes()
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_variable_to_shape_map() == {name: list(v.shape) for name, v in values.items()}
    for name, value in values.items():
        read = np.asarray(reader.get_tensor(name))
        assert (read.dtype, read.tobytes()) == (value.dtype, value.tobytes())


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_strings_come_back(tmp_path_factory: pytest.TempPathFactory, strings: list[bytes]) -> None:
    path = str(tmp_path_factory.mktemp("saver") / "model")
    _saved(path, {"s": tf.make_ndarray(tf.make_tensor_proto(strings, tf.string))})
    assert tf.train.load_variable(path, "s").tolist() == strings


def test_a_large_tensor_is_cut_into_tasks_and_comes_back(tmp_path: Path) -> None:
    value = np.random.RandomState(0).bytes((9 << 20) + 4)
    array = np.frombuffer(value, np.int32)
    path = _saved(str(tmp_path / "model"), {"large": array, "small": np.float32(2.0), "zlarge": array[::-1].copy()})
    reader = tf.train.load_checkpoint(path)
    assert reader.get_tensor("large").tobytes() == value
    assert reader.get_tensor("zlarge").tobytes() == array[::-1].tobytes()
    assert reader.get_tensor("small") == 2.0


def test_the_operations_have_tensorflows_names() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        saver = tf.train.Saver([v])
        assert [op.name for op in graph.get_operations() if op.name.startswith("save/")] == [
            "save/filename/input",
            "save/filename",
            "save/Const",
            "save/SaveV2/tensor_names",
            "save/SaveV2/shape_and_slices",
            "save/SaveV2",
            "save/control_dependency",
            "save/RestoreV2/tensor_names",
            "save/RestoreV2/shape_and_slices",
            "save/RestoreV2",
            "save/Assign",
            "save/restore_all",
        ]
        saver_def = saver.as_saver_def()
    assert saver_def.filename_tensor_name == "save/Const:0"
    assert saver_def.save_tensor_name == "save/control_dependency:0"
    assert saver_def.restore_op_name == "save/restore_all"
    assert saver_def.version == tf.train.SaverDef.V2


def test_slices_are_saved_as_one_tensor_and_restored_in_others(tmp_path: Path) -> None:
    whole = np.arange(35.0, dtype=np.float32).reshape(7, 5)
    path = str(tmp_path / "model")

    def build(partitioner: Any) -> tuple[Any, Any]:
        v = tf.get_variable("v", shape=[7, 5], initializer=tf.zeros_initializer(), partitioner=partitioner)
        return v, tf.train.Saver()

    for parts, other, axis in ((3, 2, 0), (2, 3, 1), (1, 4, 0), (5, 1, 1)):
        with tf.Graph().as_default(), tf.Session() as session:
            v, saver = build(tf.fixed_size_partitioner(parts, axis))
            for part in v if parts > 1 else [*v]:
                info = part._get_save_slice_info()
                begin, size = info.var_offset, info.var_shape
                part.load(whole[tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))], session)
            saver.save(session, path, write_meta_graph=False)
        assert np.array_equal(tf.train.load_variable(path, "v"), whole)
        assert tf.train.list_variables(path) == [("v", [7, 5])]
        with tf.Graph().as_default(), tf.Session() as session:
            v, saver = build(tf.fixed_size_partitioner(other, 1 - axis))
            saver.restore(session, path)
            assert np.array_equal(session.run(v.as_tensor()), whole)


def test_only_the_latest_checkpoints_are_kept(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver(max_to_keep=2)
        session.run(tf.global_variables_initializer())
        paths = [str(saver.save(session, str(tmp_path / "model"), global_step=i)) for i in (1, 20, 300)]
        assert saver.last_checkpoints == paths[1:]
    assert [tf.train.checkpoint_exists(p) for p in paths] == [False, True, True]
    assert tf.train.latest_checkpoint(str(tmp_path)) == paths[2]
    assert list(tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths) == paths[1:]
    names = {path.name for path in tmp_path.iterdir()}
    files = ("data-00000-of-00001", "index", "meta")
    assert names == {"checkpoint", *(f"model-{i}.{f}" for i in (20, 300) for f in files)}


def test_the_last_of_some_hours_is_kept_for_good(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=0.0)
        session.run(tf.global_variables_initializer())
        paths = [str(saver.save(session, str(tmp_path / "model"), global_step=i)) for i in range(3)]
    assert all(tf.train.checkpoint_exists(p) for p in paths)


def test_a_sharded_save_has_a_file_for_each_device_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        with tf.device("/cpu:0"):
            tf.Variable(1.0, name="a")
        with tf.device("/cpu:1"):
            tf.Variable([2, 3], name="b")
        saver = tf.train.Saver(sharded=True)
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            assert saver.save(session, path) == path
        saver.restore(session, path)
    files = {item.name for item in tmp_path.iterdir()}
    assert files == {
        "checkpoint", "model.meta", "model.index", "model.data-00000-of-00002", "model.data-00001-of-00002"
    }  # fmt: skip
    reader = tf.train.load_checkpoint(path)
    assert reader.get_tensor("a") == 1.0
    assert reader.get_tensor("b").tolist() == [2, 3]


def test_the_first_format_is_written_and_read(tmp_path: Path) -> None:
    values = {"a": np.float32([1, 2]), "b": np.array([[b"x", b"yz"]], object), "c": np.float16([1, -2])}
    path = _saved(str(tmp_path / "model"), values, write_version=tf.train.SaverDef.V1)
    assert os.path.isfile(path)
    assert not os.path.exists(path + ".index")
    for name, value in values.items():
        assert tf.train.load_variable(path, name).tolist() == value.tolist()
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([0.0, 0.0], name="a")
        tf.train.Saver().restore(session, path)
        assert session.run(v).tolist() == [1, 2]


def test_what_does_not_fit_is_refused_with_tensorflows_words(tmp_path: Path) -> None:
    path = _saved(str(tmp_path / "model"), {"a": np.float32([1, 2])})

    def restore(value: Any, name: str = "a", where: str = path, **options: Any) -> Any:
        with tf.Graph().as_default(), tf.Session() as session:
            v = tf.Variable(value, name=name)
            tf.train.Saver(**options).restore(session, where)
            return session.run(v)

    with pytest.raises(tf.errors.NotFoundError, match="Key z not found in checkpoint"):
        restore([0.0, 0.0], name="z")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Assign requires shapes of both tensors to match"):
        restore([[0.0], [0.0]])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected dtype int32 does not equal original dtype float"
    ):
        restore([0, 0])
    # As in TensorFlow 1.8, and in 1.15.
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        restore([0.0, 0.0], where=path + "-none")
    with pytest.raises(ValueError, match=r"The passed save_path is not a valid checkpoint: .*-none"):
        restore([0.0, 0.0], where=path + "-none")
    assert restore([[0.0], [0.0]], reshape=True).tolist() == [[1], [2]]


def test_names_that_clash_are_refused() -> None:
    with tf.Graph().as_default():
        a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
        with pytest.raises(ValueError, match="same saveable will be restored with two names: y"):
            tf.train.Saver({"x": a, "y": a})
        with pytest.raises(ValueError, match="At least two variables have the same name: a"):
            tf.train.Saver([a, b, a])
        with pytest.raises(TypeError, match="Name is not a string"):
            tf.train.Saver({1: a})
        with pytest.raises(TypeError, match="Not a variable"):
            tf.train.Saver({"x": tf.constant(1.0)})
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables to save"):
        tf.train.Saver()


def test_a_folder_that_is_missing_and_a_state_file_in_the_way_are_refused(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match=r"Parent directory of .* doesn't exist, can't save"):
            saver.save(session, str(tmp_path / "a" / "b" / "model"))
        with pytest.raises(ValueError, match="collides with 'save_path'"):
            saver.save(session, str(tmp_path / "checkpoint"))
        with pytest.raises(ValueError, match="must not contain path components"):
            saver.save(session, str(tmp_path / "model"), latest_filename="a/b")
        with pytest.raises(TypeError, match="must be a Session"):
            saver.save(None, str(tmp_path / "model"))  # type: ignore[arg-type]


@pytest.mark.parametrize("dense", [False, True])
def test_the_rows_of_tables_are_saved_and_come_back(tmp_path: Path, dense: bool) -> None:
    def table() -> Any:
        if dense:
            return tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.float32, -1.0, empty_key=-9, name="t")
        return tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, -1.0, name="t")

    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        rows = table()
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver()
        session.run([rows.insert(tf.constant([1, 2], tf.int64), [10.0, 20.0]), tf.global_variables_initializer()])
        saver.save(session, path)
        session.run(rows.insert(tf.constant([2, 3], tf.int64), [0.0, 30.0]))
        saver.restore(session, path)
        assert session.run(rows.lookup(tf.constant([1, 2, 3], tf.int64))).tolist() == [10, 20, -1]
    with tf.Graph().as_default(), tf.Session() as session:
        rows = table()
        tf.train.Saver().restore(session, path)
        assert session.run(rows.lookup(tf.constant([2, 1], tf.int64))).tolist() == [20, 10]
    assert [name for name, _ in tf.train.list_variables(path)] == (["t-keys", "t-values", "v"])


def test_threads_may_save_the_same_checkpoint_at_the_same_time(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(np.arange(100_000.0), name="v")
        savers = [tf.train.Saver(), tf.train.Saver()]
        session.run(tf.global_variables_initializer())
        prefix = str(tmp_path / "model")

        def save(saver: Any) -> None:
            for _ in range(10):
                saver.save(session, prefix)

        with ThreadPoolExecutor() as pool:
            list(pool.map(save, [*savers, *savers]))
    assert tf.train.latest_checkpoint(str(tmp_path)) == prefix
    np.testing.assert_array_equal(tf.train.load_variable(prefix, "v"), np.arange(100_000.0))
    assert not list(tmp_path.glob("*temp*"))


def test_a_save_that_waits_for_another_has_the_step_of_its_own_time(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session, ThreadPoolExecutor(2) as threads:
        step = tf.train.get_or_create_global_step()
        fed = tf.placeholder(step.dtype, [])
        assign = tf.assign(step, fed)
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        writing, go_on = Event(), Event()

        def export(*arguments: Any, **options: Any) -> None:
            writing.set()
            assert go_on.wait(60)

        def save() -> str | None:
            return saver.save(session, str(tmp_path / "model"), global_step=step)

        with mock.patch.object(saver, "export_meta_graph", export):
            first = threads.submit(save)
            assert writing.wait(60)
            second = threads.submit(save)
            # Time to ask for the step, if the other save did not hold it back.
            sleep(0.2)
            session.run(assign, {fed: 7})
            go_on.set()
            assert [first.result(), second.result()] == [str(tmp_path / name) for name in ("model-0", "model-7")]
        assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model-7")


def test_a_variable_behind_a_handle_is_restored_in_its_own_shape_on_demand(tmp_path: Path) -> None:
    path = _saved(str(tmp_path / "model"), {"v": np.float32([1.0, 2.0])})
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [2, 1], use_resource=True)
        tf.train.Saver([v], reshape=True).restore(session, path)
        assert session.run(v).tolist() == [[1.0], [2.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="mismatch between the current graph"):
            tf.train.Saver([v]).restore(session, path)


@pytest.mark.parametrize("what", ["read", "handle"])
def test_a_read_and_a_handle_stand_for_the_variable_behind_them(tmp_path: Path, what: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        saver = tf.train.Saver({"w": v.value() if what == "read" else v.handle})
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "model"))
        assert tf.train.load_variable(path, "w").tolist() == [1.0, 2.0]
        session.run(v.assign([5.0, 6.0]))
        saver.restore(session, path)
        assert session.run(v).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("is_sharded", [False, True])
def test_a_program_killed_before_the_state_file_changes_leaves_the_checkpoint_before_with_its_meta_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_sharded: bool
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: Any) -> None:
        raise Killed

    tf.Variable(1.0, name="v")
    saver = tf.train.Saver(sharded=is_sharded)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = saver.save(session, str(tmp_path / "model"), global_step=1)
        monkeypatch.setattr(tf.train.Saver, "_update_state", killed)
        with pytest.raises(Killed):
            saver.save(session, str(tmp_path / "model"), global_step=2)
    assert tf.train.latest_checkpoint(str(tmp_path)) == first
    assert {f.name for f in tmp_path.iterdir()} >= {"model-1.meta", "model-2.meta"}
    for step in (1, 2):
        with tf.Graph().as_default(), tf.Session() as session:
            prefix = str(tmp_path / f"model-{step}")
            tf.train.import_meta_graph(f"{prefix}.meta").restore(session, prefix)
            assert session.run("v:0") == 1.0

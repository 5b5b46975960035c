"""SavedModels of objects: TensorFlow 1.15.5 reads the files that ferroflow writes, and ferroflow reads TensorFlow's."""

from __future__ import annotations

import contextlib
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.base import proto
from ferroflow._src.base.proto.saved_objects import objects_of
from ferroflow._src.contrib.saved_model.structures import NotEncodableError, decoded, encoded

_GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(_GOLDEN))

from saved_object_programs import CALLS, described, results, write  # noqa: E402

_OBJECTS = ("checkpoint", "module", "tables")


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    with tarfile.open(_GOLDEN / "saved_objects.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def _expected(golden: Path, name: str) -> Any:
    return json.loads((golden / "results.json").read_text())[name]


@pytest.mark.parametrize("name", CALLS)
def test_tensorflows_files_compute_its_results(golden: Path, name: str) -> None:
    assert results(tf, name, golden) == _expected(golden, name)["results"]


@pytest.mark.parametrize("name", CALLS)
def test_own_files_compute_tensorflows_results(golden: Path, tmp_path: Path, name: str) -> None:
    write(tf, name, tmp_path)
    assert results(tf, name, tmp_path) == _expected(golden, name)["results"]


@pytest.mark.parametrize("name", _OBJECTS)
def test_own_files_have_tensorflows_contents(golden: Path, tmp_path: Path, name: str) -> None:
    write(tf, name, tmp_path)
    saved = proto.SavedModel.FromString((tmp_path / name / "saved_model.pb").read_bytes())
    found = described(saved.meta_graphs[0], objects_of(saved.meta_graphs[0]))
    assert found == _expected(golden, name)["contents"]


@pytest.mark.parametrize("name", _OBJECTS)
def test_signatures_run_in_a_session(golden: Path, tmp_path: Path, name: str) -> None:
    write(tf, name, tmp_path)
    for folder in (golden, tmp_path):
        with tf.Graph().as_default(), tf.Session() as session:
            message = tf.saved_model.load(session, ["serve"], str(folder / name))
            signature = message.signature_def["serving_default"]
            ((_, given),) = signature.inputs.items()
            value = {"module": np.ones([2, 3]), "checkpoint": 5.0, "tables": "b"}[name]
            found = session.run({k: o.name for k, o in signature.outputs.items()}, {given.name: value})
            expected: dict[str, Any] = {
                "module": {"y": [[4.0, 5.0], [4.0, 5.0]], "z": 10.0},
                "checkpoint": {"output_0": 15.0},
                "tables": {"lines": 1, "pairs": 4},
            }
            assert {k: np.asarray(v).tolist() for k, v in found.items()} == expected[name]


def test_what_is_loaded_can_be_saved_again(golden: Path, tmp_path: Path) -> None:
    for name in _OBJECTS:
        with tf.Graph().as_default(), tf.Session() as session:
            root = tf.saved_model.load_v2(str(golden / name))
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            tf.saved_model.save(root, str(tmp_path / name), signatures=dict(root.signatures))
        assert results(tf, name, tmp_path) == _expected(golden, name)["results"]


def test_two_loads_share_no_state(golden: Path) -> None:
    first, second = (tf.saved_model.load_v2(str(golden / "module")) for _ in range(2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        changed = first.total([1.0], True)[0]
        assert session.run(changed) == 4.0
        assert session.run([first.parts[1], second.parts[1]]) == [4.0, 2.0]
    assert [v.name for v in tf.global_variables()][::4] == ["w:0", "w_1:0"]
    assert tf.trainable_variables() == []


def test_slots_of_optimizers_are_loaded(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(3.0, use_resource=True)
        optimizer = tf.train.AdamOptimizer(0.1)
        train = optimizer.minimize(v * v)
        root = tf.Module()
        root.v, root.optimizer = v, optimizer
        session.run(tf.global_variables_initializer())
        session.run(train)
        slot = session.run(optimizer.get_slot(v, "m"))
        tf.saved_model.save(root, str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.load_v2(str(tmp_path))
        session.run(tf.global_variables_initializer())
        assert loaded.optimizer.get_slot_names() == ["m", "v"]
        assert session.run(loaded.optimizer.get_slot(loaded.v, "m")) == slot


def test_a_checkpoint_restores_the_variables_of_a_saved_model(golden: Path) -> None:
    root = tf.train.Checkpoint(v=tf.Variable(0.0, use_resource=True))
    with tf.Session() as session:
        status = root.restore(str(golden / "checkpoint" / "variables" / "variables"))
        status.run_restore_ops(session)
        assert session.run(root.v) == 3.0


def _scaling() -> Any:
    root = tf.Module()
    root.v = tf.Variable(2.0, use_resource=True)
    root.scaled = tf.function(lambda x: root.v * x, input_signature=[tf.TensorSpec([2], tf.float32)])
    return root


def test_arguments_that_no_function_takes_are_refused(tmp_path: Path) -> None:
    root = _scaling()
    root.any = tf.function(lambda x, twice: x * 2.0 if twice else x)
    root.any.get_concrete_function(tf.TensorSpec([2], tf.float32), True)
    with tf.Session() as session:
        session.run(root.v.initializer)
        tf.saved_model.save(root, str(tmp_path), signatures=root.scaled)
    loaded = tf.saved_model.load_v2(str(tmp_path))
    assert loaded.any([1.0, 2.0], True).shape.as_list() == [2]
    before = len(tf.get_default_graph().get_operations())
    for arguments in (([1.0, 2.0], False), ([1.0], True), (["a", "b"], True)):
        with pytest.raises(ValueError, match="Could not find matching function to call"):
            loaded.any(*arguments)
    assert len(tf.get_default_graph().get_operations()) == before
    with pytest.raises(TypeError, match="only pass arguments covered by it"):
        loaded.scaled([1.0, 2.0], 3)
    with pytest.raises(ValueError, match="incompatible with input_signature"):
        loaded.scaled([1.0])
    with pytest.raises(TypeError, match="Expected argument names"):
        loaded.signatures["serving_default"]()


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "refused"

    def refused(error: type[Exception], words: str, root: Any, signatures: Any = None) -> None:
        with pytest.raises(error, match=words):
            tf.saved_model.save(root, str(folder), signatures)
        assert not folder.exists()

    refused(ValueError, "Expected a Trackable object for export", 1)
    refused(ValueError, "Only `tf.functions` with an input signature", tf.Module(), tf.function(lambda x: x))
    reserved = tf.Module()
    reserved.signatures = tf.Variable(1.0, use_resource=True)
    refused(ValueError, "attribute named 'signatures'", reserved)
    spec = [tf.TensorSpec([], tf.float32)]
    nested = tf.function(lambda x: [x, [x]], input_signature=spec)
    refused(ValueError, "Got non-flat outputs", tf.Module(), nested)
    unreachable = tf.Module()
    outside = tf.Variable(1.0, use_resource=True)
    unreachable.f = tf.function(lambda x: outside * x, input_signature=spec)
    refused(AssertionError, "references untracked object", unreachable)
    symbolic = tf.Module()
    computed = tf.constant(1.0) + 2.0
    symbolic.f = tf.function(lambda x: computed * x, input_signature=spec)
    refused(ValueError, "is not a simple constant", symbolic)
    reference = tf.Module()
    reference.v = tf.Variable(1.0, use_resource=False)
    refused(ValueError, "use_resource=True", reference)


def test_an_object_without_variables_is_saved_from_an_empty_graph(tmp_path: Path) -> None:
    root = tf.Module()
    root.twice = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(root, str(tmp_path))
    twice = tf.saved_model.load_v2(str(tmp_path)).twice(4.0)
    with tf.Session() as session:
        assert session.run(twice) == 8.0


def test_layers_are_saved_in_functions_that_call_them(tmp_path: Path) -> None:
    tf.enable_resource_variables()
    try:
        x = tf.keras.layers.Input([1])
        dense = tf.keras.layers.Dense(1, kernel_initializer="ones", name="dense")
        model = tf.keras.Model(x, dense(x))
        root = tf.train.Checkpoint()
        root.__call__ = tf.function(model, input_signature=[tf.TensorSpec([None, 1], tf.float32)])
        root.variables = model.trainable_variables
        root.regularization_losses = [tf.function(lambda: 0.5 * tf.reduce_sum(dense.kernel), input_signature=[])]
        tf.saved_model.save(root, str(tmp_path))
    finally:
        tf.disable_resource_variables()
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.load_v2(str(tmp_path))
        fetches = [loaded([[8.0]]), loaded.regularization_losses[0]()]
        session.run(tf.global_variables_initializer())
        assert [value.tolist() for value in session.run(fetches)] == [[[8.0]], 0.5]
        assert [variable.name for variable in loaded.variables] == ["dense/kernel:0", "dense/bias:0"]


def test_saving_within_a_function_is_refused(tmp_path: Path) -> None:
    @tf.function(autograph=False)
    def saving() -> None:
        tf.saved_model.save(tf.Module(), str(tmp_path))

    with pytest.raises(AssertionError, match=r"not supported inside a traced @tf\.function"):
        saving()


def test_tags_must_match(golden: Path) -> None:
    with pytest.raises(ValueError, match="incompatible argument tags"):
        tf.saved_model.load_v2(str(golden / "module"), tags=["train"])
    with pytest.raises(RuntimeError, match="could not be found"):
        tf.saved_model.load_v2(str(golden / "resources"), tags="train")


_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.builds(lambda dims: tf.TensorSpec(dims, tf.int32, "x"), st.lists(st.none() | st.integers(0, 9), max_size=3)),
    st.sampled_from([tf.float32, tf.TensorShape([2, None]), tf.TensorShape(None)]),
)
_STRUCTURES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
    ),
    max_leaves=8,
)


def _ordered(structure: Any) -> str:
    """Text of a structure: the message does not keep the order of a dict."""
    if isinstance(structure, dict):
        return repr([(key, _ordered(structure[key])) for key in sorted(structure)])
    if isinstance(structure, list | tuple):
        return type(structure).__name__ + repr([_ordered(item) for item in structure])
    return repr(structure)


@given(_STRUCTURES)
@settings(max_examples=60)
def test_structures_survive_the_message(structure: Any) -> None:
    assert _ordered(decoded(encoded(structure))) == _ordered(structure)


def test_structures_of_other_values_are_refused() -> None:
    with pytest.raises(NotEncodableError, match="No encoder for object"):
        encoded([object()])


def test_damaged_files_of_objects_raise_errors_of_damage(tmp_path):
    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.parts = {"a": [tf.Variable([1.0, 2.0], use_resource=True)]}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x):
            return self.parts["a"][0][0] * x

    path = tmp_path / "scale" / "saved_model.pb"
    with tf.Session() as session:
        scale = Scale()
        session.run(tf.global_variables_initializer())
        tf.saved_model.save(scale, str(path.parent))
    content, random = path.read_bytes(), np.random.RandomState(1)
    loaded = 0
    for _ in range(60):
        damaged = bytearray(content)
        for at in random.randint(len(damaged), size=random.choice([1, 2, 8])):
            damaged[at] = random.randint(256)
        path.write_bytes(bytes(damaged))
        with tf.Graph().as_default(), contextlib.suppress(OSError, ValueError, TypeError, tf.errors.OpError):
            tf.saved_model.load_v2(str(path.parent))
            loaded += 1
    assert loaded < 60


def test_names_of_signatures_are_text(tmp_path):
    module = tf.Module()
    module.twice = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([], tf.float32)])
    with pytest.raises(TypeError, match="one is 3"):
        tf.saved_model.save(module, str(tmp_path / "model"), signatures={3: module.twice})

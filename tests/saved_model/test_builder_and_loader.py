"""Laws of SavedModels: what is loaded computes what was saved, and what is wrong is refused in TensorFlow's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.base import proto

_INFO = tf.saved_model.utils.build_tensor_info


def _write(folder: Path, value: float = 3.0, **kwargs: Any) -> Any:
    """A SavedModel of `y = v * x`, and its builder, which has not written the file of graphs yet."""
    builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.get_variable("v", initializer=np.float32(value))
        y = tf.multiply(v, x, name="y")
        session.run(tf.global_variables_initializer())
        signatures = {"serving_default": tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y})}
        builder.add_meta_graph_and_variables(session, ["serve"], signatures, **kwargs)
    return builder


@pytest.mark.parametrize("as_text", [False, True])
def test_what_is_loaded_computes_what_was_saved(tmp_path: Path, as_text: bool) -> None:
    folder = tmp_path / "model"
    path = _write(folder).save(as_text=as_text)
    name = "saved_model.pbtxt" if as_text else "saved_model.pb"
    assert path == str(folder / name).encode()
    assert sorted(p.name for p in folder.iterdir()) == [name, "variables"]
    assert tf.saved_model.loader.maybe_saved_model_directory(str(folder))
    with tf.Session(graph=tf.Graph()) as session:
        message = tf.saved_model.loader.load(session, ["serve"], str(folder))
        assert session.run("y:0", {"x:0": [2.0, -1.0]}).tolist() == [6.0, -3.0]
    assert message.signature_def["serving_default"].inputs["x"].name == "x:0"


def test_a_folder_is_no_model_until_it_is_saved(tmp_path: Path) -> None:
    builder = _write(tmp_path / "model")
    assert not tf.saved_model.loader.maybe_saved_model_directory(str(tmp_path / "model"))
    builder.save()
    assert tf.saved_model.contains_saved_model(tmp_path / "model")


def test_graphs_share_the_variables_of_the_first(tmp_path: Path) -> None:
    builder = _write(tmp_path / "model")
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=np.float32(100.0))
        tf.negative(v, name="negative")
        builder.add_meta_graph(["serve", "gpu"])
    with tf.Graph().as_default():
        tf.get_variable("unknown", initializer=1.0)
        builder.add_meta_graph(["other"])
    builder.save()
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.loader.load(session, {"gpu", "serve"}, str(tmp_path / "model"))
        assert session.run("negative:0") == -3.0
    with tf.Session(graph=tf.Graph()) as session, pytest.raises(tf.errors.NotFoundError, match="unknown"):
        tf.saved_model.loader.load(session, ["other"], str(tmp_path / "model"))


def test_a_model_is_loaded_several_times_into_scopes_of_one_graph(tmp_path: Path) -> None:
    for i in (1, 2):
        _write_with_main_op(tmp_path / str(i), float(i))
    with tf.Session(graph=tf.Graph()) as session:
        for i in (1, 2):
            tf.saved_model.loader.load(session, ["serve"], str(tmp_path / str(i)), import_scope="model")
        assert session.run(["model/filled:0", "model_1/filled:0"]) == [11.0, 12.0]


def _write_with_main_op(folder: Path, value: float) -> None:
    """A SavedModel whose variable `filled` is no saved one: the main op makes it `v + 10`."""
    builder = tf.saved_model.Builder(str(folder))
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=np.float32(value))
        filled = tf.Variable(0.0, name="filled", trainable=False, collections=[])
        session.run(v.initializer)
        builder.add_meta_graph_and_variables(session, ["serve"], main_op=tf.assign(filled, v + 10.0).op)
    builder.save()


def test_the_legacy_init_op_is_run_with_assets_at_their_new_place(tmp_path: Path) -> None:
    source = tmp_path / "list.txt"
    source.write_bytes(b"first")
    with tf.Graph().as_default(), tf.Session() as session:
        path = tf.constant(str(source), name="path")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
        content = tf.Variable("", name="content", trainable=False, collections=[])
        x = tf.placeholder(tf.string, name="x")
        y = tf.string_join([content, x], name="y")
        init = tf.group(tf.assign(content, tf.read_file(path)))
        tf.saved_model.simple_save(session, tmp_path / "model", {"x": x}, {"y": y}, legacy_init_op=init)
    source.unlink()
    assert (tmp_path / "model" / "assets" / "list.txt").read_bytes() == b"first"
    predict = tf.contrib.predictor.from_saved_model(str(tmp_path / "model"))
    assert predict({"x": "!"}) == {"y": b"first!"}


def test_later_ways_to_name_assets_and_initializers_are_known(tmp_path: Path) -> None:
    """TF 1.14 and later may have assets in a field of their own, and the initializer in a signature."""
    source = tmp_path / "list.txt"
    source.write_bytes(b"first")
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        path = tf.constant(str(source), name="path")
        content = tf.Variable("", name="content", trainable=False, collections=[])
        init = tf.assign(content, tf.read_file(path), name="init").op
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[path], main_op=init)
    saved = Path(builder.save().decode())
    source.unlink()
    message = proto.SavedModel.FromString(saved.read_bytes())
    (graph,) = message.meta_graphs
    graph.collection_def.clear()
    graph.asset_file_def.add(filename="list.txt", tensor_info=tf.TensorInfo(name="path:0"))
    key = "__saved_model_init_op"
    graph.signature_def[key].outputs[key].name = "init"
    saved.write_bytes(message.SerializeToString())
    for scope in ("", "inner/"):
        with tf.Session(graph=tf.Graph()) as session:
            tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "model"), import_scope=scope.rstrip("/"))
            assert session.run(f"{scope}content:0") == b"first"
    graph.signature_def[key].outputs[key].name = "missing"
    saved.write_bytes(message.SerializeToString())
    with tf.Session(graph=tf.Graph()) as session, pytest.raises(tf.errors.NotFoundError, match=key):
        tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "model"))


def test_assets_of_one_name_and_other_content_are_told_apart(tmp_path: Path) -> None:
    paths = []
    for i, content in enumerate((b"one", b"two", b"one")):
        (tmp_path / str(i)).mkdir()
        paths.append(tmp_path / str(i) / "words.txt")
        paths[-1].write_bytes(content)
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        assets = [tf.constant(str(path), name=f"path{i}") for i, path in enumerate(paths)]
        held = [tf.Variable("", name=f"content{i}", trainable=False, collections=[]) for i in range(3)]
        init = tf.group(*(tf.assign(v, tf.read_file(a)) for v, a in zip(held, assets, strict=True)))
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=assets, main_op=init)
        builder.add_meta_graph(["again"], assets_collection=assets, main_op=init)
    builder.save()
    assert {p.name for p in (tmp_path / "model" / "assets").iterdir()} == {"words.txt", "words.txt_1"}
    for tag in ("serve", "again"):
        with tf.Session(graph=tf.Graph()) as session:
            tf.saved_model.loader.load(session, [tag], str(tmp_path / "model"))
            assert session.run([f"content{i}:0" for i in range(3)]) == [b"one", b"two", b"one"]


def test_devices_and_default_attributes_are_left_out_if_asked_for(tmp_path: Path) -> None:
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session, tf.device("/cpu:0"):
        tf.complex(tf.constant(1.0), tf.constant(2.0), name="complex")
        builder.add_meta_graph_and_variables(session, ["plain"])
        builder.add_meta_graph(["bare"], clear_devices=True, strip_default_attrs=True)
    builder.save()
    with tf.Session(graph=tf.Graph()) as session:
        plain = tf.saved_model.loader.load(session, ["plain"], str(tmp_path / "model"))
    with tf.Session(graph=tf.Graph()) as session:
        bare = tf.saved_model.loader.load(session, ["bare"], str(tmp_path / "model"))
        assert session.run("complex:0") == 1 + 2j
    (node,) = (n for n in plain.graph_def.node if n.name == "complex")
    assert node.device
    assert {"T", "Tout"} <= set(node.attr)
    (node,) = (n for n in bare.graph_def.node if n.name == "complex")
    assert not node.device
    assert not {"T", "Tout"} & set(node.attr)
    assert bare.meta_info_def.stripped_default_attrs


def test_a_sessions_own_graph_is_saved(tmp_path: Path) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, name="x")
        y = x * tf.get_variable("v", initializer=2.0)
        initialize = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(initialize)
    tf.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": y})
    assert tf.contrib.predictor.from_saved_model(str(tmp_path / "model"))({"x": 4.0}) == {"y": 8.0}


def test_order_of_calls(tmp_path: Path) -> None:
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(AssertionError, match="has not been saved yet"):
            builder.add_meta_graph(["foo"])
        builder.add_meta_graph_and_variables(session, ["foo"])
        with pytest.raises(AssertionError, match="has already been saved"):
            builder.add_meta_graph_and_variables(session, ["bar"])


def test_a_folder_with_files_is_not_written_to(tmp_path: Path) -> None:
    _write(tmp_path / "model").save()
    with pytest.raises(AssertionError, match="Export directory already exists"):
        tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    (tmp_path / "empty").mkdir()
    _write(tmp_path / "empty").save()


def test_what_is_not_there(tmp_path: Path) -> None:
    with tf.Session(graph=tf.Graph()) as session:
        with pytest.raises(IOError, match=f"SavedModel file does not exist at: {tmp_path}/"):
            tf.saved_model.loader.load(session, ["serve"], str(tmp_path))
        _write(tmp_path / "model").save()
        for tags in (["INVALID"], ["serve", "gpu"], []):
            with pytest.raises(RuntimeError, match=r"MetaGraphDef associated with tags .* could not be found"):
                tf.saved_model.loader.load(session, tags, str(tmp_path / "model"))
        assert not session.graph.get_operations()
    assert not tf.saved_model.loader.maybe_saved_model_directory("complete_garbage")


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt"])
@pytest.mark.parametrize("content", [b"invalid content", b"\xff\xfe\x00"])
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with tf.Session(graph=tf.Graph()) as session, pytest.raises(IOError, match=f"Cannot parse file.*{name}"):
        tf.saved_model.loader.load(session, ["serve"], str(tmp_path))


def test_damaged_variables_are_refused(tmp_path: Path) -> None:
    _write(tmp_path / "model").save()
    (data,) = (tmp_path / "model" / "variables").glob("variables.data-*")
    data.write_bytes(bytes(byte ^ 1 for byte in data.read_bytes()))
    with tf.Session(graph=tf.Graph()) as session, pytest.raises(tf.errors.DataLossError):
        tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "model"))


def test_assets_that_are_no_constants_of_one_path(tmp_path: Path) -> None:
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        for asset, error, words in (
            ("path", TypeError, "must be a Tensor"),
            (tf.placeholder(tf.string), TypeError, "must be of type constant"),
            (tf.constant(1), TypeError, "must be of dtype string"),
            (tf.constant(["a", "b"]), TypeError, "must be a scalar"),
            (tf.constant(""), ValueError, "Invalid asset filepath tensor"),
            (tf.constant(str(tmp_path / "missing")), tf.errors.NotFoundError, "missing; No such file or directory"),
        ):
            with pytest.raises(error, match=words):
                builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[asset])


def test_initializers_that_are_refused(tmp_path: Path) -> None:
    builder = _write(tmp_path / "model")
    with tf.Graph().as_default():
        for name in ("main_op", "legacy_init_op"):
            with pytest.raises(TypeError, match=f"{name} needs to be an Operation"):
                builder.add_meta_graph(["a"], **{name: tf.constant(1)})
        builder.add_meta_graph(["b"], legacy_init_op=tf.no_op())
        with pytest.raises(AssertionError, match="already contains one or more legacy init ops"):
            builder.add_meta_graph(["c"], legacy_init_op=tf.no_op())
        builder.add_meta_graph(["d"], main_op=tf.no_op())
        with pytest.raises(ValueError, match="already contains one or more main ops"):
            builder.add_meta_graph(["e"], main_op=tf.no_op())
    with tf.Graph().as_default():
        for key in ("saved_model_main_op", "legacy_init_op"):
            for _ in range(2):
                tf.add_to_collection(key, tf.no_op())
            builder.add_meta_graph([key])
            tf.get_default_graph().clear_collection(key)
    builder.save()
    for key, words in (("saved_model_main_op", "SavedModel main op"), ("legacy_init_op", "legacy serving init op")):
        with tf.Session(graph=tf.Graph()) as session, pytest.raises(RuntimeError, match=f"exactly one {words}"):
            tf.saved_model.loader.load(session, [key], str(tmp_path / "model"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "one of the 'encoding' fields"),
        ({"dtype": 1}, "one of the 'encoding' fields"),
        ({"name": "x:0"}, "the dtype field set"),
    ],
)
def test_signatures_need_names_and_types(tmp_path: Path, fields: dict[str, Any], words: str) -> None:
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
    info = {"x": tf.TensorInfo(**fields)}
    build = tf.saved_model.signature_def_utils.build_signature_def
    with tf.Graph().as_default(), tf.Session() as session:
        for signature in (build(info, {}, "m"), build({}, info, "m")):
            with pytest.raises(AssertionError, match=words):
                builder.add_meta_graph_and_variables(session, ["serve"], {"key": signature})


def test_the_signature_of_the_initializer_is_not_given(tmp_path: Path) -> None:
    builder = _write(tmp_path / "model")
    signature = tf.saved_model.signature_def_utils.build_signature_def()
    with tf.Graph().as_default(), pytest.raises(KeyError, match="reserved"):
        builder.add_meta_graph(["b"], {"__saved_model_init_op": signature})


def test_main_ops_initialize_and_restore(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=1.0)
        local = tf.Variable(5.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        session.run(tf.saved_model.main_op.main_op())
        assert session.run([v, local]) == [1.0, 5.0]
        restore = tf.assign(v, 9.0)
        session.run(tf.saved_model.main_op.main_op_with_restore(restore.op.name))
        assert session.run(v) == 9.0


def test_predictors_take_signatures_or_names(tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    _write(tmp_path / "model").save()
    make = tf.contrib.predictor.saved_model_predictor.SavedModelPredictor
    for predict in (
        tf.contrib.predictor.from_saved_model(folder),
        tf.contrib.predictor.from_saved_model(folder, signature_def_key="serving_default", tags="serve"),
        make(folder, input_names={"x": "x:0"}, output_names={"y": "y:0"}),
    ):
        assert set(predict.feed_tensors) == {"x"}
        assert predict({"x": [2.0]})["y"].tolist() == [6.0]
        with pytest.raises(ValueError, match=r"Got unexpected keys in input_dict: \{'z'\}"):
            predict({"z": 1})
    with pytest.raises(ValueError, match="Available signatures are"):
        tf.contrib.predictor.from_saved_model(folder, signature_def_key="none")
    with pytest.raises(ValueError, match="must both be specified"):
        make(folder, input_names={})
    with pytest.raises(ValueError, match="at most one of"):
        make(folder, signature_def_key="a", input_names={}, output_names={})

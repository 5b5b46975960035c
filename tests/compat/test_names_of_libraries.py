"""Internal names that libraries of TensorFlow 1.15's time use, with the results of 1.15.5."""

import importlib

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.python._places import INTERNAL
from ferroflow.python._single_places import INTERNAL_NAMES
from ferroflow.python.tpu import tpu_function
from ferroflow.python.util import decorator_utils, deprecation


@pytest.mark.parametrize(
    ("module", "name", "op_type"),
    [
        ("python.ops.gen_nn_ops", "conv3d_backprop_input_v2", "Conv3DBackpropInputV2"),
        ("python.ops.gen_nn_ops", "max_pool3d_grad", "MaxPool3DGrad"),
        ("python.ops.gen_spectral_ops", "irfft2d", "IRFFT2D"),
        ("python.ops.gen_image_ops", "draw_bounding_boxes", "DrawBoundingBoxes"),
        ("python.ops.io_ops", "restore_v2", "RestoreV2"),
    ],
)
def test_generated_functions_have_tensorflows_names(module, name, op_type):
    found = getattr(importlib.import_module(f"ferroflow.{module}"), name)
    assert found.__name__ == name
    assert tf.raw_ops.__dict__.get(op_type, getattr(tf.raw_ops, op_type))


def test_a_generated_function_computes():
    from ferroflow.python.ops import gen_nn_ops

    filters, out = tf.ones([2, 2, 2, 1, 1]), tf.ones([1, 1, 1, 1, 1])
    found = gen_nn_ops.conv3d_backprop_input_v2([1, 2, 2, 2, 1], filters, out, [1] * 5, "VALID")
    with tf.Session() as sess:
        assert sess.run(found).tolist() == [[[[[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]]]]]


def _location():
    return deprecation._call_location(), deprecation._call_location(outer=True)


def _calls_location():
    return _location()


def test_places_of_calls():
    near, far = _calls_location()
    assert near == f"{__file__}:{_calls_location.__code__.co_firstlineno + 1}"
    assert far == f"{__file__}:{test_places_of_calls.__code__.co_firstlineno + 1}"


def test_programs_silence_deprecation_warnings(monkeypatch):
    written = []
    monkeypatch.setattr("ferroflow._src.base.tf_logging.warning", written.append)
    monkeypatch.setattr(deprecation, "_PRINT_DEPRECATION_WARNINGS", False)

    @deprecation.deprecated(None, "Use another.", warn_once=False)
    def old():
        return 1

    assert old() == 1
    assert written == []
    monkeypatch.setattr(deprecation, "_PRINT_DEPRECATION_WARNINGS", True)
    assert old() == 1
    assert len(written) == 1


@pytest.mark.parametrize(
    ("doc", "notice", "expected"),
    [
        ("Doc.\n\n  more", ["n1"], "Doc. (dep)\n\nWarning: n1\nins\n\nmore"),
        ("Doc.", ["n1", "n2"], "Doc. (dep)\n\nWarning: n1\nn2\nins"),
        (None, ["n1"], "none\n\nWarning: n1\nins"),
        ("Doc.\nmore", ["n1"], "Doc. (dep)\n\nWarning: n1\nins\n\nmore"),
        ("D\n\n  a\n    b", ["n1", "n2"], "D (dep)\n\nWarning: n1\nn2\nins\n\na\n  b"),
    ],
)
def test_notices_of_docstrings(doc, notice, expected):
    assert decorator_utils.add_notice_to_docstring(doc, "ins", "none", "(dep)", notice) == expected


def test_names_and_callables_of_decorators():
    assert decorator_utils.get_qualified_name(tf.train.Saver.save) == "Saver.save"
    assert decorator_utils._normalize_docstring("A\n    b\n      c\n\n   ") == "A\nb\n  c"
    decorator_utils.validate_callable(print, "x")
    with pytest.raises(ValueError, match="is not a function"):
        decorator_utils.validate_callable(3, "x")
    with pytest.raises(ValueError, match="notice"):
        decorator_utils.add_notice_to_docstring("D", "i", "n", "s", [])


def test_columns_of_both_kinds():
    from ferroflow.python.feature_column import feature_column_lib, feature_column_v2

    assert feature_column_lib.is_feature_column_v2([tf.feature_column.numeric_column("x")])
    shared = tf.feature_column.shared_embedding_columns(
        [tf.feature_column.categorical_column_with_identity(key, 3) for key in "ab"], 2
    )
    assert not feature_column_v2.is_feature_column_v2(shared)
    assert not feature_column_v2.is_feature_column_v2([3])
    assert not feature_column_v2.is_feature_column_v2([tf.contrib.layers.real_valued_column("x")])
    assert feature_column_lib.DenseFeatures is tf.keras.layers.DenseFeatures
    assert issubclass(feature_column_v2.DenseColumn, feature_column_v2.FeatureColumn)


def test_devices_graphs_and_options():
    from ferroflow.python.keras import backend

    assert tf.config.experimental_list_devices() == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    assert backend.get_graph() is tf.get_default_graph()
    tf.config.optimizer.set_experimental_options({"min_graph_nodes": -1})
    assert tf.config.optimizer.get_experimental_options() == {"min_graph_nodes": -1}
    assert tf.contrib.data.AUTOTUNE == -1


def test_replicas_without_a_tpu():
    context = tpu_function.get_tpu_context()
    assert context.number_of_shards is None
    with tpu_function.tpu_shard_context(4):
        assert context.number_of_shards == 4
        with pytest.raises(NotImplementedError, match="nested"), tpu_function.tpu_shard_context(2):
            pass
    assert context.number_of_shards is None
    assert tf.tpu.outside_compilation(lambda a, b: a + b, 1, b=2) == 3
    assert tf.tpu.core(1) == "device:TPU_REPLICATED_CORE:1"
    for name in ("rewrite", "replicate", "shard", "batch_parallel", "initialize_system", "cross_replica_sum"):
        with pytest.raises(NotImplementedError, match=f"tf.tpu.{name}: there are no TPUs"):
            getattr(tf.tpu, name)(lambda: None)


def test_bfloat16_variables_are_stored_as_float32():
    with tf.tpu.bfloat16_scope() as scope:
        short = tf.get_variable("short", [2], tf.bfloat16, tf.ones_initializer())
        usual = tf.get_variable("usual", [2])
    assert (short.dtype, short.op.type, scope.name) == (tf.bfloat16, "Cast", "")
    assert usual.dtype.base_dtype == tf.float32
    assert [v.dtype.base_dtype for v in tf.global_variables()] == [tf.float32, tf.float32]


def test_the_estimator_of_tpus_has_two_places():
    from ferroflow.python.tpu import tpu_config

    assert tf.estimator.tpu.TPUEstimator is tf.contrib.tpu.TPUEstimator
    assert tpu_config.RunConfig is tf.estimator.tpu.RunConfig
    assert tf.tpu.CrossShardOptimizer is tf.contrib.tpu.CrossShardOptimizer


def test_specifications_of_functions_have_no_annotations():
    from ferroflow.python.util import tf_inspect

    def concat(values, axis, name="concat"):
        return values

    def noted(x: int) -> int:
        return x

    assert tf_inspect.getfullargspec(tf.concat) == tf_inspect.getfullargspec(concat)
    assert tf_inspect.getfullargspec(noted).annotations == {"x": int, "return": int}


def test_a_lazy_loader_imports_when_a_name_is_used():
    import colorsys

    from ferroflow.python.util.lazy_loader import LazyLoader

    names = {}
    names["colors"] = late = LazyLoader("colors", names, "colorsys")
    assert "rgb_to_hsv" not in vars(late)
    assert late.rgb_to_hsv is colorsys.rgb_to_hsv
    assert names["colors"] is colorsys
    assert "hsv_to_rgb" in dir(LazyLoader("colors", names, "colorsys"))


def test_composite_tensors():
    from ferroflow.python.framework import composite_tensor

    sparse = tf.SparseTensor([[0]], [1.0], [2])
    slices = tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    kinds = [isinstance(x, composite_tensor.CompositeTensor) for x in (sparse, slices, tf.constant(1))]
    assert kinds == [True, True, False]
    found = composite_tensor.replace_composites_with_components([sparse, slices, slices.values])
    assert found[0] == [sparse.indices, sparse.values, sparse.dense_shape]
    assert found[1] == [slices.values, slices.indices, slices.dense_shape]
    assert found[2] is slices.values
    with pytest.raises(TypeError, match="abstract"):
        composite_tensor.CompositeTensor()


def test_rewriters_of_syntax_trees_can_be_derived_from():
    from ferroflow.python.autograph.pyct import transformer

    class Mine(transformer.Base):
        pass

    with pytest.raises(NotImplementedError, match=r"Mine: .* ast\.NodeTransformer"):
        Mine(None)


def test_modules_ignore_the_attributes_that_they_name():
    class Own(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES.union(("hidden",))

        def __init__(self):
            super().__init__()
            self.seen, self.hidden = tf.Variable(1.0, name="seen"), tf.Variable(1.0, name="hidden")

    assert [v.op.name for v in Own().variables] == ["seen"]


def test_values_for_json():
    import numpy as np

    from ferroflow.python.util.serialization import get_json_type

    assert get_json_type(np.float32(0.5)) == 0.5
    assert get_json_type(np.arange(3)) == [0, 1, 2]
    assert get_json_type(tf.TensorShape([1, None])) == [1, None]
    assert get_json_type(tf.Dimension(4)) == 4
    assert get_json_type(tf.nn.relu) == "relu"
    assert get_json_type(tf.keras.layers.Flatten(name="f"))["class_name"] == "Flatten"
    with pytest.raises(TypeError, match="Not JSON Serializable"):
        get_json_type({1, 2})


def test_operators_check_the_dtypes_of_arguments():
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    operator._check_input_dtype(tf.constant([1.0]))
    with pytest.raises(TypeError, match="Expected argument to have dtype"):
        operator._check_input_dtype(tf.constant([1]))


def test_tracked_variables_are_initialized_by_keras():
    from ferroflow.python.keras import backend

    with tf.Graph().as_default():
        alone, collected = tf.Variable(3.0, collections=[]), tf.Variable(4.0)
        for variable in (alone, collected):
            backend.track_variable(variable)
        assert backend.batch_get_value([alone, collected]) == [3.0, 4.0]


def test_shapes_as_tuples():
    with tf.Graph().as_default():
        assert tf.zeros([2, 3])._shape_tuple() == (2, 3)
        assert tf.placeholder(tf.float32, [None, 1])._shape_tuple() == (None, 1)
        assert tf.placeholder(tf.float32)._shape_tuple() is None


@pytest.mark.parametrize("package", ["layers", "learn", "rnn", "seq2seq", "slim", "tpu", "training"])
def test_packages_of_contrib_have_their_modules(package):
    found = getattr(tf.contrib, package).python
    assert found is importlib.import_module(f"ferroflow.contrib.{package}.python")


def test_tensors_and_operations_of_fetches():
    from ferroflow.python.client.session import _FetchHandler

    with tf.Graph().as_default() as graph:
        a, b = tf.constant(1.0), tf.constant(2.0)
        c = a + b
        handler = _FetchHandler(graph, {"x": [a, c.op], "y": (c, a, b.name)}, {b: 5.0})
        assert (handler.fetches(), handler.targets()) == ([a, c], [c.op])
        assert handler.build_results(None, [1.0, 3.0]) == {"x": [1.0, None], "y": (3.0, 1.0, 5.0)}


def test_values_of_equal_indices_are_added():
    from ferroflow.python.training.optimizer import _deduplicate_indexed_slices

    with tf.Graph().as_default(), tf.Session() as session:
        values, indices = session.run(_deduplicate_indexed_slices(tf.constant([[1.0], [2.0], [4.0]]), [3, 0, 3]))
    assert (values.tolist(), indices.tolist()) == ([[5.0], [2.0]], [3, 0])


def test_specs_at_their_place():
    from ferroflow.python.framework import tensor_spec

    assert tensor_spec.BoundedTensorSpec is tf.contrib.framework.BoundedTensorSpec
    assert tensor_spec.TensorSpec is tf.TensorSpec


def test_collections_of_a_meta_graph_hold_the_kinds_of_variables():
    with tf.Graph().as_default(), tf.variable_scope("", use_resource=True):
        tf.get_variable("a", [2])
        tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2))
        meta_graph = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta_graph, import_scope="x")
        found = tf.global_variables()
    assert [(v.op.type, v.dtype, v.shape.as_list()) for v in found] == [("VarHandleOp", tf.float32, [2])] * 3


@pytest.mark.parametrize("pool", [tf.nn.max_pool3d, tf.nn.avg_pool3d])
@pytest.mark.parametrize("data_format", ["NDHWC", "NCDHW"])
def test_sizes_of_windows_of_volumes(pool, data_format):
    with tf.Graph().as_default():
        shape = [1, 4, 6, 8, 1] if data_format == "NDHWC" else [1, 1, 4, 6, 8]
        x = tf.zeros(shape)
        whole = [1, 2, 2, 2, 1] if data_format == "NDHWC" else [1, 1, 2, 2, 2]
        for size in (2, [2], [2, 2, 2], whole):
            assert pool(x, size, size, "VALID", data_format).op.get_attr("ksize") == whole
        with pytest.raises(ValueError, match="ksize should be of length 1, 3 or 5 but was 2"):
            pool(x, [2, 2], 2, "VALID", data_format)


def test_a_saver_takes_a_path_of_bytes(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("a", [2])
        session.run(tf.global_variables_initializer())
        path = str(tmp_path / "model")
        assert tf.train.Saver().save(session, path.encode()) == path
        tf.train.init_from_checkpoint(path.encode(), {"a": "a"})


def test_keras_returns_numbers_as_values():
    assert tf.keras.backend.get_value(3) == 3


def test_models_in_open_hdf5_files(tmp_path):
    h5py = pytest.importorskip("h5py")
    from ferroflow.python.keras.saving import hdf5_format

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.Adam(), "mse")
    model._make_train_function()
    model._make_test_function()
    model._make_predict_function()
    with h5py.File(tmp_path / "model.h5", "w") as file:
        tf.keras.models.save_model(model, file)
        loaded = tf.keras.models.load_model(file)
        values = hdf5_format.load_optimizer_weights_from_hdf5_group(file)
    assert [v.shape for v in values] == [v.shape for v in loaded.optimizer.get_weights()]
    assert [a.tolist() for a in loaded.get_weights()] == [a.tolist() for a in model.get_weights()]


def test_columns_of_an_input_layer():
    with tf.Graph().as_default():
        one, other = tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b", 2)
        parts = {}
        features = {"a": [[1.0]], "b": [[2.0, 3.0]]}
        layer = tf.feature_column.input_layer(features, [one, other], cols_to_output_tensors=parts)
        with tf.Session() as session:
            assert session.run([layer, parts[one], parts[other]])[0].tolist() == [[1.0, 2.0, 3.0]]
            assert session.run(parts[other]).tolist() == [[2.0, 3.0]]


@pytest.mark.parametrize("kind", ["StagingArea", "MapStagingArea"])
def test_staging_areas_take_types_of_numpy(kind):
    from ferroflow.python.ops import data_flow_ops

    with tf.Graph().as_default(), tf.Session() as session:
        area = getattr(data_flow_ops, kind)([np.uint8, tf.float32], [(2,), ()])
        value = [tf.constant([1, 2], tf.uint8), tf.constant(3.0)]
        put = area.put(value) if kind == "StagingArea" else area.put(tf.constant(1, tf.int64), value, [0, 1])
        session.run(put)
        assert session.run(area.size()) == 1


@pytest.mark.parametrize(
    ("column", "name"),
    [
        (tf.feature_column.numeric_column("x"), "NumericColumn"),
        (tf.feature_column.bucketized_column(tf.feature_column.numeric_column("x"), [1.0]), "BucketizedColumn"),
        (tf.feature_column.categorical_column_with_identity("x", 3), "IdentityCategoricalColumn"),
        (tf.feature_column.categorical_column_with_hash_bucket("x", 3), "HashedCategoricalColumn"),
        (tf.feature_column.categorical_column_with_vocabulary_list("x", "ab"), "VocabularyListCategoricalColumn"),
        (tf.feature_column.crossed_column(["x", "y"], 3), "CrossedColumn"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_are_of_the_class_that_programs_ask_for(column, name):
    from ferroflow.python.feature_column import feature_column_lib, feature_column_v2

    assert type(column).__name__ == name
    assert isinstance(column, getattr(feature_column_v2, name))
    assert getattr(feature_column_lib, name) is getattr(feature_column_v2, name)


def test_each_place_of_a_name_exists():
    for (module, name), (place, inner) in INTERNAL_NAMES.items():
        assert hasattr(importlib.import_module(f"ferroflow._src.{place}"), inner), (module, name)
    for module, places in INTERNAL.items():
        for place in places:
            assert importlib.import_module(place), module


def test_objects_that_a_saver_saves():
    from ferroflow.python.ops import variables

    first = tf.get_variable("first", [2])
    tf.get_variable("inner/second", [2], trainable=False)
    assert [v.op.name for v in variables._all_saveable_objects()] == ["first", "inner/second"]
    assert variables._all_saveable_objects("first") == [first]


def test_a_model_is_ready_if_no_variable_is_uninitialized():
    from ferroflow.python.training import session_manager

    variable = tf.get_variable("weights", [2])
    names = tf.report_uninitialized_variables()
    with tf.Session() as sess:
        assert session_manager._ready(names, sess, "Not ready") == (False, "Variables not initialized: weights")
        sess.run(variable.initializer)
        assert session_manager._ready(names, sess, "Not ready") == (True, None)
        assert session_manager._ready(None, sess, "Not ready") == (True, None)


def test_the_package_of_data_has_its_classes():
    from ferroflow.python import data

    assert data.Dataset is tf.data.Dataset
    assert data.TFRecordDataset is tf.data.TFRecordDataset
    assert data.make_one_shot_iterator is tf.data.make_one_shot_iterator


def test_freeze_graph_reads_the_command_line(monkeypatch, tmp_path):
    from ferroflow.python.tools import freeze_graph

    tf.add(tf.get_variable("v", initializer=2.0), 1.0, name="out")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(sess, str(tmp_path / "model"))
    frozen = tmp_path / "frozen.pb"
    options = {"input_meta_graph": f"{prefix}.meta", "input_checkpoint": prefix, "output_graph": frozen}
    options |= {"output_node_names": "out", "input_binary": True}
    monkeypatch.setattr("sys.argv", ["freeze_graph", *(f"--{name}={value}" for name, value in options.items())])
    with pytest.raises(SystemExit) as ended:
        freeze_graph.run_main()
    assert not ended.value.code
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(frozen.read_bytes())
    (out,) = tf.import_graph_def(graph_def, return_elements=["out:0"])
    with tf.Session() as sess:
        assert sess.run(out) == 3.0


@pytest.mark.parametrize("name", ["BytesInUse", "BytesLimit", "MaxBytesInUse"])
def test_programs_can_catch_that_no_gpu_is_measured(name):
    with pytest.raises(tf.errors.NotFoundError, match="there are no GPUs"):
        getattr(tf.contrib.memory_stats, name)()


@pytest.mark.parametrize("draw", [tf.random.categorical, tf.random.multinomial])
def test_draws_of_classes_have_tensorflows_names(draw):
    scope = draw.__name__
    assert draw([[0.5, 0.5]], 2).op.name == f"{scope}/Multinomial"
    assert draw([[0.5, 0.5]], 2, name="drawn").op.name == "drawn/Multinomial"

"""Where TensorFlow 1.15.5 refuses an argument, and where it does not: tables of calls with its results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf


def _run(make: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


_PICTURE, _FILTER = np.ones([1, 3, 3, 1], np.float32), np.ones([1, 1, 1, 1], np.float32)
_VOLUME, _FILTER_3D = np.ones([1, 3, 3, 3, 1], np.float32), np.ones([1, 1, 1, 1, 1], np.float32)
_ONES = [1, 1, 1, 1]
_WINDOWS = {
    "conv2d": lambda n: tf.nn.conv2d(_PICTURE, _FILTER, [1, n, n, 1], "SAME"),
    "conv2d, dilated": lambda n: tf.nn.conv2d(_PICTURE, _FILTER, _ONES, "SAME", dilations=[1, n, n, 1]),
    "conv3d": lambda n: tf.nn.conv3d(_VOLUME, _FILTER_3D, [1, n, n, n, 1], "SAME"),
    "depthwise": lambda n: tf.nn.depthwise_conv2d_native(_PICTURE, _FILTER, [1, n, n, 1], "SAME"),
    "max_pool": lambda n: tf.nn.max_pool(_PICTURE, _ONES, [1, n, n, 1], "SAME"),
    "max_pool, window": lambda n: tf.nn.max_pool(_PICTURE, [1, n, 1, 1], _ONES, "SAME"),
    "avg_pool": lambda n: tf.nn.avg_pool(_PICTURE, _ONES, [1, n, n, 1], "SAME"),
    "dilation2d": lambda n: tf.nn.dilation2d(_PICTURE, _FILTER[0], [1, n, n, 1], _ONES, "SAME"),
    "patches": lambda n: tf.extract_image_patches(_PICTURE, _ONES, [1, n, n, 1], _ONES, "SAME"),
}


@pytest.mark.parametrize("name", _WINDOWS)
@pytest.mark.parametrize("size", [1 << 31, 1 << 32, (1 << 32) + 1, 1 << 40])
def test_sizes_of_windows_are_of_32_bits(name: str, size: int) -> None:
    with pytest.raises(ValueError, match=f"has value {size} out of range for an int32"):
        _run(lambda: _WINDOWS[name](size))


@pytest.mark.parametrize("name", _WINDOWS)
def test_the_greatest_size_of_a_window_is_taken(name: str) -> None:
    assert np.isfinite(_run(lambda: _WINDOWS[name]((1 << 31) - 1))).all()


@pytest.mark.parametrize("perm", [[-1, 0], [0, -1], [1, -2], [-1, -2]])
@pytest.mark.parametrize("dtype", [np.int32, np.complex64])
def test_a_negative_place_of_a_permutation_is_refused_in_the_step(perm: list[int], dtype: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.transpose(np.ones([2, 3], dtype), perm, conjugate=dtype == np.complex64)
        assert y.shape.as_list() == [[2, 3][place] for place in perm]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"is out of range \[0 \.\. 2\)"):
            session.run(y)


_BOXES = np.float32([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]])
_SCORES = np.float32([0.9, 0.8, 0.7])


@pytest.mark.parametrize("limit", [-1, -5])
def test_a_negative_number_of_boxes_limits_nothing(limit: int) -> None:
    assert _run(lambda: tf.image.non_max_suppression(_BOXES, _SCORES, limit)).tolist() == [0, 2]
    selected, scores = _run(lambda: tf.image.non_max_suppression_with_scores(_BOXES, _SCORES, limit))
    assert (selected.tolist(), scores.tolist()) == ([0, 2], _SCORES[[0, 2]].tolist())
    overlaps = np.eye(3, dtype=np.float32)
    assert _run(lambda: tf.image.non_max_suppression_overlaps(overlaps, _SCORES, limit)).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=f"must be non-negative but is {limit}"):
        _run(lambda: tf.image.non_max_suppression_padded(_BOXES, _SCORES, limit, pad_to_max_output_size=True))


def test_a_variable_without_elements_is_initialized_from_the_beginning() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(tf.zeros([0, 3]))
        assert session.run(v + 1.0).shape == (0, 3)
        assert session.run(tf.is_variable_initialized(v))
        assert session.run(tf.report_uninitialized_variables()).tolist() == []
        assert session.run(tf.assign_add(v, tf.zeros([0, 3]))).shape == (0, 3)
        train = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.zeros([0, 3]), v)])
        session.run(train)


def test_a_variable_behind_a_handle_needs_a_value_even_without_elements() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [0, 3], use_resource=True)
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            session.run(v + 1.0)


_ROWS: dict[str, tuple[list[str], list[str], bool]] = {
    "Adadelta": (["var", "accum", "accum_update"], ["lr", "rho", "epsilon"], False),
    "Adagrad": (["var", "accum"], ["lr"], True),
    "AdagradV2": (["var", "accum"], ["lr", "epsilon"], True),
    "AdagradDA": (["var", "gradient_accumulator", "gradient_squared_accumulator"], ["lr", "l1", "l2"], True),
    "Ftrl": (["var", "accum", "linear"], ["lr", "l1", "l2"], True),
    "FtrlV2": (["var", "accum", "linear"], ["lr", "l1", "l2", "l2_shrinkage"], True),
    "Momentum": (["var", "accum"], ["lr", "momentum"], False),
    "ProximalAdagrad": (["var", "accum"], ["lr", "l1", "l2"], True),
    "ProximalGradientDescent": (["var"], ["alpha", "l1", "l2"], True),
    "RMSProp": (["var", "ms", "mom"], ["lr", "rho", "momentum", "epsilon"], False),
}


def _row_update(name: str, gradient: Any) -> tuple[Any, list[Any]]:
    """Returns the update of two rows of variables of ones, and the variables."""
    slots, scalars, _ = _ROWS[name]
    variables = [tf.Variable(np.ones(gradient.shape, np.float32), name=slot) for slot in slots]
    references = {slot: variable._ref() for slot, variable in zip(slots, variables, strict=True)}
    numbers = {scalar: np.float32(0.1) for scalar in scalars}
    more: dict[str, Any] = {"global_step": np.int64(3)} if name == "AdagradDA" else {}
    more |= {"lr_power": np.float32(-0.5)} if name.startswith("Ftrl") else {}
    update = getattr(tf.raw_ops, f"SparseApply{name}")
    return update(**references, **numbers, **more, grad=gradient, indices=[0, 1]), variables


@pytest.mark.parametrize("name", _ROWS)
def test_some_updates_refuse_rows_without_elements(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        update, _ = _row_update(name, np.ones([2, 0], np.float32))
        session.run(tf.global_variables_initializer())
        if _ROWS[name][2]:
            with pytest.raises(tf.errors.InvalidArgumentError, match="Inner dimension should be greater than zero"):
                session.run(update)
        else:
            assert session.run(update).shape == (2, 0)


@pytest.mark.parametrize("name", _ROWS)
def test_a_row_whose_gradient_is_nan_becomes_nan(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        update, (variable, *_) = _row_update(name, np.float32([[np.nan, np.nan], [0.5, 0.5]]))
        session.run(tf.global_variables_initializer())
        session.run(update)
        found = session.run(variable)
        assert np.isnan(found[0]).all()
        assert np.isfinite(found[1]).all()


def test_the_dense_update_of_follow_the_leader_drops_nan() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variables = {name: tf.Variable(np.float32([0.5])) for name in ("var", "accum", "linear")}
        numbers = {"lr": 0.1, "l1": 0.01, "l2": 0.02, "lr_power": -0.5}
        references = {name: variable._ref() for name, variable in variables.items()}
        update = tf.raw_ops.ApplyFtrl(**references, **numbers, grad=np.float32([np.nan]))
        session.run(tf.global_variables_initializer())
        assert session.run(update).tolist() == [0.0]


@pytest.mark.parametrize("name", ["Adagrad", "Momentum", "Ftrl"])
def test_an_update_of_rows_knows_the_columns_from_the_gradient(name: str) -> None:
    with tf.Graph().as_default():
        slots, scalars, _ = _ROWS[name]
        variables = {slot: tf.raw_ops.VariableV2(shape=None, dtype=tf.float32) for slot in slots}
        numbers = {scalar: 0.1 for scalar in scalars}
        more = {"lr_power": -0.5} if name == "Ftrl" else {}
        update = getattr(tf.raw_ops, f"SparseApply{name}")
        gradient = tf.placeholder(tf.float32, [2, 3])
        assert update(**variables, **numbers, **more, grad=gradient, indices=[0, 1]).shape.as_list() == [None, 3]
        with pytest.raises(ValueError, match="must be equal"):
            update(**variables, **numbers, **more, grad=gradient, indices=[0, 1, 2])


@pytest.mark.parametrize(
    ("row", "places"),
    [
        ([5, 0, 3, 3, 7], [0, 4]),
        ([3, 5, 2, 4, 7, 6, 8, 8], [4, 7, 6]),
        ([1, 6, 7, 7, 8, 1, 5, 8, 4, 3], [1, 3, 2, 7, 4]),
        ([2, 0, 0, 4, 5, 5], [4, 5, 3, 0, 1, 2]),
        ([1, np.nan, 3, 2, np.nan, 5, 0, 4], [3, 7, 2, 5, 1]),
    ],
)
def test_the_order_of_what_is_not_sorted(row: list[float], places: list[int]) -> None:
    found = _run(lambda: tf.nn.top_k(np.float32(row), len(places), sorted=False))
    assert found.indices.tolist() == places
    np.testing.assert_array_equal(found.values, np.float32(row)[places])


@pytest.mark.parametrize(
    ("formats", "places"),
    [
        (("NHWC", "NCHW"), [1, 1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 2, 3]),
        (("NDHWC", "NCDHW"), [4, 4, 0, 2, 3, 4, 0, 2, 3, 4, 0, 2, 3]),
    ],
)
def test_numbers_of_no_dimension_are_taken_modulo_four(formats: tuple[str, str], places: list[int]) -> None:
    source, target = formats
    x = np.arange(-6, 7, dtype=np.int32)
    found = _run(lambda: tf.raw_ops.DataFormatDimMap(x=x, src_format=source, dst_format=target))
    assert found.tolist() == places


_RAW_WITH_INTS = {
    "begin_mask": lambda n: tf.raw_ops.StridedSlice(input=[1, 2], begin=[0], end=[1], strides=[1], begin_mask=n),
    "shrink_axis_mask": lambda n: tf.raw_ops.StridedSlice(
        input=[1, 2], begin=[0], end=[1], strides=[1], shrink_axis_mask=n
    ),
    "channels": lambda n: tf.image.decode_bmp(b"BM", channels=n),
    "ngram_widths": lambda n: _n_grams([b"a"], [0, 1], ngram_widths=[2, n])[0],
}


def _n_grams(data: list[bytes], splits: list[int], **more: Any) -> Any:
    given = {"data": tf.constant(data, tf.string), "data_splits": tf.constant(splits, tf.int64), **more}
    options = {"separator": "|", "left_pad": "<", "right_pad": ">", "pad_width": 1, "preserve_short_sequences": False}
    return tf.raw_ops.StringNGrams(**{"ngram_widths": [2], **given, **options})


@pytest.mark.parametrize("name", _RAW_WITH_INTS)
@pytest.mark.parametrize("number", [1 << 31, 1 << 40])
def test_masks_and_channels_are_of_32_bits(name: str, number: int) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=f"{name} has value {number} out of range"):
        _run(lambda: _RAW_WITH_INTS[name](number))


@pytest.mark.parametrize("splits", [[0, 5, 3, 5], [1], [0, -1], [0, 0, 1]])
def test_rows_of_no_words_are_checked_too(splits: list[int]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid split value .*, must be in \[0,0\]"):
        _run(lambda: _n_grams([], splits)[0])
    assert _run(lambda: _n_grams([], [0, 0])[1]).tolist() == [0, 0]


@pytest.mark.parametrize("name", ["scale", "translation"])
@pytest.mark.parametrize("numbers", [[1.0], [1.0, 1.0, 1.0], 1.0])
def test_lengths_of_scales_are_checked_in_the_step(name: str, numbers: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        options = {"scale": [1.0, 1.0], "translation": [0.0, 0.0], name: numbers}
        resized = tf.raw_ops.ScaleAndTranslate(images=_PICTURE, size=[2, 1], **options)
        assert resized.shape.as_list() == [1, 2, 1, 1]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(resized)


def test_names_of_shards_end_at_a_zero_byte() -> None:
    assert _run(lambda: tf.raw_ops.ShardedFilespec(basename="ab\0c", num_shards=12)) == b"ab-?????-of-00012"
    assert _run(lambda: tf.raw_ops.ShardedFilename(basename="\0", shard=1, num_shards=2)) == b"-00001-of-00002"


def test_ranges_of_joined_levels_are_scalars() -> None:
    with tf.Graph().as_default():
        levels = tf.bitcast(tf.zeros([2, 1], tf.uint8), tf.quint8)
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            tf.raw_ops.QuantizedConcat(
                concat_dim=0, values=[levels] * 2, input_mins=[0.0, 0.0], input_maxes=[1.0, tf.zeros([1])]
            )


@pytest.mark.parametrize("shape", [None, [4, 2], [None, None]])
def test_outer_dimensions_of_slices_are_those_of_their_indices(shape: list[int | None] | None) -> None:
    with tf.Graph().as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=shape, container="", shared_name="v")
        with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 1"):
            tf.raw_ops.ResourceScatterNdUpdate(ref=handle, indices=[[0], [2]], updates=tf.zeros([1, 2]))


@pytest.mark.parametrize(("equation", "shape"), [("ii->i", [None]), ("ij,jk->ik", [None, 3]), ("...i->i", None)])
def test_an_equation_decides_the_rank_of_a_result(equation: str, shape: list[int | None] | None) -> None:
    with tf.Graph().as_default():
        inputs = [tf.placeholder(tf.float32), tf.zeros([2, 3])][: equation.count(",") + 1]
        result = tf.raw_ops.Einsum(inputs=inputs, equation=equation)
        assert (None if result.shape.ndims is None else result.shape.as_list()) == shape


@pytest.mark.parametrize("is_centered", [False, True])
def test_an_infinite_mean_of_a_row_stays_infinite(is_centered: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        names = ["var", "mg", "ms", "mom"] if is_centered else ["var", "ms", "mom"]
        values = {name: np.float32([[1, 2]]) for name in names}
        values["mg" if is_centered else "ms"][0, 0] = np.inf
        state = {name: tf.Variable(value, name=name, use_resource=True) for name, value in values.items()}
        session.run(tf.global_variables_initializer())
        op = tf.raw_ops.ResourceSparseApplyCenteredRMSProp if is_centered else tf.raw_ops.ResourceSparseApplyRMSProp
        scalars = {"lr": 0.1, "rho": 0.5, "momentum": 0.5, "epsilon": 9.0}
        handles = {name: variable.handle for name, variable in state.items()}
        session.run(op(**handles, **scalars, grad=np.float32([[1, 1]]), indices=[0]))
        means = session.run(state["mg" if is_centered else "ms"])
        np.testing.assert_array_equal(means, [[np.inf, 1.5]])


_GATHERED: list[tuple[list[int | None] | None, list[int | None] | None, int, Any]] = [
    ([3, 2], [2], 2, "Shape must be at least rank 3 but is rank 2"),
    ([3, 2], [], 1, "Shape must be at least rank 1 but is rank 0"),
    ([3, 2], [2], -1, r"batch_dims is negative \(-1\)"),
    ([3, 2], [3], 0, [3, 2]),
    ([3, 2], [3], 1, [3]),
    ([3, 2], [3, 4], 1, [3, 4]),
    ([3, 2], [None, 4], 1, [3, 4]),
    ([3, 2], [4, None], 1, [3, None]),
    ([None, 2], [3, 4], 1, [None, 4]),
    ([3, 2, 5], [3, 4, 2], 2, [3, 2, 2]),
    ([3, 2, 5], [3, 2, 4, 6], 2, [3, 2, 4, 6]),
    ([3, 2], None, 1, None),
    (None, [3, 4], 1, None),
]


@pytest.mark.parametrize(("variable", "indices", "batch_dims", "expected"), _GATHERED)
def test_batches_of_a_variable_give_the_shape_of_what_is_gathered(
    variable: list[int | None] | None, indices: list[int | None] | None, batch_dims: int, expected: Any
) -> None:
    with tf.Graph().as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=tf.TensorShape(variable))

        def gathered() -> Any:
            places = tf.placeholder(tf.int32, indices)
            return tf.raw_ops.ResourceGather(
                resource=handle, indices=places, batch_dims=batch_dims, dtype=tf.float32
            ).shape

        if isinstance(expected, str):
            with pytest.raises(ValueError, match=expected):
                gathered()
        else:
            shape = gathered()
            assert (None if shape.ndims is None else shape.as_list()) == expected


@pytest.mark.parametrize(
    ("op", "after"),
    [("Add", [True, True, True, False]), ("Sub", [False, True, True, False]), ("Update", [True, False, True, False])],
)
def test_booleans_are_scattered_as_numbers(op: str, after: list[bool]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("v", initializer=[True, True, False, False], use_resource=True)
        session.run(variable.initializer)
        scatter = getattr(tf.raw_ops, f"ResourceScatterNd{op}")
        updates = [True, False, True, False]
        session.run(scatter(ref=variable.handle, indices=[[0], [1], [2], [3]], updates=updates))
        assert session.run(variable).tolist() == after


def test_strings_that_are_added_to_a_variable_have_no_kernel() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("v", initializer=["a", "b"], use_resource=True)
        session.run(variable.initializer)
        add = tf.raw_ops.ResourceScatterNdAdd(ref=variable.handle, indices=[[0]], updates=["c"])
        with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
            session.run(add)


@pytest.mark.parametrize("op", ["Add", "Sub", "Update"])
@pytest.mark.parametrize("is_resource", [False, True])
def test_updates_of_an_empty_variable_are_refused_even_without_known_indices(op: str, is_resource: bool) -> None:
    with tf.Graph().as_default():
        variable = tf.get_variable("v", [3, 0], use_resource=is_resource)
        scatter = getattr(tf.raw_ops, f"ResourceScatterNd{op}" if is_resource else f"ScatterNd{op}")
        ref = variable.handle if is_resource else variable._ref()
        with pytest.raises(ValueError, match="Indices and updates specified for empty output shape"):
            scatter(ref=ref, indices=tf.placeholder(tf.int32, None), updates=np.ones([2, 2], np.float32))


def test_rows_of_all_bucketized_features_are_as_many() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions must be equal, but are 6 and 4"):
        tf.raw_ops.BoostedTreesBucketize(
            float_values=[np.ones(4, np.float32), np.ones(6, np.float32)], bucket_boundaries=[[1.0], [2.0]]
        )


@pytest.mark.parametrize(
    ("odd", "is_nan"),
    [
        ("v", {"var": False, "m": False, "v": True, "vhat": False}),
        ("vhat", {"var": True, "m": False, "v": False, "vhat": True}),
        ("grad", {"var": True, "m": True, "v": True, "vhat": False}),
    ],
)
def test_the_greatest_moment_keeps_its_value_where_the_moment_is_nan(odd: str, is_nan: dict[str, bool]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:

        def numbers(name: str) -> Any:
            return np.float32([np.nan if name == odd else 0.5, 0.5])

        variables = {name: tf.get_variable(name, initializer=numbers(name), use_resource=True) for name in is_nan}
        session.run(tf.global_variables_initializer())
        scalars = {"beta1_power": 0.5, "beta2_power": 0.4, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.1}
        handles = {name: variable.handle for name, variable in variables.items()}
        session.run(tf.raw_ops.ResourceApplyAdamWithAmsgrad(**handles, **scalars, grad=numbers("grad")))
        found = {name: np.isnan(session.run(variable)).tolist() for name, variable in variables.items()}
        assert found == {name: [nan, False] for name, nan in is_nan.items()}


@pytest.mark.parametrize("size", [0.5, "x", [3], None, np.int64([3])])
def test_sizes_of_sparse_identities_are_integers_or_tensors(size: Any) -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="num_rows must be an integer value"):
            tf.sparse.eye(size)
        if size is not None:
            with pytest.raises(TypeError, match="num_columns must be an integer value"):
                tf.sparse.eye(3, num_columns=size)
    for right in (3, np.int32(3), tf.constant):
        shape = _run(lambda right=right: tf.sparse.eye(right(3) if callable(right) else right).dense_shape)
        assert shape.tolist() == [3, 3]


def test_wrong_shapes_of_contrib_have_clear_errors() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="expected shape must be a list of int or a Tensor of int32, got 'x'"):
            tf.contrib.framework.with_shape("x", tf.ones([2, 3]))
        with pytest.raises(ValueError, match="slice index 1 of dimension 0 out of bounds"):
            tf.contrib.layers.spatial_softmax(tf.placeholder(tf.float32, [None]))


def _fed(value: Any, dtype: Any) -> tf.Tensor:
    return tf.placeholder_with_default(np.array(value, dtype), None)


@pytest.mark.parametrize("odd", ["basename", "shard", "num_shards"])
@pytest.mark.parametrize("shape", [[1], [1, 1], [0], [2]])
def test_parts_of_a_shards_name_are_scalars(odd: str, shape: list[int]) -> None:
    parts = {"basename": ("a", object), "shard": (2, np.int32), "num_shards": (3, np.int32)}
    with tf.Graph().as_default(), tf.Session() as session:
        named = {
            name: _fed(np.full(shape if name == odd else [], value, dtype), dtype)
            for name, (value, dtype) in parts.items()
        }
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{odd} must be a scalar, got shape \[{shape[0]}"):
            session.run(tf.raw_ops.ShardedFilename(**named))
        del named["shard"]
        if odd != "shard":
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"{odd} must be a scalar"):
                session.run(tf.raw_ops.ShardedFilespec(**named))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize(("low", "high"), [(3, 3), (5, 3), (3, 5)])
def test_bounds_of_no_number_count_if_they_are_signed(dtype: str, low: int, high: int) -> None:
    def make() -> tf.Tensor:
        state = tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[3], container="", shared_name="")
        first = tf.raw_ops.AssignVariableOp(resource=state, value=np.int64([1, 2, 3]))
        with tf.control_dependencies([first]):
            bounds = {"minval": tf.constant(low, dtype), "maxval": tf.constant(high, dtype)}
            return tf.raw_ops.StatefulUniformInt(resource=state, algorithm=1, shape=[0], **bounds)

    if dtype.startswith("int") and low >= high:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Need minval < maxval, got {low} >= {high}"):
            _run(make)
    else:
        assert _run(make).shape == (0,)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("count", [0, 1, 3, 300])
def test_unsigned_draws_are_the_signed_ones_and_move_the_state_as_they_do(bits: int, count: int) -> None:
    # TensorFlow 1.15.5 has no CPU kernel for unsigned bounds. Its XLA_CPU device draws the same numbers, but only if no
    # earlier step placed the state's variable on the CPU, and moves the state by the blocks it used.
    def draw(dtype: str) -> tuple[np.ndarray, np.ndarray]:
        with tf.Graph().as_default(), tf.Session() as session:
            state = tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[3], container="", shared_name="")
            session.run(tf.raw_ops.AssignVariableOp(resource=state, value=np.int64([5, 7, 9])))
            bounds = {"minval": tf.constant(3, dtype), "maxval": tf.constant(1000, dtype)}
            drawn = session.run(tf.raw_ops.StatefulUniformInt(resource=state, algorithm=1, shape=[count], **bounds))
            return drawn, session.run(tf.raw_ops.ReadVariableOp(resource=state, dtype=tf.int64))

    (signed, moved), (unsigned, also_moved) = draw(f"int{bits}"), draw(f"uint{bits}")
    np.testing.assert_array_equal(unsigned, signed)
    np.testing.assert_array_equal(moved, [5 + 256 * count, 7, 9])
    np.testing.assert_array_equal(also_moved, moved)


@pytest.mark.parametrize("op", ["DynamicStitch", "ParallelDynamicStitch"])
@pytest.mark.parametrize("indices", [[[-1]], [[-5, -1]], [[], [-1]], [[-2], [-3]]])
def test_stitches_at_no_place_are_empty(op: str, indices: list[list[int]]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        places = [_fed(part, np.int32) for part in indices]
        data = [_fed(np.ones([len(part), 2]), np.float32) for part in indices]
        assert session.run(getattr(tf.raw_ops, op)(indices=places, data=data)).shape == (0, 2)
        places, data = [*places, _fed([0], np.int32)], [*data, _fed(np.ones([1, 2]), np.float32)]
        stitched = getattr(tf.raw_ops, op)(indices=places, data=data)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] is out of range"):
            session.run(stitched)


@pytest.mark.parametrize("first", [-1, 0, 1, 2, 5])
def test_the_first_text_begins_with_the_first_code_point(first: int) -> None:
    texts = {"input_values": [97, 98, 99], "input_splits": np.int64([first, 2, 2, 3])}
    made = _run(lambda: tf.raw_ops.UnicodeEncode(**texts, output_encoding="UTF-8"))
    assert made.tolist() == [b"ab", b"", b"c"]


_SIZED = {
    "resize_bilinear": lambda size: tf.image.resize_bilinear(_PICTURE, size),
    "resize_area": lambda size: tf.image.resize_area(_PICTURE, size),
    "extract_glimpse": lambda size: tf.image.extract_glimpse(_PICTURE, size, [[0.0, 0.0]]),
    "crop_and_resize": lambda size: tf.image.crop_and_resize(_PICTURE, [[0.0, 0.0, 1.0, 1.0]], [0], size),
}


@pytest.mark.parametrize("name", _SIZED)
def test_sizes_of_pictures_below_an_unknown_one_are_refused_when_the_graph_is_built(name: str) -> None:
    with tf.Graph().as_default():
        assert _SIZED[name]([-1, 2]).shape.as_list() == [1, None, 2, 1]
        with pytest.raises(ValueError, match="Dimension -2 must be >= 0"):
            _SIZED[name]([2, -2])


def test_numbers_of_joined_segments_below_nothing_are_refused_when_the_graph_is_built() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="scalar input 2, must be non-negative but is -1"):
        tf.strings.unsorted_segment_join(tf.placeholder(tf.string), tf.placeholder(tf.int32, [3]), -1)


def test_code_points_of_any_shape_are_encoded_one_after_the_other() -> None:
    points = tf.placeholder_with_default(np.reshape([97, 98, 99, 100], [2, 2]).astype(np.int32), None)
    encoded = tf.raw_ops.UnicodeEncode(
        input_values=points, input_splits=tf.constant([0, 3, 4], tf.int64), output_encoding="UTF-8"
    )
    with tf.Session() as session:
        assert session.run(encoded).tolist() == [b"abc", b"d"]

"""Right calls of Keras, layers, losses, `tf.contrib` and estimators: `misuse.py` makes one of their arguments wrong."""

from __future__ import annotations

from typing import Any

from differential.misuse_calls import Call, Input, Made
from differential.writing import tf

_ROWS = Input("float32", (2, 3), -1, 1)
_STEPS = Input("float32", (2, 4, 3), -1, 1)
_PICTURES = Input("float32", (2, 4, 5, 3), -1, 1)
_VIDEOS = Input("float32", (2, 3, 4, 5, 2), -1, 1)
_IDS = Input("int32", (2, 4), 0, 5)
_CLASSES = Input("int32", (2,), 0, 3)
_ONE_HOT = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
_PROBABILITIES = Input("float32", (2, 3), 0, 1)


def _on(inputs: Any, layer: str, *arguments: Any, **keywords: Any) -> Call:
    """Returns the call of a layer that is made with arguments."""
    return (".__call__", [Made(layer, arguments, keywords), inputs], {})


def _keras(inputs: Any, layer: str, *arguments: Any, **keywords: Any) -> Call:
    return _on(inputs, f"keras.layers.{layer}", *arguments, **keywords)


_WEIGHTS: dict[str, Any] = {
    "activation": "relu",
    "use_bias": True,
    "kernel_initializer": "glorot_uniform",
    "bias_initializer": "zeros",
    "kernel_regularizer": "l2",
    "kernel_constraint": "max_norm",
}
_WINDOW: dict[str, Any] = {"strides": 1, "padding": "same", "data_format": "channels_last", "dilation_rate": 1}
_RECURRENT: dict[str, Any] = {
    "activation": "tanh",
    "recurrent_activation": "sigmoid",
    "dropout": 0.0,
    "recurrent_dropout": 0.0,
    "return_sequences": True,
    "return_state": True,
    "go_backwards": True,
    "unroll": True,
}

KERAS_LAYERS: tuple[Call, ...] = (
    _keras(_ROWS, "Dense", 3, **_WEIGHTS),
    _keras(_ROWS, "Activation", "relu"),
    _keras(_ROWS, "ActivityRegularization", l1=0.1, l2=0.2),
    _keras(_ROWS, "Dropout", 0.5, noise_shape=[2, 1], seed=3),
    _keras(_STEPS, "SpatialDropout1D", 0.5),
    _keras(_ROWS, "GaussianNoise", 0.5),
    _keras(_ROWS, "AlphaDropout", 0.5, noise_shape=[2, 1], seed=3),
    _keras(_PICTURES, "Flatten", data_format="channels_first"),
    _keras(_STEPS, "Reshape", [6, -1]),
    _keras(_STEPS, "Permute", [2, 1]),
    _keras(_ROWS, "RepeatVector", 3),
    _keras(_IDS, "Embedding", 6, 2, mask_zero=True, input_length=4, embeddings_initializer="uniform"),
    _keras(_ROWS, "BatchNormalization", axis=-1, momentum=0.9, epsilon=0.1, center=True, scale=True, fused=False),
    _keras(_ROWS, "LayerNormalization", axis=-1, epsilon=0.1, center=True, scale=True),
    _keras(_ROWS, "LeakyReLU", alpha=0.1),
    _keras(_PICTURES, "PReLU", shared_axes=[1, 2], alpha_initializer="zeros"),
    _keras(_ROWS, "ELU", alpha=0.5),
    _keras(_ROWS, "ReLU", max_value=1.0, negative_slope=0.1, threshold=0.1),
    _keras(_ROWS, "Softmax", axis=-1),
    _keras(_ROWS, "ThresholdedReLU", theta=0.5),
    _keras(_STEPS, "Masking", mask_value=0.0),
    _keras(_STEPS, "Conv1D", 2, 2, **_WINDOW, **_WEIGHTS),
    _keras(_PICTURES, "Conv2D", 2, [2, 2], **_WINDOW, **_WEIGHTS),
    _keras(_VIDEOS, "Conv3D", 2, 2, **_WINDOW, **_WEIGHTS),
    _keras(_PICTURES, "Conv2DTranspose", 2, 2, output_padding=1, strides=2, padding="valid"),
    _keras(_PICTURES, "SeparableConv2D", 2, 2, depth_multiplier=2, padding="same"),
    _keras(_STEPS, "SeparableConv1D", 2, 2, depth_multiplier=2, padding="same"),
    _keras(_PICTURES, "DepthwiseConv2D", 2, depth_multiplier=2, padding="same", strides=1),
    _keras(_STEPS, "LocallyConnected1D", 2, 2, strides=1, padding="valid"),
    _keras(_PICTURES, "LocallyConnected2D", 2, 2, strides=1, padding="valid", implementation=1),
    _keras(_STEPS, "MaxPooling1D", pool_size=2, strides=2, padding="same"),
    _keras(_PICTURES, "MaxPooling2D", pool_size=2, strides=2, padding="same", data_format="channels_last"),
    _keras(_PICTURES, "AveragePooling2D", pool_size=[2, 2], strides=2, padding="same"),
    _keras(_VIDEOS, "AveragePooling3D", pool_size=2, strides=2, padding="valid"),
    _keras(_PICTURES, "GlobalAveragePooling2D", data_format="channels_last"),
    _keras(_STEPS, "GlobalMaxPooling1D", data_format="channels_last"),
    _keras(_STEPS, "ZeroPadding1D", padding=[1, 2]),
    _keras(_PICTURES, "ZeroPadding2D", padding=[[1, 2], [0, 1]], data_format="channels_last"),
    _keras(_STEPS, "Cropping1D", cropping=[1, 1]),
    _keras(_PICTURES, "Cropping2D", cropping=[[1, 1], [0, 1]], data_format="channels_last"),
    _keras(_VIDEOS, "Cropping3D", cropping=1),
    _keras(_STEPS, "UpSampling1D", size=2),
    _keras(_PICTURES, "UpSampling2D", size=2, interpolation="bilinear", data_format="channels_last"),
    _keras(_VIDEOS, "UpSampling3D", size=[1, 2, 1]),
    *(_keras([_ROWS, _ROWS], name) for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")),
    _keras([_ROWS, _ROWS], "Concatenate", axis=-1),
    _keras([_ROWS, _ROWS], "Dot", 1, normalize=True),
    _keras([_STEPS, _STEPS], "Dot", [2, 2]),
    _keras([_STEPS, _STEPS], "Attention", use_scale=True, causal=True),
    _keras([_STEPS, _STEPS], "AdditiveAttention", use_scale=False),
    _keras(_STEPS, "LSTM", 2, unit_forget_bias=True, implementation=1, **_RECURRENT),
    _keras(_STEPS, "GRU", 2, reset_after=True, implementation=2, **_RECURRENT),
    _keras(_STEPS, "SimpleRNN", 2, activation="tanh", return_sequences=True, unroll=True),
    _keras(_STEPS, "RNN", Made("keras.layers.GRUCell", (2,)), return_state=True),
    _keras(_STEPS, "RNN", [Made("keras.layers.GRUCell", (2,)), Made("keras.layers.LSTMCell", (3,))]),
    _keras(_STEPS, "Bidirectional", Made("keras.layers.GRU", (2,)), merge_mode="concat"),
    _keras(_STEPS, "TimeDistributed", Made("keras.layers.Dense", (2,))),
    _keras(Input("float32", (1, 2, 4, 5, 1)), "ConvLSTM2D", 2, 2, padding="same", return_sequences=True),
)

KERAS: tuple[Call, ...] = (
    ("keras.Input", [[3]], {"batch_size": 2, "dtype": "float32", "sparse": False}),
    ("keras.Sequential", [[Made("keras.layers.Dense", (3,)), Made("keras.layers.Dropout", (0.5,))]], {"name": "s"}),
    ("keras.layers.deserialize", [{"dict": [["class_name", "Dense"], ["config", {"dict": [["units", 3]]}]]}], {}),
    *(
        (
            f"keras.{kind}.deserialize",
            [{"dict": [["class_name", name], ["config", {"dict": []}]]}],
            {"custom_objects": {"dict": []}},
        )
        for kind, name in (
            *(("initializers", "Zeros"), ("regularizers", "L1L2"), ("constraints", "NonNeg")),
            *(("losses", "MeanSquaredError"), ("metrics", "MeanSquaredError"), ("optimizers", "SGD")),
        )
    ),
    *(
        (f"keras.{kind}.get", [name], {})
        for kind, name in (
            *(("activations", "relu"), ("initializers", "zeros"), ("regularizers", "l2"), ("constraints", "max_norm")),
            *(("losses", "mse"), ("metrics", "mse"), ("optimizers", "sgd")),
        )
    ),
    (
        "keras.Sequential.from_config",
        [
            {
                "dict": [
                    ["name", "s"],
                    [
                        "layers",
                        [
                            {
                                "dict": [
                                    ["class_name", "Dense"],
                                    ["config", {"dict": [["units", 3], ["name", "d"]]}],
                                ]
                            }
                        ],
                    ],
                ]
            }
        ],
        {},
    ),
    ("keras.models.model_from_json", ['{"class_name": "Sequential", "config": {"name": "s", "layers": []}}'], {}),
    ("keras.models.load_model", ["/nowhere/at/all.h5"], {"compile": True, "custom_objects": {"dict": []}}),
    ("keras.utils.to_categorical", [[0, 2, 1]], {"num_classes": 3, "dtype": "float32"}),
    ("keras.utils.normalize", [[[1.0, 2.0]]], {"axis": -1, "order": 2}),
    ("keras.preprocessing.sequence.pad_sequences", [[[1], [2, 3]]], {"maxlen": 2, "padding": "pre", "value": 0}),
    ("keras.preprocessing.text.text_to_word_sequence", ["a b"], {"lower": True, "split": " "}),
    ("keras.preprocessing.text.one_hot", ["a b", 5], {"lower": True, "split": " "}),
    *(
        (f"keras.losses.{name}", [_PROBABILITIES, _PROBABILITIES], {})
        for name in (
            *("mean_squared_error", "mean_absolute_error", "hinge", "squared_hinge", "categorical_hinge", "logcosh"),
            *("kullback_leibler_divergence", "poisson", "cosine_similarity", "mean_squared_logarithmic_error"),
        )
    ),
    ("keras.losses.categorical_crossentropy", [_ONE_HOT, _ROWS], {"from_logits": True, "label_smoothing": 0.1}),
    ("keras.losses.binary_crossentropy", [_ONE_HOT, _ROWS], {"from_logits": True, "label_smoothing": 0.1}),
    ("keras.losses.sparse_categorical_crossentropy", [_CLASSES, _ROWS], {"from_logits": True, "axis": -1}),
    _on(_ROWS, "keras.losses.Huber", delta=1.0, reduction="sum"),
    ("keras.metrics.categorical_accuracy", [_ONE_HOT, _PROBABILITIES], {}),
    ("keras.metrics.sparse_categorical_accuracy", [_CLASSES, _PROBABILITIES], {}),
    ("keras.metrics.binary_accuracy", [_ONE_HOT, _PROBABILITIES], {"threshold": 0.5}),
    ("keras.metrics.top_k_categorical_accuracy", [_ONE_HOT, _PROBABILITIES], {"k": 2}),
    (".update_state", [Made("keras.metrics.Mean", ()), _ROWS], {"sample_weight": [1.0, 2.0]}),
    (".update_state", [Made("keras.metrics.Precision", (), {"thresholds": 0.5, "top_k": 2}), _ONE_HOT, _ROWS], {}),
    (".update_state", [Made("keras.metrics.AUC", (), {"num_thresholds": 5, "curve": "ROC"}), _ONE_HOT, _ROWS], {}),
    (".update_state", [Made("keras.metrics.MeanIoU", (3,)), _CLASSES, _CLASSES], {}),
    ("keras.optimizers.SGD", [0.1], {"momentum": 0.5, "nesterov": True, "decay": 0.1, "clipnorm": 1.0}),
    ("keras.optimizers.Adam", [0.1], {"beta_1": 0.5, "epsilon": 0.1, "amsgrad": True, "clipvalue": 1.0}),
    *(
        (f"keras.activations.{name}", [_ROWS], {})
        for name in ("relu", "elu", "selu", "softmax", "softplus", "tanh", "hard_sigmoid", "linear", "exponential")
    ),
    ("keras.regularizers.l1_l2", [0.1, 0.2], {}),
    ("keras.constraints.MinMaxNorm", [0.1, 0.9], {"rate": 0.5, "axis": 0}),
    *((f"keras.initializers.{name}", [], {"seed": 3}) for name in ("he_normal", "lecun_uniform", "glorot_normal")),
    (".__call__", [Made("keras.initializers.Orthogonal", (), {"gain": 1.0, "seed": 3}), [2, 3]], {}),
    (".__call__", [Made("keras.initializers.VarianceScaling", (1.0, "fan_in", "normal"), {}), [2, 3]], {}),
    (".__call__", [Made("keras.initializers.TruncatedNormal", (0.0, 1.0), {"seed": 2}), [2, 3]], {}),
    (".__call__", [Made("keras.initializers.Identity", (), {"gain": 1.0}), [2, 2]], {}),
)

KERAS_BACKEND: tuple[Call, ...] = tuple(
    (f"keras.backend.{name}", arguments, keywords)
    for name, arguments, keywords in (
        *(
            (name, [_ROWS], {"axis": 1, "keepdims": True})
            for name in ("sum", "mean", "max", "min", "prod", "std", "var")
        ),
        *(
            (name, [_ROWS], {"axis": 1})
            for name in ("argmax", "argmin", "cumsum", "cumprod", "l2_normalize", "softmax")
        ),
        *(
            (name, [_ROWS], {})
            for name in ("abs", "sqrt", "exp", "sign", "sin", "flatten", "batch_flatten", "transpose")
        ),
        ("all", [Input("bool", (2, 3))], {"axis": 1, "keepdims": True}),
        ("dot", [_ROWS, Input("float32", (3, 2))], {}),
        ("batch_dot", [_STEPS, _STEPS], {"axes": [2, 2]}),
        ("bias_add", [_PICTURES, [1.0, 2.0, 3.0]], {"data_format": "channels_last"}),
        ("cast", [_ROWS, "int32"], {}),
        ("clip", [_ROWS, 0.0, 0.5], {}),
        ("concatenate", [[_ROWS, _ROWS]], {"axis": 1}),
        ("stack", [[_ROWS, _ROWS]], {"axis": 1}),
        ("constant", [3.0], {"dtype": "float32", "shape": [2]}),
        ("conv1d", [_STEPS, Input("float32", (2, 3, 2))], {"strides": 1, "padding": "same", "dilation_rate": 1}),
        ("conv2d", [_PICTURES, Input("float32", (2, 2, 3, 2))], {"strides": [1, 1], "padding": "same"}),
        ("pool2d", [_PICTURES, [2, 2]], {"strides": [1, 1], "padding": "same", "pool_mode": "max"}),
        ("categorical_crossentropy", [_ONE_HOT, _ROWS], {"from_logits": True, "axis": -1}),
        ("sparse_categorical_crossentropy", [_CLASSES, _ROWS], {"from_logits": True, "axis": -1}),
        ("binary_crossentropy", [_ONE_HOT, _ROWS], {"from_logits": True}),
        ("dropout", [_ROWS, 0.5], {"seed": 3, "noise_shape": [2, 1]}),
        ("elu", [_ROWS], {"alpha": 0.5}),
        ("relu", [_ROWS], {"alpha": 0.1, "max_value": 1.0, "threshold": 0.1}),
        ("expand_dims", [_ROWS], {"axis": 1}),
        ("squeeze", [Input("float32", (2, 1, 3)), 1], {}),
        ("eye", [3], {"dtype": "float32"}),
        ("gather", [_ROWS, [1, 0]], {}),
        ("one_hot", [_CLASSES, 3], {}),
        ("in_top_k", [_ROWS, _CLASSES, 2], {}),
        ("permute_dimensions", [_STEPS, [0, 2, 1]], {}),
        ("placeholder", [[2, 3]], {"dtype": "float32", "sparse": False}),
        ("pow", [_ROWS, 2], {}),
        ("random_normal", [[2, 3]], {"mean": 0.0, "stddev": 1.0, "seed": 3}),
        ("random_uniform", [[2, 3]], {"minval": 0.0, "maxval": 1.0, "seed": 3}),
        ("repeat", [_ROWS, 2], {}),
        ("repeat_elements", [_ROWS, 2, 1], {}),
        ("reshape", [_ROWS, [3, 2]], {}),
        ("resize_images", [_PICTURES, 2, 2, "channels_last"], {"interpolation": "nearest"}),
        ("reverse", [_ROWS, 1], {}),
        ("spatial_2d_padding", [_PICTURES], {"padding": [[1, 1], [0, 1]], "data_format": "channels_last"}),
        ("switch", [True, _ROWS, _ROWS], {}),
        ("temporal_padding", [_STEPS], {"padding": [1, 1]}),
        ("tile", [_ROWS, [1, 2]], {}),
        ("variable", [[1.0, 2.0]], {"dtype": "float32"}),
        ("zeros", [[2, 3]], {"dtype": "float32"}),
        ("arange", [5], {"stop": 9, "step": 2, "dtype": "int32"}),
        ("int_shape", [_ROWS], {}),
        ("is_sparse", [_ROWS], {}),
        ("set_floatx", ["float32"], {}),
        ("set_image_data_format", ["channels_last"], {}),
        ("set_learning_phase", [1], {}),
        ("ctc_decode", [Input("float32", (2, 4, 3), 0, 1), [4, 3]], {"greedy": True, "beam_width": 3}),
        ("ctc_batch_cost", [[[1], [0]], Input("float32", (2, 4, 3), 0, 1), [[4], [4]], [[1], [1]]], {}),
    )
)

_FUNCTIONS_OF_WEIGHTS: dict[str, Any] = {"activation": tf("nn.relu"), "use_bias": True, "trainable": True, "name": "l"}
LAYERS: tuple[Call, ...] = (
    ("layers.dense", [_ROWS, 3], {**_FUNCTIONS_OF_WEIGHTS, "reuse": False}),
    ("layers.conv1d", [_STEPS, 2, 2], {"strides": 1, "padding": "same", "dilation_rate": 1, **_FUNCTIONS_OF_WEIGHTS}),
    ("layers.conv2d", [_PICTURES, 2, [2, 2]], {**_WINDOW, **_FUNCTIONS_OF_WEIGHTS}),
    ("layers.conv3d", [_VIDEOS, 2, 2], {"strides": 1, "padding": "valid", **_FUNCTIONS_OF_WEIGHTS}),
    ("layers.conv2d_transpose", [_PICTURES, 2, 2], {"strides": 2, "padding": "same", "data_format": "channels_last"}),
    ("layers.separable_conv2d", [_PICTURES, 2, 2], {"depth_multiplier": 2, "padding": "same"}),
    ("layers.max_pooling1d", [_STEPS, 2, 2], {"padding": "same", "data_format": "channels_last"}),
    ("layers.max_pooling2d", [_PICTURES, 2, 2], {"padding": "same", "data_format": "channels_last"}),
    ("layers.average_pooling2d", [_PICTURES, [2, 2], 1], {"padding": "valid"}),
    ("layers.average_pooling3d", [_VIDEOS, 2, 1], {"padding": "valid"}),
    ("layers.flatten", [_PICTURES], {"data_format": "channels_last"}),
    ("layers.dropout", [_ROWS], {"rate": 0.5, "noise_shape": [2, 1], "seed": 3, "training": True}),
    (
        "layers.batch_normalization",
        [_ROWS],
        {"axis": -1, "momentum": 0.9, "epsilon": 0.1, "training": True, "fused": False, "renorm": False},
    ),
    ("layers.batch_normalization", [_PICTURES], {"axis": 3, "fused": True, "virtual_batch_size": 1, "training": True}),
    _on(_ROWS, "layers.Dense", 3, activation=tf("nn.relu"), kernel_initializer=Made("zeros_initializer", ())),
    _on(_PICTURES, "layers.Conv2D", 2, 2, strides=1, padding="same"),
)

LOSSES: tuple[Call, ...] = (
    *(
        (f"losses.{name}", [_PROBABILITIES, _PROBABILITIES], {"weights": 2.0, "scope": "l", "reduction": "none"})
        for name in ("absolute_difference", "hinge_loss", "huber_loss", "log_loss", "mean_squared_error")
    ),
    ("losses.cosine_distance", [_ROWS, _ROWS], {"axis": 1, "weights": 2.0, "reduction": "none"}),
    ("losses.mean_pairwise_squared_error", [_ROWS, _ROWS], {"weights": 2.0}),
    ("losses.sigmoid_cross_entropy", [_ONE_HOT, _ROWS], {"weights": 2.0, "label_smoothing": 0.1}),
    ("losses.softmax_cross_entropy", [_ONE_HOT, _ROWS], {"weights": 2.0, "label_smoothing": 0.1}),
    ("losses.sparse_softmax_cross_entropy", [_CLASSES, _ROWS], {"weights": 2.0}),
    ("losses.compute_weighted_loss", [_ROWS], {"weights": 2.0, "reduction": "none"}),
    ("losses.get_regularization_loss", [], {"scope": "s", "name": "n"}),
    ("losses.add_loss", [1.0], {"loss_collection": "c"}),
    ("metrics.accuracy", [_CLASSES, _CLASSES], {"weights": [1.0, 2.0], "name": "m"}),
    ("metrics.auc", [_ONE_HOT, _PROBABILITIES], {"num_thresholds": 5, "curve": "ROC", "summation_method": "minoring"}),
    ("metrics.mean", [_ROWS], {"weights": 2.0, "metrics_collections": ["c"]}),
    ("metrics.mean_iou", [_CLASSES, _CLASSES, 3], {"weights": [1.0, 2.0]}),
    ("metrics.mean_per_class_accuracy", [_CLASSES, _CLASSES, 3], {}),
    ("metrics.mean_relative_error", [_ROWS, _ROWS, _ROWS], {}),
    ("metrics.mean_cosine_distance", [_ROWS, _ROWS, 1], {}),
    ("metrics.percentage_below", [_ROWS, 0.5], {}),
    ("metrics.precision", [_ONE_HOT, _ONE_HOT], {"weights": 1.0}),
    ("metrics.precision_at_thresholds", [_ONE_HOT, _PROBABILITIES, [0.2, 0.5]], {}),
    ("metrics.precision_at_k", [Input("int64", (2, 1), 0, 3), _ROWS, 2], {"class_id": 1}),
    ("metrics.recall_at_top_k", [Input("int64", (2, 1), 0, 3), Input("int64", (2, 2), 0, 3)], {"k": 2}),
    ("metrics.sensitivity_at_specificity", [_ONE_HOT, _PROBABILITIES, 0.5], {"num_thresholds": 5}),
    ("metrics.average_precision_at_k", [Input("int64", (2, 1), 0, 3), _ROWS, 2], {}),
    ("metrics.root_mean_squared_error", [_ROWS, _ROWS], {"weights": 1.0}),
    ("metrics.true_positives", [_ONE_HOT, _ONE_HOT], {}),
)

_ARGS: dict[str, Any] = {"activation_fn": tf("nn.relu"), "normalizer_fn": None, "scope": "l", "trainable": True}
CONTRIB_LAYERS: tuple[Call, ...] = tuple(
    (f"contrib.layers.{name}", arguments, keywords)
    for name, arguments, keywords in (
        ("fully_connected", [_ROWS, 3], _ARGS),
        ("conv2d", [_PICTURES, 2, [2, 2]], {"stride": 1, "padding": "SAME", "rate": 1, **_ARGS}),
        ("conv2d_transpose", [_PICTURES, 2, 2], {"stride": 2, "padding": "SAME"}),
        ("conv2d_in_plane", [_PICTURES, 2], {"stride": 1, "padding": "SAME"}),
        ("separable_conv2d", [_PICTURES, 2, 2], {"depth_multiplier": 1, "stride": 1, "padding": "SAME"}),
        ("batch_norm", [_ROWS], {"decay": 0.9, "center": True, "scale": True, "is_training": True, "fused": False}),
        ("layer_norm", [_ROWS], {"center": True, "begin_norm_axis": 1, "begin_params_axis": -1}),
        ("instance_norm", [_PICTURES], {"center": True, "data_format": "NHWC"}),
        (
            "group_norm",
            [Input("float32", (2, 4, 5, 4))],
            {"groups": 2, "channels_axis": -1, "reduction_axes": [-3, -2]},
        ),
        ("bias_add", [_ROWS], {"activation_fn": None, "data_format": "NHWC"}),
        ("avg_pool2d", [_PICTURES, 2], {"stride": 1, "padding": "SAME", "data_format": "NHWC"}),
        ("max_pool3d", [_VIDEOS, 2], {"stride": 1, "padding": "SAME"}),
        ("pool", [_PICTURES, [2, 2], "MAX"], {"stride": 1, "padding": "SAME", "dilation_rate": 1}),
        ("dropout", [_ROWS], {"keep_prob": 0.5, "noise_shape": [2, 1], "is_training": True}),
        ("embed_sequence", [_IDS], {"vocab_size": 6, "embed_dim": 2, "unique": False}),
        ("flatten", [_PICTURES], {"outputs_collections": "c"}),
        ("gdn", [_PICTURES], {"inverse": False, "data_format": "channels_last"}),
        ("maxout", [_ROWS, 3], {"axis": -1}),
        ("one_hot_encoding", [_CLASSES, 3], {"on_value": 1.0, "off_value": 0.0}),
        ("repeat", [_ROWS, 2, tf("contrib.layers.fully_connected"), 3], {"scope": "r"}),
        ("stack", [_ROWS, tf("contrib.layers.fully_connected"), [3, 2]], {"scope": "r"}),
        ("softmax", [_ROWS], {"scope": "s"}),
        ("spatial_softmax", [_PICTURES], {"temperature": 1.0, "data_format": "NHWC"}),
        ("unit_norm", [_ROWS, 1], {"epsilon": 0.1}),
        ("scale_gradient", [_ROWS, 2.0], {}),
        ("summarize_tensor", [_ROWS], {"tag": "t"}),
        ("l1_l2_regularizer", [0.1, 0.2], {"scope": "s"}),
        ("l2_regularizer", [0.1], {"scope": "s"}),
        ("apply_regularization", [Made("contrib.layers.l2_regularizer", (0.1,)), [_ROWS]], {}),
        ("sum_regularizer", [[Made("contrib.layers.l2_regularizer", (0.1,))]], {}),
        ("variance_scaling_initializer", [], {"factor": 2.0, "mode": "FAN_IN", "uniform": False, "seed": 3}),
        ("xavier_initializer", [], {"uniform": True, "seed": 3}),
        ("legacy_fully_connected", [_ROWS, 3], {"activation_fn": None}),
        ("bow_encoder", [_IDS, 6, 2], {"sparse_lookup": False}),
        ("real_valued_column", ["x"], {"dimension": 2, "default_value": 1.0, "dtype": tf("float32")}),
        ("bucketized_column", [Made("contrib.layers.real_valued_column", ("x",)), [0.0, 1.0]], {}),
        ("sparse_column_with_hash_bucket", ["w", 10], {"combiner": "sum", "dtype": tf("string")}),
        ("sparse_column_with_keys", ["w", ["a", "b"]], {"default_value": -1, "combiner": "sum"}),
        ("sparse_column_with_integerized_feature", ["i", 5], {"combiner": "sum"}),
        (
            "embedding_column",
            [Made("contrib.layers.sparse_column_with_hash_bucket", ("w", 10)), 2],
            {"combiner": "mean"},
        ),
        ("one_hot_column", [Made("contrib.layers.sparse_column_with_hash_bucket", ("w", 10))], {}),
        ("optimize_loss", [1.0, None, 0.1, "SGD"], {"clip_gradients": 1.0, "increment_global_step": False}),
    )
)

_CELL = Made("nn.rnn_cell.GRUCell", (3,))
_STATE = Input("float32", (2, 3), -1, 1)
RECURRENT: tuple[Call, ...] = (
    *(
        (
            ".__call__",
            [Made(f"nn.rnn_cell.{name}", (3,), {"activation": tf("nn.relu"), "reuse": False}), _ROWS, _STATE],
            {},
        )
        for name in ("BasicRNNCell", "GRUCell")
    ),
    (
        ".zero_state",
        [
            Made("nn.rnn_cell.LSTMCell", (3,), {"num_proj": 2, "cell_clip": 1.0, "state_is_tuple": True}),
            2,
            tf("float32"),
        ],
        {},
    ),
    *(
        (".__call__", [Made(f"contrib.rnn.{name}", (3,)), _ROWS, _STATE], {})
        for name in ("GRUBlockCellV2", "UGRNNCell", "IntersectionRNNCell", "IndRNNCell")
    ),
    (
        ".zero_state",
        [Made("contrib.rnn.LayerNormBasicLSTMCell", (3,), {"dropout_keep_prob": 0.5}), 2, tf("float32")],
        {},
    ),
    (".zero_state", [Made("nn.rnn_cell.MultiRNNCell", ([_CELL, _CELL],)), 2, tf("float32")], {}),
    ("nn.rnn_cell.DropoutWrapper", [_CELL], {"input_keep_prob": 0.5, "output_keep_prob": 0.5, "seed": 3}),
    ("nn.rnn_cell.ResidualWrapper", [_CELL], {}),
    ("nn.dynamic_rnn", [_CELL, _STEPS], {"sequence_length": [3, 4], "dtype": tf("float32"), "time_major": False}),
    ("nn.dynamic_rnn", [_CELL, _STEPS], {"initial_state": _STATE, "parallel_iterations": 3, "swap_memory": True}),
    ("nn.static_rnn", [_CELL, [_ROWS, _ROWS]], {"sequence_length": [1, 2], "dtype": tf("float32")}),
    ("nn.bidirectional_dynamic_rnn", [_CELL, _CELL, _STEPS], {"sequence_length": [3, 4], "dtype": tf("float32")}),
    ("contrib.rnn.stack_bidirectional_dynamic_rnn", [[_CELL], [_CELL], _STEPS], {"dtype": tf("float32")}),
    ("contrib.rnn.transpose_batch_time", [_STEPS], {}),
    ("contrib.seq2seq.sequence_loss", [_STEPS, Input("int32", (2, 4), 0, 3), Input("float32", (2, 4))], {}),
    ("contrib.seq2seq.hardmax", [_ROWS], {}),
    ("contrib.seq2seq.tile_batch", [_ROWS, 2], {}),
    ("contrib.seq2seq.safe_cumprod", [_ROWS], {"axis": 1, "exclusive": True}),
    ("contrib.seq2seq.monotonic_attention", [_PROBABILITIES, _PROBABILITIES, "parallel"], {}),
    ("contrib.seq2seq.TrainingHelper", [_STEPS, [3, 4]], {"time_major": False}),
    ("contrib.seq2seq.GreedyEmbeddingHelper", [Input("float32", (5, 3)), [0, 1], 2], {}),
    ("contrib.seq2seq.LuongAttention", [3, _STEPS], {"memory_sequence_length": [3, 4], "scale": True}),
    ("contrib.seq2seq.BahdanauAttention", [3, _STEPS], {"memory_sequence_length": [3, 4], "normalize": True}),
    (
        "contrib.seq2seq.dynamic_decode",
        [
            Made(
                "contrib.seq2seq.BasicDecoder",
                (_CELL, Made("contrib.seq2seq.TrainingHelper", (_STEPS, [3, 4])), _STATE),
                {"output_layer": Made("layers.Dense", (5,))},
            )
        ],
        {"maximum_iterations": 2, "impute_finished": True, "output_time_major": False},
    ),
    ("contrib.crf.crf_log_likelihood", [_STEPS, Input("int32", (2, 4), 0, 3), [3, 4]], {}),
    ("contrib.crf.crf_decode", [_STEPS, Input("float32", (3, 3)), [3, 4]], {}),
    ("contrib.crf.viterbi_decode", [[[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]], {}),
)

_NUMBERS = Input("float32", (2,), 0.5, 2)
DISTRIBUTIONS: tuple[Call, ...] = (
    *(
        (
            f".{method}",
            [Made(f"distributions.{name}", arguments, {"validate_args": True, "allow_nan_stats": False}), *more],
            {},
        )
        for name, arguments in (
            *(("Normal", (_NUMBERS, _NUMBERS)), ("Gamma", (_NUMBERS, _NUMBERS)), ("Beta", (_NUMBERS, _NUMBERS))),
            *(("Bernoulli", (_NUMBERS,)), ("Categorical", (_ROWS,)), ("Dirichlet", (_NUMBERS,))),
            *(("Exponential", (_NUMBERS,)), ("Laplace", (_NUMBERS, _NUMBERS)), ("Uniform", (0.0, _NUMBERS))),
            *(("Multinomial", (4.0, _NUMBERS)), ("StudentT", (_NUMBERS, 0.0, 1.0))),
        )
        for method, more in (("sample", [2, 3]), ("log_prob", [_NUMBERS]), ("mean", []))
    ),
    *(
        (".sample", [Made(f"contrib.distributions.{name}", arguments), 2, 3], {})
        for name, arguments in (
            *(("Poisson", (_NUMBERS,)), ("MultivariateNormalDiag", (_NUMBERS, _NUMBERS)), ("Logistic", (0.0, 1.0))),
            *(("OneHotCategorical", (_ROWS,)), ("RelaxedBernoulli", (0.5, _NUMBERS)), ("Geometric", (_NUMBERS,))),
            ("MultivariateNormalFullCovariance", (_NUMBERS, [[1.0, 0.0], [0.0, 1.0]])),
        )
    ),
    (
        "distributions.kl_divergence",
        [Made("distributions.Normal", (0.0, 1.0)), Made("distributions.Normal", (0.0, 1.0))],
        {},
    ),
    ("contrib.distributions.softplus_inverse", [_NUMBERS], {}),
    ("contrib.distributions.fill_triangular", [Input("float32", (6,))], {"upper": True}),
    ("contrib.distributions.matrix_diag_transform", [Input("float32", (2, 2))], {}),
)

_KEY_CHECK: dict[str, Any] = {"dict": [["x", [[1.0], [2.0]]]]}
_COLUMN = Made("feature_column.numeric_column", ("x",))
ESTIMATORS: tuple[Call, ...] = (
    (
        "estimator.RunConfig",
        [],
        {
            "model_dir": "/tmp/nowhere",
            "tf_random_seed": 3,
            "save_summary_steps": 10,
            "save_checkpoints_steps": 10,
            "keep_checkpoint_max": 3,
            "keep_checkpoint_every_n_hours": 1,
            "log_step_count_steps": 10,
            "session_config": None,
        },
    ),
    ("estimator.EstimatorSpec", ["train"], {"loss": 1.0, "train_op": Made("no_op", ()), "predictions": _ROWS}),
    ("estimator.EstimatorSpec", ["infer"], {"predictions": {"dict": [["p", _ROWS]]}, "export_outputs": None}),
    ("estimator.EstimatorSpec", ["eval"], {"loss": Input("float32", ()), "eval_metric_ops": {"dict": []}}),
    ("estimator.Estimator", [tf("identity")], {"model_dir": "/tmp/nowhere", "params": {"dict": []}}),
    ("estimator.TrainSpec", [tf("identity")], {"max_steps": 3, "hooks": []}),
    ("estimator.EvalSpec", [tf("identity")], {"steps": 3, "name": "n", "start_delay_secs": 1, "throttle_secs": 2}),
    ("estimator.DNNClassifier", [[3], [_COLUMN]], {"n_classes": 3, "optimizer": "SGD", "dropout": 0.1}),
    ("estimator.DNNRegressor", [[3, 2], [_COLUMN]], {"label_dimension": 2, "activation_fn": tf("nn.relu")}),
    ("estimator.LinearClassifier", [[_COLUMN]], {"n_classes": 2, "weight_column": "w", "label_vocabulary": ["a", "b"]}),
    ("estimator.LinearRegressor", [[_COLUMN]], {"label_dimension": 1, "optimizer": "Ftrl", "partitioner": None}),
    ("estimator.BaselineClassifier", [], {"n_classes": 3, "optimizer": "Ftrl"}),
    ("estimator.DNNLinearCombinedClassifier", [], {"linear_feature_columns": [_COLUMN], "dnn_hidden_units": [2]}),
    ("estimator.BoostedTreesClassifier", [[_COLUMN], 1], {"n_classes": 2, "n_trees": 3, "max_depth": 2}),
    (
        "estimator.inputs.numpy_input_fn",
        [_KEY_CHECK],
        {"y": [1.0, 2.0], "batch_size": 2, "num_epochs": 1, "shuffle": False},
    ),
    ("estimator.export.PredictOutput", [{"dict": [["p", _ROWS]]}], {}),
    ("estimator.export.RegressionOutput", [_ROWS], {}),
    ("estimator.export.ClassificationOutput", [], {"scores": _ROWS, "classes": Input("string", (2, 3))}),
    ("estimator.export.ServingInputReceiver", [{"dict": [["x", _ROWS]]}, {"dict": [["x", _ROWS]]}], {}),
    ("estimator.export.build_raw_serving_input_receiver_fn", [{"dict": [["x", _ROWS]]}], {"default_batch_size": 2}),
    ("estimator.export.build_parsing_serving_input_receiver_fn", [{"dict": []}], {"default_batch_size": 2}),
    ("estimator.FinalExporter", ["n", tf("identity")], {"as_text": False}),
    ("estimator.LatestExporter", ["n", tf("identity")], {"exports_to_keep": 3}),
    ("estimator.WarmStartSettings", ["/nowhere"], {"vars_to_warm_start": ".*"}),
    ("estimator.classifier_parse_example_spec", [[_COLUMN], "y"], {"label_dtype": tf("int64"), "weight_column": "w"}),
    ("estimator.regressor_parse_example_spec", [[_COLUMN], "y"], {"label_dimension": 2}),
    ("estimator.StopAtStepHook", [3], {}),
    ("train.CheckpointSaverHook", ["/nowhere"], {"save_steps": 3}),
    ("train.LoggingTensorHook", [["a:0"]], {"every_n_iter": 3}),
    ("train.StepCounterHook", [], {"every_n_steps": 3, "output_dir": "/nowhere"}),
    ("train.SummarySaverHook", [], {"save_steps": 3, "summary_op": Input("string", ())}),
)

CONTRIB: tuple[Call, ...] = (
    ("contrib.image.rotate", [_PICTURES, 0.5], {"interpolation": "NEAREST"}),
    ("contrib.image.translate", [_PICTURES, [1.0, 2.0]], {"interpolation": "NEAREST"}),
    ("contrib.image.transform", [_PICTURES, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], {"output_shape": [3, 3]}),
    ("contrib.image.dense_image_warp", [_PICTURES, Input("float32", (2, 4, 5, 2))], {}),
    ("contrib.framework.argsort", [_ROWS], {"axis": -1, "direction": "ASCENDING", "stable": False}),
    ("contrib.framework.sort", [_ROWS], {"axis": -1, "direction": "DESCENDING"}),
    ("contrib.framework.reduce_sum_n", [[_ROWS]], {}),
    ("contrib.framework.remove_squeezable_dimensions", [_ROWS, Input("float32", (2, 3, 1))], {}),
    ("contrib.framework.with_shape", [[2, 3], _ROWS], {}),
    ("contrib.framework.is_tensor", [_ROWS], {}),
    ("contrib.framework.local_variable", [1.0], {"validate_shape": True}),
    ("contrib.framework.model_variable", ["v"], {"shape": [2], "dtype": tf("float32"), "collections": ["c"]}),
    ("contrib.framework.get_or_create_global_step", [], {}),
    ("contrib.framework.nest.flatten", [[1, [2]]], {}),
    ("contrib.metrics.streaming_accuracy", [_CLASSES, _CLASSES], {"weights": [1.0, 2.0]}),
    ("contrib.metrics.confusion_matrix", [_CLASSES, _CLASSES], {"num_classes": 3, "dtype": tf("int32")}),
    ("contrib.metrics.cohen_kappa", [_CLASSES, _CLASSES, 3], {}),
    ("contrib.metrics.streaming_pearson_correlation", [_ROWS, _ROWS], {}),
    ("contrib.losses.metric_learning.triplet_semihard_loss", [_CLASSES, _ROWS], {"margin": 1.0}),
    ("contrib.losses.metric_learning.npairs_loss", [_CLASSES, _ROWS, _ROWS], {"reg_lambda": 0.1}),
    ("contrib.losses.metric_learning.contrastive_loss", [_CLASSES, _ROWS, _ROWS], {"margin": 1.0}),
    ("contrib.lookup.index_table_from_tensor", [["a", "b"]], {"num_oov_buckets": 1, "default_value": -1}),
    ("contrib.lookup.index_table_from_file", ["/nowhere"], {"num_oov_buckets": 1}),
    ("contrib.training.HParams", [], {"a": 1, "b": [1, 2]}),
    ("contrib.training.batch_sequences_with_states", ["k", {"dict": []}, {"dict": []}, 4, {"dict": []}, 2, 2], {}),
    ("contrib.training.resample_at_rate", [[_ROWS], [1.0, 1.0]], {"seed": 3}),
    ("contrib.nn.alpha_dropout", [_ROWS, 0.5], {"noise_shape": [2, 1], "seed": 3}),
    (
        "contrib.nn.rank_sampled_softmax_loss",
        [Input("float32", (5, 3)), Input("float32", (5,)), [[1], [2]], _ROWS, 2, 5, [0, 1, 2], 2, 1],
        {},
    ),
    ("contrib.periodic_resample.periodic_resample", [Input("float32", (2, 4)), [4, None]], {}),
    ("contrib.resampler.resampler", [_PICTURES, Input("float32", (2, 3, 2))], {}),
    ("contrib.signal.frame", [Input("float32", (9,)), 3, 2], {"pad_end": True, "axis": -1}),
    ("contrib.signal.stft", [Input("float32", (9,)), 4, 2], {"fft_length": 4}),
    ("contrib.signal.hann_window", [5], {"periodic": True, "dtype": tf("float32")}),
    (
        "contrib.signal.linear_to_mel_weight_matrix",
        [],
        {"num_mel_bins": 3, "num_spectrogram_bins": 9, "sample_rate": 8000},
    ),
    ("contrib.text.skip_gram_sample", [Input("string", (5,))], {"min_skips": 1, "max_skips": 2, "limit": 3}),
    ("contrib.util.make_tensor_proto", [[1.0, 2.0]], {"dtype": tf("float32"), "shape": [2]}),
    ("contrib.util.constant_value", [_ROWS], {}),
    ("contrib.data.batch_and_drop_remainder", [2], {}),
    ("contrib.data.group_by_window", [tf("identity"), tf("identity"), 3], {}),
    ("contrib.data.sliding_window_batch", [3], {"window_shift": 1, "window_stride": 1}),
    ("contrib.cluster_resolver.SimpleClusterResolver", [Made("train.ClusterSpec", ({"dict": [["w", ["a:1"]]]},))], {}),
    ("train.ClusterSpec", [{"dict": [["w", ["a:1"]]]}], {}),
)

FAMILIES = (
    *(KERAS_LAYERS, KERAS, KERAS_BACKEND, LAYERS, LOSSES, CONTRIB_LAYERS, RECURRENT, DISTRIBUTIONS),
    *(ESTIMATORS, CONTRIB),
)

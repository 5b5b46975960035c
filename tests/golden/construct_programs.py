"""Constructs of the API, as programs of either library: names, and functions that make the operations of one."""

from __future__ import annotations

from typing import Any

import numpy as np

# Operations that later 1.x write where TensorFlow 1.8, and ferroflow, write an older one of the same meaning.
_OLDER = {"AddV2": "Add", "BatchMatMulV2": "BatchMatMul", "SelectV2": "Select", "FusedBatchNormV3": "FusedBatchNorm"}


def nodes(tf: Any, program: Any) -> list[list[str]]:
    """Names and types of the operations that a program makes, with the types of TensorFlow 1.8."""
    with tf.Graph().as_default() as graph:
        program()
        made = [(op.name, op.type) for op in graph.get_operations()]
    for later in ("FusedBatchNormV3", "SelectV2"):
        made = [(name.replace(later, _OLDER[later]), kind) for name, kind in made]
    return sorted([name, _OLDER.get(kind, kind)] for name, kind in made)


def programs(tf: Any) -> dict[str, Any]:
    """The programs of a library."""
    found: dict[str, Any] = {}

    def placeholder(s, d=None):
        return tf.placeholder(d or tf.float32, s)

    layers = tf.layers
    found["dense 2d"] = lambda: layers.dense(placeholder([None, 4]), 3)
    found["dense 3d"] = lambda: layers.dense(placeholder([None, 5, 4]), 3)
    found["dense 3d unknown"] = lambda: layers.dense(placeholder([None, None, 4]), 3)
    found["dense 3d known"] = lambda: layers.dense(placeholder([2, 5, 4]), 3, tf.nn.relu)
    found["dense nobias"] = lambda: layers.dense(placeholder([None, 4]), 3, use_bias=False)
    found["dense reg"] = lambda: layers.dense(
        placeholder([None, 4]), 3, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1)
    )
    for rank, s in ((1, [None, 8, 3]), (2, [None, 8, 8, 3]), (3, [None, 6, 6, 6, 3])):
        for fmt in ("channels_last", "channels_first"):
            if fmt == "channels_first":
                s = [s[0], s[-1], *s[1:-1]]
            found[f"conv{rank}d {fmt}"] = lambda r=rank, s=s, f=fmt: getattr(layers, f"conv{r}d")(
                placeholder(s), 2, 3, data_format=f, activation=tf.nn.relu
            )
            if rank > 1:
                found[f"conv{rank}d_transpose {fmt}"] = lambda r=rank, s=s, f=fmt: getattr(
                    layers, f"conv{r}d_transpose"
                )(placeholder(s), 2, 3, 2, padding="same", data_format=f)
            found[f"maxpool{rank} {fmt}"] = lambda r=rank, s=s, f=fmt: getattr(layers, f"max_pooling{r}d")(
                placeholder(s), 2, 2, data_format=f
            )
            found[f"avgpool{rank} {fmt}"] = lambda r=rank, s=s, f=fmt: getattr(layers, f"average_pooling{r}d")(
                placeholder(s), 2, 2, data_format=f
            )
            found[f"flatten {rank} {fmt}"] = lambda s=s, f=fmt: layers.flatten(placeholder(s), data_format=f)
    found["conv dil"] = lambda: layers.conv2d(placeholder([None, 8, 8, 3]), 2, 3, dilation_rate=2)
    found["conv1d dil"] = lambda: layers.conv1d(placeholder([None, 8, 3]), 2, 3, dilation_rate=2)
    found["sep1"] = lambda: layers.separable_conv1d(placeholder([None, 8, 3]), 2, 3)
    found["sep2"] = lambda: layers.separable_conv2d(placeholder([None, 8, 8, 3]), 2, 3)
    found["flatten static"] = lambda: layers.flatten(placeholder([2, 3, 4]))
    found["flatten vec"] = lambda: layers.flatten(placeholder([None]))
    found["flatten unk"] = lambda: layers.flatten(placeholder([None, None, 3]))
    found["flatten rank"] = lambda: tf.contrib.layers.flatten(placeholder([None, 3, 3]))
    found["dropout"] = lambda: layers.dropout(placeholder([None, 4]), 0.5, training=True)
    found["dropout ph"] = lambda: layers.dropout(placeholder([None, 4]), 0.5, training=tf.placeholder(tf.bool, []))
    found["dropout off"] = lambda: layers.dropout(placeholder([None, 4]), 0.5)
    for tr in (False, True, "ph"):

        def t(tr=tr):
            return tf.placeholder(tf.bool, []) if tr == "ph" else tr

        found[f"bn fused {tr}"] = lambda t=t: layers.batch_normalization(placeholder([None, 4, 4, 3]), training=t())
        found[f"bn nchw {tr}"] = lambda t=t: layers.batch_normalization(
            placeholder([None, 3, 4, 4]), axis=1, training=t()
        )
        found[f"bn plain {tr}"] = lambda t=t: layers.batch_normalization(placeholder([None, 3]), training=t())
        found[f"bn unfused {tr}"] = lambda t=t: layers.batch_normalization(
            placeholder([None, 4, 4, 3]), training=t(), fused=False
        )
        found[f"bn renorm {tr}"] = lambda t=t: layers.batch_normalization(
            placeholder([None, 3]), training=t(), renorm=True
        )
        found[f"bn noscale {tr}"] = lambda t=t: layers.batch_normalization(
            placeholder([None, 4, 4, 3]), training=t(), scale=False, center=False
        )
        found[f"cbn {tr}"] = lambda t=t: tf.contrib.layers.batch_norm(placeholder([None, 4, 4, 3]), is_training=t())
        found[f"cbn fused {tr}"] = lambda t=t: tf.contrib.layers.batch_norm(
            placeholder([None, 4, 4, 3]), is_training=t(), fused=True
        )
        found[f"cbn 2d {tr}"] = lambda t=t: tf.contrib.layers.batch_norm(placeholder([None, 3]), is_training=t())

    def lab():
        return tf.placeholder(tf.int32, [None])

    metrics = tf.metrics

    def a():
        return placeholder([None])

    def b():
        return placeholder([None])

    for n in [
        "mean_absolute_error",
        "mean_squared_error",
        "root_mean_squared_error",
        "auc",
        "precision",
        "recall",
        "accuracy",
        "true_positives",
        "false_positives",
        "true_negatives",
        "false_negatives",
    ]:
        found["m." + n] = lambda n=n: getattr(metrics, n)(a(), b())
        found["mw." + n] = lambda n=n: getattr(metrics, n)(a(), b(), weights=a())
    found["m.mean"] = lambda: metrics.mean(a())
    found["mw.mean"] = lambda: metrics.mean(a(), a())
    found["m.mean_tensor"] = lambda: metrics.mean_tensor(placeholder([3]))
    found["mw.mean_tensor"] = lambda: metrics.mean_tensor(placeholder([3]), placeholder([3]))
    found["m.mean_cosine_distance"] = lambda: metrics.mean_cosine_distance(
        placeholder([None, 3]), placeholder([None, 3]), 1
    )
    found["mw.mean_cosine_distance"] = lambda: metrics.mean_cosine_distance(
        placeholder([None, 3]), placeholder([None, 3]), 1, placeholder([None, 1])
    )
    found["m.mean_iou"] = lambda: metrics.mean_iou(lab(), lab(), 3)
    found["mw.mean_iou"] = lambda: metrics.mean_iou(lab(), lab(), 3, a())
    found["m.mpca"] = lambda: metrics.mean_per_class_accuracy(lab(), lab(), 3)
    found["m.mean_relative_error"] = lambda: metrics.mean_relative_error(a(), b(), b())
    found["m.percentage_below"] = lambda: metrics.percentage_below(a(), 0.5)
    found["m.auc pr"] = lambda: metrics.auc(a(), b(), curve="PR")
    found["m.auc cs"] = lambda: metrics.auc(a(), b(), summation_method="careful_interpolation", curve="PR")
    found["m.auc min"] = lambda: metrics.auc(a(), b(), summation_method="minoring")
    found["m.auc maj"] = lambda: metrics.auc(a(), b(), summation_method="majoring")
    found["m.sens"] = lambda: metrics.sensitivity_at_specificity(a(), b(), 0.5)
    found["m.spec"] = lambda: metrics.specificity_at_sensitivity(a(), b(), 0.5)
    for n in [
        "precision_at_thresholds",
        "recall_at_thresholds",
        "true_positives_at_thresholds",
        "false_positives_at_thresholds",
        "true_negatives_at_thresholds",
        "false_negatives_at_thresholds",
    ]:
        found["m." + n] = lambda n=n: getattr(metrics, n)(a(), b(), [0.2, 0.5])

    def l64():
        return tf.placeholder(tf.int64, [None, 1])

    for n in ["precision_at_k", "recall_at_k", "average_precision_at_k"]:
        found["m." + n] = lambda n=n: getattr(metrics, n)(l64(), placeholder([None, 4]), 2)
    found["m.precision_at_top_k"] = lambda: metrics.precision_at_top_k(l64(), tf.placeholder(tf.int64, [None, 2]))
    found["m.recall_at_top_k"] = lambda: metrics.recall_at_top_k(l64(), tf.placeholder(tf.int64, [None, 2]))
    losses = tf.losses
    for n in [
        "absolute_difference",
        "mean_squared_error",
        "hinge_loss",
        "huber_loss",
        "log_loss",
        "mean_pairwise_squared_error",
        "sigmoid_cross_entropy",
        "softmax_cross_entropy",
    ]:
        found["l." + n] = lambda n=n: getattr(losses, n)(placeholder([None, 3]), placeholder([None, 3]))
        found["lw." + n] = lambda n=n: getattr(losses, n)(
            placeholder([None, 3]),
            placeholder([None, 3]),
            weights=placeholder([None]) if "softmax" in n else placeholder([None, 1]),
        )
    found["l.cosine"] = lambda: losses.cosine_distance(placeholder([None, 3]), placeholder([None, 3]), 1)
    found["l.sparse"] = lambda: losses.sparse_softmax_cross_entropy(lab(), placeholder([None, 3]))
    found["lw.sparse"] = lambda: losses.sparse_softmax_cross_entropy(
        lab(), placeholder([None, 3]), weights=placeholder([None])
    )
    found["lw.sparse unk"] = lambda: losses.sparse_softmax_cross_entropy(
        placeholder(None, tf.int32), placeholder(None, tf.float64), weights=np.float32([0.5])
    )
    found["l.sparse unk"] = lambda: losses.sparse_softmax_cross_entropy(
        placeholder(None, tf.int32), placeholder(None, tf.float64)
    )
    found["l.total"] = lambda: [
        losses.absolute_difference(placeholder([None, 3]), placeholder([None, 3])),
        losses.get_total_loss(),
    ]
    found["clip_gn"] = lambda: tf.clip_by_global_norm([placeholder([3]), placeholder([2, 2])], 1.0)
    found["clip_gn none"] = lambda: tf.clip_by_global_norm([placeholder([3]), None], 1.0)
    found["clip_gn slices"] = lambda: tf.clip_by_global_norm(
        [tf.IndexedSlices(placeholder([3]), tf.constant([0, 1, 2])), placeholder([2])], 1.0
    )
    found["clip_norm"] = lambda: tf.clip_by_norm(placeholder([3]), 1.0)
    found["clip_value"] = lambda: tf.clip_by_value(placeholder([3]), 0.0, 1.0)
    found["clip_avg"] = lambda: tf.clip_by_average_norm(placeholder([3]), 1.0)
    found["global_norm"] = lambda: tf.global_norm([placeholder([3]), placeholder([2, 2])])

    def ema(**k):
        v = tf.Variable([1.0, 2.0], name="v")
        e = tf.train.ExponentialMovingAverage(0.9, **k)
        return e.apply([v]), e.average(v)

    found["ema"] = ema
    found["ema steps"] = lambda: ema(num_updates=tf.Variable(0, trainable=False))
    found["ema debias"] = lambda: ema(zero_debias=True)

    def ema_t():
        e = tf.train.ExponentialMovingAverage(0.9)
        return e.apply([placeholder([2]) * 2.0])

    found["ema tensor"] = ema_t

    def rnn(cell, **k):
        return tf.nn.dynamic_rnn(cell, placeholder([None, None, 3]), dtype=tf.float32, **k)

    cells = tf.nn.rnn_cell
    found["rnn lstm"] = lambda: rnn(cells.LSTMCell(2))
    found["rnn basic"] = lambda: rnn(cells.BasicLSTMCell(2))
    found["rnn gru"] = lambda: rnn(cells.GRUCell(2))
    found["rnn rnn"] = lambda: rnn(cells.BasicRNNCell(2))
    found["rnn static"] = lambda: tf.nn.dynamic_rnn(cells.LSTMCell(2), placeholder([2, 4, 3]), dtype=tf.float32)
    found["rnn len"] = lambda: rnn(cells.LSTMCell(2), sequence_length=lab())
    found["rnn tm"] = lambda: rnn(cells.GRUCell(2), time_major=True)
    found["rnn init"] = lambda: tf.nn.dynamic_rnn(
        cells.BasicLSTMCell(2), placeholder([2, 4, 3]), initial_state=cells.BasicLSTMCell(2).zero_state(2, tf.float32)
    )
    found["rnn multi"] = lambda: rnn(cells.MultiRNNCell([cells.LSTMCell(2), cells.LSTMCell(2)]))
    found["rnn drop"] = lambda: rnn(cells.DropoutWrapper(cells.LSTMCell(2), 0.5, 0.5, 0.5))
    found["birnn"] = lambda: tf.nn.bidirectional_dynamic_rnn(
        cells.LSTMCell(2), cells.LSTMCell(2), placeholder([None, None, 3]), lab(), dtype=tf.float32
    )
    found["static rnn"] = lambda: tf.nn.static_rnn(cells.LSTMCell(2), [placeholder([None, 3])] * 3, dtype=tf.float32)
    found["static rnn len"] = lambda: tf.nn.static_rnn(
        cells.BasicLSTMCell(2), [placeholder([None, 3])] * 3, dtype=tf.float32, sequence_length=lab()
    )
    found["raw"] = lambda: tf.nn.raw_rnn(
        cells.LSTMCell(2),
        lambda t, o, s, loop: (
            t >= 3,
            tf.zeros([2, 3]),
            cells.LSTMCell(2).zero_state(2, tf.float32) if s is None else s,
            o,
            loop,
        ),
    )
    found["lstm block"] = lambda: rnn(tf.contrib.rnn.LSTMBlockCell(2))
    found["ln lstm"] = lambda: rnn(tf.contrib.rnn.LayerNormBasicLSTMCell(2))

    def crf():
        x = placeholder([None, None, 3])
        t = placeholder([None, None], tf.int32)
        n = lab()
        return tf.contrib.crf.crf_log_likelihood(x, t, n)

    found["crf"] = crf
    found["crf dec"] = lambda: tf.contrib.crf.crf_decode(placeholder([None, None, 3]), placeholder([3, 3]), lab())
    found["crf static"] = lambda: tf.contrib.crf.crf_log_likelihood(
        placeholder([1, 1, 2]), tf.constant([[0]]), tf.constant([1]), tf.constant(np.ones([2, 2], np.float32))
    )
    found["crf static dec"] = lambda: tf.contrib.crf.crf_decode(
        placeholder([1, 1, 2]), tf.constant(np.ones([2, 2], np.float32)), tf.constant([1])
    )
    for n in [
        "GradientDescentOptimizer",
        "AdagradOptimizer",
        "AdadeltaOptimizer",
        "RMSPropOptimizer",
        "FtrlOptimizer",
        "AdamOptimizer",
        "ProximalAdagradOptimizer",
        "ProximalGradientDescentOptimizer",
    ]:

        def opt(n=n, res=False):
            w = tf.get_variable("w", [3, 2], use_resource=res)
            return getattr(tf.train, n)(0.1).apply_gradients(
                [(placeholder([3, 2]), w)], tf.train.get_or_create_global_step()
            )

        found["o." + n] = opt
        found["or." + n] = lambda f=opt: f(res=True)
    found["o.mom"] = lambda: tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients(
        [(placeholder([3, 2]), tf.get_variable("w", [3, 2]))]
    )
    found["decay exp"] = lambda: tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.9)
    found["decay poly"] = lambda: tf.train.polynomial_decay(0.1, tf.train.get_or_create_global_step(), 10)
    found["decay cos"] = lambda: tf.train.cosine_decay(0.1, tf.train.get_or_create_global_step(), 10)
    found["decay pw"] = lambda: tf.train.piecewise_constant(
        tf.train.get_or_create_global_step(), [1, 2], [0.1, 0.2, 0.3]
    )
    found["decay nat"] = lambda: tf.train.natural_exp_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.9, True)
    found["decay inv"] = lambda: tf.train.inverse_time_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.9)
    nn = tf.nn
    found["moments"] = lambda: nn.moments(placeholder([None, 3]), [0])
    found["wmoments"] = lambda: nn.weighted_moments(placeholder([None, 3]), [0], placeholder([None, 1]))
    found["nbn"] = lambda: nn.batch_normalization(
        placeholder([None, 3]), placeholder([3]), placeholder([3]), placeholder([3]), placeholder([3]), 0.1
    )
    found["l2n"] = lambda: nn.l2_normalize(placeholder([None, 3]), 1)
    found["ce"] = lambda: nn.softmax_cross_entropy_with_logits(
        labels=placeholder([None, 3]), logits=placeholder([None, 3])
    )
    found["ce2"] = lambda: nn.softmax_cross_entropy_with_logits_v2(
        labels=placeholder([None, 3]), logits=placeholder([None, 3])
    )
    found["sce"] = lambda: nn.sparse_softmax_cross_entropy_with_logits(labels=lab(), logits=placeholder([None, 3]))
    found["sce3"] = lambda: nn.sparse_softmax_cross_entropy_with_logits(
        labels=placeholder([None, None], tf.int32), logits=placeholder([None, None, 3])
    )
    found["sig"] = lambda: nn.sigmoid_cross_entropy_with_logits(labels=placeholder([3]), logits=placeholder([3]))
    found["wce"] = lambda: nn.weighted_cross_entropy_with_logits(placeholder([3]), placeholder([3]), 2.0)
    found["smax"] = lambda: nn.softmax(placeholder([2, 3, 4]), 1)
    found["lsmax"] = lambda: nn.log_softmax(placeholder([2, 3, 4]))
    found["drop"] = lambda: nn.dropout(placeholder([3]), 0.5)
    found["emb"] = lambda: nn.embedding_lookup(tf.get_variable("e", [4, 2]), lab())
    found["emb2"] = lambda: nn.embedding_lookup([tf.get_variable("e1", [4, 2]), tf.get_variable("e2", [4, 2])], lab())
    found["embs"] = lambda: nn.embedding_lookup_sparse(
        tf.get_variable("e", [4, 2]), tf.sparse_placeholder(tf.int64), None, combiner="mean"
    )
    found["nce"] = lambda: nn.nce_loss(
        placeholder([5, 4]), placeholder([5]), placeholder([None, 1], tf.int64), placeholder([None, 4]), 2, 5
    )
    found["ssl"] = lambda: nn.sampled_softmax_loss(
        placeholder([5, 4]), placeholder([5]), placeholder([None, 1], tf.int64), placeholder([None, 4]), 2, 5
    )
    found["ctc"] = lambda: nn.ctc_loss(tf.sparse_placeholder(tf.int32), placeholder([None, None, 4]), lab())
    found["topk"] = lambda: nn.in_top_k(placeholder([None, 3]), lab(), 2)
    found["lrn"] = lambda: nn.lrn(placeholder([1, 2, 2, 3]))
    found["atrous"] = lambda: nn.atrous_conv2d(placeholder([None, 8, 8, 3]), placeholder([3, 3, 3, 2]), 2, "SAME")
    found["convn"] = lambda: nn.convolution(
        placeholder([None, 8, 8, 3]), placeholder([3, 3, 3, 2]), "SAME", dilation_rate=[2, 2]
    )
    found["sepc"] = lambda: nn.separable_conv2d(
        placeholder([None, 8, 8, 3]), placeholder([3, 3, 3, 2]), placeholder([1, 1, 6, 2]), [1, 1, 1, 1], "SAME"
    )
    found["pool"] = lambda: nn.pool(placeholder([None, 8, 8, 3]), [2, 2], "MAX", "VALID", dilation_rate=[2, 2])
    found["zfrac"] = lambda: nn.zero_fraction(placeholder([3]))
    found["relu6"] = lambda: nn.relu6(placeholder([3]))
    found["crelu"] = lambda: nn.crelu(placeholder([3]))
    found["leaky"] = lambda: nn.leaky_relu(placeholder([3]))
    found["swish"] = lambda: nn.swish(placeholder([3]))
    found["reduce all"] = lambda: [
        getattr(tf, "reduce_" + x)(placeholder([None, 3])) for x in ("sum", "mean", "max", "min", "prod", "logsumexp")
    ]
    found["std"] = lambda: [tf.math.reduce_std(placeholder([None, 3])), tf.math.reduce_variance(placeholder([None, 3]))]
    found["tdot"] = lambda: tf.tensordot(placeholder([None, 3, 4]), placeholder([4, 5]), 1)
    found["tdot u"] = lambda: tf.tensordot(placeholder([None, None, 4]), placeholder([4, 5]), [[2], [0]])
    found["einsum"] = lambda: tf.einsum("ij,jk->ik", placeholder([None, 3]), placeholder([3, 4]))
    found["einsum3"] = lambda: tf.einsum("bij,jk->bik", placeholder([None, 2, 3]), placeholder([3, 4]))
    found["where"] = lambda: tf.where(placeholder([3]) > 0)
    found["bmask"] = lambda: tf.boolean_mask(placeholder([None, 3]), placeholder([None]) > 0)
    found["seqmask"] = lambda: tf.sequence_mask(lab(), 5)
    found["seqmask0"] = lambda: tf.sequence_mask(lab())
    found["meshgrid"] = lambda: tf.meshgrid(placeholder([3]), placeholder([2]))
    found["onehot"] = lambda: tf.one_hot(lab(), 3)
    found["cond"] = lambda: tf.cond(placeholder([]) > 0, lambda: placeholder([]) + 1, lambda: tf.constant(1.0))
    found["case"] = lambda: tf.case(
        [(placeholder([]) > 0, lambda: tf.constant(1.0)), (placeholder([]) > 1, lambda: tf.constant(2.0))],
        default=lambda: tf.constant(0.0),
    )
    found["while"] = lambda: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), [0, placeholder([3])])
    found["map"] = lambda: tf.map_fn(lambda x: x * 2, placeholder([None, 3]))
    found["scan"] = lambda: tf.scan(lambda c, x: c + x, placeholder([None, 3]))
    found["foldl"] = lambda: tf.foldl(lambda c, x: c + x, placeholder([None, 3]))
    found["split"] = lambda: tf.split(placeholder([None, 4]), 2, 1)
    found["unstack"] = lambda: tf.unstack(placeholder([3, 2]))
    found["stack"] = lambda: tf.stack([placeholder([2]), placeholder([2])])
    found["norm"] = lambda: [tf.norm(placeholder([3])), tf.norm(placeholder([3, 2]), ord=1, axis=0)]
    found["confusion"] = lambda: tf.confusion_matrix(lab(), lab(), 3)
    found["batch"] = lambda: tf.train.batch([tf.constant(1.0)], 2)
    found["shuffle_batch"] = lambda: tf.train.shuffle_batch([tf.constant(1.0)], 2, 10, 3)
    found["slice_in"] = lambda: tf.train.slice_input_producer([tf.constant([1, 2])])
    found["strin"] = lambda: tf.train.string_input_producer(["a", "b"])
    image = tf.image

    def x4():
        return placeholder([1, 4, 4, 3])

    def x3():
        return placeholder([4, 4, 3])

    for n in [
        "flip_left_right",
        "random_flip_left_right",
        "rot90",
        "transpose_image",
        "rgb_to_grayscale",
        "per_image_standardization",
        "rgb_to_hsv",
    ]:
        found["i." + n] = lambda n=n: getattr(image, n)(x3())
    found["i.crop"] = lambda: image.resize_image_with_crop_or_pad(x3(), 3, 5)
    found["i.cropu"] = lambda: image.resize_image_with_crop_or_pad(placeholder([None, None, 3]), 3, 5)
    found["i.resize"] = lambda: image.resize_images(x4(), [2, 2])
    found["i.resize3"] = lambda: image.resize_images(x3(), [2, 2])
    found["i.bright"] = lambda: image.random_brightness(x3(), 0.2)
    found["i.contrast"] = lambda: image.adjust_contrast(x3(), 0.5)
    found["i.rcontrast"] = lambda: image.random_contrast(x3(), 0.5, 0.7)
    found["i.sat"] = lambda: image.adjust_saturation(x3(), 0.5)
    found["i.hue"] = lambda: image.random_hue(x3(), 0.2)
    found["i.central"] = lambda: image.central_crop(x3(), 0.5)
    found["i.pad"] = lambda: image.pad_to_bounding_box(x3(), 1, 1, 7, 7)
    found["i.conv"] = lambda: image.convert_image_dtype(placeholder([2, 2, 3], tf.uint8), tf.float32)
    found["i.ssim"] = lambda: image.ssim(placeholder([1, 16, 16, 1]), placeholder([1, 16, 16, 1]), 1.0)
    found["i.psnr"] = lambda: image.psnr(x4(), x4(), 1.0)
    found["i.tv"] = lambda: image.total_variation(x4())
    found["i.sobel"] = lambda: image.sobel_edges(x4())
    found["i.gray"] = lambda: image.grayscale_to_rgb(placeholder([2, 2, 1]))
    found["i.bbox"] = lambda: image.draw_bounding_boxes(x4(), placeholder([1, 2, 4]))
    found["i.nms"] = lambda: image.non_max_suppression(placeholder([None, 4]), placeholder([None]), 3)
    found["i.cropr"] = lambda: image.crop_and_resize(x4(), placeholder([None, 4]), lab(), [2, 2])
    found["rand"] = lambda: [
        tf.random_uniform([3]),
        tf.random_normal([3]),
        tf.truncated_normal([3]),
        tf.random_uniform([3], 0, 5, tf.int32),
        tf.multinomial(placeholder([2, 3]), 2),
        tf.random_gamma([2], 1.0),
        tf.random_poisson(1.0, [2]),
        tf.random_shuffle(placeholder([3])),
        tf.random_crop(placeholder([5, 5]), [2, 2]),
    ]
    for n in [
        "zeros",
        "ones",
        "constant",
        "random_uniform",
        "random_normal",
        "truncated_normal",
        "variance_scaling",
        "orthogonal",
        "glorot_uniform",
        "glorot_normal",
        "identity",
        "uniform_unit_scaling",
    ]:
        found["init." + n] = lambda n=n: tf.get_variable(
            "v",
            [3, 3],
            initializer=getattr(tf, n + "_initializer" if n != "identity" else "initializers")()
            if n != "identity"
            else tf.initializers.identity(),
        )
    found["fc"] = lambda: tf.contrib.layers.fully_connected(placeholder([None, 4]), 3)
    found["cconv"] = lambda: tf.contrib.layers.conv2d(placeholder([None, 8, 8, 3]), 2, 3)
    found["ln"] = lambda: tf.contrib.layers.layer_norm(placeholder([None, 4]))
    found["cdrop"] = lambda: tf.contrib.layers.dropout(placeholder([None, 4]))
    found["gn"] = lambda: tf.contrib.layers.group_norm(placeholder([2, 3, 3, 4]), 2)
    found["in"] = lambda: tf.contrib.layers.instance_norm(placeholder([2, 3, 3, 4]))
    found["sparse_t"] = lambda: [
        tf.sparse_tensor_to_dense(tf.sparse_placeholder(tf.float32)),
        tf.sparse_reduce_sum(tf.sparse_placeholder(tf.float32)),
        tf.sparse_tensor_dense_matmul(tf.sparse_placeholder(tf.float32), placeholder([3, 2])),
    ]
    found["summary"] = lambda: [
        tf.summary.scalar("a", placeholder([])),
        tf.summary.histogram("h", placeholder([3])),
        tf.summary.image("i", x4()),
        tf.summary.merge_all(),
    ]
    found["saver"] = lambda: [tf.get_variable("v", [2]), tf.train.Saver()]
    found["init all"] = lambda: [tf.get_variable("v", [2]), tf.global_variables_initializer()]
    found["lookup"] = lambda: tf.contrib.lookup.index_table_from_tensor(["a", "b"]).lookup(
        placeholder([None], tf.string)
    )
    found["asserts"] = lambda: [
        tf.assert_equal(placeholder([2]), placeholder([2])),
        tf.assert_positive(placeholder([2])),
        tf.assert_rank(placeholder([2]), 1),
        tf.assert_less(placeholder([2]), 1.0),
    ]
    found["keras dense"] = lambda: tf.keras.layers.Dense(3)(placeholder([None, 4]))
    found["keras seq"] = lambda: tf.keras.Sequential(
        [
            tf.keras.layers.Dense(3, input_shape=(4,)),
            tf.keras.layers.Dropout(0.5),
            tf.keras.layers.Dense(2, activation="softmax"),
        ]
    )
    found["keras lstm"] = lambda: tf.keras.layers.LSTM(2)(placeholder([None, 5, 3]))
    found["keras gru"] = lambda: tf.keras.layers.GRU(2)(placeholder([None, 5, 3]))
    found["keras emb"] = lambda: tf.keras.layers.Embedding(5, 2)(placeholder([None, 3], tf.int32))
    found["keras bn"] = lambda: tf.keras.layers.BatchNormalization()(placeholder([None, 3]), training=True)
    found["keras conv"] = lambda: tf.keras.layers.Conv2D(2, 3)(placeholder([None, 8, 8, 3]))
    return found

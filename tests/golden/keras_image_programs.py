"""Pictures that Keras changes at random, and texts and sequences, as programs of either library: arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def _pictures(count: int = 6, size: int = 8) -> Any:
    return np.random.RandomState(1).uniform(0, 255, [count, size, size, 3]).astype(np.float32)


# Options of `ImageDataGenerator`.
GENERATORS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rotated": {"rotation_range": 40},
    "shifted": {"width_shift_range": 0.3, "height_shift_range": 2.0},
    "shifted by one of": {"width_shift_range": [1, 3], "height_shift_range": 3},
    "sheared": {"shear_range": 30.0, "fill_mode": "constant", "cval": 7.0},
    "zoomed": {"zoom_range": 0.5, "fill_mode": "reflect"},
    "zoomed between": {"zoom_range": [0.5, 1.5], "fill_mode": "wrap"},
    "mirrored": {"horizontal_flip": True, "vertical_flip": True},
    "brighter": {"brightness_range": (0.5, 1.5)},
    "shifted channels": {"channel_shift_range": 50.0},
    "scaled": {"rescale": 1 / 255, "samplewise_center": True, "samplewise_std_normalization": True},
    "normalized": {"featurewise_center": True, "featurewise_std_normalization": True},
    "everything": {
        "rotation_range": 20,
        "width_shift_range": 0.1,
        "height_shift_range": 0.1,
        "shear_range": 10.0,
        "zoom_range": 0.2,
        "channel_shift_range": 10.0,
        "horizontal_flip": True,
        "featurewise_center": True,
    },
}


def programs(tf: Any) -> dict[str, Any]:
    """The programs of a library: names and functions that return a list of arrays."""
    image, sequence, text = (getattr(tf.keras.preprocessing, name) for name in ("image", "sequence", "text"))
    imagenet = tf.keras.applications.imagenet_utils

    def flow(options: dict[str, Any]) -> Any:
        def program() -> Any:
            pictures = _pictures()
            generator = image.ImageDataGenerator(**options)
            generator.fit(pictures, augment="rotation_range" in options, seed=4)
            batches = generator.flow(pictures, np.arange(6), batch_size=4, seed=5)
            found = []
            for _ in range(3):
                found.extend(next(batches))
            found.extend(batches[1])
            return found

        return program

    def whitened() -> Any:
        pictures = _pictures(40, 3)
        generator = image.ImageDataGenerator(featurewise_center=True, zca_whitening=True, zca_epsilon=0.1)
        generator.fit(pictures)
        return [generator.standardize(pictures[:2].copy())]

    def split() -> Any:
        generator = image.ImageDataGenerator(validation_split=0.5)
        labels = np.array([0, 1, 0, 1, 0, 1])
        flows = [generator.flow(_pictures(), labels, shuffle=False, subset=s) for s in ("training", "validation")]
        return [array for batches in flows for array in next(batches)]

    def converted() -> Any:
        picture = _pictures()[0]
        large = image.array_to_img(picture[..., :1] * 10, scale=False)
        return [
            image.img_to_array(image.array_to_img(picture)),
            image.img_to_array(image.array_to_img(picture.transpose(2, 0, 1), "channels_first", scale=False)),
            image.img_to_array(large),
        ]

    def functions() -> Any:
        picture = _pictures()[0]
        axes = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
        np.random.seed(3)
        return [
            image.random_rotation(picture, 30, **axes),
            image.random_shift(picture, 0.2, 0.3, **axes),
            image.random_shear(picture, 20, **axes),
            image.random_zoom(picture, (0.5, 1.2), **axes),
            image.random_channel_shift(picture, 40, 2),
            image.random_brightness(picture, (0.5, 1.5)),
            image.apply_affine_transform(picture, theta=30, tx=1, shear=5, zx=0.9, order=0),
        ]

    def series() -> Any:
        data = np.arange(40).reshape(20, 2)
        found = []
        for options in ({}, {"stride": 2, "sampling_rate": 2}, {"reverse": True, "start_index": 3, "end_index": 15}):
            generator = sequence.TimeseriesGenerator(data, np.arange(20), length=4, batch_size=5, **options)
            found += [array for i in range(len(generator)) for array in generator[i]]
        return found

    def skipgrams() -> Any:
        import random

        random.seed(6)
        couples, labels = sequence.skipgrams([1, 2, 0, 3, 4], 5, window_size=2, seed=2)
        rows, ones = sequence.skipgrams([1, 2, 3], 4, negative_samples=0, shuffle=False, categorical=True)
        return [np.array(x) for x in (couples, labels, rows, ones)]

    def hashed() -> Any:
        words = "The quick, brown fox! jumps over the lazy dog"
        return [np.array(text.hashing_trick(words, 50, "md5"))]

    def preprocessed() -> Any:
        found = []
        for mode in ("caffe", "tf", "torch"):
            for data_format in ("channels_last", "channels_first"):
                pictures = _pictures(2, 3)
                found.append(imagenet.preprocess_input(pictures, data_format, mode=mode))
            found.append(imagenet.preprocess_input(_pictures(1, 3)[0].astype(np.uint8), mode=mode))
        return found

    return {
        **{name: flow(options) for name, options in GENERATORS.items()},
        "whitened": whitened,
        "split": split,
        "converted": converted,
        "functions": functions,
        "series": series,
        "skipgrams": skipgrams,
        "sampling table": lambda: [sequence.make_sampling_table(12)],
        "hashed": hashed,
        "preprocessed": preprocessed,
    }

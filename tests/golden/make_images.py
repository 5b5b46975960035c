"""Writes images.json: what TensorFlow's image ops give, to the bit, and the files that it decodes.

    TENSORFLOW_PYTHON tests/golden/make_images.py

Values are stored as dtype, shape, and the zlib-compressed bytes in base64.
"""

from __future__ import annotations

import base64
import json
import pathlib
import zlib
from typing import Any

import numpy as np

JPEGS: dict[str, dict[str, Any]] = {
    "color": {},
    "coarse": {"quality": 30},
    "full color": {"chroma_downsampling": False, "quality": 80},
    "progressive": {"progressive": True, "quality": 70},
    "gray": {"format": "grayscale"},
}
DECODINGS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "accurate": {"dct_method": "INTEGER_ACCURATE"},
    "gray": {"channels": 1},
    "colors": {"channels": 3, "fancy_upscaling": False},
    "half": {"ratio": 2},
    "quarter": {"ratio": 4},
    "eighth": {"ratio": 8},
}


def picture() -> Any:
    """An image with slopes, edges and some noise."""
    rng = np.random.RandomState(1)
    y, x = np.mgrid[0:43, 0:37]
    channels = [127 + 100 * np.sin(x / 7) + 8 * rng.randn(43, 37), (x * 5 + y * 3) % 256, 40.0 * (y > x)]
    return np.stack(channels, -1).clip(0, 255).astype(np.uint8)


def files(tf: Any) -> dict[str, bytes]:
    """Files as TensorFlow encodes them."""
    image = picture()
    with tf.Graph().as_default(), tf.Session() as session:
        made = {
            f"{name} jpeg": tf.image.encode_jpeg(image, **options) for name, options in JPEGS.items() if name != "gray"
        }
        made["gray jpeg"] = tf.image.encode_jpeg(image[:, :, :1], **JPEGS["gray"])
        made["color png"] = tf.image.encode_png(image)
        made["two channel png"] = tf.image.encode_png(image[:, :, :2])
        made["deep png"] = tf.image.encode_png(image.astype(np.uint16) * 251)
        result: dict[str, bytes] = session.run(made)
        return result


def decoded(tf: Any, name: str, data: bytes) -> dict[str, Any]:
    """What a file gives, by kind of decoding."""
    if name.endswith("jpeg"):
        result = {kind: tf.image.decode_jpeg(data, **options) for kind, options in DECODINGS.items()}
        return result
    return {
        f"{channels} of {dtype.name}": tf.image.decode_png(data, channels=channels, dtype=dtype)
        for channels in (0, 1, 3, 4)
        for dtype in (tf.uint8, tf.uint16)
    }


def resized(tf: Any) -> dict[str, Any]:
    """Resized images and the gradients by the originals."""
    x = np.random.RandomState(2).rand(1, 4, 5, 2).astype(np.float32)
    result = {}
    resizers = {
        "bilinear": tf.image.resize_bilinear,
        "nearest": tf.image.resize_nearest_neighbor,
        "bicubic": tf.image.resize_bicubic,
    }
    for name, resize in resizers.items():
        for size in ([7, 3], [2, 9]):
            for corners, half in ((False, False), (True, False), (False, True)):
                images = tf.constant(x)
                y = resize(images, size, align_corners=corners, half_pixel_centers=half)
                result[f"{name} {size} {corners} {half}"] = y
    for size in ([7, 3], [2, 9]):
        for corners in (False, True):
            result[f"area {size} {corners}"] = tf.image.resize_area(x, size, align_corners=corners)
    boxes = np.array([[0, 0, 1, 1], [0.9, 0.1, 0.2, 1.3]], np.float32)
    for method in ("bilinear", "nearest"):
        images, corners = tf.constant(x), tf.constant(boxes)
        crops = tf.image.crop_and_resize(images, corners, [0, 0], [3, 4], method=method, extrapolation_value=0.5)
        result[f"crops {method}"] = crops
    result["ratio kept"] = tf.image.resize_images(x, [9, 11], preserve_aspect_ratio=True)
    return result


def at_random(tf: Any) -> dict[str, Any]:
    """Random crops, flips and colours."""
    image = np.random.RandomState(3).rand(4, 5, 3).astype(np.float32)
    result = {}
    for seed in range(1, 5):
        for number, (size, covered, area) in enumerate(
            [((40, 50, 3), 0.1, (0.05, 1.0)), ((300, 200, 3), 0.9, (0.01, 0.5))]
        ):
            begin, extent, box = tf.image.sample_distorted_bounding_box(
                size, [[[0.1, 0.2, 0.8, 0.9]]], seed=seed, seed2=number, min_object_covered=covered, area_range=area
            )
            for part, tensor in (("begin", begin), ("size", extent), ("box", box)):
                result[f"sample {seed} {number} {part}"] = tensor
        result[f"flip {seed}"] = tf.image.random_flip_left_right(image, seed=seed)
        result[f"brightness {seed}"] = tf.image.random_brightness(0 * image, 0.4, seed=seed)
        result[f"contrast {seed}"] = tf.image.random_contrast(image, 0.4, 1.5, seed=seed)
        result[f"saturation {seed}"] = tf.image.random_saturation(image, 0.4, 1.6, seed=seed)
        result[f"hue {seed}"] = tf.image.random_hue(image, 0.4, seed=seed)
    result["flips of a batch"] = tf.image.random_flip_up_down(np.stack([image] * 6), seed=4)
    return result


def suppressed(tf: Any) -> dict[str, Any]:
    """Boxes that are kept."""
    rng = np.random.RandomState(5)
    corner, scores = rng.rand(30, 2), rng.rand(30).astype(np.float32)
    boxes = np.concatenate([corner, corner + 0.3 * rng.rand(30, 2)], 1).astype(np.float32)
    chosen, softened = tf.image.non_max_suppression_with_scores(boxes, scores, 20, 0.6, 0.1, 0.4)
    return {
        "kept": tf.image.non_max_suppression(boxes, scores, 20, 0.3),
        "kept above a score": tf.image.non_max_suppression(boxes, scores, 20, 0.3, score_threshold=0.5),
        "kept softly": chosen,
        "softened scores": softened,
    }


def packed(value: Any) -> list[Any]:
    """An array as it is stored."""
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 9)).decode()
    return [value.dtype.name, list(value.shape), data]


def unpacked(stored: list[Any]) -> Any:
    """An array that `packed` stored."""
    dtype, shape, data = stored
    return np.frombuffer(zlib.decompress(base64.b64decode(data)), dtype).reshape(shape)


def values(tf: Any, data: dict[str, bytes]) -> dict[str, Any]:
    """All results, by name."""
    result = {}
    builders = {
        **{name: lambda name=name: decoded(tf, name, data[name]) for name in data},
        "resized": lambda: resized(tf),
        "at random": lambda: at_random(tf),
        "suppressed": lambda: suppressed(tf),
    }
    for family, build in builders.items():
        with tf.Graph().as_default():
            tf.set_random_seed(7)
            with tf.Session() as session:
                for name, value in session.run(build()).items():
                    result[f"{family}: {name}"] = value
    return result


def main() -> None:
    """Writes the file beside this program."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    data = files(tf)
    stored = {
        "files": {name: base64.b64encode(value).decode() for name, value in data.items()},
        "values": {name: packed(value) for name, value in values(tf, data).items()},
    }
    path = pathlib.Path(__file__).with_name("images.json")
    path.write_text(json.dumps(stored, indent=0) + "\n")


if __name__ == "__main__":
    main()

"""Image functions by the names that they had before TensorFlow 1.0: each call warns and names the new one."""

from __future__ import annotations

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.ops.image import coloring

per_image_whitening = deprecated("tf.image.per_image_standardization", name="tf.image.per_image_whitening")(
    coloring.per_image_standardization
)

"""`tf.contrib.image`: rotated, moved and transformed pictures."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.image.transforms import (
    angles_to_projective_transforms as angles_to_projective_transforms,
    compose_transforms as compose_transforms,
    flat_transforms_to_matrices as flat_transforms_to_matrices,
    matrices_to_flat_transforms as matrices_to_flat_transforms,
    rotate as rotate,
    transform as transform,
    translate as translate,
    translations_to_projective_transforms as translations_to_projective_transforms,
)
from ferroflow._src.contrib.image.warping import dense_image_warp as dense_image_warp

_tell_absent(globals())

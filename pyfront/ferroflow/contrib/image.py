"""`tf.contrib.image`: rotated, moved and transformed images."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.image.colors import (
    adjust_hsv_in_yiq as adjust_hsv_in_yiq,
    random_hsv_in_yiq as random_hsv_in_yiq,
)
from ferroflow._src.contrib.image.regions import (
    bipartite_match as bipartite_match,
    connected_components as connected_components,
)
from ferroflow._src.contrib.image.splines import (
    interpolate_spline as interpolate_spline,
    sparse_image_warp as sparse_image_warp,
)
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

"""`tf.keras.preprocessing.image`: images as arrays, changed at random, in batches."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.image_batches import (
    DirectoryIterator as DirectoryIterator,
    Iterator as Iterator,
    NumpyArrayIterator as NumpyArrayIterator,
)
from ferroflow._src.keras.image_generator import ImageDataGenerator as ImageDataGenerator
from ferroflow._src.keras.image_transforms import (
    apply_affine_transform as apply_affine_transform,
    apply_brightness_shift as apply_brightness_shift,
    apply_channel_shift as apply_channel_shift,
    apply_transform as apply_transform,
    flip_axis as flip_axis,
    random_brightness as random_brightness,
    random_channel_shift as random_channel_shift,
    random_rotation as random_rotation,
    random_shear as random_shear,
    random_shift as random_shift,
    random_zoom as random_zoom,
)
from ferroflow._src.keras.images import (
    array_to_img as array_to_img,
    img_to_array as img_to_array,
    load_img as load_img,
    save_img as save_img,
)

_tell_absent(globals())

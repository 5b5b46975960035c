"""`tf.image`: images resized, cropped, coloured, compared, and the formats they are stored in."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.image.boxes import (
    combined_non_max_suppression as combined_non_max_suppression,
    draw_bounding_boxes as draw_bounding_boxes,
    non_max_suppression as non_max_suppression,
    non_max_suppression_overlaps as non_max_suppression_overlaps,
    non_max_suppression_padded as non_max_suppression_padded,
    non_max_suppression_with_scores as non_max_suppression_with_scores,
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from ferroflow._src.ops.image.coloring import (
    adjust_brightness as adjust_brightness,
    adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma,
    adjust_hue as adjust_hue,
    adjust_saturation as adjust_saturation,
    convert_image_dtype as convert_image_dtype,
    grayscale_to_rgb as grayscale_to_rgb,
    hsv_to_rgb as hsv_to_rgb,
    per_image_standardization as per_image_standardization,
    random_brightness as random_brightness,
    random_contrast as random_contrast,
    random_hue as random_hue,
    random_saturation as random_saturation,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_hsv as rgb_to_hsv,
    rgb_to_yiq as rgb_to_yiq,
    rgb_to_yuv as rgb_to_yuv,
    yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
)
from ferroflow._src.ops.image.comparing import (
    image_gradients as image_gradients,
    psnr as psnr,
    sobel_edges as sobel_edges,
    ssim as ssim,
    ssim_multiscale as ssim_multiscale,
    total_variation as total_variation,
)
from ferroflow._src.ops.image.cropping import (
    central_crop as central_crop,
    crop_and_resize as crop_and_resize,
    crop_to_bounding_box as crop_to_bounding_box,
    extract_glimpse as extract_glimpse,
    extract_image_patches as extract_image_patches,
    extract_patches as extract_patches,
    pad_to_bounding_box as pad_to_bounding_box,
    resize_image_with_crop_or_pad as resize_image_with_crop_or_pad,
    resize_with_crop_or_pad as resize_with_crop_or_pad,
)
from ferroflow._src.ops.image.decoding import (
    adjust_jpeg_quality as adjust_jpeg_quality,
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
    random_jpeg_quality as random_jpeg_quality,
)
from ferroflow._src.ops.image.renamed import per_image_whitening as per_image_whitening
from ferroflow._src.ops.image.resizing import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    resize_area as resize_area,
    resize_bicubic as resize_bicubic,
    resize_bilinear as resize_bilinear,
    resize_image_with_pad as resize_image_with_pad,
    resize_images as resize_images,
    resize_nearest_neighbor as resize_nearest_neighbor,
)
from ferroflow._src.ops.image.turning import (
    flip_left_right as flip_left_right,
    flip_up_down as flip_up_down,
    random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down,
    rot90 as rot90,
    transpose as transpose,
    transpose_image as transpose_image,
)
from ferroflow._src.ops.random.sampling import random_crop as random_crop

_tell_absent(globals())

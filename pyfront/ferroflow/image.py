"""`tf.image`: images resized, cropped, coloured, compared, and the formats they are stored in."""

from ferroflow._src.ops.image.boxes import (
    draw_bounding_boxes as draw_bounding_boxes,
)
from ferroflow._src.ops.image.boxes import (
    non_max_suppression as non_max_suppression,
)
from ferroflow._src.ops.image.boxes import (
    non_max_suppression_overlaps as non_max_suppression_overlaps,
)
from ferroflow._src.ops.image.boxes import (
    non_max_suppression_padded as non_max_suppression_padded,
)
from ferroflow._src.ops.image.boxes import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from ferroflow._src.ops.image.boxes import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from ferroflow._src.ops.image.coloring import (
    adjust_brightness as adjust_brightness,
)
from ferroflow._src.ops.image.coloring import (
    adjust_contrast as adjust_contrast,
)
from ferroflow._src.ops.image.coloring import (
    adjust_gamma as adjust_gamma,
)
from ferroflow._src.ops.image.coloring import (
    adjust_hue as adjust_hue,
)
from ferroflow._src.ops.image.coloring import (
    adjust_saturation as adjust_saturation,
)
from ferroflow._src.ops.image.coloring import (
    convert_image_dtype as convert_image_dtype,
)
from ferroflow._src.ops.image.coloring import (
    grayscale_to_rgb as grayscale_to_rgb,
)
from ferroflow._src.ops.image.coloring import (
    hsv_to_rgb as hsv_to_rgb,
)
from ferroflow._src.ops.image.coloring import (
    per_image_standardization as per_image_standardization,
)
from ferroflow._src.ops.image.coloring import (
    random_brightness as random_brightness,
)
from ferroflow._src.ops.image.coloring import (
    random_contrast as random_contrast,
)
from ferroflow._src.ops.image.coloring import (
    random_hue as random_hue,
)
from ferroflow._src.ops.image.coloring import (
    random_saturation as random_saturation,
)
from ferroflow._src.ops.image.coloring import (
    rgb_to_grayscale as rgb_to_grayscale,
)
from ferroflow._src.ops.image.coloring import (
    rgb_to_hsv as rgb_to_hsv,
)
from ferroflow._src.ops.image.coloring import (
    rgb_to_yiq as rgb_to_yiq,
)
from ferroflow._src.ops.image.coloring import (
    rgb_to_yuv as rgb_to_yuv,
)
from ferroflow._src.ops.image.coloring import (
    yiq_to_rgb as yiq_to_rgb,
)
from ferroflow._src.ops.image.coloring import (
    yuv_to_rgb as yuv_to_rgb,
)
from ferroflow._src.ops.image.comparing import (
    image_gradients as image_gradients,
)
from ferroflow._src.ops.image.comparing import (
    psnr as psnr,
)
from ferroflow._src.ops.image.comparing import (
    sobel_edges as sobel_edges,
)
from ferroflow._src.ops.image.comparing import (
    ssim as ssim,
)
from ferroflow._src.ops.image.comparing import (
    ssim_multiscale as ssim_multiscale,
)
from ferroflow._src.ops.image.comparing import (
    total_variation as total_variation,
)
from ferroflow._src.ops.image.cropping import (
    central_crop as central_crop,
)
from ferroflow._src.ops.image.cropping import (
    crop_and_resize as crop_and_resize,
)
from ferroflow._src.ops.image.cropping import (
    crop_to_bounding_box as crop_to_bounding_box,
)
from ferroflow._src.ops.image.cropping import (
    extract_glimpse as extract_glimpse,
)
from ferroflow._src.ops.image.cropping import (
    extract_image_patches as extract_image_patches,
)
from ferroflow._src.ops.image.cropping import (
    extract_patches as extract_patches,
)
from ferroflow._src.ops.image.cropping import (
    pad_to_bounding_box as pad_to_bounding_box,
)
from ferroflow._src.ops.image.cropping import (
    resize_image_with_crop_or_pad as resize_image_with_crop_or_pad,
)
from ferroflow._src.ops.image.cropping import (
    resize_with_crop_or_pad as resize_with_crop_or_pad,
)
from ferroflow._src.ops.image.decoding import (
    adjust_jpeg_quality as adjust_jpeg_quality,
)
from ferroflow._src.ops.image.decoding import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
)
from ferroflow._src.ops.image.decoding import (
    decode_bmp as decode_bmp,
)
from ferroflow._src.ops.image.decoding import (
    decode_gif as decode_gif,
)
from ferroflow._src.ops.image.decoding import (
    decode_image as decode_image,
)
from ferroflow._src.ops.image.decoding import (
    decode_jpeg as decode_jpeg,
)
from ferroflow._src.ops.image.decoding import (
    decode_png as decode_png,
)
from ferroflow._src.ops.image.decoding import (
    encode_jpeg as encode_jpeg,
)
from ferroflow._src.ops.image.decoding import (
    encode_png as encode_png,
)
from ferroflow._src.ops.image.decoding import (
    extract_jpeg_shape as extract_jpeg_shape,
)
from ferroflow._src.ops.image.decoding import (
    is_jpeg as is_jpeg,
)
from ferroflow._src.ops.image.decoding import (
    random_jpeg_quality as random_jpeg_quality,
)
from ferroflow._src.ops.image.resizing import (
    ResizeMethod as ResizeMethod,
)
from ferroflow._src.ops.image.resizing import (
    resize as resize,
)
from ferroflow._src.ops.image.resizing import (
    resize_area as resize_area,
)
from ferroflow._src.ops.image.resizing import (
    resize_bicubic as resize_bicubic,
)
from ferroflow._src.ops.image.resizing import (
    resize_bilinear as resize_bilinear,
)
from ferroflow._src.ops.image.resizing import (
    resize_image_with_pad as resize_image_with_pad,
)
from ferroflow._src.ops.image.resizing import (
    resize_images as resize_images,
)
from ferroflow._src.ops.image.resizing import (
    resize_nearest_neighbor as resize_nearest_neighbor,
)
from ferroflow._src.ops.image.turning import (
    flip_left_right as flip_left_right,
)
from ferroflow._src.ops.image.turning import (
    flip_up_down as flip_up_down,
)
from ferroflow._src.ops.image.turning import (
    random_flip_left_right as random_flip_left_right,
)
from ferroflow._src.ops.image.turning import (
    random_flip_up_down as random_flip_up_down,
)
from ferroflow._src.ops.image.turning import (
    rot90 as rot90,
)
from ferroflow._src.ops.image.turning import (
    transpose as transpose,
)
from ferroflow._src.ops.image.turning import (
    transpose_image as transpose_image,
)
from ferroflow._src.ops.random.sampling import (
    random_crop as random_crop,
)

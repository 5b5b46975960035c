//! Images: resizing, cropping, colours, boxes, and the formats they are stored in.

mod adjoint;
mod adjust_color;
mod adjust_contrast;
mod bmp;
mod color_space;
mod combined_non_max_suppression;
mod crop_and_resize;
mod decode_image;
mod draw_bounding_boxes;
mod encode_image;
mod extract_glimpse;
mod extract_image_patches;
mod extract_volume_patches;
mod gif;
mod jpeg;
mod non_max_suppression;
mod pixel;
mod pixels;
pub(crate) mod png;
mod quantized_resize_bilinear;
mod random_crop;
mod resize_area;
mod resize_bicubic;
mod resize_bilinear;
mod resize_nearest_neighbor;
mod sample_distorted_bounding_box;
mod sampling;
mod scale_and_translate;
mod shapes;

use ferroflow_graph::Registry;

pub(crate) use resize_bilinear::resized_linearly;

pub(crate) fn register(r: &mut Registry) {
    adjust_color::register(r);
    adjust_contrast::register(r);
    color_space::register(r);
    combined_non_max_suppression::register(r);
    crop_and_resize::register(r);
    decode_image::register(r);
    draw_bounding_boxes::register(r);
    encode_image::register(r);
    extract_glimpse::register(r);
    extract_image_patches::register(r);
    extract_volume_patches::register(r);
    non_max_suppression::register(r);
    quantized_resize_bilinear::register(r);
    random_crop::register(r);
    resize_area::register(r);
    resize_bicubic::register(r);
    resize_bilinear::register(r);
    resize_nearest_neighbor::register(r);
    sample_distorted_bounding_box::register(r);
    scale_and_translate::register(r);
}

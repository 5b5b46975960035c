"""Images read from and written to the formats they are stored in."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.image.coloring import convert_image_dtype
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.string.parts import substr


def decode_jpeg(
    contents: TensorLike,
    channels: int | None = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a JPEG file.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        channels: int, 0 for those of the file, 1 for gray, 3 for RGB.
        ratio: int, the divisor of height and width: 1, 2, 4 or 8.
        fancy_upscaling: bool. If True, colours of lower resolution are interpolated.
        try_recover_truncated: bool. If True, a truncated image is decoded, and its missing part is gray.
        acceptable_fraction: float, the share of rows that must be there; the others are black.
        dct_method: str, "INTEGER_FAST" or "INTEGER_ACCURATE"; "" for the fast one.
        name: str, name of the operation.

    Returns:
        Tensor of uint8, of shape [height, width, channels]. A step raises `InvalidArgumentError` for a damaged file.

    Raises:
        ValueError: if `contents` is not a scalar.

    Example:
        >>> file = tf.image.encode_jpeg(np.full([4, 6, 3], 128, np.uint8))
        >>> image = sess.run(tf.image.decode_jpeg(file))
        >>> print(image.shape, image.dtype, image[0, 0])
        (4, 6, 3) uint8 [128 128 128]
    """
    attrs = {
        "channels": channels or 0,
        "ratio": ratio,
        "fancy_upscaling": fancy_upscaling,
        "try_recover_truncated": try_recover_truncated,
        "acceptable_fraction": acceptable_fraction,
        "dct_method": dct_method,
    }
    return tensor_op("DecodeJpeg", [contents], attrs, name=name)


def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int | None = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a rectangle of a JPEG file.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        crop_window: Tensor of int32, of shape [4]: top, left, height and width.
        channels: see `decode_jpeg`; so are the other arguments.
        ratio: see `decode_jpeg`.
        fancy_upscaling: see `decode_jpeg`.
        try_recover_truncated: see `decode_jpeg`.
        acceptable_fraction: see `decode_jpeg`.
        dct_method: see `decode_jpeg`.
        name: str, name of the operation.

    Returns:
        Tensor of uint8, of shape [crop_window[2], crop_window[3], channels]. A step raises `InvalidArgumentError` for a
        damaged file or a rectangle that is not inside.

    Raises:
        ValueError: if `contents` is not a scalar, or `crop_window` no vector of 4.
    """
    attrs = {
        "channels": channels or 0,
        "ratio": ratio,
        "fancy_upscaling": fancy_upscaling,
        "try_recover_truncated": try_recover_truncated,
        "acceptable_fraction": acceptable_fraction,
        "dct_method": dct_method,
    }
    return tensor_op("DecodeAndCropJpeg", [contents, crop_window], attrs, name=name)


def decode_png(
    contents: TensorLike, channels: int | None = 0, dtype: DTypeLike = dtypes.uint8, name: str | None = None
) -> Tensor:
    """Decodes a PNG file.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        channels: int, 0 for those of the file, 1 for gray, 3 for RGB, 4 for RGB and alpha.
        dtype: DType of the result, uint8 or uint16.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype`, of shape [height, width, channels]. A step raises `InvalidArgumentError` for a damaged file.

    Raises:
        ValueError: if `contents` is not a scalar.
    """
    return tensor_op(
        "DecodePng", [contents], {"channels": channels or 0, "dtype": dtypes.dtype_or_none(dtype)}, name=name
    )


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """Decodes all frames of a GIF file.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        name: str, name of the operation.

    Returns:
        Tensor of uint8, of shape [frames, height, width, 3]. A step raises `InvalidArgumentError` for a damaged file.

    Raises:
        ValueError: if `contents` is not a scalar.
    """
    return tensor_op("DecodeGif", [contents], name=name)


def decode_bmp(contents: TensorLike, channels: int | None = 0, name: str | None = None) -> Tensor:
    """Decodes a BMP file.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        channels: int, 0 for those of the file; 3 or 4 for colours, as from TensorFlow 2 on, without or with how opaque
            they are; 1 for a grey file's.
        name: str, name of the operation.

    Returns:
        Tensor of uint8, of shape [height, width, channels]. A step raises `InvalidArgumentError` for a damaged file.

    Raises:
        ValueError: if `contents` is not a scalar.
    """
    return tensor_op("DecodeBmp", [contents], {"channels": channels or 0}, name=name)


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Decodes a BMP, GIF, JPEG or PNG file, whichever it is.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        channels: int, None or 0 for those of the file, 1 for gray, 3 for RGB, 4 for RGB and alpha.
        dtype: DType of the result: an integer one or a float one, where 1 is white.
        name: str, name scope of the operation.
        expand_animations: bool. If True, GIF files give all their frames, [frames, height, width, 3]; otherwise they
            must have one.

    Returns:
        Tensor of `dtype`, of shape [height, width, channels]. A step raises `InvalidArgumentError` for a damaged file,
        or if its format does not have that number of channels.

    Raises:
        ValueError: if `channels` is not one of these.
    """
    with name_scope(name, "decode_image"):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError("channels must be in (None, 0, 1, 3, 4)")
        dtype = dtypes.as_dtype(dtype)
        native = dtype if dtype in (dtypes.uint8, dtypes.uint16, dtypes.float32) else dtypes.uint16
        attrs = {"channels": channels or 0, "dtype": native, "expand_animations": expand_animations}
        decoded = tensor_op("DecodeImage", [contents], attrs)
        return decoded if native == dtype else convert_image_dtype(decoded, dtype)


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Encodes an image as a JPEG file.

    Args:
        image: Tensor of uint8, of shape [height, width, channels].
        format: str, "grayscale" for 1 channel, "rgb" for 3, "" for either.
        quality: int, from 0 to 100.
        progressive: bool. If True, the file holds the image first coarsely, then finely.
        optimize_size: bool. If True, the codes are made for the image.
        chroma_downsampling: bool. If True, colours have half the resolution of brightness.
        density_unit: str, "in" or "cm": the unit of length of the densities.
        x_density: int, pixels per unit, across.
        y_density: int, pixels per unit, down.
        xmp_metadata: str, the file's XMP data.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [].

    Raises:
        ValueError: if `image` has a wrong rank.
    """
    attrs = {
        "format": format,
        "quality": quality,
        "progressive": progressive,
        "optimize_size": optimize_size,
        "chroma_downsampling": chroma_downsampling,
        "density_unit": density_unit,
        "x_density": x_density,
        "y_density": y_density,
        "xmp_metadata": xmp_metadata,
    }
    return tensor_op("EncodeJpeg", [image], attrs, name=name)


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """Encodes an image as a PNG file.

    Args:
        image: Tensor of uint8 or uint16, of shape [height, width, channels]: gray, gray and alpha, RGB, or RGB and
            alpha.
        compression: int, from 0 (none) to 9 (most); -1 for zlib's default.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [].

    Raises:
        ValueError: if `image` has a wrong rank.
    """
    # Converted first: the op would take a dtype of its own, uint8, for an array.
    image = convert_to_tensor(image, name="image")
    return tensor_op("EncodePng", [image], {"compression": compression}, name=name)


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Returns the shape of a JPEG file's image, from its header.

    Args:
        contents: Tensor of string, of shape []: the file's bytes.
        output_type: DType of the result, int32 or int64.
        name: str, name of the operation.

    Returns:
        Tensor of `output_type`, of shape [3]: height, width, channels.

    Raises:
        ValueError: if `contents` is not a scalar.
    """
    return tensor_op("ExtractJpegShape", [contents], {"output_type": dtypes.dtype_or_none(output_type)}, name=name)


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Returns True if bytes begin as JPEG files do.

    Args:
        contents: Tensor of string, of shape [].
        name: str, name scope of the operations.

    Returns:
        Tensor of bool, of shape [].
    """
    with name_scope(name, "is_jpeg"):
        return comparison.equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)


def adjust_jpeg_quality(image: TensorLike, jpeg_quality: TensorLike, name: str | None = None) -> Tensor:
    """Returns an image after encoding it as a JPEG file and decoding it.

    Args:
        image: Tensor of a real number dtype, of shape [height, width, 1 or 3].
        jpeg_quality: Tensor of int32, of shape []: from 0 to 100.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `image`.
    """
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        pixels = convert_image_dtype(image, dtypes.uint8, saturate=True)
        is_tensor = isinstance(jpeg_quality, Tensor)
        quality = jpeg_quality if is_tensor else convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        encoded = tensor_op("EncodeJpegVariableQuality", [pixels, quality])
        shape = image.get_shape()
        channels = None if shape.ndims is None else shape.as_list()[-1]
        decoded = convert_image_dtype(decode_jpeg(encoded, channels=channels), image.dtype)
        decoded.set_shape(shape)
        return decoded


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """Encodes images as JPEG with a random quality and decodes them again.

    Args:
        image: Tensor of a real number dtype, of shape [height, width, 1 or 3].
        min_jpeg_quality: int, from 0 to 100: the least quality.
        max_jpeg_quality: int, from 0 to 100: upper limit of the quality.
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if the qualities are not from 0 to 100, or the first is not below the second.
    """
    if min_jpeg_quality < 0 or max_jpeg_quality < 0 or min_jpeg_quality > 100 or max_jpeg_quality > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)

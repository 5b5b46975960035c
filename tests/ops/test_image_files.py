"""Image files: what is written is read again, and damaged files are refused without harm."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from golden import make_images
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import ferroflow as tf


def _run(build, *args, **kwargs):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build(*args, **kwargs))


IMAGE = make_images.picture()
JPEG = _run(tf.image.encode_jpeg, IMAGE)
PROGRESSIVE = _run(tf.image.encode_jpeg, IMAGE, progressive=True)
PNG = _run(tf.image.encode_png, IMAGE)


def _bmp(pixels, bits=24, upside_down=True):
    height, width, channels = pixels.shape
    rows = pixels[::-1] if upside_down else pixels
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[channels]
    body = b"".join(row[:, order].tobytes().ljust(-(-width * channels // 4) * 4, b"\0") for row in rows)
    sign = 1 if upside_down else -1
    header = struct.pack("<2sIHHIIiiHHI", b"BM", 54 + len(body), 0, 0, 54, 40, width, sign * height, 1, bits, 0)
    return header.ljust(54, b"\0") + body


def _gif(frames, width, height):
    """A GIF file of frames (left, top, indices), with two colours and codes that never grow."""
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes([10, 20, 30, 200, 210, 220])
    for left, top, indices in frames:
        rows, columns = indices.shape
        codes = []
        # A clear code before every pixel keeps codes at three bits.
        for index in indices.ravel():
            codes += [4, int(index)]
        codes.append(5)
        bits = sum(code << (3 * k) for k, code in enumerate(codes))
        data = bits.to_bytes(-(-3 * len(codes) // 8), "little")
        blocks = b"".join(bytes([len(part)]) + part for part in (data[i : i + 255] for i in range(0, len(data), 255)))
        out += b"," + struct.pack("<HHHHB", left, top, columns, rows, 0) + b"\x02" + blocks + b"\0"
    return out + b";"


@given(
    image=hnp.arrays(
        st.sampled_from([np.uint8, np.uint16]),
        st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3, 4])),
    ),
    compression=st.integers(-1, 9),
)
def test_a_png_file_gives_back_the_image(image, compression):
    data = _run(tf.image.encode_png, image, compression=compression)
    np.testing.assert_array_equal(_run(tf.image.decode_png, data, dtype=image.dtype.name), image)
    np.testing.assert_array_equal(_run(tf.image.decode_image, data, dtype=image.dtype.name), image)


@pytest.mark.parametrize(
    "options", [{}, {"progressive": True}, {"optimize_size": True}, {"chroma_downsampling": False}]
)
def test_a_jpeg_file_gives_nearly_back_the_image(options):
    data = _run(tf.image.encode_jpeg, IMAGE, quality=95, **options)
    back = _run(tf.image.decode_jpeg, data).astype(float)
    assert back.shape == IMAGE.shape
    assert np.abs(back - IMAGE).mean() < 12
    np.testing.assert_array_equal(_run(tf.image.extract_jpeg_shape, data), IMAGE.shape)


def test_a_window_of_a_jpeg_file_is_that_part_of_its_image():
    for data in (JPEG, PROGRESSIVE):
        whole = _run(tf.image.decode_jpeg, data)
        window = _run(tf.image.decode_and_crop_jpeg, data, [3, 5, 9, 11])
        np.testing.assert_array_equal(window, whole[3:12, 5:16])


@pytest.mark.parametrize("window", [[-1, 0, 2, 2], [0, 0, 0, 2], [0, 0, 44, 2], [42, 36, 2, 1], [0, 0, 2, 2**31 - 1]])
def test_a_window_outside_is_refused(window):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data or crop window"):
        _run(tf.image.decode_and_crop_jpeg, JPEG, window)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_a_bmp_file_gives_its_pixels_either_way_up(channels):
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, channels)).astype(np.uint8)
    for upside_down in (True, False):
        data = _bmp(pixels, 8 * channels, upside_down)
        np.testing.assert_array_equal(_run(tf.image.decode_bmp, data), pixels)
        np.testing.assert_array_equal(_run(tf.image.decode_image, data), pixels)


def test_frames_of_a_gif_file_lie_over_each_other():
    first = np.array([[0, 1, 0], [1, 1, 0]])
    data = _gif([(0, 0, first), (1, 1, np.array([[0, 1]]))], 3, 2)
    colors = np.array([[10, 20, 30], [200, 210, 220]], np.uint8)
    second = first.copy()
    second[1, 1:] = [0, 1]
    want = colors[np.stack([first, second])]
    np.testing.assert_array_equal(_run(tf.image.decode_gif, data), want)
    np.testing.assert_array_equal(_run(tf.image.decode_image, data), want)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 frames, but animated gifs"):
        _run(tf.image.decode_png, data)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fill the canvas"):
        _run(tf.image.decode_gif, _gif([(1, 1, np.array([[0, 1]]))], 3, 2))


# What TensorFlow 2.21 gives; before 2.x, `decode_bmp` refused these, and `decode_image` left the channels as they are.
@pytest.mark.parametrize("decode", [tf.image.decode_bmp, tf.image.decode_image])
@pytest.mark.parametrize("found", [1, 3, 4])
@pytest.mark.parametrize("wanted", [3, 4])
def test_a_bmp_file_gives_the_channels_that_are_asked_for(decode, found, wanted):
    pixels = np.arange(5 * 7 * found, dtype=np.uint8).reshape(5, 7, found)
    colours = np.repeat(pixels, 3, axis=2) if found == 1 else pixels[..., :3]
    opacity = pixels[..., 3:] if found == 4 else np.full((5, 7, 1), 255, np.uint8)
    expected = np.concatenate([colours, opacity], axis=2)[..., :wanted]
    np.testing.assert_array_equal(_run(decode, _bmp(pixels, 8 * found), channels=wanted), expected)


def test_colours_of_a_bmp_file_do_not_become_grey():
    for decode, told in ((tf.image.decode_bmp, "channels attribute 1"), (tf.image.decode_image, "Channels must be in")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=told):
            _run(decode, _bmp(IMAGE), channels=1)


def test_a_decoded_image_has_the_shape_that_the_graph_tells():
    with tf.Graph().as_default(), tf.Session() as sess:
        rgba = _bmp(np.zeros((2, 2, 4), np.uint8), 32)
        image = tf.image.decode_image(rgba, channels=3, dtype=tf.uint16, expand_animations=False)
        assert image.shape.as_list() == [None, None, 3]
        assert sess.run(image).shape == (2, 2, 3)


DECODERS = [tf.image.decode_jpeg, tf.image.decode_png, tf.image.decode_gif, tf.image.decode_bmp, tf.image.decode_image]
SAMPLES = [JPEG, PROGRESSIVE, PNG, _bmp(IMAGE), _gif([(0, 0, IMAGE[:, :, 0] % 2)], 37, 43)]


@given(
    number=st.integers(0, len(SAMPLES) - 1),
    length=st.floats(0, 1),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4),
    decoder=st.sampled_from(DECODERS),
)
def test_a_damaged_file_gives_an_image_or_is_refused(number, length, changes, decoder):
    data = bytearray(SAMPLES[number][: int(length * len(SAMPLES[number]))])
    for place, value in changes:
        if data:
            data[int(place * len(data))] = value
    try:
        image = _run(decoder, bytes(data))
    except tf.errors.InvalidArgumentError:
        return
    assert image.dtype == np.uint8


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_truncated_file_is_refused(share):
    for sample in SAMPLES:
        with pytest.raises(tf.errors.InvalidArgumentError):
            _run(tf.image.decode_image, sample[: int(share * len(sample))])


def test_a_truncated_jpeg_file_is_recovered_where_that_is_asked_for():
    whole = _run(tf.image.decode_jpeg, JPEG)
    recovered = _run(tf.image.decode_jpeg, JPEG[: len(JPEG) * 3 // 4], try_recover_truncated=True)
    assert recovered.shape == whole.shape
    np.testing.assert_array_equal(recovered[:8], whole[:8])
    assert not np.array_equal(recovered[-8:], whole[-8:])


def _png_of_size(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return PNG[:8] + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + PNG[33:]


def _jpeg_of_size(width, height):
    at = JPEG.index(b"\xff\xc0") + 5
    return JPEG[:at] + struct.pack(">HH", height, width) + JPEG[at + 4 :]


@pytest.mark.parametrize("size", [(65535, 65535), (20000, 20000), (65535, 300)])
def test_headers_that_promise_more_than_the_file_holds_are_refused(size):
    width, height = size
    for data in (
        _png_of_size(width, height),
        _png_of_size(2**31 - 1, 2**31 - 1),
        _jpeg_of_size(width, height),
        _bmp(IMAGE)[:18] + struct.pack("<ii", width, height) + _bmp(IMAGE)[26:],
        SAMPLES[4][:6] + struct.pack("<HH", width, height) + SAMPLES[4][10:],
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            _run(tf.image.decode_image, data)


def test_files_of_other_kinds_are_named():
    with pytest.raises(tf.errors.InvalidArgumentError, match="got empty file"):
        _run(tf.image.decode_jpeg, b"")
    with pytest.raises(tf.errors.InvalidArgumentError, match="got unknown format starting with 'hello'"):
        _run(tf.image.decode_png, b"hello")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to decode bytes as JPEG, PNG, GIF, or BMP"):
        _run(tf.image.decode_image, b"hello")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Channels must be in \(None, 0, 1, 3\)"):
        _run(tf.image.decode_image, JPEG, channels=4)
    with pytest.raises(ValueError, match=r"channels must be in \(None, 0, 1, 3, 4\)"):
        _run(tf.image.decode_image, JPEG, channels=2)


def test_floats_are_shares_of_white():
    data = _run(tf.image.encode_png, np.array([[[0], [51], [255]]], np.uint8))
    image = _run(tf.image.decode_image, data, dtype=tf.float32)
    np.testing.assert_allclose(image.ravel(), [0, 0.2, 1], rtol=1e-6)


@pytest.mark.parametrize("attributes", [{"quality": 101}, {"quality": -1}])
def test_qualities_outside_the_scale_are_refused(attributes):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"quality must be in \[0,100\]"):
        _run(tf.image.encode_jpeg, IMAGE, **attributes)


def test_images_that_no_file_can_hold_are_refused():
    for shape in ((0, 3, 3), (3, 0, 3)):
        empty = np.zeros(shape, np.uint8)
        with pytest.raises(tf.errors.InternalError, match="encoding failed"):
            _run(tf.image.encode_jpeg, empty)
        with pytest.raises(tf.errors.InternalError, match="PNG encoding failed: image is empty"):
            _run(tf.image.encode_png, empty)
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 or 3 channels"):
        _run(tf.image.encode_jpeg, np.zeros((2, 2, 4), np.uint8))


def test_lower_quality_leaves_less_of_an_image():
    image = IMAGE.astype(np.float32) / 255

    def error(quality):
        return np.abs(_run(tf.image.adjust_jpeg_quality, image, quality) - image).mean()

    assert error(95) < error(50) < error(5)


def test_jpeg_files_are_known_by_their_beginning():
    assert _run(tf.image.is_jpeg, JPEG)
    assert not _run(tf.image.is_jpeg, PNG)

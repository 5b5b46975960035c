"""Writes the seeds of picture_decoder, example_parser and frame_reader: a small input of each kind that they read.

Usage: python make_seeds.py   (needs ferroflow, which encodes the pictures and the messages of TensorFlow)
"""

import json
import pathlib
import struct
import zlib

import numpy as np

import ferroflow as tf

SEEDS = pathlib.Path(__file__).with_name("seeds")


def write(target: str, name: str, choice: int, data: bytes) -> None:
    """Writes a seed whose first byte is the target's choice."""
    path = SEEDS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes([choice]) + data)


def segment(marker: int, body: bytes) -> bytes:
    """A segment of a JPEG file."""
    return struct.pack(">BBH", 255, marker, len(body) + 2) + body


def flat_jpeg(width: int, height: int, factors: list[int], extra: bytes = b"", data: bytes = bytes(8)) -> bytes:
    """A gray JPEG file of components with these sampling factors, all bits of whose scan are zeros."""
    count = len(factors)
    frame = struct.pack(">BHHB", 8, height, width, count) + b"".join(bytes([i, f, 0]) for i, f in enumerate(factors))
    scan = bytes([count]) + b"".join(bytes([i, 0]) for i in range(count)) + bytes([0, 63, 0])
    one_code = bytes([1] + [0] * 15) + b"\0"
    tables = segment(0xDB, b"\0" + bytes([16]) * 64) + segment(0xC4, b"\0" + one_code + b"\x10" + one_code)
    return b"\xff\xd8" + extra + tables + segment(0xC0, frame) + segment(0xDA, scan) + data + b"\xff\xd9"


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def palette_png(bits: int, interlaced: bool) -> bytes:
    """A PNG file of 8 by 8 pixels, one colour of which is transparent."""
    sizes = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8)] if interlaced else [(8, 8)]
    rows = b"".join(b"\0" + b"\x1b" * -(-columns * bits // 8) for count, columns in sizes for _ in range(count))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, bits, 3, 0, 0, interlaced))
    colours = chunk(b"PLTE", bytes(range(12))) + chunk(b"tRNS", b"\x80")
    return b"\x89PNG\r\n\x1a\n" + header + colours + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def gif(width: int, height: int, frames: list[tuple[int, int, int, int]]) -> bytes:
    """A GIF file of frames (left, top, width, height) in two colours."""
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes([10, 20, 30, 200, 210, 220])
    for left, top, across, down in frames:
        # A clear code before every pixel keeps codes at three bits.
        codes = [code for i in range(across * down) for code in (4, i % 2)] + [5]
        bits = sum(code << (3 * k) for k, code in enumerate(codes))
        data = bits.to_bytes(-(-3 * len(codes) // 8), "little")
        head = b"," + struct.pack("<HHHHB", left, top, across, down, 0)
        out += head + b"\x02" + bytes([len(data)]) + data + b"\0"
    return out + b";"


def bmp(width: int, height: int, channels: int) -> bytes:
    """A BMP file; of a negative height the rows go downwards."""
    body = bytes(range(-(-width * channels // 4) * 4)) * abs(height)
    return (
        struct.pack("<2sIIIIiiHH", b"BM", 54 + len(body), 0, 54, 40, width, height, 1, 8 * channels).ljust(54, b"\0")
        + body
    )


def pictures() -> dict[str, tuple[int, bytes]]:
    """Pictures, each with the choice of its options."""
    y, x = np.mgrid[:11, :17]
    colours = np.stack([x * 15, y * 23, (x * y) % 256], axis=-1).astype(np.uint8)
    gray = colours[:, :, :1]
    coded = {
        "jpeg_subsampled": (0, tf.image.encode_jpeg(colours)),
        "jpeg_full": (1, tf.image.encode_jpeg(colours, chroma_downsampling=False)),
        "jpeg_gray": (2, tf.image.encode_jpeg(gray)),
        "jpeg_progressive": (3, tf.image.encode_jpeg(colours, progressive=True)),
        "jpeg_progressive_gray": (4, tf.image.encode_jpeg(gray, progressive=True)),
        "png_rgb": (0, tf.image.encode_png(colours)),
        "png_gray16": (1, tf.image.encode_png(gray.astype(np.uint16) * 257)),
        "png_rgba": (6, tf.image.encode_png(np.concatenate([colours, gray], axis=-1))),
        "image_jpeg": (192, tf.image.encode_jpeg(gray)),
        "image_png16": (193, tf.image.encode_png(gray.astype(np.uint16) * 257)),
    }
    with tf.Session() as session:
        made = {name: (choice, session.run(data)) for name, (choice, data) in coded.items()}
    adobe = segment(0xEE, b"Adobe\0d\0\0\0\0\x02")
    restarts = segment(0xDD, b"\0\x01")
    return made | {
        "jpeg_ycck": (5, flat_jpeg(9, 9, [0x22, 0x11, 0x11, 0x22], adobe)),
        "jpeg_cmyk": (0, flat_jpeg(9, 9, [0x11] * 4)),
        "jpeg_tall_subsampled": (3, flat_jpeg(9, 20, [0x12, 0x11, 0x11])),
        "jpeg_wide_subsampled": (0, flat_jpeg(40, 9, [0x41, 0x11, 0x11])),
        "jpeg_restarts": (4, flat_jpeg(24, 8, [0x11], restarts, b"\0\xff\xd0\0\xff\xd1\0")),
        "png_palette": (0, palette_png(8, False)),
        "png_palette_2_bits_interlaced": (3, palette_png(2, True)),
        "gif": (0, gif(3, 2, [(0, 0, 3, 2)])),
        "gif_frames": (0, gif(4, 3, [(0, 0, 4, 3), (1, 1, 2, 1), (3, 2, 4, 4)])),
        "image_gif": (194, gif(2, 2, [(0, 0, 2, 2), (1, 0, 1, 2)])),
        "bmp_gray": (0, bmp(5, 3, 1)),
        "bmp_rgb": (0, bmp(3, -2, 3)),
        "bmp_rgba": (0, bmp(2, 2, 4)),
        "image_bmp": (195, bmp(3, 2, 4)),
    }


def feature(*values: bytes | float | int) -> tf.train.Feature:
    """A feature of one value or more, all of one type."""
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def examples() -> dict[str, tuple[int, bytes]]:
    """What the parsers of examples read, each with the choice of its parser."""
    features = {
        "s": feature(b"one", b"", b"three"),
        "f": feature(0.5, -1.0),
        "i": feature(1, -1, 300),
        "d": feature(2.0, 3.0),
        "n": feature(5),
    }
    context = tf.train.Features(feature=features)
    lists = {key: tf.train.FeatureList(feature=[value, value]) for key, value in features.items()}
    sequence = tf.train.SequenceExample(context=context, feature_lists=tf.train.FeatureLists(feature_list=lists))
    whole = tf.train.Features(feature=features | {"r": feature(b"a", b"b", b"c", b"d")})
    text = {
        "a": {"bytesList": {"value": ["aGk=", "-_8"]}},
        "\u00e9\n": {"float_list": {"value": [1, "2.5e1", "NaN"]}},
        "c": {"int64List": {"value": ["-7", 1e3]}},
        "d": {},
    }
    return {
        "example": (0, tf.train.Example(features=whole).SerializeToString()),
        "example_short": (0, tf.train.Example(features={"feature": {"i": feature(1)}}).SerializeToString()),
        "sequence": (1, sequence.SerializeToString()),
        "json": (2, json.dumps({"features": {"feature": text}}).encode()),
        "csv": (3, b'plain,"quoted ""one"", with a comma",'),
        "csv_numbers": (3, b"1.5;NA;skipped; -7 ;9"),
        "tensor": (4, tf.make_tensor_proto(np.arange(6, dtype=np.float32).reshape(2, 3)).SerializeToString()),
        "tensor_of_strings": (4, tf.make_tensor_proto([b"a", b"bc"]).SerializeToString()),
        "tensor_repeated": (4, tf.make_tensor_proto(7, tf.int64, [2, 2]).SerializeToString()),
    }


def varint(value: int) -> bytes:
    """A number in groups of seven bits."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def message(*fields: tuple[int, int | bytes | str]) -> bytes:
    """A message of fields (number, value)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def frame(kind: int, body: bytes, *tensors: tuple[int, int, list[int], bytes]) -> bytes:
    """A frame of a message and of tensors (key, dtype, dimensions, bytes)."""
    entries = [
        message((1, key), (2, dtype), (3, b"".join(map(varint, dims))), (4, len(data)))
        for key, dtype, dims, data in tensors
    ]
    table = message(*((1, entry) for entry in entries), (2, body))
    payload = b"".join(data for *_, data in tensors)
    return struct.pack("<4sHHIIQ", b"FFw1", kind, 0, len(table), len(tensors), len(payload)) + table + payload


def node(name: str, op: str, inputs: bytes, *attrs: tuple[str, bytes]) -> bytes:
    """A node of a part of a graph with one output of any shape."""
    described = [(5, message((1, key), (2, value))) for key, value in attrs]
    return message((1, name), (2, op), (3, inputs), *described, (6, b""))


def frames() -> dict[str, tuple[int, bytes]]:
    """Frames, each with the choice of limits and of the size of pieces."""
    floats = (1, tf.float32.as_datatype_enum, [2], struct.pack("<ff", 1.0, 2.0))
    words = (2, tf.string.as_datatype_enum, [2], struct.pack("<QQ", 3, 0) + b"one")
    flags = (3, tf.bool.as_datatype_enum, [], b"\1")
    dtype = ("dtype", message((5, 1)))
    of_dtype = ("T", message((5, 1)))
    constant = node("c", "Const", b"", dtype, ("value", message((7, 0))))
    listed = message((9, message((1, message((1, 3))), (1, message((6, message((1, 1), (2, b"\2"))))))))
    part = [constant, node("i", "Identity", b"\0\0", of_dtype, ("_list", listed))]
    argument = node("x", "Placeholder", b"", dtype)
    square = node("y", "Square", b"\0\0", of_dtype)
    function = message((1, "f"), (2, argument), (2, square), (3, b"\0\0"), (4, b"\1\0"))
    nodes = message(*((1, n) for n in part), (2, b"\1\0"), (3, b"\1"))
    register = message((1, 9), (2, 1), (4, nodes), (5, function))
    task = message((1, "worker"), (2, 0), (3, "localhost:2222"))
    outcome = message((1, 3), (2, "Bad argument"), (3, 2))
    hello = frame(1, message((1, 1), (2, 77), (3, bytes(32))))
    return {
        "hello": (0, hello),
        "hello_in_pieces": (1, hello + frame(10, b"")),
        "welcome": (255, frame(2, message((1, 1), (2, 5), (3, bytes(32)), (4, 1), (5, bytes(32))))),
        "description": (255, frame(11, message((1, "worker"), (3, 4), (4, task)))),
        "register": (255, frame(12, register, floats)),
        "reset": (255, frame(13, message((1, "container"), (2, 1)))),
        "outcome": (255, frame(14, outcome)),
        "step": (5, frame(20, message((1, 9), (2, 1)), floats, words, flags)),
        "done": (255, frame(23, message((1, outcome), (2, message((1, b"\0\1"), (2, 10), (3, 20)))), words)),
    }


for target, seeds in (("picture_decoder", pictures()), ("example_parser", examples()), ("frame_reader", frames())):
    for name, (choice, data) in seeds.items():
        write(target, name, choice, data)

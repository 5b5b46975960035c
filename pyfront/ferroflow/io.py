"""`tf.io`: files and encodings."""

from ferroflow._src.ops.file.whole import (
    matching_files as matching_files,
)
from ferroflow._src.ops.file.whole import (
    read_file as read_file,
)
from ferroflow._src.ops.file.whole import (
    write_file as write_file,
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
from ferroflow._src.ops.string.encoding import decode_base64 as decode_base64
from ferroflow._src.ops.string.encoding import (
    decode_compressed as decode_compressed,
)
from ferroflow._src.ops.string.encoding import (
    decode_raw as decode_raw,
)
from ferroflow._src.ops.string.encoding import (
    encode_base64 as encode_base64,
)

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

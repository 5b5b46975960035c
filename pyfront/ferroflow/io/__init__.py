"""`tf.io`: files, encodings and parsing."""

from ferroflow._src.base.files.record_files import (
    TFRecordCompressionType as TFRecordCompressionType,
)
from ferroflow._src.base.files.record_files import (
    TFRecordOptions as TFRecordOptions,
)
from ferroflow._src.base.files.record_files import (
    TFRecordWriter as TFRecordWriter,
)
from ferroflow._src.base.files.record_files import (
    tf_record_iterator as tf_record_iterator,
)
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
from ferroflow._src.ops.parsing.examples import (
    parse_example as parse_example,
)
from ferroflow._src.ops.parsing.examples import (
    parse_sequence_example as parse_sequence_example,
)
from ferroflow._src.ops.parsing.examples import (
    parse_single_example as parse_single_example,
)
from ferroflow._src.ops.parsing.examples import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from ferroflow._src.ops.parsing.features import (
    FixedLenFeature as FixedLenFeature,
)
from ferroflow._src.ops.parsing.features import (
    FixedLenSequenceFeature as FixedLenSequenceFeature,
)
from ferroflow._src.ops.parsing.features import (
    SparseFeature as SparseFeature,
)
from ferroflow._src.ops.parsing.features import (
    VarLenFeature as VarLenFeature,
)
from ferroflow._src.ops.parsing.tensors import (
    parse_tensor as parse_tensor,
)
from ferroflow._src.ops.parsing.tensors import (
    serialize_tensor as serialize_tensor,
)
from ferroflow._src.ops.parsing.text import (
    decode_csv as decode_csv,
)
from ferroflow._src.ops.parsing.text import (
    decode_json_example as decode_json_example,
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
from ferroflow.io import gfile as gfile

"""`tf.io`: files, encodings and parsing."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.files.record_files import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)
from ferroflow._src.framework.graph_files import write_graph as write_graph
from ferroflow._src.input.producers import match_filenames_once as match_filenames_once
from ferroflow._src.ops.file.whole import (
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from ferroflow._src.ops.image.decoding import (
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
)
from ferroflow._src.ops.parsing.examples import (
    parse_example as parse_example,
    parse_sequence_example as parse_sequence_example,
    parse_single_example as parse_single_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from ferroflow._src.ops.parsing.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from ferroflow._src.ops.parsing.messages import (
    decode_proto as decode_proto,
    encode_proto as encode_proto,
)
from ferroflow._src.ops.parsing.tensors import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from ferroflow._src.ops.parsing.text import (
    decode_csv as decode_csv,
    decode_json_example as decode_json_example,
)
from ferroflow._src.ops.queue.queues import (
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)
from ferroflow._src.ops.sparse.serializing import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from ferroflow._src.ops.string.encoding import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
)
from ferroflow.io import gfile as gfile

_tell_absent(globals())

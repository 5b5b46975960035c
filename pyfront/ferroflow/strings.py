"""`tf.strings`: operations on text."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.ragged import text as _text
from ferroflow._src.ops.ragged.text import (
    bytes_split as bytes_split,
    ngrams as ngrams,
    unicode_decode as unicode_decode,
    unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_encode as unicode_encode,
    unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets,
)
from ferroflow._src.ops.string import (
    characters as _characters,
    encoding as _encoding,
    formatting as _formatting,
    hashing as _hashing,
    parts as _parts,
)
from ferroflow._src.ops.string.characters import (
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
)
from ferroflow._src.ops.string.encoding import as_string as as_string
from ferroflow._src.ops.string.formatting import unicode_script as unicode_script
from ferroflow._src.ops.string.parts import (
    reduce_join as reduce_join,
    substr as substr,
    unsorted_segment_join as unsorted_segment_join,
)
from ferroflow._src.ops.string.unicode import unicode_transcode as unicode_transcode

format = _formatting.string_format
join = _parts.string_join
length = _characters.string_length
lower = _characters.string_lower
split = _text.split
strip = _parts.string_strip
to_hash_bucket = _hashing.string_to_hash_bucket
to_hash_bucket_fast = _hashing.string_to_hash_bucket_fast
to_hash_bucket_strong = _hashing.string_to_hash_bucket_strong
to_number = _encoding.string_to_number
upper = _characters.string_upper

_tell_absent(globals())

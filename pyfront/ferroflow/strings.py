"""`tf.strings`: operations on text."""

from ferroflow._src.ops.string import characters as _characters
from ferroflow._src.ops.string import encoding as _encoding
from ferroflow._src.ops.string import formatting as _formatting
from ferroflow._src.ops.string import hashing as _hashing
from ferroflow._src.ops.string import parts as _parts
from ferroflow._src.ops.string.characters import (
    regex_full_match as regex_full_match,
)
from ferroflow._src.ops.string.characters import (
    regex_replace as regex_replace,
)
from ferroflow._src.ops.string.encoding import (
    as_string as as_string,
)
from ferroflow._src.ops.string.formatting import (
    unicode_script as unicode_script,
)
from ferroflow._src.ops.string.parts import (
    reduce_join as reduce_join,
)
from ferroflow._src.ops.string.parts import (
    substr as substr,
)

format = _formatting.string_format
join = _parts.string_join
length = _characters.string_length
lower = _characters.string_lower
split = _parts.string_split_v2
strip = _parts.string_strip
to_hash_bucket = _hashing.string_to_hash_bucket
to_hash_bucket_fast = _hashing.string_to_hash_bucket_fast
to_hash_bucket_strong = _hashing.string_to_hash_bucket_strong
to_number = _encoding.string_to_number
upper = _characters.string_upper

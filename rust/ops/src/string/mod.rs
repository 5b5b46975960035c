//! Text: splitting, joining, searching, hashing, and numbers as text.

mod as_string;
mod base64;
mod case;
mod decode_compressed;
mod decode_raw;
mod each;
pub(crate) mod farm_hash;
mod fingerprint;
mod format;
mod join;
mod length;
mod murmur;
mod n_grams;
mod offsets;
mod printf;
mod reduce_join;
mod regex;
mod regex_syntax;
mod segment_join;
mod split;
mod strip;
mod substr;
mod to_hash_bucket;
mod to_number;
mod unicode;
mod unicode_script;
mod unicode_text;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    as_string::register(r);
    base64::register(r);
    case::register(r);
    decode_compressed::register(r);
    decode_raw::register(r);
    fingerprint::register(r);
    format::register(r);
    join::register(r);
    length::register(r);
    n_grams::register(r);
    reduce_join::register(r);
    regex::register(r);
    segment_join::register(r);
    split::register(r);
    strip::register(r);
    substr::register(r);
    to_hash_bucket::register(r);
    to_number::register(r);
    unicode::register(r);
    unicode_script::register(r);
}

"""Text passes no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "AsString",
        "DecodeBase64",
        "DecodePaddedRaw",
        "DecodeRaw",
        "EncodeBase64",
        "ReduceJoin",
        "RegexReplace",
        "StringJoin",
        "StringSplit",
        "StringToHashBucket",
        "StringToHashBucketFast",
        "StringToHashBucketStrong",
        "StringToNumber",
    ]
)

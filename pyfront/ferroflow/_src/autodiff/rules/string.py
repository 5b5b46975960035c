"""Text passes no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "AsString",
        "DecodeBase64",
        "DecodeCompressed",
        "DecodeRaw",
        "EncodeBase64",
        "Fingerprint",
        "ReduceJoin",
        "RegexFullMatch",
        "RegexReplace",
        "StaticRegexFullMatch",
        "StaticRegexReplace",
        "StringFormat",
        "StringJoin",
        "StringLength",
        "StringLower",
        "StringSplit",
        "StringSplitV2",
        "StringStrip",
        "StringToHashBucket",
        "StringToHashBucketFast",
        "StringToHashBucketStrong",
        "StringToNumber",
        "StringUpper",
        "Substr",
        "UnicodeScript",
    ]
)

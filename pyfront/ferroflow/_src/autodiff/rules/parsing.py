"""Ops that parse or read files: they pass no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "DecodeProtoV2",
        "EncodeProto",
        "ParseTensor",
        "SerializeTensor",
        "FixedLengthRecordReader",
        "IdentityReader",
        "LMDBReader",
        "ReaderNumRecordsProduced",
        "ReaderNumWorkUnitsCompleted",
        "ReaderRead",
        "ReaderReadUpTo",
        "ReaderReset",
        "ReaderRestoreState",
        "ReaderSerializeState",
        "TFRecordReader",
        "TextLineReader",
        "WholeFileReader",
    ]
)

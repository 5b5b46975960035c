"""What is parsed or read from files passes no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "DecodeCSV",
        "DecodeJSONExample",
        "ParseExample",
        "ParseSequenceExample",
        "ParseSingleExample",
        "ParseSingleSequenceExample",
        "ParseTensor",
        "SerializeTensor",
        "FixedLengthRecordReader",
        "FixedLengthRecordReaderV2",
        "IdentityReader",
        "IdentityReaderV2",
        "ReaderNumRecordsProduced",
        "ReaderNumRecordsProducedV2",
        "ReaderNumWorkUnitsCompleted",
        "ReaderNumWorkUnitsCompletedV2",
        "ReaderRead",
        "ReaderReadV2",
        "ReaderReadUpTo",
        "ReaderReadUpToV2",
        "ReaderReset",
        "ReaderResetV2",
        "ReaderRestoreState",
        "ReaderRestoreStateV2",
        "ReaderSerializeState",
        "ReaderSerializeStateV2",
        "TFRecordReader",
        "TFRecordReaderV2",
        "TextLineReader",
        "TextLineReaderV2",
        "WholeFileReader",
        "WholeFileReaderV2",
    ]
)

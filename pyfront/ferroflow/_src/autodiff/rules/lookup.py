"""Tables pass no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

_OPS = [
    "HashTable",
    "InitializeTable",
    "InitializeTableFromTextFile",
    "LookupTableFind",
    "LookupTableInsert",
    "LookupTableSize",
    "MutableDenseHashTable",
    "MutableHashTable",
    "MutableHashTableOfTensors",
]

register_none([*_OPS, *(f"{op}V2" for op in _OPS)])

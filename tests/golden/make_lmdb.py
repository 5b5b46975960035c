"""Writes lmdb/data.mdb.xz: a database with small and large values on several levels of pages; needs `lmdb`."""

import lzma
import os
import tempfile

import lmdb

HERE = os.path.dirname(os.path.abspath(__file__))


def entries():
    """The keys and values of the database."""
    found = [(b"%05d" % i, b"value %d " % i * (i % 7)) for i in range(0, 900, 3)]
    return [*found, (b"00004", b"\x00\xff" * 5000), (b"long", bytes(range(256)) * 40), (b"\xff\xfe", b"")]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.mdb")
        with lmdb.open(path, subdir=False, map_size=1 << 24, sync=False) as database:
            for part in (entries()[::2], entries()[1::2]):
                with database.begin(write=True) as transaction:
                    for key, value in part:
                        transaction.put(key, value)
            with database.begin(write=True) as transaction:
                transaction.delete(b"00300")
        with open(path, "rb") as file:
            contents = file.read()
    with lzma.open(os.path.join(HERE, "lmdb", "data.mdb.xz"), "wb", preset=9) as file:
        file.write(contents)

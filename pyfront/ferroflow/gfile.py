"""`tf.gfile`: files and folders."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.files.file import FastGFile as FastGFile, GFile as GFile, GFile as Open
from ferroflow._src.base.files.system import (
    copy as Copy,
    delete_recursively as DeleteRecursively,
    exists as Exists,
    glob as Glob,
    is_directory as IsDirectory,
    list_directory as ListDirectory,
    make_directories as MakeDirs,
    make_directory as MkDir,
    remove as Remove,
    rename as Rename,
    stat as Stat,
    walk as Walk,
)

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]

_tell_absent(globals())

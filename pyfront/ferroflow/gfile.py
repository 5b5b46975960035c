"""`tf.gfile`: files and folders."""

from ferroflow._src.base.files.file import FastGFile as FastGFile
from ferroflow._src.base.files.file import GFile as GFile
from ferroflow._src.base.files.file import GFile as Open
from ferroflow._src.base.files.system import copy as Copy
from ferroflow._src.base.files.system import delete_recursively as DeleteRecursively
from ferroflow._src.base.files.system import exists as Exists
from ferroflow._src.base.files.system import glob as Glob
from ferroflow._src.base.files.system import is_directory as IsDirectory
from ferroflow._src.base.files.system import list_directory as ListDirectory
from ferroflow._src.base.files.system import make_directories as MakeDirs
from ferroflow._src.base.files.system import make_directory as MkDir
from ferroflow._src.base.files.system import remove as Remove
from ferroflow._src.base.files.system import rename as Rename
from ferroflow._src.base.files.system import stat as Stat
from ferroflow._src.base.files.system import walk as Walk

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

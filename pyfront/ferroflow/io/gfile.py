"""`tf.io.gfile`: files and folders, by the names that TF 1.13 gave them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.files.file import GFile as GFile
from ferroflow._src.base.files.system import (
    copy as copy,
    delete_recursively as rmtree,
    exists as exists,
    glob as glob,
    is_directory as isdir,
    list_directory as listdir,
    make_directories as makedirs,
    make_directory as mkdir,
    remove as remove,
    rename as rename,
    stat as stat,
    walk as walk,
)

__all__ = [
    "GFile",
    "copy",
    "exists",
    "glob",
    "isdir",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

_tell_absent(globals())

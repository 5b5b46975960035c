"""`tf.io.gfile`: files and folders, by the names that TF 1.13 gave them."""

from ferroflow._src.base.files.file import GFile as GFile
from ferroflow._src.base.files.system import copy as copy
from ferroflow._src.base.files.system import delete_recursively as rmtree
from ferroflow._src.base.files.system import exists as exists
from ferroflow._src.base.files.system import glob as glob
from ferroflow._src.base.files.system import is_directory as isdir
from ferroflow._src.base.files.system import list_directory as listdir
from ferroflow._src.base.files.system import make_directories as makedirs
from ferroflow._src.base.files.system import make_directory as mkdir
from ferroflow._src.base.files.system import remove as remove
from ferroflow._src.base.files.system import rename as rename
from ferroflow._src.base.files.system import stat as stat
from ferroflow._src.base.files.system import walk as walk

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

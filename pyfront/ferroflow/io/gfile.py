"""`tf.io.gfile`: files and folders, by the names that TF 1.13 gave them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.files.file import GFile as GFile
from ferroflow._src.base.files.renamed import (
    copy as copy,
    exists as exists,
    glob as glob,
    isdir as isdir,
    listdir as listdir,
    makedirs as makedirs,
    mkdir as mkdir,
    remove as remove,
    rename as rename,
    rmtree as rmtree,
    stat as stat,
    walk as walk,
)

_tell_absent(globals())

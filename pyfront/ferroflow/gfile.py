"""`tf.gfile`: files and folders."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.files import system as _system
from ferroflow._src.base.files.file import FastGFile as FastGFile, GFile as GFile

Copy = _system.copy
DeleteRecursively = _system.delete_recursively
Exists = _system.exists
Glob = _system.glob
IsDirectory = _system.is_directory
ListDirectory = _system.list_directory
MakeDirs = _system.make_directories
MkDir = _system.make_directory
Open = GFile
Remove = _system.remove
Rename = _system.rename
Stat = _system.stat
Walk = _system.walk

_tell_absent(globals())

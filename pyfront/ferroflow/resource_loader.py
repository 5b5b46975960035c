"""`tf.resource_loader`: files next to a program."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.base.resource_loader import (
    get_data_files_path as get_data_files_path,
    get_path_to_datafile as get_path_to_datafile,
    get_root_dir_with_all_resources as get_root_dir_with_all_resources,
    load_resource as load_resource,
    readahead_file_path as readahead_file_path,
)

_tell_absent(globals())

"""Laws of the paths that `tf.resource_loader` and `tf.sysconfig` give."""

import os
import runpy

import pytest

from ferroflow._src.base import resource_loader, sysconfig


def test_paths_are_those_of_the_calling_file():
    here = os.path.dirname(__file__)
    assert resource_loader.get_data_files_path() == here
    assert resource_loader.get_path_to_datafile("a.txt") == os.path.join(here, "a.txt")
    assert resource_loader.get_root_dir_with_all_resources() == here
    assert resource_loader.readahead_file_path("x") == "x"


def test_the_root_is_the_one_under_runfiles(tmp_path):
    script = tmp_path / "tool.runfiles" / "workspace" / "sub" / "script.py"
    script.parent.mkdir(parents=True)
    script.write_text(
        "from ferroflow._src.base import resource_loader as r\nroot = r.get_root_dir_with_all_resources()\n",
        encoding="utf-8",
    )
    assert runpy.run_path(str(script))["root"] == str(tmp_path / "tool.runfiles" / "workspace")


def test_resources_are_files_of_the_package():
    assert b"tf.resource_loader" in resource_loader.load_resource("_src/base/resource_loader.py")
    with pytest.raises(OSError, match="dne"):
        resource_loader.load_resource("/fake/file/path/dne")


def test_there_is_a_library_but_no_cpp_interface():
    assert os.path.samefile(sysconfig.get_lib(), os.path.join(os.path.dirname(sysconfig.__file__), "..", ".."))
    for function in (sysconfig.get_include, sysconfig.get_compile_flags, sysconfig.get_link_flags):
        with pytest.raises(NotImplementedError, match=r"no C\+\+ interface"):
            function()

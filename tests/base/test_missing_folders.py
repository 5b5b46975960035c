"""Patterns of files in folders that do not exist raise TensorFlow's errors."""

import pytest

import ferroflow as tf


def listed(pattern):
    names = tf.data.Dataset.list_files(pattern, shuffle=False).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        return session.run(names)


def matched(pattern):
    with tf.Session() as session:
        return session.run(tf.matching_files(pattern))


@pytest.mark.parametrize("find", [tf.gfile.Glob, matched, listed])
def test_the_folder_before_the_first_wildcard_must_exist(tmp_path, find):
    file = tmp_path / "a.txt"
    file.touch()
    with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
        find(f"{tmp_path}/missing/*.txt")
    with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
        find(f"{tmp_path}/missing/a.txt")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"a\.txt; Not a directory"):
        find(f"{file}/*")
    if find is not listed:
        assert len(find(f"{tmp_path}/missing*/a.txt")) == 0
        assert len(find(f"{tmp_path}/*.txt")) == 1

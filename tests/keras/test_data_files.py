"""A file of data is fetched once, checked, and unpacked."""

import hashlib
import tarfile
import zipfile

import pytest

import ferroflow as tf

get_file = tf.keras.utils.get_file


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source" / "words.txt"
    path.parent.mkdir()
    path.write_text("a b c", encoding="utf-8")
    return path


def test_a_file_is_fetched_once(source, tmp_path):
    cache = str(tmp_path / "cache")
    path = get_file("words.txt", source.as_uri(), cache_dir=cache)
    assert path == str(tmp_path / "cache" / "datasets" / "words.txt")
    source.unlink()
    assert get_file("words.txt", source.as_uri(), cache_dir=cache) == path
    assert (tmp_path / "cache" / "datasets" / "words.txt").read_text(encoding="utf-8") == "a b c"
    with pytest.raises(tf.errors.UnavailableError, match=r"other\.txt is missing and cannot be fetched"):
        get_file("other.txt", source.as_uri(), cache_dir=cache)


@pytest.mark.parametrize(("argument", "algorithm"), [("md5_hash", "md5"), ("file_hash", "sha256")])
def test_hashes_are_checked(source, tmp_path, argument, algorithm):
    right = hashlib.new(algorithm, b"a b c").hexdigest()
    cache = str(tmp_path / algorithm)
    path = get_file("words.txt", source.as_uri(), cache_dir=cache, **{argument: right})
    # A file of another content is fetched anew.
    with open(path, "w", encoding="utf-8") as file:
        file.write("damaged")
    get_file("words.txt", source.as_uri(), cache_dir=cache, **{argument: right})
    with open(path, encoding="utf-8") as file:
        assert file.read() == "a b c"
    wrong = hashlib.new(algorithm, b"other").hexdigest()
    with pytest.raises(tf.errors.DataLossError, match="does not have the hash"):
        get_file("others.txt", source.as_uri(), cache_dir=cache, **{argument: wrong})


def test_archives_are_unpacked(source, tmp_path):
    packed = tmp_path / "data.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(source, "data/words.txt")
    folder = get_file("data", packed.as_uri(), untar=True, cache_dir=str(tmp_path / "tar"))
    assert folder == str(tmp_path / "tar" / "datasets" / "data")
    assert (tmp_path / "tar" / "datasets" / "data" / "words.txt").read_text(encoding="utf-8") == "a b c"
    zipped = tmp_path / "data.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write(source, "inner.txt")
    get_file("data.zip", zipped.as_uri(), extract=True, cache_dir=str(tmp_path / "zip"))
    assert (tmp_path / "zip" / "datasets" / "inner.txt").read_text(encoding="utf-8") == "a b c"

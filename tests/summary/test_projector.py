"""The projector's configuration is what TensorBoard reads, and lies where it looks."""

import pytest

import ferroflow as tf
from ferroflow.contrib.tensorboard.plugins import projector


def _config():
    config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
    embedding = config.embeddings.add()
    embedding.tensor_name = "words"
    embedding.metadata_path = "words.tsv"
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    config.embeddings.add(tensor_path="values.tsv", tensor_shape=[3, 2], bookmarks_path="bookmarks.txt")
    return config


def test_the_configuration_lies_in_the_writers_folder(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        tf.contrib.tensorboard.plugins.projector.visualize_embeddings(writer, _config())
    text = (tmp_path / "projector_config.pbtxt").read_text(encoding="utf-8")
    assert text.splitlines()[:3] == ['model_checkpoint_path: "model.ckpt"', "embeddings {", '  tensor_name: "words"']


def test_tensorboards_own_message_reads_the_text_and_the_bytes():
    theirs = pytest.importorskip("tensorboard.plugins.projector.projector_config_pb2").ProjectorConfig
    text_format = pytest.importorskip("google.protobuf.text_format")
    read = theirs.FromString(_config().SerializeToString())
    assert text_format.Parse(text_format.MessageToString(_config()), theirs()) == read
    assert text_format.MessageToString(read) == text_format.MessageToString(_config())


def test_a_writer_without_a_folder_is_refused():
    class NoFolder:
        def get_logdir(self):
            return None

    with pytest.raises(ValueError, match="must have a logdir"):
        projector.visualize_embeddings(NoFolder(), _config())

"""A model starts from the variables of one that was trained, whole or by the entries of vocabularies."""

import numpy as np
import pytest

import ferroflow as tf

EMBEDDING = np.array([[0.5, 0.4], [1.0, 1.1], [2.0, 2.2], [3.0, 3.3]], np.float32)
KERNEL = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.fixture
def trained(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("embedding", initializer=EMBEDDING)
        tf.get_variable("layer/kernel", initializer=KERNEL)
        tf.get_variable("layer/mean", initializer=[7.0], trainable=False)
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, str(tmp_path / "model"), write_meta_graph=False)
    (tmp_path / "old").write_text("apple\nbanana\nguava\norange\n", encoding="utf-8")
    (tmp_path / "new").write_text("orange\nguava\nbanana\napple\nraspberry\n", encoding="utf-8")
    (tmp_path / "kinds").write_text("a\nb", encoding="utf-8")
    (tmp_path / "more_kinds").write_text("c\nb\na", encoding="utf-8")
    return tmp_path


def started(make, *args, **kwargs):
    """The values of the variables that `make` makes, started from the checkpoint."""
    with tf.Graph().as_default(), tf.Session() as sess:
        made = make()
        tf.train.warm_start(*args, **kwargs)
        sess.run(tf.global_variables_initializer())
        return [sess.run(v).tolist() for v in made]


def kernel_and_mean(scope="layer"):
    with tf.variable_scope(scope):
        return [
            tf.get_variable("kernel", initializer=KERNEL * 0),
            tf.get_variable("mean", initializer=[0.0], trainable=False),
        ]


def test_names_choose_the_trained_variables(trained):
    assert started(kernel_and_mean, str(trained)) == [KERNEL.tolist(), [0.0]]
    assert started(kernel_and_mean, str(trained / "model"), "other") == [(KERNEL * 0).tolist(), [0.0]]
    # A list of names is one of all variables.
    assert started(kernel_and_mean, str(trained), ["layer"]) == [KERNEL.tolist(), [7.0]]
    earlier = {"other/kernel": "layer/kernel", "other/mean": "layer/mean"}
    other = started(lambda: kernel_and_mean("other"), str(trained), ["other/.*"], var_name_to_prev_var_name=earlier)
    assert other == [KERNEL.tolist(), [7.0]]


def test_variables_choose_themselves(trained):
    with tf.Graph().as_default(), tf.Session() as sess:
        kernel, mean = kernel_and_mean()
        tf.train.warm_start(str(trained), [mean])
        sess.run(tf.global_variables_initializer())
        assert sess.run([kernel, mean])[1].tolist() == [7.0]
        assert sess.run(kernel).tolist() == (KERNEL * 0).tolist()


def info(trained, **kwargs):
    return tf.train.VocabInfo(str(trained / "new"), 5, 1, str(trained / "old"), **kwargs)


@pytest.mark.parametrize("slices", [None, 2])
def test_rows_follow_the_entries_of_a_vocabulary(trained, slices):
    def make():
        partitioner = tf.fixed_size_partitioner(slices) if slices else None
        made = tf.get_variable("embedding", [6, 2], partitioner=partitioner)
        return list(made) if slices else [made]

    backup = tf.constant_initializer(9.0)
    vocabularies = {"embedding": info(trained, backup_initializer=backup)}
    # None: the variables with a vocabulary only.
    parts = started(make, str(trained), None, vocabularies)
    assert len(parts) == (slices or 1)
    expected = [*EMBEDDING[::-1].tolist(), [9.0, 9.0], [9.0, 9.0]]
    assert np.concatenate(parts).tolist() == expected
    few = started(make, str(trained), None, {"embedding": info(trained, old_vocab_size=2)})
    assert np.concatenate(few).tolist() == [[0, 0], [0, 0], *EMBEDDING[1::-1].tolist(), [0, 0], [0, 0]]


def test_columns_follow_the_entries_of_a_vocabulary(trained):
    kinds = tf.train.VocabInfo(str(trained / "more_kinds"), 3, 0, str(trained / "kinds"), axis=1)
    made = started(lambda: [tf.get_variable("layer/kernel", [2, 3])], str(trained), ".*", {"layer/kernel": kinds})
    assert made == [[[0, 2, 1], [0, 4, 3]]]


def test_what_is_named_must_be_there(trained):
    for kwargs in (
        {"var_name_to_prev_var_name": {"wrong": "layer/kernel"}},
        {"var_name_to_vocab_info": {"wrong": info(trained)}},
    ):
        with pytest.raises(ValueError, match=r"that were not used: \{'wrong'\}"):
            started(kernel_and_mean, str(trained), **kwargs)
    with pytest.raises(ValueError, match="is not found in"):
        started(lambda: kernel_and_mean("unknown"), str(trained))
    with pytest.raises(ValueError, match="must be all `Variable` or all `str`"):
        started(kernel_and_mean, str(trained), [3])
    with pytest.raises(ValueError, match="must be a `list` or `str`"):
        started(kernel_and_mean, str(trained), 3)
    with pytest.raises(ValueError, match="0 and 1"):
        info(trained, axis=2)


def test_an_estimator_starts_with_a_vocabulary(trained, tmp_path):
    def model_fn(features, labels, mode):
        embedding = tf.get_variable("embedding", [6, 2])
        loss = 0 * tf.reduce_sum(embedding) + 0 * tf.reduce_sum(features)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(tf.train.get_global_step(), 1))

    settings = tf.estimator.WarmStartSettings(str(trained), var_name_to_vocab_info={"embedding": info(trained)})
    model = tf.estimator.Estimator(model_fn, str(tmp_path / "new_model"), warm_start_from=settings)
    model.train(lambda: (tf.zeros([2]), None), steps=1)
    assert model.get_variable_value("embedding")[:4].tolist() == EMBEDDING[::-1].tolist()

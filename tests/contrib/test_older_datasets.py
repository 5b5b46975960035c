"""`tf.contrib.data.Dataset` takes the arguments that `map` had in TensorFlow 1.3."""

import numpy as np

import ferroflow as tf

Dataset = tf.contrib.data.Dataset


def elements(dataset):
    following = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


def test_map_takes_threads_and_a_buffer():
    doubled = Dataset.from_tensor_slices(np.arange(5)).map(lambda x: 2 * x, num_threads=2, output_buffer_size=3)
    assert elements(doubled) == [0, 2, 4, 6, 8]


def test_each_transformation_keeps_the_arguments():
    dataset = Dataset.range(6).filter(lambda x: x > 0).repeat(2).skip(1).take(4).batch(2).shuffle(1)
    summed = dataset.map(tf.reduce_sum, num_threads=1)
    assert isinstance(summed, Dataset)
    assert elements(summed) == [5, 9]


def test_lines_of_files_have_the_arguments(tmp_path):
    (tmp_path / "lines").write_text("a\nbc\n")
    lengths = tf.contrib.data.TextLineDataset(str(tmp_path / "lines")).map(tf.strings.length, output_buffer_size=1)
    assert elements(lengths) == [1, 2]


def test_old_methods_are_the_transformations_of_today():
    rows = Dataset.from_tensor_slices(np.arange(6).reshape(3, 2))
    assert elements(rows.unbatch()) == [0, 1, 2, 3, 4, 5]
    assert [number for number, _ in elements(rows.enumerate(3))] == [3, 4, 5]
    inverses = Dataset.range(3).map(lambda x: tf.check_numerics(1 / x, "zero")).ignore_errors()
    assert elements(inverses) == [1.0, 0.5]
    sizes = Dataset.range(6).group_by_window(lambda x: x % 2, lambda key, window: window.batch(3), 3)
    assert [list(group) for group in elements(sizes)] == [[0, 2, 4], [1, 3, 5]]


def test_both_kinds_of_datasets_combine():
    pairs = Dataset.zip((Dataset.range(2), tf.data.Dataset.range(2))).map(lambda a, b: a + b, num_threads=1)
    assert elements(pairs) == [0, 2]
    assert elements(tf.data.Dataset.range(2).flat_map(lambda x: Dataset.from_tensors(x))) == [0, 1]

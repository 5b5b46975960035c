"""What an estimator reads from examples: its features, its labels and its weights."""

import pytest

import ferroflow as tf

fc = tf.feature_column
COLUMNS = [fc.numeric_column("age"), fc.categorical_column_with_hash_bucket("kind", 5)]
FEATURES = {"age": tf.FixedLenFeature((1,), tf.float32), "kind": tf.VarLenFeature(tf.string)}


def test_a_classifier_reads_labels_and_weights():
    spec = tf.estimator.classifier_parse_example_spec(COLUMNS, "y", weight_column="w")
    weight = tf.FixedLenFeature((1,), tf.float32)
    assert spec == {**FEATURES, "y": tf.FixedLenFeature((1,), tf.int64), "w": weight}
    named = tf.estimator.classifier_parse_example_spec(COLUMNS, "y", tf.string, "none", fc.numeric_column("w"))
    assert named == {**FEATURES, "y": tf.FixedLenFeature((1,), tf.string, "none"), "w": weight}


def test_a_regression_reads_several_numbers():
    spec = tf.estimator.regressor_parse_example_spec(COLUMNS, "y", label_dimension=3)
    assert spec == {**FEATURES, "y": tf.FixedLenFeature((3,), tf.float32)}
    example = tf.train.Example()
    for key, values in (("age", [3.0]), ("y", [1.0, 2.0, 3.0])):
        example.features.feature[key].float_list.value.extend(values)
    with tf.Graph().as_default(), tf.Session() as sess:
        parsed = tf.parse_example([example.SerializeToString()], spec)
        assert sess.run(parsed["y"]).tolist() == [[1.0, 2.0, 3.0]]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"label_key": "age"}, "label should not be used as feature"),
        ({"label_key": "y", "weight_column": "age"}, "weight_column should not be used as feature"),
        ({"label_key": "y", "weight_column": COLUMNS[1]}, "should be an instance of tf.feature_column.numeric_column"),
    ],
)
def test_labels_and_weights_are_no_features(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        tf.estimator.regressor_parse_example_spec(COLUMNS, **arguments)

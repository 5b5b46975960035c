"""Pictures, texts and sequences under Keras's names give TensorFlow 1.15's arrays, with its random numbers."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from golden.keras_image_programs import programs

import ferroflow as tf

image = tf.keras.preprocessing.image
pytest.importorskip("PIL", reason="Pillow is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")
EXPECTED = json.loads(lzma.decompress((Path(__file__).parents[1] / "golden" / "keras_images.json.xz").read_bytes()))


def test_every_golden_program_is_compared():
    assert set(programs(tf)) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_arrays_are_tensorflows(name):
    found = programs(tf)[name]()
    assert [list(array.shape) for array in found] == [shape for shape, _ in EXPECTED[name]]
    for array, (_, expected) in zip(found, EXPECTED[name], strict=True):
        np.testing.assert_allclose(array.reshape(-1), expected, rtol=1e-4, atol=1e-3)


def folder_of_pictures(folder: Path) -> Path:
    for number, name in enumerate(["cats", "dogs"]):
        (folder / name / "inner").mkdir(parents=True)
        for i in range(4):
            picture = np.full((5, 7, 3), 100 * number + 10 * i, np.uint8)
            image.save_img(str(folder / name / ("inner" if i == 3 else "") / f"{i}.png"), picture, scale=False)
    (folder / "cats" / "notes.txt").write_text("no picture")
    return folder


def test_pictures_of_folders(tmp_path, capsys):
    generator = image.ImageDataGenerator(rescale=1 / 10, validation_split=0.25)
    folder = folder_of_pictures(tmp_path)
    flow = generator.flow_from_directory(str(folder), target_size=(4, 6), batch_size=3, shuffle=False)
    assert capsys.readouterr().out == "Found 8 images belonging to 2 classes.\n"
    assert flow.class_indices == {"cats": 0, "dogs": 1}
    assert flow.filenames[:4] == ["cats/0.png", "cats/1.png", "cats/2.png", "cats/inner/3.png"]
    pictures, labels = next(flow)
    assert (pictures.shape, labels.tolist()) == ((3, 4, 6, 3), [[1, 0]] * 3)
    np.testing.assert_allclose(pictures[:, 0, 0, 0], [0, 1, 2])
    assert len(flow) == 3
    parts = [
        generator.flow_from_directory(str(folder), class_mode="binary", color_mode="grayscale", subset=subset)
        for subset in ("training", "validation")
    ]
    assert [part.samples for part in parts] == [6, 2]
    assert next(parts[0])[0].shape == (6, 256, 256, 1)
    assert sorted(next(parts[1])[1]) == [0, 1]
    with pytest.raises(ValueError, match="Invalid class_mode"):
        generator.flow_from_directory(str(folder), class_mode="other")


def test_pictures_of_a_table(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    folder = folder_of_pictures(tmp_path)
    table = pandas.DataFrame(
        {"file": ["cats/0.png", "dogs/1.png", "none.png"], "kind": ["c", "d", "c"], "y": [1, 2, 3]}
    )
    generator = image.ImageDataGenerator()
    with pytest.warns(UserWarning, match="Found 1 invalid image filename"):
        flow = generator.flow_from_dataframe(table, str(folder), "file", "kind", target_size=(2, 2), shuffle=False)
    pictures, labels = next(flow)
    assert (pictures[:, 0, 0, 0].tolist(), labels.tolist()) == ([0, 110], [[1, 0], [0, 1]])
    raw = generator.flow_from_dataframe(
        table[:2], str(folder), "file", "y", class_mode="raw", target_size=(2, 2), shuffle=False
    )
    assert next(raw)[1].tolist() == [1, 2]


def test_a_model_is_fitted_to_changed_pictures():
    tf.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(4, 4, 1)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    generator = image.ImageDataGenerator(rotation_range=10, horizontal_flip=True)
    pictures = np.random.RandomState(0).uniform(size=[10, 4, 4, 1])
    before = model.evaluate(pictures, np.zeros(10), verbose=0)
    model.fit_generator(generator.flow(pictures, np.zeros(10), 4, seed=1), epochs=3, verbose=0)
    # As in Keras, the thread that makes pictures draws from NumPy's global generator: numbers of an epoch vary.
    assert model.evaluate(pictures, np.zeros(10), verbose=0) < 0.8 * before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"data_format": "other"}, "`data_format` should be"),
        ({"validation_split": 2}, "strictly between 0 and 1"),
        ({"zoom_range": (1, 2, 3)}, "`zoom_range` should be"),
        ({"brightness_range": 3}, "`brightness_range should be"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        image.ImageDataGenerator(**options)


def test_options_that_need_each_other_are_set_with_a_warning():
    with pytest.warns(UserWarning, match="overrides setting of `featurewise_center`"):
        assert image.ImageDataGenerator(featurewise_std_normalization=True).featurewise_center
    with pytest.warns(UserWarning, match="hasn't been fit"):
        image.ImageDataGenerator(featurewise_center=True).standardize(np.ones([2, 2, 1]))

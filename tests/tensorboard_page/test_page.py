"""TensorBoard's own page, in a browser, shows what was written.

`FERROFLOW_SCREENSHOTS=docs/images` also writes the pictures of the documentation.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tensorboard_page.browser import Page, chromium, tensorboard
from tensorboard_page.writing import STEPS, WORDS, write_run

from ferroflow.command_line.main import main

_SCREENSHOTS = os.environ.get("FERROFLOW_SCREENSHOTS")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, list[float]]]:
    """The page, and the losses of the run that it shows."""
    folder = tmp_path_factory.mktemp("run")
    with chromium() as driver:
        losses = write_run(folder)
        if _SCREENSHOTS:
            assert main(["graph", str(folder), "--svg", str(Path(_SCREENSHOTS) / "graph.svg")]) == 0
        with tensorboard(folder) as url:
            yield Page(driver, url), losses


@pytest.fixture
def page(shown: tuple[Page, list[float]]) -> Page:
    return shown[0]


def test_the_last_value_and_step_of_a_scalar(shown: tuple[Page, list[float]]) -> None:
    page, losses = shown
    pattern = re.compile(r"Run Smoothed Value Step Relative \. ([\d.]+) ([\d.]+) (\d+)")
    found = page.open("timeseries").wait(lambda page: pattern.search(page.text()))
    assert "training_loss" in page.text()
    assert float(found.group(2)) == pytest.approx(losses[-1], abs=1e-3)
    assert int(found.group(3)) == STEPS - 1


def test_the_curve_of_a_scalar(page: Page) -> None:
    page.open("scalars").wait(lambda page: "summaries/training_loss" in page.text() and page.elements("vz-line-chart2"))
    assert page.wait(lambda page: [e for e in page.elements("svg path") if e["d"].count("L") + e["d"].count(",") > 20])
    _picture(page, "tensorboard-scalars.png")


def test_a_histogram_of_each_step(page: Page) -> None:
    page.open("histograms").wait(lambda page: "summaries/hidden_values" in page.text())
    assert page.wait(lambda page: len([e for e in page.elements("svg path") if e["d"].count("L") > 10]) > 10)


def test_an_image_of_its_size(page: Page) -> None:
    page.open("images").wait(lambda page: "summaries/a_picture/image/0" in page.text())
    assert page.wait(lambda page: [(e["width"], e["height"]) for e in page.elements("img") if e["width"]]) == [(16, 12)]


def test_a_sound_of_its_length(page: Page) -> None:
    page.open("audio").wait(lambda page: "summaries/a_tone/audio/0" in page.text())
    (duration,) = page.wait(lambda page: [e["duration"] for e in page.elements("audio") if e["duration"]])
    assert duration == pytest.approx(0.1, abs=0.005)


def test_a_text_with_its_marks(page: Page) -> None:
    page.open("text").wait(lambda page: "trained with" in page.text())
    assert "ferroflow" in {e["text"] for e in page.elements("strong")}


def test_the_graph_by_its_scopes(page: Page) -> None:
    names = {"inputs", "labels", "hidden", "logits", "loss", "training", "summaries", "word_vectors"}
    page.open("graphs").wait(lambda page: names <= set(page.text().partition("Auxiliary Nodes")[2].split()))
    assert len(page.wait(lambda page: page.elements("svg path.edgeline"))) >= 5
    # The sizes of the tensors, which the graph brings with it.
    assert {"?\u00d78", "?\u00d732", "?\u00d72"} <= {e["text"] for e in page.elements("svg text")}
    _picture(page, "tensorboard-graph.png")


def test_the_points_of_the_projector_with_their_words(page: Page) -> None:
    page.open("projector").wait(lambda page: "Points: 6 Dimension: 4" in page.text())
    text = page.wait(lambda page: "Metadata: words.tsv" in page.text() and page.text())
    assert "word_vectors 6x4" in text
    # One colour for each word that was read.
    assert f"{len(WORDS)} colors" in text


def _picture(page: Page, name: str) -> None:
    if _SCREENSHOTS:
        page.screenshot(Path(_SCREENSHOTS) / name)

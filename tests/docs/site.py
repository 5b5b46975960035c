"""Builds the documentation site, and shows it in a Chromium without a window."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Seconds until a page shows what is expected of it, on a machine that does other things, too.
PATIENCE = 60


def build(folder: Path) -> Path:
    """Builds the site into a folder, once for all processes that test it, and returns the folder."""
    pytest.importorskip("material", reason="mkdocs-material is not installed (make docs)")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            path = os.pathsep.join(filter(None, [str(ROOT / "pyfront"), os.environ.get("PYTHONPATH")]))
            done = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serves a folder on this machine and yields its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def browser(width: int = 1300, height: int = 1000) -> Iterator[Any]:
    """Yields a Selenium driver of Chromium; the test is skipped where there is no browser."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not program or not chromedriver:
        pytest.skip("there is no Chromium with its driver (Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    try:
        yield driver
    finally:
        driver.quit()


def requests(driver: Any) -> list[str]:
    """Returns the addresses that a browser has requested since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def wait_for(driver: Any, script: str, message: str) -> None:
    """Waits until a script returns true, at most `PATIENCE` seconds."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, PATIENCE).until(lambda each: each.execute_script(script), message)


def search(driver: Any, query: str) -> list[str]:
    """Types a query into the search field of the shown page and returns the addresses of the results, best first."""
    from selenium.webdriver.support.ui import WebDriverWait

    driver.execute_script(
        "const toggle = document.querySelector('#__search');"
        "if (!toggle.checked) { toggle.checked = true; toggle.dispatchEvent(new Event('change')); }"
        # Results of an earlier query must not be taken for the answer to this one.
        "document.querySelector('.md-search-result__meta').textContent = '';"
        "document.querySelector('.md-search-result__list').replaceChildren();"
        "const field = document.querySelector('[data-md-component=search-query]');"
        "field.value = arguments[0]; field.focus();"
        "for (const kind of ['focus', 'keyup', 'input', 'change'])"
        " field.dispatchEvent(new Event(kind, {bubbles: true}));",
        query,
    )
    words = "return document.querySelector('.md-search-result__meta').textContent"
    # The text below the field has the number of results; it is empty while the index is read.
    links = "return [...document.querySelectorAll('.md-search-result__list > li')].map(l => l.querySelector('a').href)"
    waiting = WebDriverWait(driver, PATIENCE, poll_frequency=0.1)
    waiting.until(lambda d: "documents" in d.execute_script(words) or "document" in d.execute_script(words))
    previous: list[str] | None = None

    def settled(d: Any) -> bool:
        nonlocal previous
        now = d.execute_script(links)
        is_same = now == previous
        previous = now
        return is_same

    WebDriverWait(driver, PATIENCE, poll_frequency=0.3).until(settled)
    return list(previous or ())

"""Draws the diagrams of docs/diagrams as SVG files in docs/images, with Graphviz.

`python docs/make_diagrams.py` needs the program `dot` (Debian: `apt install graphviz`). Each SVG begins with the hash
of its source, by which a test finds drawings that are older than their sources.
"""

import hashlib
import re
import subprocess
from pathlib import Path

DOCS = Path(__file__).resolve().parent
SOURCES = sorted((DOCS / "diagrams").glob("*.dot"))


def picture(source: Path) -> Path:
    """Returns the path of a diagram's SVG file."""
    return DOCS / "images" / f"{source.stem}.svg"


def first_line(source: Path) -> str:
    """Returns the comment that an SVG file of this source begins with."""
    return f"<!-- {source.name} {hashlib.sha256(source.read_bytes()).hexdigest()[:16]} -->"


def draw(source: Path) -> str:
    """Returns a diagram as SVG, without Graphviz's version."""
    done = subprocess.run(["dot", "-Tsvg", str(source)], capture_output=True, encoding="utf-8", check=True)
    drawing = done.stdout[done.stdout.index("<svg") :]
    return f"{first_line(source)}\n{re.sub(r'<!--.*?-->', '', drawing, flags=re.DOTALL)}"


if __name__ == "__main__":
    for source in SOURCES:
        picture(source).write_text(draw(source), encoding="utf-8")

"""Runs the programs of examples/ and keeps the pictures that they draw, for the page of the examples.

`python docs/make_pictures.py` takes about three minutes. The programs need matplotlib and tqdm.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "images" / "examples"
# A program, and the picture of its folder that the page shows.
SHOWN = {
    "adversarial_network": "made.png",
    "character_lstm": "character_loss.png",
    "convolutional_network": "misread.png",
    "digits": "loss.png",
    "linear_regression": "regression.png",
    "variational_autoencoder": "plane.png",
    "word2vec": "words.png",
}

if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for program, picture in SHOWN.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "examples" / f"{program}.py", f"--out={folder}"], check=True)
            shutil.copy(Path(folder) / picture, PICTURES / f"{program}.png")

"""Makes pictures for the documentation: what the programs of examples/ draw, and the speed of training steps.

`python docs/make_pictures.py` takes about four minutes; with names of programs (`digits word2vec`) it runs only these.
`python docs/make_pictures.py speed` only draws the speed again, from the table of benches/README.md. All need
matplotlib, and the programs tqdm.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "images" / "examples"
# A program, and the picture of its folder that the page shows.
SHOWN = {
    "adversarial_network": "made.png",
    "character_lstm": "character_loss.png",
    "convolutional_network": "misread.png",
    "digits": "loss.png",
    "distributed_digits": "workers.png",
    "linear_model": "weights.png",
    "linear_regression": "regression.png",
    "record_pipelines": "pipelines.png",
    "shared_filter": "responses.png",
    "supervised_training": "loss.png",
    "variational_autoencoder": "plane.png",
    "word2vec": "words.png",
}

SPEED = ROOT / "docs" / "images" / "speed.png"
# The larger size of these models is drawn.
MODELS = ["ResNet-50", "VGG-16", "MobileNet", "U-Net", "BERT", "GPT-2", "char-LSTM", "WaveNet", "GCN", "DQN"]


def step_times() -> dict[str, tuple[float, float]]:
    """Returns TensorFlow 1.15's milliseconds per step by model, and ferroflow's time divided by it."""
    table = (ROOT / "benches" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([\w\- ]+), large \| [\d.]+ \| ([\d.]+)(?: \| [\d.]+){4} \| ([\d.]+) \|", table, re.MULTILINE
    )
    return {name: (float(theirs), float(ratio)) for name, theirs, ratio in rows if name in MODELS}


def hash_of_speed() -> str:
    """Returns the hash of the drawn numbers, which the picture holds: a test finds a picture of other numbers."""
    return hashlib.sha256(repr(sorted(step_times().items())).encode()).hexdigest()[:16]


def draw_speed() -> None:
    """Draws the step times of ferroflow and TensorFlow 1.15 as bars, each pair in parts of TensorFlow's time."""
    from matplotlib.figure import Figure

    times = step_times()
    figure = Figure(figsize=(8, 3.6), layout="constrained", dpi=110)
    axes = figure.subplots()
    for i, name in enumerate(MODELS):
        theirs, ratio = times[name]
        axes.barh(i - 0.19, 1, 0.36, color="#b9c2ca", label="TensorFlow 1.15" if i == 0 else None)
        axes.barh(i + 0.19, ratio, 0.36, color="#b7410e", label="ferroflow" if i == 0 else None)
        axes.text(1.01, i - 0.19, f"{theirs:.0f} ms", va="center", fontsize=8)
        axes.text(ratio + 0.01, i + 0.19, f"{ratio:.2f}", va="center", fontsize=8)
    axes.set_yticks(range(len(MODELS)), MODELS)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.1), xlabel="time of a training step, in parts of TensorFlow 1.15's (two cores of a CPU)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    figure.savefig(SPEED, metadata={"Description": hash_of_speed(), "Software": None})


def run_example(program: str, folder: str) -> None:
    """Runs a program of examples/, which draws into a folder."""
    command = [sys.executable, str(EXAMPLES / f"{program}.py")]
    if program == "distributed_digits":
        launch = [sys.executable, "-m", "ferroflow", "launch", "--ps=1", "--workers=2", "--flags"]
        subprocess.run([*launch, command[1], f"--losses={folder}"], check=True)
        draw_workers(folder)
    elif program == "supervised_training":
        for steps in (1500, 3000):  # the second run continues the first
            subprocess.run([*command, f"--folder={folder}", f"--steps={steps}"], check=True)
    else:
        subprocess.run([*command, f"--out={folder}"], check=True)


def draw_workers(folder: str) -> None:
    """Draws the losses that each worker of distributed_digits wrote into a folder."""
    sys.path.insert(0, str(EXAMPLES))
    from gallery.pictures import draw_curves

    curves = {}
    for file in sorted(Path(folder).glob("worker*.json")):
        losses = json.loads(file.read_text(encoding="utf-8"))
        curves[file.stem.replace("worker", "worker ")] = {int(step): loss for step, loss in losses.items()}
    draw_curves(os.path.join(folder, SHOWN["distributed_digits"]), curves, "update", "loss", "log")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or ["speed", *SHOWN]:
        if name == "speed":
            draw_speed()
            continue
        with tempfile.TemporaryDirectory() as folder:
            run_example(name, folder)
            shutil.copy(Path(folder) / SHOWN[name], PICTURES / f"{name}.png")

"""The two processes that run programs, started again where a program ends one or takes too long."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_PACKAGE = Path(__file__).parents[2] / "pyfront"
# Starting TensorFlow reads 400 MB.
_START_SECONDS = 120.0
_PROGRAM_SECONDS = 20.0


class Side:
    """A process that runs programs with one module.

    Attributes:
        module: "tensorflow" or "ferroflow".
        starts: how often a process was started.
    """

    def __init__(self, module: str, python: str, patience: float) -> None:
        self.module = module
        self._python = python
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self.starts = 0

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
            "PYTHONWARNINGS": "ignore",
        }
        environment.pop("PYTHONPATH", None)
        paths = [str(_PACKAGE)] if self.module == "ferroflow" else []
        process = subprocess.Popen(
            [self._python, str(_FOLDER / "worker.py"), self.module, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self._process, self._rest = process, b""
        self.starts += 1
        if "version" not in self._answer(process, _START_SECONDS * self._patience):
            raise RuntimeError(f"{self._python} does not import {self.module}")
        return process

    def _answer(self, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
        assert process.stdout is not None
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                self.close()
                return {"ended": "hang"}
            got = os.read(process.stdout.fileno(), 1 << 16)
            if not got:
                self.close()
                return {"ended": "crash"}
            self._rest += got
        line, self._rest = self._rest.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def send(self, program: dict[str, Any]) -> None:
        """Starts a program, whose outcome `receive` returns."""
        process = self._process if self._process is not None else self._start()
        assert process.stdin is not None
        process.stdin.write(json.dumps(program).encode() + b"\n")
        process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The outcome of the program that was sent; {"ended": "crash" or "hang"} where the process ended."""
        assert self._process is not None
        return self._answer(self._process, _PROGRAM_SECONDS * self._patience)

    def run(self, program: dict[str, Any]) -> dict[str, Any]:
        """The outcome of a program."""
        self.send(program)
        return self.receive()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


class Pair:
    """TensorFlow's process and ours.

    Args:
        python: str, the interpreter with TensorFlow.
        patience: float, a factor of the time limits, for machines with other work.
    """

    def __init__(self, python: str, patience: float = 1.0) -> None:
        self.tensorflow = Side("tensorflow", python, patience)
        self.ours = Side("ferroflow", sys.executable, patience)

    def run(self, program: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The outcomes of a program: TensorFlow's, and ours."""
        self.tensorflow.send(program)
        self.ours.send(program)
        return self.tensorflow.receive(), self.ours.receive()

    def close(self) -> None:
        """Ends both processes."""
        self.tensorflow.close()
        self.ours.close()

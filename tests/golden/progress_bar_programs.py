"""Programs that draw progress bars, for TensorFlow and for ferroflow, with a clock of their own."""

import contextlib
import io


class Clock:
    """A stand-in for the module `time`."""

    def __init__(self):
        self.now = 100.0

    def time(self):
        """The seconds."""
        return self.now


def _loop(make, clock, target, unit, verbose):
    width = 10 if target == 10 else 30
    bar = make(target, width=width, verbose=verbose, stateful_metrics=["acc"], unit_name=unit)
    for i in range(1, (target or 4) + 1):
        if target == 1000 and i % 250:
            continue
        clock.now += {10: 0.0004, None: 2.0, 1000: 4000.0}[target] * (1000 if i == 3 else 1)
        bar.update(i, [("loss", -0.5 * i if i % 2 else 1e-5), ("acc", 0.25 * i)])


def _add(make, clock):
    bar = make(3)
    bar.add(1)
    clock.now += 1.5
    bar.add(2, [("x", 1.5)])


def _begin_with_nothing(make, clock):
    bar = make(100)
    clock.now += 1.0
    bar.update(0)
    clock.now += 200.0
    bar.update(1, [("a", 1)])


def _negative(make, clock):
    del clock
    make(5, verbose=2).update(5, [("neg", -1.0)])


def _cases():
    found = {"add": _add, "begin with nothing": _begin_with_nothing, "negative": _negative}
    for target in (10, None, 1000):
        for unit in ("step", "sample"):
            for verbose in (0, 1, 2):
                found[f"{target} {unit}s, verbose {verbose}"] = lambda make, clock, t=target, u=unit, v=verbose: _loop(
                    make, clock, t, u, v
                )
    return found


CASES = _cases()


def drawn(make, module, case):
    """The characters that a case prints; `module` is the one that reads the time."""
    clock, before = Clock(), module.time
    module.time = clock
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            CASES[case](make, clock)
    finally:
        module.time = before
    return out.getvalue()

"""Interrupts one kind of call again and again at random moments, as Ctrl-C does, and checks what is kept after each.

`python interrupted_program.py KIND TIMES SEED FOLDER` prints how many calls were interrupted.
"""

from __future__ import annotations

import linecache
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import ferroflow as tf

# Longest time from a call to its interrupt, in seconds. A blocked call waits for its interrupt.
_LONGEST = 0.03
# The code that `call_at` interrupts.
_SOURCES = os.path.join(os.path.dirname(tf.__file__), "_src")
_WRITERS = tuple(os.path.join(_SOURCES, part, "") for part in ("checkpoint", "saved_model", "summary", "estimator"))
# A call that does not end within this time after its interrupt hangs.
_PATIENCE = 60.0


class Interrupts:
    """Calls functions and interrupts them.

    Attributes:
        count: int, the calls that were interrupted.
        where: str, the place at which the last `call_at` interrupted; empty if it did not.
    """

    def __init__(self, seed: int) -> None:
        self._choose = random.Random(seed)
        self.count = 0
        self.where = ""
        signal.signal(signal.SIGALRM, self._raise)

    @staticmethod
    def _raise(*_: Any) -> None:
        raise KeyboardInterrupt

    def call_at(self, function: Callable[[], Any], moment: int, sources: tuple[str, ...] = _WRITERS) -> list[Any]:
        """The function's value in a list, or nothing if it was interrupted at a line of the code that writes files.

        Args:
            function: what is called.
            moment: how many lines, calls and returns of that code come before the interrupt.
            sources: the prefixes of the files with that code.
        """
        passed = 0

        def local(frame: Any, event: str, argument: Any) -> Any:
            nonlocal passed
            # Python delivers no signal at a `try`, nor where a `with` statement ends before `__exit__` is called.
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno) if event == "line" else ""
            if line.lstrip().startswith(("with ", "try:", "finally:")):
                return local
            passed += 1
            if passed == moment:
                self.where = f"{event} at {frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
            return local

        def each_call(frame: Any, event: str, argument: Any) -> Any:
            # An error while a generator is closed is lost.
            if frame.f_code.co_name == "<genexpr>":
                return None
            if not frame.f_code.co_filename.startswith(sources):
                return None
            # Before Python 3.11 an error here ends a generator that goes on, without its handlers. A signal does not.
            goes_on = sys.version_info < (3, 11) and frame.f_lasti >= 0
            return local if goes_on else local(frame, event, argument)

        value: list[Any] = []
        self.where = ""
        before = sys.gettrace()
        try:
            sys.settrace(each_call)
            value = [function()]
        except KeyboardInterrupt:
            self.count += 1
        finally:
            sys.settrace(before)
        return value

    def moments(self, times: int, function: Callable[[int], bool]) -> None:
        """Calls a function with moments, first and chosen ones, until it returns True for one beyond its end."""
        for moment in range(1, times):
            if function(moment):
                return
        end = times
        while not function(2 * end):
            end *= 2
        for _ in range(times):
            function(self._choose.randrange(times, 2 * end))

    def call(self, function: Callable[[], Any], longest: float = _LONGEST) -> list[Any]:
        """The function's value in a list, or nothing if it was interrupted."""
        value: list[Any] = []
        began = time.monotonic()
        try:
            signal.setitimer(signal.ITIMER_REAL, self._choose.uniform(1e-5, longest))
            value = [function()]
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            self.count += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert time.monotonic() < began + _PATIENCE, "the call did not end"
        return value


def _variables(interrupts: Interrupts, times: int, folder: str) -> None:
    """Every update of a variable is whole."""
    v = tf.Variable(tf.zeros([1 << 18]))
    update = tf.group(*[v.assign_add(tf.ones([1 << 18])) for _ in range(3)])
    smallest, largest = tf.reduce_min(v), tf.reduce_max(v)
    with tf.Session() as session:
        session.run(v.initializer)
        last = 0.0
        for _ in range(times):
            interrupts.call(lambda: session.run(update), 0.002)
            low, high = session.run([smallest, largest])
            assert low == high, (low, high)
            assert last <= low <= last + 3
            last = low


def _iterator(interrupts: Interrupts, times: int, folder: str) -> None:
    """Elements come in order, none twice; at most the one of an interrupted call is lost."""
    dataset = tf.data.Dataset.range(1 << 40).map(lambda n: tf.fill([20_000], n)).batch(3).prefetch(2)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        following = 0
        for _ in range(times):
            before = interrupts.count
            interrupts.call(lambda: session.run(element), 0.002)
            seen = session.run(element)
            assert (seen == seen[:, :1]).all()
            first = int(seen[0, 0])
            assert first in ({following, following + 3} if interrupts.count > before else {following + 3}), (
                first,
                following,
            )
            following = first + 3


def _queue(interrupts: Interrupts, times: int, folder: str) -> None:
    """A blocked call ends, and takes or gives nothing but what it returns."""
    queue = tf.FIFOQueue(2, tf.int64, [])
    fed = tf.placeholder(tf.int64, [])
    put, get, size = queue.enqueue(fed), queue.dequeue(), queue.size()
    both = queue.dequeue_many(2)
    with tf.Session() as session:
        for number in range(times):
            # Empty: dequeues wait.
            waiting = get if number % 2 else both
            interrupts.call(partial(session.run, waiting), 0.02)
            assert session.run(size) == 0
            session.run(put, {fed: number})
            # With one of two elements: nothing is taken.
            interrupts.call(lambda: session.run(both), 0.02)
            assert session.run(size) == 1
            session.run(put, {fed: number + 1})
            # Full: enqueues wait.
            interrupts.call(lambda: session.run(put, {fed: -1}), 0.02)
            assert session.run(both).tolist() == [number, number + 1]
    assert interrupts.count == 3 * times


def _unfinished(folder: str) -> list[str]:
    """Files of unfinished saves, but for the marks of old checkpoints, which the next save removes with these."""
    return [name for name in _files(folder) if "temp" in name and not name.endswith("_superfluous")]


def _files(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name != "checkpoint")


def _saver(interrupts: Interrupts, times: int, folder: str) -> None:
    """The checkpoint that is found is whole, and nothing else is left."""
    v = tf.Variable(tf.zeros([1 << 16]))
    fed = tf.placeholder(tf.float32, [])
    update = v.assign(tf.fill([1 << 16], fed))
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, folder + "/model", 0)
        for number in range(1, times + 1):
            session.run(update, {fed: number})
            interrupts.call(partial(saver.save, session, folder + "/model", number))
            latest = tf.train.latest_checkpoint(folder)
            assert latest is not None
            value = tf.train.load_variable(latest, v.op.name)
            assert (value == int(latest.rsplit("-", 1)[1])).all()
            assert not _unfinished(folder), _files(folder)
        saver.save(session, folder + "/model", times + 1)
        assert str(tf.train.latest_checkpoint(folder)).endswith(f"-{times + 1}")
        assert not [name for name in _files(folder) if "temp" in name], _files(folder)


def _state_file(interrupts: Interrupts, times: int, folder: str) -> None:
    """The state file lists what is there, and no more is kept than is to be."""
    v = tf.Variable(0.0)
    fed = tf.placeholder(tf.float32, [])
    update = v.assign(fed)
    saver = tf.train.Saver(max_to_keep=2)
    number = 0
    with tf.Session() as session:

        def ends(moment: int) -> bool:
            nonlocal number
            number += 1
            session.run(update, {fed: number})
            ended = bool(interrupts.call_at(lambda: saver.save(session, folder + "/model", number), moment))
            there = {name.removesuffix(".index") for name in _files(folder) if name.endswith(".index")}
            state = tf.train.get_checkpoint_state(folder)
            paths = [] if state is None else list(state.all_model_checkpoint_paths)
            assert saver.last_checkpoints == paths, (moment, saver.last_checkpoints, paths)
            assert there == {os.path.basename(path) for path in paths}, (moment, there, paths)
            assert len(there) <= 2, (moment, there)
            assert not [name for name in _files(folder) if "temp" in name], (moment, _files(folder))
            if paths:
                latest = paths[-1]
                assert tf.train.load_variable(latest, v.op.name) == int(latest.rsplit("-", 1)[1])
            return ended

        session.run(v.initializer)
        interrupts.moments(times, ends)


def _saved_model(interrupts: Interrupts, times: int, folder: str) -> None:
    """A folder is a whole SavedModel or none, and the builder can go on after an interrupt."""
    v = tf.Variable(3.0, name="v")
    asset = os.path.join(folder, "words")
    with open(asset, "w", encoding="utf-8") as file:
        file.write("words")
    path = tf.constant(asset)
    number = 0
    with tf.Session() as session:
        session.run(v.initializer)

        def value(export: str) -> float:
            with tf.Graph().as_default() as graph, tf.Session() as other:
                tf.saved_model.loader.load(other, ["serve"], export)
                (read,) = other.run(graph.get_collection("assets"))
                with open(read, encoding="utf-8") as copied:
                    assert copied.read() == "words"
                return float(other.run("v:0"))

        def ends(moment: int) -> bool:
            nonlocal number
            number += 1
            export = os.path.join(folder, str(number))
            session.graph.clear_collection("saved_model_assets")
            builder = tf.saved_model.builder.SavedModelBuilder(export)
            steps: list[Callable[[], Any]] = [
                lambda: builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[path]),
                builder.save,
            ]

            def build() -> None:
                while steps:
                    steps[0]()
                    del steps[0]

            ended = bool(interrupts.call_at(build, moment))
            if os.path.exists(os.path.join(export, "saved_model.pb")):
                assert value(export) == 3.0
            build()
            assert value(export) == 3.0, moment
            assert not _unfinished(export), _files(export)
            return ended

        tf.add_to_collection("assets", path)
        interrupts.moments(times, ends)


def _exporter(interrupts: Interrupts, times: int, folder: str) -> None:
    """Every export is whole, and an interrupted removal is finished."""

    def model(features: Any, labels: Any, mode: str) -> Any:
        v = tf.get_variable("v", [], initializer=tf.constant_initializer(5.0))
        step = tf.train.get_global_step().assign_add(1)
        loss = tf.reduce_sum(features["x"]) * v
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": v + features["x"]})}
        return tf.estimator.EstimatorSpec(
            mode, predictions={"y": v + 0.0}, loss=loss, train_op=step, export_outputs=outputs
        )

    def inputs() -> Any:
        return {"x": tf.constant([1.0])}, tf.constant([1.0])

    estimator = tf.estimator.Estimator(model, os.path.join(folder, "model"))
    estimator.train(inputs, steps=1)
    checkpoint = estimator.latest_checkpoint()
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None])})
    exporter = tf.estimator.LatestExporter("latest", receiver, exports_to_keep=2)
    exports = os.path.join(folder, "exports")
    seconds = iter(range(1_500_000_000, 2_000_000_000))
    clock = time.time

    def ends(moment: int) -> bool:
        # Exports are named by the second.
        now = next(seconds)
        time.time = lambda: float(now)
        try:
            ended = bool(interrupts.call_at(lambda: exporter.export(estimator, exports, checkpoint, {}, False), moment))
        finally:
            time.time = clock
        there = sorted(os.listdir(exports)) if os.path.isdir(exports) else []
        assert all(name.isdigit() for name in there), (moment, there)
        assert len(there) <= (2 if ended else 3), (moment, there)
        for name in there:
            with tf.Graph().as_default() as graph, tf.Session() as session:
                tf.saved_model.loader.load(session, ["serve"], os.path.join(exports, name))
                assert session.run(graph.get_tensor_by_name("v:0")) == 5.0
        return ended

    interrupts.moments(times, ends)


def _events(interrupts: Interrupts, times: int, folder: str) -> None:
    """Event files can be read, and hold what was added, in order; only the event of the interrupted call may lack."""
    number = 0

    def ends(moment: int) -> bool:
        nonlocal number
        number += 1
        logs = os.path.join(folder, str(number))
        writer = tf.summary.FileWriter(logs)
        added: list[int] = []

        def add(step: int) -> None:
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=step)]), step)
            added.append(step)

        def write() -> None:
            for step in range(3):
                add(step)
            writer.flush()
            writer.close()
            writer.reopen()
            add(3)
            writer.close()

        ended = bool(interrupts.call_at(write, moment))
        writer.reopen()
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=4)]), 4)
        writer.close()
        found = [
            event.step
            for name in sorted(_files(logs), key=lambda name: os.stat(os.path.join(logs, name)).st_ino)
            for event in tf.train.summary_iterator(os.path.join(logs, name))
            if event.summary.value
        ]
        assert sorted(found) == sorted(set(found)), (moment, found)
        assert set(added) | {4} <= set(found) <= {*added, len(added), 4}, (moment, added, found)
        return ended

    interrupts.moments(times, ends)


def _estimator(interrupts: Interrupts, times: int, folder: str) -> None:
    """Training goes on from the last checkpoint."""

    def model(features: Any, labels: Any, mode: str) -> Any:
        v = tf.get_variable("v", [1 << 12])
        step = tf.train.get_global_step()
        counted = tf.get_variable("counted", [], initializer=tf.zeros_initializer(), trainable=False)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(v)), step)
        with tf.control_dependencies([train]):
            both = tf.group(counted.assign_add(1.0))
        return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(v), train_op=both)

    def inputs() -> Any:
        return tf.data.Dataset.from_tensors((1.0, 1.0)).repeat()

    config = tf.estimator.RunConfig(save_checkpoints_steps=5, save_summary_steps=7, log_step_count_steps=None)
    estimator = tf.estimator.Estimator(model, folder, config)
    estimator.train(inputs, steps=1)
    last = 1
    for _ in range(times):
        interrupts.call(lambda: estimator.train(inputs, steps=1_000_000), 1.0)
        assert tf.get_default_graph() is _GRAPH
        step, counted = (int(estimator.get_variable_value(name)) for name in ("global_step", "counted"))
        assert step == counted >= last, (step, counted, last)
        last = step
        assert not _unfinished(folder), _files(folder)
    estimator.train(inputs, steps=3)
    assert int(estimator.get_variable_value("global_step")) == last + 3


_GRAPH = tf.get_default_graph()
KINDS = {
    f.__name__[1:]: f
    for f in (_variables, _iterator, _queue, _saver, _estimator, _state_file, _saved_model, _exporter, _events)
}


if __name__ == "__main__":
    _kind, _times, _seed, _folder = sys.argv[1:]
    _interrupts = Interrupts(int(_seed))
    tf.logging.set_verbosity(tf.logging.FATAL)
    KINDS[_kind](_interrupts, int(_times), _folder)
    print(_interrupts.count)

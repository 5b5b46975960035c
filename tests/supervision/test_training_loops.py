"""The loops of tf.contrib train until their end, and evaluate what was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from supervision.event_files import scalars_in

import ferroflow as tf

pytestmark = pytest.mark.filterwarnings("ignore:tf.train.Supervisor is deprecated")

training = tf.contrib.training
slim = tf.contrib.slim


def create_train_op() -> Any:
    """Halves `v` in each step, which begins at 64; the loss is its value."""
    v = tf.get_variable("v", initializer=64.0)
    tf.summary.scalar("value", v)
    return slim.learning.create_train_op(v, tf.train.GradientDescentOptimizer(v / 2))


class TestContribTrain:
    def test_a_hook_ends_it_and_the_last_loss_is_given(self, tmp_path: Path) -> None:
        train_op = create_train_op()
        hooks = [tf.train.StopAtStepHook(last_step=3)]
        assert training.train(train_op, str(tmp_path), hooks=hooks) == 16
        assert tf.train.load_variable(tf.train.latest_checkpoint(str(tmp_path)), "v") == 8

    def test_saving_needs_a_folder(self) -> None:
        train_op = create_train_op()
        with pytest.raises(ValueError, match="save_summaries_steps is not None"):
            training.train(train_op, None)
        with pytest.raises(ValueError, match="save_checkpoint_secs is not None"):
            training.train(train_op, None, save_summaries_steps=None)
        hooks = [tf.train.StopAtStepHook(last_step=1)]
        assert training.train(train_op, None, hooks=hooks, save_summaries_steps=None, save_checkpoint_secs=None) == 64


class TestSlimTrain:
    def test_it_stops_at_a_step_and_goes_on_from_there(self, tmp_path: Path) -> None:
        for number_of_steps, loss in ((2, 32), (5, 4)):
            with tf.Graph().as_default():
                assert slim.learning.train(create_train_op(), str(tmp_path), number_of_steps=number_of_steps) == loss

    def test_the_loss_is_logged_every_so_many_steps(self, logged: list[str]) -> None:
        slim.learning.train(create_train_op(), None, number_of_steps=5, log_every_n_steps=2)
        lines = [line.split(" (")[0] for line in logged if line.startswith("global step ")]
        assert lines == ["global step 2: loss = 32.0000", "global step 4: loss = 8.0000"]

    def test_steps_are_traced(self, tmp_path: Path) -> None:
        slim.learning.train(create_train_op(), str(tmp_path), number_of_steps=5, trace_every_n_steps=2)
        assert len(list(tmp_path.glob("tf_trace-*.json"))) == 3

    def test_the_end_of_input_ends_it(self) -> None:
        item = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
        with tf.control_dependencies([item]):
            v = tf.get_variable("v", initializer=1.0)
            loss = v * tf.cast(item, tf.float32)
        train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.0))
        assert slim.learning.train(train_op, None) == 2

    def test_a_step_function_of_the_program_decides(self) -> None:
        seen = []

        def train_step(sess: Any, train_op: Any, global_step: Any, kwargs: Any) -> Any:
            seen.append(kwargs["mine"])
            return slim.learning.train_step(sess, train_op, global_step, {})[0], len(seen) == 3

        loss = slim.learning.train(create_train_op(), None, train_step, {"mine": 5})
        assert (loss, seen) == (16, [5, 5, 5])

    def test_a_restart_of_a_machine_is_a_new_session(self) -> None:
        sessions = []

        def train_step(sess: Any, *_: Any) -> Any:
            sessions.append(sess)
            if len(sessions) == 1:
                raise tf.errors.AbortedError(None, None, "restarted")
            return 1.0, True

        assert slim.learning.train(create_train_op(), None, train_step) == 1.0
        assert sessions[0] is not sessions[1]

    def test_the_session_may_be_wrapped(self) -> None:
        wrapped = []
        slim.learning.train(
            create_train_op(), None, number_of_steps=1, session_wrapper=lambda s: wrapped.append(s) or s
        )
        assert len(wrapped) == 1

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"train_op": None}, "train_op cannot be None"),
            ({"summary_op": None}, "Cannot provide summary_op because logdir=None"),
            ({"saver": 1}, "Cannot provide saver because logdir=None"),
            ({"trace_every_n_steps": 1}, "Cannot provide trace_every_n_steps because logdir=None"),
            ({"number_of_steps": 0}, "must be either None or a positive number"),
            ({"sync_optimizer": [1]}, "must be a tf.train.SyncReplicasOptimizer"),
            ({"sync_optimizer": [1], "startup_delay_steps": 1}, "startup_delay_steps must be zero"),
        ],
    )
    def test_contradictions_are_refused(self, arguments: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            slim.learning.train(**{"train_op": 1, "logdir": None, **arguments})

    def test_a_trace_needs_a_folder(self) -> None:
        with pytest.raises(ValueError, match="logdir must be present"):
            slim.learning.train_step(None, None, None, {"should_trace": True})


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    """The prefix of a checkpoint in which `v` is 8 and the step 3."""
    with tf.Graph().as_default():
        slim.learning.train(create_train_op(), str(tmp_path / "train"), number_of_steps=3)
    return tf.train.latest_checkpoint(str(tmp_path / "train"))


class TestEvaluation:
    def test_batches_are_counted_and_the_values_at_the_end_given(self, checkpoint: str) -> None:
        create_train_op()
        total = tf.Variable(0.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        value = tf.get_default_graph().get_tensor_by_name("v:0")
        result = training.evaluate_once(
            checkpoint,
            eval_ops=tf.assign_add(total, value),
            final_ops={"total": total, "batches": training.get_or_create_eval_step()},
            hooks=[training.StopAfterNEvalsHook(5)],
        )
        assert result == {"total": 40, "batches": 5}

    @pytest.mark.parametrize("kind", [list, tuple, dict])
    def test_what_batches_run_may_be_several_things_and_is_left_alone(self, checkpoint: str, kind: Any) -> None:
        create_train_op()
        op = tf.constant(1)
        eval_ops = {"a": op} if kind is dict else kind([op])
        training.evaluate_once(checkpoint, eval_ops=eval_ops, hooks=[training.StopAfterNEvalsHook(1)])
        assert eval_ops == ({"a": op} if kind is dict else kind([op]))

    def test_the_progress_is_logged(self, checkpoint: str, logged: list[str]) -> None:
        create_train_op()
        training.evaluate_once(checkpoint, eval_ops=tf.constant(1), hooks=[training.StopAfterNEvalsHook(25)])
        lines = [line for line in logged if line.startswith("Evaluation [")]
        assert lines == [f"Evaluation [{n}/25]" for n in (*range(2, 25, 2), 25)]

    def test_the_end_of_input_ends_it(self, checkpoint: str, logged: list[str]) -> None:
        create_train_op()
        item = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
        step = training.get_or_create_eval_step()
        hooks = [training.StopAfterNEvalsHook(None)]
        assert training.evaluate_once(checkpoint, eval_ops=item, final_ops=step, hooks=hooks) == 3
        assert "Evaluation [3]" in logged

    def test_there_is_one_counter(self) -> None:
        step = training.get_or_create_eval_step()
        assert training.get_or_create_eval_step() is step
        tf.add_to_collection(tf.GraphKeys.EVAL_STEP, step)
        with pytest.raises(ValueError, match=r"Multiple tensors added to tf\.GraphKeys\.EVAL_STEP"):
            training.get_or_create_eval_step()

    def test_each_new_checkpoint_is_evaluated(self, checkpoint: str, tmp_path: Path) -> None:
        create_train_op()
        seen = []
        value = tf.get_default_graph().get_tensor_by_name("v:0")

        class Trains(tf.train.SessionRunHook):
            def end(self, session: Any) -> None:
                seen.append(session.run(value))
                with tf.Graph().as_default():
                    slim.learning.train(create_train_op(), str(tmp_path / "train"), number_of_steps=3 + len(seen))

        result = training.evaluate_repeatedly(
            str(tmp_path / "train"),
            eval_ops=value,
            final_ops=value,
            eval_interval_secs=0,
            hooks=[training.StopAfterNEvalsHook(1), Trains()],
            max_number_of_evaluations=3,
        )
        assert seen == [8, 4, 2]
        assert result == 2

    def test_slim_evaluates_with_summaries(self, checkpoint: str, tmp_path: Path) -> None:
        create_train_op()
        value = tf.get_default_graph().get_tensor_by_name("v:0")
        logdir = str(tmp_path / "eval")
        runs = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        result = slim.evaluation.evaluate_once(
            "", checkpoint, logdir, num_evals=4, eval_op=tf.assign_add(runs, 1), final_op=[value, runs]
        )
        assert result == [8, 4]
        assert scalars_in(logdir, "value") == [(3, 8.0)]

    def test_slim_evaluates_in_a_loop(self, checkpoint: str, tmp_path: Path) -> None:
        create_train_op()
        value = tf.get_default_graph().get_tensor_by_name("v:0")
        result = slim.evaluation.evaluation_loop(
            "",
            str(tmp_path / "train"),
            str(tmp_path / "eval"),
            final_op=value,
            eval_op=value,
            variables_to_restore=tf.global_variables(),
            eval_interval_secs=0,
            max_number_of_evaluations=1,
        )
        assert result == 8
        assert scalars_in(tmp_path / "eval", "value") == [(3, 8.0)]

    def test_summaries_need_a_place(self) -> None:
        with pytest.raises(ValueError, match="One of log_dir or summary_writer should be used"):
            training.SummaryAtEndHook()

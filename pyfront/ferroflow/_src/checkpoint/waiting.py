"""Waiting for checkpoints that another program saves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.state import latest_checkpoint


def wait_for_new_checkpoint(
    checkpoint_dir: str, last_checkpoint: str | None = None, seconds_to_sleep: float = 1, timeout: float | None = None
) -> str | None:
    """Waits until a folder has another checkpoint than the last one that was seen.

    Args:
        checkpoint_dir: str, the folder.
        last_checkpoint: str, prefix of the one that was seen, or None.
        seconds_to_sleep: float, seconds between two checks.
        timeout: float, seconds to wait at most; None for no limit.

    Returns:
        str, the new one's prefix; None if there was none in time.
    """
    tf_logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    deadline = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            tf_logging.info("Found new checkpoint at %s", found)
            return found
        if deadline is not None and time.time() + seconds_to_sleep > deadline:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields a folder's newest checkpoint each time there is a new one; some may be skipped.

    Args:
        checkpoint_dir: str, the folder.
        min_interval_secs: float, seconds between two checkpoints at least.
        timeout: float, seconds to wait for one at most; None for no limit.
        timeout_fn: callable without arguments, called after `timeout` seconds; the wait ends if it returns True, or if
            there is no such callable.

    Yields:
        str, a checkpoint's prefix.
    """
    last = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if found is None:
            if timeout_fn is None:
                tf_logging.info("Timed-out waiting for a checkpoint.")
            if timeout_fn is None or timeout_fn():
                return
            continue
        began = time.time()
        last = found
        yield found
        left = began + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)

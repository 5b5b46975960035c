"""Queues, staging areas and barriers: elements that outlive a step, and operations that wait for them."""

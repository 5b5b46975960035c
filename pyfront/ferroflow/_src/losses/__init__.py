"""Losses: functions that training minimizes."""

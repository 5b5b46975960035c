"""Layers: functions of tensors that own their variables."""

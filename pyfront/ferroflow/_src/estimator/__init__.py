"""Estimators: a model as a function, with the training, evaluation, prediction and export around it."""

"""`tf.contrib.predictor.predictor`: what predictors have in common."""

from ferroflow._src.saved_model.predictor import Predictor as Predictor

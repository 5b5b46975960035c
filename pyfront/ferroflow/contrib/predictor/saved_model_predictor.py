"""`tf.contrib.predictor.saved_model_predictor`: predictors from SavedModels."""

from ferroflow._src.saved_model.predictor import SavedModelPredictor as SavedModelPredictor

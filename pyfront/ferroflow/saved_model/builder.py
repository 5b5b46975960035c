"""`tf.saved_model.builder`: writing SavedModels."""

from ferroflow._src.saved_model.builder import SavedModelBuilder as SavedModelBuilder

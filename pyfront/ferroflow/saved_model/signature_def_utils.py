"""`tf.saved_model.signature_def_utils`: signatures."""

from ferroflow._src.saved_model.signatures import build_signature_def as build_signature_def
from ferroflow._src.saved_model.signatures import classification_signature_def as classification_signature_def
from ferroflow._src.saved_model.signatures import is_valid_signature as is_valid_signature
from ferroflow._src.saved_model.signatures import predict_signature_def as predict_signature_def
from ferroflow._src.saved_model.signatures import regression_signature_def as regression_signature_def

"""Session bundles: models exported before there were SavedModels."""

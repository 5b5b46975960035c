"""SavedModels: graphs with signatures, variables and assets in a folder, for serving."""

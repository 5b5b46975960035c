"""Public functions of the ops, one package per family with the names of the families in Rust."""

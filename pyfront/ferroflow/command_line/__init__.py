"""The commands of `ferroflow`: each module here but `main` and `tensorflow_alias` is one."""

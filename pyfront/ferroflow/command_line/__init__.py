"""The commands of `ferroflow`: `main` lists the modules that are one, and the others serve these."""

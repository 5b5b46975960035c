# Builds, runs and tests ferroflow. `make` alone lists what can be made.

SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

# The Python to build with: the newest of 3.10 and later that can make virtual environments. Choose with PYTHON=...
CAN_MAKE_VENV := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))
PYTHON ?= $(shell for python in python3.14 python3.13 python3.12 python3.11 python3.10 python3 python; do \
	$$python -c '$(CAN_MAKE_VENV)' 2> /dev/null && { command -v $$python; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
EXTENSION := pyfront/ferroflow/_core.abi3.so
RUST_FILES := Cargo.toml Cargo.lock $(shell find rust -type f '(' -name '*.rs' -o -name '*.toml' -o -name '*.proto' ')')
PYTHON_CODE := pyfront tests examples benches docs fuzz rust

# One interpreter for every build, or PyO3 would be built again for each.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.PHONY: help venv dev demo test lint rust-test python-test board-test fuzz race mutants bench docs wheel sdist wheel-test licenses audit clean

help: ## list these targets
	@echo "make demo and make test work from an empty checkout with Rust, Python >= 3.10 and make."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/pyvenv.cfg:
	@test -w . || { echo "make builds in this folder, which cannot be written. .ci/run tests a copy of it." >&2; exit 1; }
	@test -n "$(PYTHON)" && "$(PYTHON)" -c '$(CAN_MAKE_VENV)' || { \
		echo "ferroflow needs Python 3.10 or newer that can make virtual environments, and found none."; \
		echo "  On Debian and Ubuntu:     sudo apt install python3-venv"; \
		echo "  If it is somewhere else:  make PYTHON=/path/to/python3 ..."; \
		exit 1; } >&2
	"$(PYTHON)" -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' || { rm -f $@; exit 1; }

# What builds wheels. The packages for development would take minutes to install.
BUILDER := $(VENV)/.builder
$(BUILDER): pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --group build
	@touch $@

# Newer than the list of packages once they are installed.
PACKAGES := $(VENV)/.packages
$(PACKAGES): pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

# `maturin develop` also installs what the package depends on.
$(EXTENSION): $(RUST_FILES) $(PACKAGES)
	@command -v cargo > /dev/null || { echo "ferroflow needs Rust: https://rustup.rs" >&2; exit 1; }
	PIP_QUIET=1 $(BIN)/maturin develop --release
	@touch $@

venv: $(PACKAGES) ## make .venv with the tools for development (PYTHON=... chooses the Python)

dev: $(EXTENSION) ## build the extension, optimized, and install the package into .venv in place

demo: $(EXTENSION) ## train a digit classifier (ARGS="--threads=2" passes flags)
	$(BIN)/python examples/digits.py $(ARGS)

test: lint rust-test python-test ## lint, Rust tests, Python tests
	@echo "All checks passed."

rust-test: venv ## only the Rust tests
	@mkdir -p target
	@set -o pipefail; cargo test 2>&1 | tee target/rust-test.log
	@awk '/^test result:/ { passed += $$4; failed += $$6; ignored += $$8 } \
		END { print "cargo: " passed " passed, " failed " failed, " ignored " ignored" }' target/rust-test.log

# A process for each core, at most four: some tests start clusters of their own.
python-test: dev ## only the Python tests (ARGS="tests/base -k nest" passes arguments)
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 $(ARGS)

board-test: dev ## TensorBoard in Chromium shows what is written (Debian: apt install chromium chromium-driver)
	@command -v chromedriver > /dev/null || { \
		echo "this test needs Chromium and its driver:  sudo apt install chromium chromium-driver" >&2; exit 1; }
	$(BIN)/python -m pytest tests/tensorboard_page $(ARGS)

lint: venv ## formatting, clippy, ruff, mypy
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff check $(PYTHON_CODE)
	$(BIN)/ruff format --check $(PYTHON_CODE)
	$(BIN)/mypy

# Nightly, for the sanitizer. The operations, which most targets need, build for minutes.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= $(shell cargo fuzz list)
fuzz: ## fuzz what reads foreign bytes, FUZZ_SECONDS=60 each (rustup toolchain install nightly; cargo install cargo-fuzz)
	@cargo fuzz --version > /dev/null || { echo "this needs cargo-fuzz:  cargo install cargo-fuzz" >&2; exit 1; }
	@set -e; for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target fuzz/seeds/$$target; \
		cargo +nightly fuzz run --features graphs $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10; \
	done

# Nightly, for the sanitizer. The standard library is built with it, too: what it does between threads would be missed else.
RACE_ROUNDS ?= 5
RACE_OPTIONS := --quiet -Zbuild-std --target $(shell rustc -vV | sed -n 's/^host: //p') --target-dir target/race --lib --tests \
	--config 'profile.dev.package."*".opt-level=1' --config profile.dev.package.ferroflow-tensor.opt-level=1
race: export RUSTFLAGS := -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer
race: export TSAN_OPTIONS := halt_on_error=1 die_after_fork=0
race: ## ThreadSanitizer over what threads share, RACE_ROUNDS=5 times (rustup toolchain install nightly --component rust-src)
	for round in $$(seq $(RACE_ROUNDS)); do \
		cargo +nightly test $(RACE_OPTIONS) -p ferroflow-tensor -- buffer threads && \
		cargo +nightly test $(RACE_OPTIONS) -p ferroflow-io -p ferroflow-graph -p ferroflow-input -p ferroflow-runtime \
			-p ferroflow-cluster || exit; \
	done

# Cosmic Ray writes each change into MUTATED itself, and takes it back after the tests. Annotations are not worth a change.
MUTATED ?= pyfront/ferroflow/_src/variables/scope.py
MUTANTS := target/mutants
mutants: dev ## changes of Python code that no test notices (MUTATED=FILE_OR_FOLDER ARGS=tests/variables; minutes a file)
	@test -n "$(ARGS)" || { echo 'name the tests:  make mutants MUTATED=$(MUTATED) ARGS=tests/variables' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --group mutation
	@mkdir -p $(MUTANTS) && rm -f $(MUTANTS)/session.sqlite
	@printf '%s\n' '[cosmic-ray]' 'module-path = "$(MUTATED)"' 'timeout = 300.0' 'excluded-modules = []' \
		'test-command = "$(BIN)/python -m pytest -q -x -p no:cacheprovider $(ARGS)"' \
		'[cosmic-ray.distributor]' 'name = "local"' \
		'[cosmic-ray.filters.operators-filter]' 'exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]' \
		> $(MUTANTS)/settings.toml
	$(BIN)/cosmic-ray init $(MUTANTS)/settings.toml $(MUTANTS)/session.sqlite
	$(BIN)/cr-filter-operators $(MUTANTS)/session.sqlite $(MUTANTS)/settings.toml
	$(BIN)/cosmic-ray --verbosity WARNING exec $(MUTANTS)/settings.toml $(MUTANTS)/session.sqlite
	$(BIN)/cr-report --surviving-only --show-diff $(MUTANTS)/session.sqlite

bench: dev ## kernel throughput in Rust, then whole steps in Python (ARGS="--tensorflow2=PYTHON" compares)
	cargo bench --package ferroflow-benches
	$(BIN)/python benches/python/run.py $(ARGS)

docs: dev ## build the documentation site in target/site, without the network (ARGS="serve" shows it while it is written)
	DISABLE_MKDOCS_2_WARNING=true NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs $(or $(ARGS),build --site-dir target/site)

# Linked by zig, a wheel also runs where the C library is older than this machine's; maturin checks that it does.
MANYLINUX ?=
wheel: $(BUILDER) ## build dist/ferroflow-*.whl (MANYLINUX=2_17 for Linux of 2014 and later)
ifneq ($(MANYLINUX),)
	$(BIN)/python -m pip install --quiet --group release
endif
	@command -v cargo > /dev/null || { echo "ferroflow needs Rust: https://rustup.rs" >&2; exit 1; }
	@rm -f dist/ferroflow-*.whl
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --locked --out dist \
		$(if $(MANYLINUX),--zig --compatibility manylinux_$(MANYLINUX))

sdist: $(BUILDER) ## build dist/ferroflow-*.tar.gz
	@rm -f dist/ferroflow-*.tar.gz
	$(BIN)/maturin sdist --out dist

PYTHONS ?= $(shell for python in python3.10 python3.11 python3.12 python3.13 python3.14; do \
	$$python -c '$(CAN_MAKE_VENV)' 2> /dev/null && echo $$python; done)
wheel-test: ## test the wheel of dist in an empty environment of each Python (PYTHONS="python3.10 ...", ARGS="tests/ops")
	@ls dist/ferroflow-*.whl > /dev/null 2>&1 || { echo "there is no wheel yet:  make wheel" >&2; exit 1; }
	@test -n "$(PYTHONS)" || { echo "no Python was found; name some: make wheel-test PYTHONS=..." >&2; exit 1; }
	@set -e; for python in $(PYTHONS); do \
		venv=target/wheel-test/$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
		echo "== $$($$python --version) in $$venv"; \
		$$python -m venv --clear $$venv; \
		$$venv/bin/python -m pip install --quiet --upgrade 'pip>=25.1'; \
		$$venv/bin/python -m pip install --quiet dist/ferroflow-*.whl; \
		$$venv/bin/python -m pip check; \
		$$venv/bin/ferroflow doctor; \
		$$venv/bin/python -m pip install --quiet --group test; \
		$$venv/bin/python -m pytest $(ARGS); \
	done

licenses: ## collect the licences of all linked crates anew (cargo install --features cli cargo-about)
	@cargo about --version > /dev/null || { echo "this needs cargo-about:  cargo install --locked --features cli cargo-about" >&2; exit 1; }
	cargo about generate --locked --fail --manifest-path rust/python/Cargo.toml --config about.toml about.hbs --output-file THIRD_PARTY_LICENSES.txt

# What pip-audit cannot look up counts as a failure.
audit: $(PACKAGES) ## known flaws and licences of what ferroflow is made of and needs (cargo install cargo-deny)
	@cargo deny --version > /dev/null || { echo "this needs cargo-deny:  cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny --workspace --locked check
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/pip-audit --strict .

clean: ## remove everything that was built, and .venv
	rm -rf target dist $(VENV) $(EXTENSION) examples/out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find pyfront tests examples benches -name __pycache__ -type d -exec rm -rf {} +

# The executable guide: `make` alone lists what there is.
# VENV, JOBS, ONLY, QUICK, EXTRAS, REFUNDS, SEED, EXAMPLES, ARGS and the environment of config/settings.py can be given on the command line;
# `bench` leaves the environment behind.
VENV ?= .venv
JOBS ?= 2
PYTHON ?= python3
REFUNDRY_HOME ?= .refundry
SHELL := /bin/bash
.DEFAULT_GOAL := help
# Where a shell forbids it: what starts dozens of processes must not compile itself in each of them.
unexport PYTHONDONTWRITEBYTECODE
BIN := $(VENV)/bin
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/*.po))
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

# A lock file is installed once: the copy beside the packages says which one they came from.
define install
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@cmp -s $(1) $(VENV)/$(1) || { echo "Installing $(1)" && $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1) && cp $(1) $(VENV)/$(1); }
endef

.PHONY: help venv venv-dev venv-bench catalogue up demo manage test unit soak properties mutants chaos check format lint types contracts bench lock hooks clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv:
	$(call install,requirements.txt)

venv-dev: venv
	$(call install,requirements-dev.txt)

venv-bench: venv-dev
	$(call install,requirements-bench.txt)

catalogue: venv $(CATALOGUES)

%.mo: %.po | venv
	$(BIN)/pybabel --quiet compile --input-file $< --output-file $@ --locale zh_Hans

up: catalogue ## serve a demo shop with all its parts; Ctrl-C stops everything
	@exec $(BIN)/python -m workers.local.supervisor up

demo: venv ## with `make up` running in another terminal: play the stories and print what happened
	@$(BIN)/python -m workers.local.demo stories

manage: catalogue ## one manage.py command against the running `make up`: make manage ARGS="showmigrations"
	@set -a && . $(REFUNDRY_HOME)/env && set +a && $(BIN)/python manage.py $(ARGS)

test: venv-dev catalogue ## the suite on real PostgreSQL and Valkey, race, crash and random tests at a part of their size
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m "not soak" $(ARGS)

unit: venv-dev catalogue ## only what needs no server
	$(BIN)/python -m pytest tests/unit $(ARGS)

soak: venv-dev catalogue ## race and crash tests at full size, and what is too long for every day
	SOAK=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --timeout 900 -m "soak or sized" $(ARGS)

properties: venv-dev ## what must hold for any order and any sequence of refunds, for long: make properties EXAMPLES=5000
	EXAMPLES=$(or $(EXAMPLES),100000) $(BIN)/python -m pytest tests/unit/money/test_properties.py $(ARGS)

mutants: venv-dev ## change the pure money modules, one change at a time: a test must notice, or docs/money.md say why not
	$(BIN)/python -m tests.mutants

chaos: venv-dev catalogue ## 10,000 refunds while everything is killed and emptied: make chaos REFUNDS=500 SEED=7
	$(BIN)/python -m tests.chaos $(if $(REFUNDS),--refunds $(REFUNDS)) $(if $(SEED),--seed $(SEED)) $(ARGS)

check: format lint types contracts ## format, lint, types, import contracts, migrations, Django's own checks

format: venv-dev
	$(BIN)/ruff format --check .

lint: venv-dev
	$(BIN)/ruff check .

types: export DEBUG := 1
types: venv-dev
	$(BIN)/mypy
	$(BIN)/python manage.py check
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

contracts: venv-dev
	$(BIN)/lint-imports --no-cache --no-logo

# What is asked for is looked at before anything is installed for it.
bench: BENCH = $(BIN)/python -m benchmarks $(if $(ONLY),--only "$(ONLY)") $(if $(filter-out 0 no false,$(QUICK)),--quick) \
	$(if $(EXTRAS),--with "$(EXTRAS)") $(ARGS)
bench: venv-dev ## speed against the peers: make bench ONLY=drain QUICK=1 EXTRAS=dbos,procrastinate
	$(if $(EXTRAS),@$(BENCH) --check && $(MAKE) --no-print-directory venv-bench)
	$(BENCH)

lock: venv-dev ## resolve requirements*.in anew into the hash-locked files
	$(LOCK) requirements.in --output-file requirements.txt
	$(LOCK) requirements-dev.in --output-file requirements-dev.txt
	$(LOCK) requirements-bench.in --output-file requirements-bench.txt

hooks: venv-dev ## install the pre-commit hooks
	$(BIN)/pre-commit install

clean: ## forget the local services' data and the tools' caches (stop `make up` first)
	rm -rf $(REFUNDRY_HOME) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

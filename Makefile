# Two commands matter: `make demo` and `make test`. Each sets up all it needs in .venv. `make help` lists the others.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

PYTEST := $(BIN)/python -m pytest -n logical --dist worksteal --durations=25
CORE := schema text log project sandbox packs constraints models recall conversation display memory importing

.PHONY: demo help test test-slow coverage browser check format golden bench site peers clean

demo: $(VENV)/run ## A year of conversations becomes a typed project
	$(BIN)/python examples/demo.py

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/\1  \2/p' $(MAKEFILE_LIST) | awk '{ printf "  make %-10s", $$1; $$1 = ""; print }'

# One process of tests per core, each with a hash seed of its own, which is printed; HASH_SEED=n repeats a run.
test: check ## Lint, strict types and all tests but those that take minutes
	$(PYTEST)

test-slow: check ## The same, with those that take minutes
	$(PYTEST) --slow

coverage: $(VENV)/dev ## Branch coverage of the core by its own tests
	$(PYTEST) --cov $(CORE:%=tests/%)

# Chromium for the tests of the inspector, where the system's packages have it; without one those tests are skipped.
browser: ## Install Chromium for the tests of the inspector; needs root
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
	|| { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } \
	|| echo "There is no Chromium here: the browser tests will be skipped"

check: $(VENV)/dev ## Format, lint and strict types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: $(VENV)/dev ## Mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: $(VENV)/dev ## Renew golden files and docs/reference/commands.md
	$(BIN)/python -m pytest tests/repository/test_documents.py tests/log/test_logs_of_old_releases.py tests/project/test_render.py --golden

bench: $(VENV)/dev ## Measure the log and the project against plain SQLite and Python
	$(BIN)/uac-bench log
	$(BIN)/uac-bench project

site: $(VENV)/dev ## The documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

peers: $(VENV)/dev ## Install what tests compare with, if they find it
	$(PIP) install -r requirements/peers.txt

clean: ## Remove all that was set up or made
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build site

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run: $(VENV)/python requirements/run.txt requirements/build.txt pyproject.toml
	@echo "Setting up $(VENV) (about a minute, once)"
	$(PIP) install -r requirements/run.txt -r requirements/build.txt
	$(PIP) install --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/dev: $(VENV)/run requirements/dev.txt requirements/docs.txt requirements/models.txt requirements/mcp.txt requirements/notebook.txt requirements/otel.txt requirements/serve.txt
	$(PIP) install -r requirements/dev.txt
	@touch $@

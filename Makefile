# Two commands matter: `make demo` and `make test`. Each sets up all it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test test-slow browser check format golden bench site peers clean

demo: $(VENV)/run
	$(BIN)/python examples/demo.py

# Files of tests run side by side, as many as there are cores.
test: check
	$(BIN)/python -m pytest -n logical --dist loadfile

test-slow: check
	$(BIN)/python -m pytest -n logical --dist loadfile --slow

# Chromium for the tests of the inspector, where the system's packages have it; without one those tests are skipped.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
	|| { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } \
	|| echo "There is no Chromium here: the browser tests will be skipped"

check: $(VENV)/dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: $(VENV)/dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: $(VENV)/dev
	$(BIN)/python -m pytest tests/test_documents.py tests/test_releases.py tests/test_render.py --golden

bench: $(VENV)/dev
	$(BIN)/uac-bench log
	$(BIN)/uac-bench project

site: $(VENV)/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

peers: $(VENV)/dev
	$(PIP) install -r requirements/peers.txt

clean:
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

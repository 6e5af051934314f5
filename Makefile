# Everything runs in .venv, made on first use. PYTHON picks the interpreter that it is made from (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo-out

.PHONY: help demo test lint clean

help:
	@echo "make demo      record, compare and publish a small repository made for it (2-3 minutes)"
	@echo "make test      all tests; those that need a GPU, torch or a browser are skipped where there is none"
	@echo "make lint      ruff, mypy, the import contracts, and checks of the workflows"
	@echo "make clean     remove what the others made"

# Reads the development requirements from pyproject.toml, where they are kept once: pip before 25.1 has no --group.
$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['dev'], sep='\n')" > $(VENV)/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --requirement $(VENV)/dev.txt
	touch $@

demo: $(VENV)/installed
	rm -rf $(DEMO)
	$(BIN)/python examples/demo/run_demo.py $(DEMO)

test: $(VENV)/installed
	$(BIN)/python -m pytest -n auto --dist loadfile $(PYTEST)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet --min-severity=medium .github examples/github/*.yml .github/actions/perftrack/action.yml
	$(BIN)/python tests/action/shell.py | $(BIN)/shellcheck --shell=bash -

clean:
	rm -rf $(VENV) $(DEMO) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

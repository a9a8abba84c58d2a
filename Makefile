# Two commands: `make tui` opens the dashboard on a run that trains, `make test` runs the tests.
# Both build .venv first. On Windows use the pip lines in README.md.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: tui test check lint format snapshots clean

tui: .venv/.installed
	$(BIN)/rlppo-tui

test: .venv/.installed-dev
	$(BIN)/python -m pytest -n auto --dist loadfile

check: lint test

lint: .venv/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

snapshots: .venv/.installed-dev
	$(BIN)/python -m pytest tests/tui -n auto --dist loadfile --snapshot-update

clean:
	rm -rf .venv build *.egg-info

.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c "import sys; v = sys.version_info[:2]; (3, 11) <= v < (3, 14) or sys.exit(f'Python 3.11, 3.12 or 3.13 is needed, {sys.executable} is {v[0]}.{v[1]}: make PYTHON=python3.12 tui')"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@# rlgym-rocket-league ships the collision meshes, but asks for a numpy without Python 3.13 wheels.
	@$(BIN)/python -c "import sys; sys.exit(sys.version_info >= (3, 13))" \
		|| $(BIN)/python -m pip install --quiet --no-deps -c constraints.txt rlgym-rocket-league rlgym-api
	@touch $@

.venv/.installed-dev: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

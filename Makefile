# run, test, check and bench need python3 (3.11 or newer, with venv) and nothing else.
MAKEFLAGS += --no-print-directory
PY := .venv/bin/python
# One more than there are cores: the tests wait for processes and browsers much of the time.
SPREAD := -n $(shell expr $$(nproc) + 1) --maxprocesses 4 --dist worksteal
# What is compiled is kept: the tests start hundreds of processes of the same few files.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test check style bench chaos clean runtime development
.NOTPARALLEL:

help:
	@echo "make run     the console with a demo on http://127.0.0.1:8000 (EMQ_PORT=8001)"
	@echo "make run EMQ_SERVERS='prod=redis://host:6379/0'   the console of your own servers"
	@echo "make test    every test, in a browser too, and on PostgreSQL what reads and writes the database"
	@echo "make check   style, types, script headers, templates, floors"
	@echo "make bench   one line per figure (ONLY=name, SIZE=n)"
	@echo "make chaos   a minute of each chaos run: a foreign fleet, and what the ledger says of it"
	@echo "make clean   remove the virtual environment and the caches; the data in var/ stays"

run: runtime
	@exec $(PY) manage.py up --with-parent

test: development
	@browser=$$($(PY) tools/browser.py) && postgres=$$($(PY) tools/postgres.py) && \
	$(MAKE) style && \
	CHROMIUM="$$browser" $(PY) -m pytest $(SPREAD) && \
	TEST_DATABASE=postgresql POSTGRES_BIN="$$postgres" \
	exec $(PY) -m pytest $(SPREAD) @tests/postgresql/parts

check: style
	@$(PY) -m pytest tests/check tests/emq/test_scripts.py

style: development
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

bench: development
	@exec $(PY) -m tests.bench

chaos: development
	@CHAOS_S=60 exec $(PY) -m pytest -s tests/chaos/test_chaos.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis

runtime:
	@tools/venv.sh requirements.txt

development:
	@tools/venv.sh requirements-dev.txt

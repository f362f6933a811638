# EchoMQ Lab. Two commands matter: `make lab` opens the notebooks, `make test` runs every check.
# Each installs what it needs into .venv first. PYTHON=... picks the interpreter, ARGS=... is passed on.

.PHONY: help setup lab reset doctor test lint bench soak lock clean
# `make clean setup` is two steps, one after the other, for `make -j` too.
.NOTPARALLEL:

# What a shell may bring along and must not reach the lab.
unexport PYTHONPATH PYTHONHOME PYTHONWARNINGS PYTHONSAFEPATH MPLBACKEND PYTEST_ADDOPTS PYTEST_PLUGINS
RUN := exec .venv/bin/python -m
# The tests bring their own stores; one that a student's URL names is not theirs to write to.
ALONE := unset ECHOMQ_LAB_URL;

help:
	@echo "make lab      open the notebooks in JupyterLab (ARGS=--no-browser prints the URL)"
	@echo "make reset    bring a fresh copy of a notebook and keep yours (ARGS=01)"
	@echo "make test     run every check: ruff, mypy, pytest"
	@echo "make setup    make .venv and install everything that the lab needs"
	@echo "make doctor   tell what is missing or at fault, and the command that mends it"
	@echo "make lint     run ruff and mypy alone"
	@echo "make bench    measure speed against the stated bars"
	@echo "make soak     run the long counts"
	@echo "make lock     renew requirements.lock and environment.yml (ARGS=--upgrade for newer versions)"
	@echo "make clean    remove .venv and caches; lab-work stays"

setup:
	@PYTHON='$(PYTHON)' sh .ci/setup

lab: setup
	@$(RUN) echomq_lab open $(ARGS)

reset: setup
	@$(RUN) echomq_lab reset $(ARGS)

doctor: setup
	@$(RUN) echomq_lab doctor $(ARGS)

lint: setup
	@.venv/bin/python -m ruff format --check . || { echo "mend it: .venv/bin/python -m ruff format"; exit 1; }
	@.venv/bin/python -m ruff check .
	@.venv/bin/python -m mypy

test: lint
	@sh .ci/browser
	@sh .ci/sandbox
	@$(ALONE) $(RUN) pytest -n 3 --dist loadfile -m "not soak" $(ARGS)

bench: setup
	@$(ALONE) $(RUN) benchmarks $(ARGS)

# Only the files that have long counts are read: collecting all the tests takes longer than to see that none has.
soak: setup
	@long=$$(grep -l 'pytest\.mark\.soak' tests/test_*.py) || { echo "no long counts yet: nothing to soak"; exit 0; }; \
	$(ALONE) $(RUN) pytest -n 2 -m soak $$long $(ARGS)

lock: setup
	@.venv/bin/python .ci/lock.py $(ARGS)

clean:
	@rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find echomq_lab tests benchmarks .ci -name __pycache__ -type d -prune -exec rm -rf {} +

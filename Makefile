# Each of these sets up what it needs by itself, and is quick the second time: see .ci/setup.
.PHONY: help worksheet test check-types run-tests pythons fuzz attack exports sweep samples models clean

help:
	@echo "make worksheet   attnhand-7.pdf and attnhand-7-key.pdf in this folder"
	@echo "make test        lint, types and all tests"
	@echo "make pythons     all tests on every Python that is claimed and found here; hours"
	@echo "make fuzz        50,000 damaged files for each reader; half an hour"
	@echo "make attack      keys against an oracle, kills, races, hostile texts, files that fetch; two hours"
	@echo "make exports     every export in the program that reads it, which this installs first"
	@echo "make sweep       all tests on everything, a thousand seeds of every level, mechanism and option; a day"
	@echo "make samples     make samples/ and the README's console blocks again"
	@echo "make models      draw the bank of tiny language models again; a quarter of an hour"
	@echo "make clean       remove the virtual environment and all caches; sheets stay"

worksheet:
	@.ci/setup runtime
	.venv/bin/attnhand generate --seed 7 --pdf

# types are checked while tests run: the one takes a processor for a minute, the other leaves room at its ends
test:
	@.ci/setup dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	@$(MAKE) --no-print-directory --jobs=2 check-types run-tests

check-types:
	.venv/bin/mypy

# what is compiled is kept, whatever the shell says: tests start the program hundreds of times
run-tests:
	PYTHONDONTWRITEBYTECODE= .venv/bin/pytest -n auto --maxprocesses 8 --dist worksteal

pythons:
	@.ci/pythons

fuzz:
	@.ci/setup dev
	.venv/bin/python -m tests.fuzz

attack:
	@.ci/setup dev
	.venv/bin/python -m tests.fuzz 62500
	.venv/bin/python -m tests.attack

exports:
	@.ci/setup exports
	.venv/bin/python -m tests.exports

sweep:
	@.ci/setup dev
	ATTNHAND_TESTS=all .venv/bin/pytest -n auto --maxprocesses 8 --dist worksteal
	.venv/bin/python -m tests.problems.sweep
	.venv/bin/python -m tests.problems.story_answers
	.venv/bin/python -m tests.attention.question_answers

samples:
	@.ci/setup dev
	.venv/bin/python -m samples.make_samples
	.venv/bin/python -m tests.readme

models:
	@.ci/setup dev
	.venv/bin/python -m samples.draw_models

clean:
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find attnhand tests templates -name __pycache__ -type d -prune -exec rm -rf {} +

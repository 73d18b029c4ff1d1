#!/usr/bin/env bash
# The examples of the documentation run, and print what their pages show.
source "$(dirname "$0")/expect.bash"

cd "$source_root"
python3 tests/cli/doc_examples.py "$REEVE" "$scratch" README.md docs/*.md docs/how-to/*.md \
  docs/explanation/*.md policies/*/*.md ||
  { echo "tests/cli/doc_examples.py REEVE SCRATCH PAGE... --update mends a page" >&2; exit 1; }

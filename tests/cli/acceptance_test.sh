#!/usr/bin/env bash
# The acceptance rows: every scenario of the tests and of the gallery meets its own numbers.
set -euo pipefail
"$REEVE" test tests/rules tests/scenarios scenarios/gallery

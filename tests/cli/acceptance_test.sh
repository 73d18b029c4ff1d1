#!/usr/bin/env bash
# The acceptance rows: every scenario of tests/scenarios and of the gallery meets its own numbers.
set -euo pipefail
"$REEVE" test tests/scenarios scenarios/gallery

#!/usr/bin/env bash
# Requests for further attempts are valid by the model of AWS in botocore, and lose no member that
# DescribeTrainingJob returns and CreateTrainingJob accepts.
set -euo pipefail

: "${REEVE:?the program beside the tests}"
scratch=${REEVE_SCRATCH:-$(mktemp -d)}
rm -rf "$scratch"
mkdir -p "$scratch"
exec python3 tests/cli/clone_judge.py "$(dirname "$REEVE")/tests/unit_live" "$scratch"

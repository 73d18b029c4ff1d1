#!/usr/bin/env bash
# Our signatures of AWS requests are those of botocore, on random requests with odd characters.
set -euo pipefail

: "${REEVE:?the program beside the tests}"
exec python3 tests/signer/compare.py "$(dirname "$REEVE")/tests/aws_signer"

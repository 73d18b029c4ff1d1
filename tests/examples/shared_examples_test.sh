#!/usr/bin/env bash
# The example scenarios beside the checkout run as they stand, and every `expect` in them is true.
set -euo pipefail

examples=../shared/examples
if [ ! -d "$examples" ]; then
  echo "skipped: there is no $examples beside this checkout"
  exit 77
fi
for name in stalled-weekend ms-itp-replay spot-base amazon-search-100; do
  echo "reeve test $examples/$name.jsonc"
  "$REEVE" test "$examples/$name.jsonc"
done
